// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

namespace tawara::device::cpu {

/// Weights of a Gauss point of a tetrahedron: of its own vertex, and of each other. Four such
/// points integrate polynomials of the second order exactly.
inline constexpr double near_weight = 0.58541019662496852, far_weight = 0.13819660112501052;

/// The least and the largest of some values.
template <class Real>
struct Extent
{
    Real low, high;
};
/// Of v[at[k]], k in [0, n); NaN is left out.
/// @pre n > 0
Extent<double> extent(const double* v, const std::int32_t* at, std::size_t n);
Extent<float> extent(const float* v, const std::int32_t* at, std::size_t n);

/// Values at the Gauss points of tetrahedra: of tetrahedron k at point p
///
///     out[p n + k] = near x[corner[p n + k]] + far sum over q != p of x[corner[q n + k]]
///
/// @param n  a multiple of 16; arrays are aligned to 64 bytes
/// @cost 4 gathers, 3 additions, 8 multiplications a tetrahedron
void at_gauss_points(const double* x, const std::int32_t* corner, std::size_t n, double* out);
void at_gauss_points(const float* x, const std::int32_t* corner, std::size_t n, float* out);

} // namespace tawara::device::cpu
