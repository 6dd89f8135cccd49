// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions of the explicit passes, for the kernels that run them alone and fused with the
// reaction.
#pragma once
#include "engine/device/cuda/kernel_values.cuh"

namespace tawara::device::cuda {

/// sum_k a_ik (x_k - x_i): as many partial sums as a chunk has entries, so that the result depends
/// on the order of the row's entries alone.
__device__ __forceinline__ double row_sum(const Matrix<double>& a, const double* __restrict__ x,
                                          int slot, double xi)
{
    const int slice = slot >> 5;
    const std::uint32_t begin = a.chunk[slice], end = a.chunk[slice + 1];
    const std::size_t lane = static_cast<std::size_t>(slot & 31);
    const auto* value = reinterpret_cast<const double2*>(a.value) + lane;
    const auto* column = reinterpret_cast<const int2*>(a.column) + lane;
    double s0 = 0, s1 = 0;
#pragma unroll 4
    for (std::uint32_t c = begin; c < end; ++c) {
        const double2 w = __ldcs(value + std::size_t{c} * 32);
        const int2 k = __ldcs(column + std::size_t{c} * 32);
        s0 = fma(w.x, x[k.x] - xi, s0);
        s1 = fma(w.y, x[k.y] - xi, s1);
    }
    return s0 + s1;
}
__device__ __forceinline__ float row_sum(const Matrix<float>& a, const float* __restrict__ x,
                                         int slot, float xi)
{
    const int slice = slot >> 5;
    const std::uint32_t begin = a.chunk[slice], end = a.chunk[slice + 1];
    const std::size_t lane = static_cast<std::size_t>(slot & 31);
    const auto* value = reinterpret_cast<const float4*>(a.value) + lane;
    const auto* column = reinterpret_cast<const int4*>(a.column) + lane;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll 4
    for (std::uint32_t c = begin; c < end; ++c) {
        const float4 w = __ldcs(value + std::size_t{c} * 32);
        const int4 k = __ldcs(column + std::size_t{c} * 32);
        s0 = fmaf(w.x, x[k.x] - xi, s0);
        s1 = fmaf(w.y, x[k.y] - xi, s1);
        s2 = fmaf(w.z, x[k.z] - xi, s2);
        s3 = fmaf(w.w, x[k.w] - xi, s3);
    }
    return (s0 + s1) + (s2 + s3);
}

/// Value of one slot after a pass.
template <class Real>
__device__ __forceinline__ Real passed(const Pass<Real>& p, int slot)
{
    const Real xi = p.x[slot];
    const Real sum = row_sum(p.a, p.x, slot, xi);
    Real out = fma(p.tau, sum, p.c_x * xi);
    if (p.y)
        out = fma(p.c_y, p.y[slot], out);
    if (p.y0)
        out = fma(p.c_0, p.y0[slot], out);
    if (p.l0)
        out = fma(p.c_l, p.l0[slot], out);
    if (p.l_out)
        p.l_out[slot] = sum;
    return out;
}

/// Whether the run had not failed before the step that the moment belongs to.
__device__ __forceinline__ bool alive(const Moment& m)
{
    const auto step = static_cast<unsigned long long>(m.status->step + m.offset);
    return (*static_cast<volatile unsigned long long*>(&m.status->bad) >> 32) >= step;
}

} // namespace tawara::device::cuda
