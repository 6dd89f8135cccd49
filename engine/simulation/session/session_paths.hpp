// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <string>
#include <vector>

namespace tawara::simulation {

/// The files that a session names, beside those of its cell models: in full, or from its folder on.
std::vector<std::filesystem::path> files_named(const Session& session);

/// The files that a session names and that do not lie below its folder, each once, in full: a
/// session from others says by them what it reads of this machine. Links are followed.
/// @pre  session.folder is that of the file it was read from
std::vector<std::string> files_elsewhere(const Session& session);

} // namespace tawara::simulation
