// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QString>

#include <span>

namespace tawara {

/// What the engine says of a region of tissue by its place in the session file, by its name:
/// "heart:/tissue/regions/1/parameters/g_Na: must be positive" is "Region “Scar”, parameters/g_Na:
/// must be positive"; "Region 2, ..." where it has no name. Other texts as they are.
/// @param regions  that the text is of
QString inRegionNames(const std::string& said, std::span<const simulation::Region> regions);

} // namespace tawara
