// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <map>
#include <string>

namespace tawara::simulation {

/// SHA-256 of the files of cell models that a session names, by the names that it has for them.
/// Files that are not there any more are left out.
std::map<std::string, std::string> model_digests(const Session& session);

} // namespace tawara::simulation
