// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// Makes fibre, sheet and normal of each tetrahedron orthonormal: fibres get unit length, sheets
/// are made orthogonal to them, normals completed as fibre x sheet. Fibres of length 0 take the
/// mean direction of their face neighbours; a sheet that is parallel to its fibre is replaced by
/// some orthogonal direction. What is orthonormal to single precision stays as it is, bit for bit.
/// Where there are no fibres, sheet and normal are dropped.
/// @return  how many fibres had another length than 1 (to one part in 1000)
/// @throws  MeshError when a component is not finite
std::int64_t orthonormalise(TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                            const std::string& file, Notices& notices);

/// Mean of directions whose sign is free: the others are turned to the side of the first.
Vec3 mean_direction(const Vec3* v, std::size_t n);

/// Directions per tetrahedron from directions per vertex: the mean over the four corners, each
/// turned to the side of the first.
Directions from_vertices(const TetMesh& m, const Directions& at_vertices);

} // namespace tawara::mesh
