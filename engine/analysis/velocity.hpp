// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/topology.hpp"

#include <array>
#include <span>
#include <vector>

namespace tawara::analysis {

/// Velocity of conduction at vertices, from activation times:
///
///     v = g / |g|^2,   g = argmin sum_j w_j (T_j - T_i - g . (x_j - x_i))^2,   w_j = 1 / |x_j -
///     x_i|^2
///
/// over the vertices j that share a tetrahedron with i. [mm/ms]; NaN where fewer than three
/// neighbours were activated within longest_ms of i (the front between two beats is no wave), where
/// they lie in a plane, and where the times hardly differ (collision, or faster than fastest).
/// Source: the gradient of a fit of activation times, Bayly et al., IEEE Trans Biomed Eng 45:563
/// (1998).
/// @param times  per vertex of the mesh [ms], NaN: never
/// @param at     vertices for which it is wanted
std::vector<std::array<float, 3>>
conduction_velocity(const mesh::TetMesh& m, const mesh::VertexStars& stars,
                    std::span<const float> times, std::span<const std::int32_t> at,
                    double longest_ms = 40, double fastest_mm_per_ms = 10);

} // namespace tawara::analysis
