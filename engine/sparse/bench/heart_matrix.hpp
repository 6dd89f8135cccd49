// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix of an implicit step on a heart's vertices, for measuring products.
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/sparse/csr.hpp"

namespace tawara::sparse {

/// M + dt K of linear tetrahedra with consistent mass [mm3], dt 0.1 ms, conductivity 0.13 S/m along
/// the fibre and 0.018 across (0.018 everywhere where there are no fibres), chi 140 /mm, Cm 0.01
/// uF/mm2. Row i is vertex i of the mesh; columns ascend.
/// @cost  two passes over the tetrahedra around each vertex
Csr heart_matrix(const mesh::TetMesh& m, ThreadPool& pool);

} // namespace tawara::sparse
