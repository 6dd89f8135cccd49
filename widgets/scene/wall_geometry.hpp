// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"

#include <vector>

namespace tawara::scene {

/// A surface made ready for smooth shading: vertices at sharp edges (the rim of the base, the edges
/// of a slab) are there once per smooth part, each with its own normal.
struct WallGeometry
{
    std::vector<float> points;  ///< x y z of each display vertex [mm]
    std::vector<float> normals; ///< unit, outward
    std::vector<std::int32_t>
        source; ///< surface vertex of each display vertex; the first ones are themselves
    std::vector<std::array<std::int32_t, 3>>
        triangles;                             ///< display vertices; neighbours stand together
    std::vector<std::int32_t> triangle_source; ///< surface triangle of each
};

/// @param crease_deg  neighbouring triangles whose normals differ by more do not share a normal
/// @cost  linear; about 60 ms for 100 thousand triangles
WallGeometry wall_geometry(const mesh::TetMesh& m, const mesh::Surface& s, double crease_deg = 50);

} // namespace tawara::scene
