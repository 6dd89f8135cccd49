// SPDX-License-Identifier: GPL-3.0-or-later
// How kernels find a cell's dyads, and sum over them.
#pragma once
#include "engine/calcium/cuda/kernels.cuh"

namespace tawara::calcium::cuda {

/// The arrays of a cell's dyads.
template <class Real>
__device__ DyadArrays<Real> arrays_of(const View<Real>& w, std::uint32_t cell)
{
    const std::size_t by = cell * w.bytes;
    const auto moved = [&]<class T>(T* p) {
        return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(p) + by);
    };
    const auto& a = w.first;
    return {moved(a.c_myo),  moved(a.c_ss),  moved(a.c_d),   moved(a.n_ca),
            moved(a.camk_t), moved(a.c_nsr), moved(a.c_jsr), moved(a.activated),
            moved(a.C1),     moved(a.O1),    moved(a.C2),    moved(a.C3)};
}

/// What diffuses, in one of its two places.
template <class Real>
struct Fields
{
    Real *myo, *ss;
    double* nsr;
};
template <class Real>
__device__ Fields<Real> fields_of(const View<Real>& w, const DyadArrays<Real>& a,
                                  std::uint32_t cell, std::int32_t place)
{
    if (place == 0)
        return {a.c_myo, a.c_ss, a.c_nsr};
    const std::size_t by = cell * w.room;
    return {w.beside_myo + by, w.beside_ss + by, w.beside_nsr + by};
}

inline constexpr int summed_together = 32; ///< cells of a block of threads
/// A thread for each sum of each of them.
inline constexpr int summing_threads = summed_together * DyadSums::count;

/// Sums over the dyads of the cells from `first` on, blocks in their order.
/// @thread all of a block of summing_threads
template <class Real>
__device__ void sum_blocks(const View<Real>& w, std::uint32_t first,
                           double (&sums)[summed_together][DyadSums::count])
{
    constexpr unsigned count = DyadSums::count;
    const std::uint32_t own = threadIdx.x / count, s = threadIdx.x % count;
    double sum = 0;
    if (first + own < w.cells) {
        const double* part = &w.sums[static_cast<std::size_t>(first + own) * w.blocks].open + s;
#pragma unroll 8
        for (std::uint32_t b = 0; b < w.blocks; ++b)
            sum += part[std::size_t{b} * count];
    }
    sums[own][s] = sum;
    __syncthreads();
}
__device__ inline DyadSums sums_in(const double (&own)[DyadSums::count])
{
    return {own[0], own[1], own[2], own[3], own[4], own[5], own[6], own[7], own[8]};
}

} // namespace tawara::calcium::cuda
