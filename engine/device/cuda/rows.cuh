// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions of the explicit passes, for the kernels that run them alone and fused with the
// reaction.
#pragma once
#include "engine/device/cuda/kernel_values.cuh"

namespace tawara::device::cuda {

/// Chunks of 16 bytes of values, and the columns that go with them.
template <class Real>
struct RowChunk;
template <>
struct RowChunk<double>
{
    using Values = double2;
    using Wide = int2;
    using Narrow = short2;
};
template <>
struct RowChunk<float>
{
    using Values = float4;
    using Wide = int4;
    using Narrow = short4;
};

/// The sums below over `chunks` chunks, x from the slot that columns count from.
template <bool rated, class Stored, class Columns, class Real>
__device__ __forceinline__ Real chunk_sums(const typename RowChunk<Stored>::Values* value,
                                           const Columns* column, std::uint32_t chunks,
                                           const Real* __restrict__ x, Real xi, Real& rate)
{
    using Values = typename RowChunk<Stored>::Values;
    Real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll 4
    for (std::uint32_t c = 0; c < chunks; ++c) {
        const Values w = __ldcs(value + c * 32);
        const Columns k = __ldcs(column + c * 32);
        s0 = fma(Real(w.x), x[k.x] - xi, s0);
        s1 = fma(Real(w.y), x[k.y] - xi, s1);
        if constexpr (rated)
            rate += fabs(w.x) + fabs(w.y);
        if constexpr (sizeof(Stored) == 4) {
            s2 = fma(Real(w.z), x[k.z] - xi, s2);
            s3 = fma(Real(w.w), x[k.w] - xi, s3);
            if constexpr (rated)
                rate += fabs(w.z) + fabs(w.w);
        }
    }
    return sizeof(Stored) == 4 ? (s0 + s1) + (s2 + s3) : s0 + s1;
}

/// sum_k a_ik (x_k - x_i): as many partial sums as a chunk has entries, so that the result depends
/// on the order of the row's entries alone. rate: sum_k |a_ik|, if `rated`.
template <bool rated, class Stored, class Real>
__device__ __forceinline__ Real row_sums(const Matrix<Stored>& a, const Real* __restrict__ x,
                                         int slot, Real xi, Real& rate)
{
    using Chunk = RowChunk<Stored>;
    const int slice = slot >> 5;
    const std::uint32_t begin = a.chunk[slice], chunks = a.chunk[slice + 1] - begin;
    const std::uint32_t where = a.column_chunk[slice];
    const std::size_t lane = static_cast<std::size_t>(slot & 31);
    const auto* value =
        reinterpret_cast<const typename Chunk::Values*>(a.value) + std::size_t{begin} * 32 + lane;
    const auto* column =
        reinterpret_cast<const typename Chunk::Narrow*>(a.column) + std::size_t{where >> 1} * 32;
    if (where & 1)
        return chunk_sums<rated, Stored>(
            value, reinterpret_cast<const typename Chunk::Wide*>(column) + lane, chunks, x, xi,
            rate);
    return chunk_sums<rated, Stored>(value, column + lane, chunks, x + (slot & ~31), xi, rate);
}
template <class Stored, class Real>
__device__ __forceinline__ Real row_sum(const Matrix<Stored>& a, const Real* __restrict__ x,
                                        int slot, Real xi)
{
    Real rate = 0;
    return row_sums<false>(a, x, slot, xi, rate);
}
template <class Stored, class Real>
__device__ __forceinline__ Real row_sum(const Matrix<Stored>& a, const Real* __restrict__ x,
                                        int slot, Real xi, Real& rate)
{
    return row_sums<true>(a, x, slot, xi, rate);
}

/// Value of one slot after a pass.
template <class Real, class Stored>
__device__ __forceinline__ Real passed(const Pass<Real, Stored>& p, int slot)
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
