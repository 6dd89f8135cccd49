// SPDX-License-Identifier: GPL-3.0-or-later
// What a file says of the run that made it.
#pragma once
#include <filesystem>
#include <string>

namespace tawara::simulation {

/// Whether a text is the line of JSON that files of this program carry: JSON within the bounds of
/// parse_json(), an object whose `program` is tawara. What else it says is anybody's.
bool is_provenance(const std::string& text);

struct FoundProvenance
{
    /// The line (is_provenance()) that a file carries (Provenance::text): in its own bytes, in
    /// FILE.provenance.json beside it, or, of a table in a run's folder, what report.json there
    /// says.
    std::string text;
    /// The report whose digest of the file it still has; empty: nothing tells whether the file was
    /// changed since.
    std::filesystem::path unchanged_by;
    bool values_alone = false; ///< the digest is of a frame's V, and of nothing else in the file
    std::string why_not_known; ///< why no report tells, where there is one
};

/// @throws InputError where the file is not there, was changed since its run, or nothing says what
/// made it
/// @cost  reads the file three times at most, at about 300 MB/s; holds 32 MB of it, a .vtu whole
FoundProvenance find_provenance(const std::filesystem::path& file);

/// In which way a file of a run is other than its run left it, as a message; empty where it is not,
/// or nothing tells.
std::string changed_since(const std::filesystem::path& file);

} // namespace tawara::simulation
