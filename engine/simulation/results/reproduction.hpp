// SPDX-License-Identifier: GPL-3.0-or-later
// What a report keeps so that its run can be done again, and what both runs came to.
#pragma once
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tawara::simulation {

/// A run as its report describes it.
struct RecordedRun
{
    Session session;
    RunOptions options; ///< session_file, device, until_ms, resume, branch
    std::string json;   ///< the whole report
    Notices notices;    ///< what is elsewhere now
};

/// Reads a report.json that `run` has written. Where the session's folder or the checkpoint is not
/// at its place any more, it is looked for where it lies seen from the report, so that results,
/// session and mesh may be moved together.
/// @throws InputError where it is none, holds no session (an older program's, a mesh in parts), or
/// names a checkpoint that is gone or has other bytes, or files in a folder that is gone
RecordedRun read_report(const std::filesystem::path& report);

/// One thing that both runs say.
struct Compared
{
    std::string what;     ///< "mesh", "V at the end", "probes.csv", ...
    bool same = false;    ///< bit for bit
    std::string how = {}; ///< where it is not: by how much, as far as that is known
};
/// What two runs came to.
struct RunComparison
{
    std::vector<Compared> results;
    std::vector<std::string> remarks; ///< other program, device, precision
    bool same() const;                ///< all results
};

/// Compares the reports of two runs of one session; where their folders have activation.csv, by how
/// much activation differs.
/// @throws InputError where one of them says nothing that can be compared
RunComparison compare_reports(const std::string& before_json,
                              const std::filesystem::path& before_folder,
                              const std::string& now_json, const std::filesystem::path& now_folder);

} // namespace tawara::simulation
