// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// Corners of face k of a tetrahedron (the face opposite to corner k), ordered so that the normal
/// by the right-hand rule points out of a positively oriented tetrahedron.
inline constexpr std::array<std::array<int, 3>, 4> face_corners{
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// neighbour[t][k]: the tetrahedron across face k of t, or -1 at the boundary.
/// @throws MeshError when a face belongs to more than two tetrahedra (names them)
/// @cost   O(n log n) time, about 48 bytes per tetrahedron of scratch
std::vector<std::array<std::int32_t, 4>> face_neighbours(const TetMesh& m,
                                                         const Progress& progress = {});

/// Tetrahedra around each vertex: those of v are tets[first[v] .. first[v+1]), ascending.
struct VertexStars
{
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> tets;
};
VertexStars vertex_stars(const TetMesh& m);

/// The connected piece (by faces) of each tetrahedron, numbered from 0 by falling size; and the
/// count.
struct Pieces
{
    std::vector<std::int32_t> of;
    std::vector<std::int64_t> size;
};
Pieces pieces(const std::vector<std::array<std::int32_t, 4>>& neighbours);

} // namespace tawara::mesh
