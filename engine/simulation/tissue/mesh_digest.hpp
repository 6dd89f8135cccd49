// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <string>

namespace tawara::simulation {

/// SHA-256 of what a mesh is made of, in this order: x, y, z of its vertices, the four corners and
/// the labels of its tetrahedra, their fibres' x, y, z and their sheets'. As sha256_of_parts().
/// @cost  about 300 MB/s
std::string mesh_sha256(const mesh::TetMesh& m);

} // namespace tawara::simulation
