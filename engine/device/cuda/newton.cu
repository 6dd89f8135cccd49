// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/newton_rows.cuh"

#include <bit>

namespace tawara::device::cuda {
namespace {

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

__global__ void __launch_bounds__(newton_block)
    residual_kernel(const __grid_constant__ NewtonVectors n,
                    const __grid_constant__ Matrix<double> a, double factor,
                    const double* __restrict__ v, double dt)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        const double volume = n.volume[slot];
        double r = 0;
        if (volume != 0) {
            r = minus_residual(n, a, factor, v, slot, volume, dt);
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
            bool positive = true;
            const auto row = system_row(n, slot, volume, dt, in_time_steps, all_slopes, positive);
            d = row.diagonal, sum = row.sum;
            if (!positive)
                atomicOr(&n.status->not_positive, 1U);
        }
        diagonal[slot] = d;
        row_sum[slot] = sum;
        c.u[slot] = volume != 0 ? n.minus_r[slot] / d : 0;
        c.x[slot] = 0;
    });
}

__global__ void __launch_bounds__(newton_block)
    largest_kernel(const __grid_constant__ NewtonVectors n, const double* x)
{
    double most = 0;
    each_slot(n.slots, [&](std::int64_t slot) {
        if (n.volume[slot] != 0)
            most = larger(most, x[slot]);
    });
    keep_largest(most, &n.status->largest);
}

__global__ void __launch_bounds__(newton_block)
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
        to[slot] = moved(from[slot], share, less ? x[slot] - less[slot] : x[slot], most);
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
    launch(s, "newton: masses", n.slots, newton_block, masses_kernel, n, system, flow, mass_start);
}

void system_of_length(StreamRef s, const Buffer<double>& system, const Buffer<double>& flow,
                      double in_time_steps, const Buffer<double>& to)
{
    const auto entries = static_cast<std::int64_t>(to.size());
    launch(s, "newton: matrix", strided(entries), newton_block, length_kernel,
           static_cast<const double*>(system.data()), static_cast<const double*>(flow.data()),
           1 - in_time_steps, to.data(), entries);
}

void newton_residual(StreamRef s, const NewtonVectors& n, const Matrix<double>& a, double factor,
                     const double* v, const NewtonLength& l)
{
    launch(s, "newton: residual", strided(n.slots), newton_block, residual_kernel, n, a, factor, v,
           l.dt_ms);
}

void start_correction(StreamRef s, const NewtonVectors& n, const Correction<double>& c,
                      double* diagonal, double* row_sum, const NewtonLength& l, bool all_slopes)
{
    launch(s, "newton: system", n.slots, newton_block, correction_kernel, n, c, diagonal, row_sum,
           l.dt_ms, l.in_time_steps, all_slopes);
}

void newton_largest(StreamRef s, const NewtonVectors& n, const double* x)
{
    launch(s, "newton: largest", strided(n.slots), newton_block, largest_kernel, n, x);
}

void newton_turn(StreamRef s, const NewtonVectors& n, const double* before, const double* end,
                 double dt_ms, double before_ms)
{
    launch(s, "newton: error", strided(n.slots), newton_block, turn_kernel, n, before, end, dt_ms,
           before_ms);
}

void newton_move(StreamRef s, std::int64_t slots, const double* from, double share, const double* x,
                 const double* less, double most, double* to)
{
    launch(s, "newton: move", slots, newton_block, move_kernel, slots, from, share, x, less, most,
           to);
}

void newton_compare(StreamRef s, const NewtonVectors& n, const double* a, const double* b)
{
    launch(s, "newton: stimulus", strided(n.slots), newton_block, compare_kernel, n, a, b);
}

} // namespace tawara::device::cuda
