// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <array>
#include <span>
#include <vector>

/// The electrocardiogram of tissue in an unbounded volume conductor.
namespace tawara::analysis {

/// Symmetric conductivity of a tetrahedron [S/m = mS/mm]: xx, yy, zz, xy, xz, yz.
using ConductivityTensor = std::array<double, 6>;

/// One weight per vertex of the mesh, so that the potential at a point outside of the tissue is the
/// sum of weight * V:
///
///     phi(x) = -1 / (4 pi sigma_b) int (sigma grad V) . grad_y (1 / |x - y|) dy,
///
/// V linear in each tetrahedron; the integral of the kernel by the rule of degree 2 (4 points), on
/// 8 or 64 parts where the point is nearer than 4 or 2 edges. A wave that comes near gives a
/// positive deflection. Source: Plonsey & Barr; as in Gima & Rudy, Circ Res 90:889 (2002).
/// @param tensors  per tetrahedron
/// @param bath_S_per_m  sigma_b
/// @return weights [mV per mV]; their sum is 0
/// @cost   about 60 ns per tetrahedron and electrode
std::vector<double> lead_field(const mesh::TetMesh& m, std::span<const ConductivityTensor> tensors,
                               const Vec3& electrode_mm, double bath_S_per_m,
                               const Progress& progress = {});

/// The same potential summed directly over tetrahedra, each a dipole -sigma grad V times its volume
/// at its centroid. For comparison.
double direct_sum(const mesh::TetMesh& m, std::span<const ConductivityTensor> tensors,
                  std::span<const double> v_mV, const Vec3& electrode_mm, double bath_S_per_m);

/// Gradients of the four linear shape functions [1/mm].
std::array<Vec3, 4> gradients(const mesh::TetMesh& m, std::size_t tetrahedron);

} // namespace tawara::analysis
