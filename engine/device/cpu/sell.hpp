// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/aligned.hpp"
#include "engine/device/layout.hpp"

namespace tawara::device::cpu {

/// Off-diagonals in sliced ELLPACK: slices of `height` rows, entry k of row r of slice s at
/// start[s] + k * height + r, so that a vector of rows is contiguous. Unused entries point at their
/// own row with value 0.
template <class Real>
struct Sell
{
    static constexpr std::int64_t height = 16;
    std::vector<std::int64_t> start; ///< [slices + 1]
    AlignedVector<std::int32_t> column;
    AlignedVector<Real> value;
    std::int64_t nonzeros = 0;
};

/// Rows of the mesh's order into slots of the layout.
template <class Real>
Sell<Real> make_sell(const diffusion::Rows& rows, const Layout& layout);

/// out_i = c_y * y_i + c_x * x_i + c_0 * y0_i + c_l * l0_i + tau * sum_k value_ik (x_k - x_i) for
/// slots [begin, end), multiples of Sell::height. An Euler sub-step is y = x with c_y = 1, c_x =
/// c_0 = c_l = 0; RKL2 stages use them all. Null pointers stand for terms whose coefficient is 0.
/// @cost memory bound: per row 16 (4 + sizeof(Real)) bytes of matrix, x once and out once
template <class Real>
struct SellTerms
{
    const Real* x = nullptr;
    Real c_x = 1;
    const Real* y = nullptr;
    Real c_y = 0;
    const Real* y0 = nullptr;
    Real c_0 = 0;
    const Real* l0 = nullptr; ///< L(Y_0) of the mesh
    Real c_l = 0;
    Real tau = 0;
};
void apply(const Sell<double>& a, const SellTerms<double>& terms, double* out, std::int64_t begin,
           std::int64_t end);
void apply(const Sell<float>& a, const SellTerms<float>& terms, float* out, std::int64_t begin,
           std::int64_t end);
/// Name of the instruction set that apply() uses here.
std::string vector_target();

} // namespace tawara::device::cpu
