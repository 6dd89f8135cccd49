// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/lead_field.hpp"
#include "engine/analysis/volume_conductor.hpp"

namespace tawara::analysis {

/// Weights as of lead_field(), of several electrodes in a body that ends at a surface. By its
/// transfer each potential is a sum of ones in an unbounded conductor,
///
///     phi = own phi_inf(electrode) + sum_k t_k phi_inf(vertex k),
///
/// and its weights are those of the kernel K(y) = sum_k t_k grad_y (1 / |x_k - y|) (reciprocity):
/// K of all electrodes is computed on a grid around the tissue, a quarter of its distance from the
/// surface apart, and interpolated by cubics at the tetrahedra's centroids.
/// @param m  inside of the surface
/// @return [electrode][vertex]
/// @cost   grid points * vertices of the surface * about 15 ns, and 1 us per tetrahedron, divided
///         by the context's threads; the same bits with any number of them
std::vector<std::vector<double>> torso_lead_fields(const mesh::TetMesh& m,
                                                   std::span<const ConductivityTensor> tensors,
                                                   std::span<const Vec3> electrodes_mm,
                                                   const VolumeConductor& body, double bath_S_per_m,
                                                   const Progress& progress = {});

} // namespace tawara::analysis
