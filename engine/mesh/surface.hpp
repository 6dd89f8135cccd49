// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"
#include "engine/mesh/topology.hpp"

namespace tawara::mesh {

/// Which part of the boundary a triangle lies on. other: where the topology does not tell.
enum class Wall : std::uint8_t { other, epi, endo_lv, endo_rv, base };
std::string_view name(Wall w);

/// The boundary of a mesh as triangles with outward normals.
struct Surface
{
    std::vector<std::int32_t> vertices;                 ///< mesh vertex of each surface vertex
    std::vector<std::array<std::int32_t, 3>> triangles; ///< indices into `vertices`, outward
    std::vector<std::int32_t> tetrahedron;              ///< owner of each triangle
    std::vector<Wall> wall;                             ///< part of each triangle
};

/// Extracts the boundary and splits it into epicardium, endocardia and base where the topology
/// allows: separate closed shells are epicardium (the outermost) and endocardia (inner ones); an
/// open heart's single shell is split along the rim of the base, found from its flat plane or sharp
/// edge. Deterministic: the same mesh gives the same order.
/// @param notices  says how the split was found, or why it was not
Surface surface(const TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                Notices* notices = nullptr);

} // namespace tawara::mesh
