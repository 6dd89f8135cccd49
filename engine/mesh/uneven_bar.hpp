// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// A bar along x of uneven tetrahedra, as Delaunay meshes of hearts have them: a body-centred
/// lattice, each of whose vertices is moved by chance (within the planes of the boundary, where it
/// lies on it). Fibre, sheet and normal along x, y and z; region 1. The same for the same numbers.
/// @param along, across  cubes of the lattice, each with a vertex in its centre
/// @param edge_mm  mean_edge_mm() of the result
/// @pre    along, across > 0; edge_mm > 0
/// @cost   linear
TetMesh uneven_bar(std::size_t along, std::size_t across, double edge_mm);

/// Edges of the lattice's cubes over the mean edge, about.
inline constexpr double uneven_cube_per_edge = 1.06;

} // namespace tawara::mesh
