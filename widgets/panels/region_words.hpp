// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QString>

#include <span>

namespace tawara {

/// Why a change of the tissue was refused, with the region by its name: what is wrong at
/// /tissue/regions/1/parameters/g_Na is "Region “Scar”, parameters/g_Na: must be positive", or
/// "Region 2, ..." where the region has no name. Other reasons as they are.
/// @param regions  of the change
QString inRegionNames(const simulation::Answer& refused,
                      std::span<const simulation::Region> regions);

} // namespace tawara
