// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace tawara::simulation {

/// SHA-256 of the files of cell models, and of those that these import, by their names as a session
/// in `folder` has them: of the texts that the tissue's equations were compiled from, whatever the
/// files have by now. Where cells of one tissue are of several texts of a file, each has its own
/// name.
std::map<std::string, std::string> model_digests(const Tissue& t,
                                                 const std::filesystem::path& folder);

} // namespace tawara::simulation
