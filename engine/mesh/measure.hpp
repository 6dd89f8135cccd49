// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// The edge length of a mesh, wherever the program speaks of it [mm]: the mean over the tetrahedra
/// of their six edges, so that an edge counts as often as tetrahedra share it. 0 for an empty mesh.
/// @cost  linear
double mean_edge_mm(const TetMesh& m);

/// What tetrahedra a mesh is made of, so that others like them can be made elsewhere.
struct Grain
{
    double edge_mm = 0; ///< mean_edge_mm()
    /// All of one volume, as those of cubes that are cut into six; else uneven, as those of
    /// Delaunay meshes.
    bool even = true;
    /// Implicit: an edge alone is of even tetrahedra.
    constexpr Grain(double edge, bool even_ = true) : edge_mm(edge), even(even_) {}
    bool operator==(const Grain&) const = default;
};
/// @cost  linear
Grain grain(const TetMesh& m);

/// How many simplices of each kind a mesh has.
struct Counts
{
    std::int64_t vertices = 0, edges = 0, faces = 0, tetrahedra = 0;
    bool operator==(const Counts&) const = default;
};
/// @cost  linear, about 0.2 s per million tetrahedra
Counts counts(const TetMesh& m, const Progress& progress = {});

/// Counts after regular refinement (refine(), mesh/check.hpp), exactly:
///
///     V' = V + E,  E' = 2 E + 3 F + T,  F' = 4 F + 8 T,  T' = 8 T
Counts refined(Counts c, int times = 1);

} // namespace tawara::mesh
