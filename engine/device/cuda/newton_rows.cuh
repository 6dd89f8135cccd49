// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions of Newton's method (newton.cuh), for the kernels that the host asks about and
// for those that devices repeat by themselves.
#pragma once
#include "engine/device/cuda/newton.cuh"
#include "engine/device/cuda/rows.cuh"

#include <algorithm>

namespace tawara::device::cuda {

constexpr int newton_block = 256;
constexpr std::int64_t measuring_blocks = 1056; ///< rows beyond them are taken in strides

inline std::int64_t strided(std::int64_t slots)
{
    return std::min(slots, measuring_blocks * newton_block);
}

/// The largest of a block's sizes, as NewtonStatus has them, goes to `most`.
__device__ __forceinline__ void keep_largest(double size, unsigned long long* most)
{
    __shared__ unsigned long long of_warp[newton_block / 32];
    auto mine = static_cast<unsigned long long>(__double_as_longlong(fabs(size)));
    for (int away = 16; away > 0; away /= 2)
        mine = max(mine, __shfl_down_sync(0xffffffffU, mine, away));
    __syncthreads(); // of_warp may still be read
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < newton_block / 32; ++k)
            mine = max(mine, of_warp[k]);
        if (mine)
            atomicMax(most, mine);
    }
}

/// The larger size; one that is no number is larger than all.
__device__ __forceinline__ double larger(double most, double size)
{
    return !(fabs(size) <= most) && !isnan(most) ? fabs(size) : most;
}

/// Calls body(slot) for a thread's slots.
template <class Body>
__device__ __forceinline__ void each_slot(std::int64_t slots, Body body)
{
    for (std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         slot < slots; slot += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
        body(slot);
}

/// -R dt of a slot with an unknown.
__device__ __forceinline__ double minus_residual(const NewtonVectors& n, const Matrix<double>& a,
                                                 double factor, const double* __restrict__ v,
                                                 std::int64_t slot, double volume, double dt)
{
    const double vi = v[slot];
    double r = n.row_sum[slot] * (n.start[slot] - vi) + dt * volume * n.rate[slot] -
               factor * row_sum(a, v, static_cast<int>(slot), vi);
    if (n.mass_start)
        r += n.mass_start[slot];
    return r;
}

struct DiagonalAndSum
{
    double diagonal, sum;
};
/// Of the matrix's row of a slot with an unknown; the diagonal is 1 where it is not positive, and
/// `positive` is then false.
__device__ __forceinline__ DiagonalAndSum system_row(const NewtonVectors& n, std::int64_t slot,
                                                     double volume, double dt, double in_time_steps,
                                                     bool all_slopes, bool& positive)
{
    const double slope = all_slopes ? n.slope[slot] : fmin(n.slope[slot], 0.0);
    const double by_cells = dt * volume * slope;
    double d = n.mass_diagonal[slot] + in_time_steps * n.stiffness[slot] - by_cells;
    if (!(d > 0)) {
        positive = false;
        d = 1; // what is made of it is not looked at
    }
    return {d, n.row_sum[slot] - by_cells};
}

/// from + share x, no more than `most` from `from`.
__device__ __forceinline__ double moved(double from, double share, double x, double most)
{
    return from + fmin(fmax(share * x, -most), most);
}

} // namespace tawara::device::cuda
