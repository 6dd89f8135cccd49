// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_key_json.hpp"

namespace tawara::simulation {

/// Reads a region's keys of dyads, but for "seed", which the table reads.
/// @pre  the region's model was read, or r.inherits()
/// @throws InputError for such a key where the region's model has no dyads
void read_dyads(const JsonNode& region, Region& r);

/// Adds the region's keys of dyads.
void write_dyads(const Region& r, Json& region);

} // namespace tawara::simulation
