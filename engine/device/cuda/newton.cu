// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/newton.cuh"

#include "engine/device/cuda/rows.cuh"

#include <algorithm>
#include <bit>

namespace tawara::device::cuda {
namespace {

constexpr int block = 256;
constexpr std::int64_t measuring_blocks = 1056; ///< rows beyond them are taken in strides

std::int64_t strided(std::int64_t slots)
{
    return std::min(slots, measuring_blocks * block);
}

/// The largest of a block's sizes goes to `most`.
__device__ __forceinline__ void keep_largest(double size, unsigned long long* most)
{
    __shared__ unsigned long long of_warp[block / 32];
    auto mine = static_cast<unsigned long long>(__double_as_longlong(fabs(size)));
    for (int away = 16; away > 0; away /= 2)
        mine = max(mine, __shfl_down_sync(0xffffffffU, mine, away));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < block / 32; ++k)
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

__global__ void masses_kernel(const __grid_constant__ NewtonVectors n,
                              const __grid_constant__ Matrix<double> system,
                              const __grid_constant__ Matrix<double> flow, double* mass_start)
{
    each_slot(n.slots, [&](std::int64_t slot) {
        const int i = static_cast<int>(slot);
        const double v = n.start[slot];
        mass_start[slot] =
            n.volume[slot] == 0 ? 0 : row_sum(system, n.start, i, v) + row_sum(flow, n.start, i, v);
    });
}

__global__ void length_kernel(const double* system, const double* flow, double less, double* to,
                              std::int64_t entries)
{
    each_slot(entries, [&](std::int64_t k) { to[k] = fma(less, flow[k], system[k]); });
}

__global__ void __launch_bounds__(block)
    residual_kernel(const __grid_constant__ NewtonVectors n,
                    const __grid_constant__ Matrix<double> a, double factor,
                    const double* __restrict__ v, double dt)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        const double volume = n.volume[slot];
        double r = 0;
        if (volume != 0) {
            const double vi = v[slot];
            r = n.row_sum[slot] * (n.start[slot] - vi) + dt * volume * n.rate[slot] -
                factor * row_sum(a, v, static_cast<int>(slot), vi);
            if (n.mass_start)
                r += n.mass_start[slot];
            most = larger(most, r / volume);
        }
        n.minus_r[slot] = r;
    });
    keep_largest(most, &n.status->largest);
}

__global__ void correction_kernel(const __grid_constant__ NewtonVectors n,
                                  const __grid_constant__ Correction<double> c, double* diagonal,
                                  double* row_sum, double dt, double in_time_steps, bool all_slopes)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        c.status[1] = {};
    each_slot(n.slots, [&](std::int64_t slot) {
        const double volume = n.volume[slot];
        double d = 1, sum = 1;
        if (volume != 0) {
            const double slope = all_slopes ? n.slope[slot] : fmin(n.slope[slot], 0.0);
            const double by_cells = dt * volume * slope;
            d = n.mass_diagonal[slot] + in_time_steps * n.stiffness[slot] - by_cells;
            sum = n.row_sum[slot] - by_cells;
            if (!(d > 0)) {
                atomicOr(&n.status->not_positive, 1U);
                d = 1; // what is made of it is not looked at
            }
        }
        diagonal[slot] = d;
        row_sum[slot] = sum;
        c.u[slot] = volume != 0 ? n.minus_r[slot] / d : 0;
        c.x[slot] = 0;
    });
}

__global__ void __launch_bounds__(block)
    largest_kernel(const __grid_constant__ NewtonVectors n, const double* x)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        if (n.volume[slot] != 0)
            most = larger(most, x[slot]);
    });
    keep_largest(most, &n.status->largest);
}

__global__ void __launch_bounds__(block)
    turn_kernel(const __grid_constant__ NewtonVectors n, const double* before, const double* end,
                double dt, double before_ms)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        const double v = n.start[slot];
        if (n.volume[slot] != 0)
            most = larger(most, (end[slot] - v) / dt - (v - before[slot]) / before_ms);
    });
    keep_largest(most, &n.status->largest);
}

__global__ void move_kernel(std::int64_t slots, const double* from, double share, const double* x,
                            const double* less, double most, double* to)
{
    each_slot(slots, [&](std::int64_t slot) {
        const double way = share * (less ? x[slot] - less[slot] : x[slot]);
        to[slot] = from[slot] + fmin(fmax(way, -most), most);
    });
}

__global__ void compare_kernel(const __grid_constant__ NewtonVectors n, const double* a,
                               const double* b)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        if (n.volume[slot] != 0 && (a ? a[slot] : 0) != (b ? b[slot] : 0))
            most = 1;
    });
    keep_largest(most, &n.status->largest);
}

} // namespace

double largest_of(const NewtonStatus& s)
{
    return std::bit_cast<double>(s.largest);
}

void start_masses(StreamRef s, const NewtonVectors& n, const Matrix<double>& system,
                  const Matrix<double>& flow, double* mass_start)
{
    launch(s, "newton: masses", n.slots, block, masses_kernel, n, system, flow, mass_start);
}

void system_of_length(StreamRef s, const Buffer<double>& system, const Buffer<double>& flow,
                      double in_time_steps, const Buffer<double>& to)
{
    const auto entries = static_cast<std::int64_t>(to.size());
    launch(s, "newton: matrix", strided(entries), block, length_kernel,
           static_cast<const double*>(system.data()), static_cast<const double*>(flow.data()),
           1 - in_time_steps, to.data(), entries);
}

void newton_residual(StreamRef s, const NewtonVectors& n, const Matrix<double>& a, double factor,
                     const double* v, const NewtonLength& l)
{
    launch(s, "newton: residual", strided(n.slots), block, residual_kernel, n, a, factor, v,
           l.dt_ms);
}

void start_correction(StreamRef s, const NewtonVectors& n, const Correction<double>& c,
                      double* diagonal, double* row_sum, const NewtonLength& l, bool all_slopes)
{
    launch(s, "newton: system", n.slots, block, correction_kernel, n, c, diagonal, row_sum, l.dt_ms,
           l.in_time_steps, all_slopes);
}

void newton_largest(StreamRef s, const NewtonVectors& n, const double* x)
{
    launch(s, "newton: largest", strided(n.slots), block, largest_kernel, n, x);
}

void newton_turn(StreamRef s, const NewtonVectors& n, const double* before, const double* end,
                 double dt_ms, double before_ms)
{
    launch(s, "newton: error", strided(n.slots), block, turn_kernel, n, before, end, dt_ms,
           before_ms);
}

void newton_move(StreamRef s, std::int64_t slots, const double* from, double share, const double* x,
                 const double* less, double most, double* to)
{
    launch(s, "newton: move", slots, block, move_kernel, slots, from, share, x, less, most, to);
}

void newton_compare(StreamRef s, const NewtonVectors& n, const double* a, const double* b)
{
    launch(s, "newton: stimulus", strided(n.slots), block, compare_kernel, n, a, b);
}

} // namespace tawara::device::cuda
