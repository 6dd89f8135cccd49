// SPDX-License-Identifier: GPL-3.0-or-later
// What a report keeps so that its run can be done again.
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

} // namespace tawara::simulation
