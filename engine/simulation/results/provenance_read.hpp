// SPDX-License-Identifier: GPL-3.0-or-later
// What a file says of the run that made it.
#pragma once
#include <filesystem>
#include <string>

namespace tawara::simulation {

struct FoundProvenance
{
    /// The line of JSON that a file of this program carries (Provenance::text): in its own bytes,
    /// in FILE.provenance.json beside it, or, of a table in a run's folder, what report.json there
    /// says.
    std::string text;
    /// The report whose digest of the file it still has; empty: nothing tells whether the file was
    /// changed since.
    std::filesystem::path unchanged_by;
};

/// @throws InputError where the file is not there, was changed since its run, or nothing says what
/// made it
/// @cost  reads the file twice, at about 300 MB/s
FoundProvenance find_provenance(const std::filesystem::path& file);

} // namespace tawara::simulation
