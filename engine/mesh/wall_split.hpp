// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"

namespace tawara::mesh {

/// Fills s.wall (see surface()): epicardium, endocardia and base where they can be told.
void split_walls(const TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                 Surface& s, Notices* notices);

/// Whether next to nothing of the boundary bends inwards: a slab, a sheet, a wedge; no heart.
/// @cost  that of sorting the triangles' edges
bool without_hollow(const TetMesh& m, const Surface& s);

} // namespace tawara::mesh
