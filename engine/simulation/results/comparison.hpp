// SPDX-License-Identifier: GPL-3.0-or-later
// What two runs of one session came to.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tawara::simulation {

/// One thing that both runs say.
struct Compared
{
    std::string what;     ///< "mesh", "V at the end", "probes.csv", "frames", ...
    bool same = false;    ///< bit for bit
    std::string how = {}; ///< where it is not: by how much, or why that is not known
};
/// What two runs came to.
struct RunComparison
{
    std::vector<Compared> results;
    std::vector<std::string> remarks; ///< what was not compared; other program, device, precision
    std::size_t changed = 0; ///< files that are not as the first run left them, or not there
    bool same() const;       ///< all results
};

/// Compares the reports of two runs of one session by their digests. Where these differ, the
/// folders' tables and frames say by how much. What neither run has (activation where nothing was
/// activated) is no result, but a remark, and so is each kind of file that is not compared.
/// @throws InputError where one of the reports says nothing that can be compared
/// @cost  of frames that differ both files are read
RunComparison compare_reports(const std::string& before_json,
                              const std::filesystem::path& before_folder,
                              const std::string& now_json, const std::filesystem::path& now_folder);

} // namespace tawara::simulation
