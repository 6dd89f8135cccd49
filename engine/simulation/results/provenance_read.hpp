// SPDX-License-Identifier: GPL-3.0-or-later
// What a file says of the run that made it.
#pragma once
#include <filesystem>
#include <string>

namespace tawara::simulation {

/// The line of JSON that a file of this program carries (Provenance::text): in its own bytes, in
/// FILE.provenance.json beside it, or, of a table in a run's folder, what report.json there says.
/// @throws InputError where the file is not there, or nothing says what made it
std::string provenance_in(const std::filesystem::path& file);

} // namespace tawara::simulation
