// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes that are hard on operators, and tensors that turn.
#pragma once
#include "engine/diffusion/system.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <vector>

namespace tawara::verify {

/// A box whose inner vertices are moved by up to `part` of the spacing in each direction, as long
/// as every tetrahedron keeps a positive volume. The same on every call.
mesh::TetMesh shaken_box(const Vec3& size, double spacing, double part);

/// The unit cube in uneven tetrahedra as Delaunay meshes have them (mesh::uneven_bar()), n cubes of
/// the lattice along an edge: some 12 n^3 tetrahedra.
mesh::TetMesh uneven_cube(int n);

/// The unit cube in tetrahedra of 1/n, its coordinates z times `factor`: flat cells.
mesh::TetMesh stretched_cube(int n, double factor);

/// The unit cube in tetrahedra of 1/n, into every so manyth tetrahedron of which a vertex is put
/// that lies at `height` of the tetrahedron's own height above one of its faces, near a corner of
/// the face: a sliver each, and three narrow ones about it.
mesh::TetMesh cube_with_slivers(int n, int every, double height);

/// D along the fibre, D / ratio across it; fibres in the xy plane turn by 120 degrees along z in
/// [0, 1].
std::vector<diffusion::Tensor> turning_tensors(const mesh::TetMesh& m, double d, double ratio);

} // namespace tawara::verify
