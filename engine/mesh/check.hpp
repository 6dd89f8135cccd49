// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"
#include "engine/mesh/topology.hpp"

namespace tawara::mesh {

/// What check_and_clean() found and did.
struct CheckReport
{
    std::int64_t turned = 0;          ///< inverted tetrahedra that were turned
    std::int64_t unused_vertices = 0; ///< dropped
    std::int64_t pieces = 1;
    std::int64_t fibres_normalised = 0;
    double quality_min = 0, quality_mean = 0; ///< 1 for a regular tetrahedron, 0 for a flat one
    Notices notices;
    std::vector<std::array<std::int32_t, 4>> neighbours; ///< face_neighbours() of the cleaned mesh
};

/// Brings a mesh as read into the state that TetMesh promises, or refuses it.
///
/// Turns inverted tetrahedra, refuses degenerate, duplicate and non-finite ones with their numbers,
/// drops unused vertices, reports disconnected pieces, normalises fibres (sheet made orthogonal to
/// fibre, normal completed).
/// @param file  named in errors
/// @throws MeshError
CheckReport check_and_clean(TetMesh& m, const std::string& file, const Progress& progress = {});

/// Shape quality of a tetrahedron: 12 (3 V)^(2/3) / sum of squared edge lengths, in [0, 1].
double quality(const TetMesh& m, std::size_t t);

/// Regular refinement: each tetrahedron into 8 (the inner octahedron cut along its shortest
/// diagonal, of two as short the one that leaves the better shapes); regions, directions and
/// per-tetrahedron fields are inherited, per-vertex fields interpolated.
TetMesh refine(const TetMesh& m, const Progress& progress = {});

/// Box of tetrahedra: a grid of cubes of edge `spacing_mm`, six tetrahedra per cube (Kuhn),
/// conforming; fibres along x, sheets along y; region 1. The counts are rounded so that the box is
/// exact.
/// @throws InputError when a size or the spacing is not positive and finite
TetMesh slab(const Vec3& size_mm, double spacing_mm);

} // namespace tawara::mesh
