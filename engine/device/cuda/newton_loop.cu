// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of Newton's method without the host (newton_loop.cuh).
#include "engine/device/cuda/newton_loop.cuh"

#include "engine/device/cuda/newton_rows.cuh"
#include "engine/device/cuda/solver_rows.cuh"

#include <cfloat>

namespace tawara::device::cuda {
namespace {

using Phase = NewtonState::Phase;
static_assert(newton_block == solver_block);
constexpr int loop_block = newton_block;
constexpr double any_way = DBL_MAX; ///< no bound of what V moves by

/// What blocks found, and 0 in its place. By one thread.
__device__ double taken(unsigned long long& largest)
{
    return __longlong_as_double(static_cast<long long>(atomicExch(&largest, 0ULL)));
}

/// What follows from a decision.
__device__ void decided(NewtonState& n)
{
    n.idle = n.phase == Phase::corrects || !n.progress.goes_on;
}

/// The linear system took its iterations.
__device__ void count_iterations(NewtonState& n)
{
    n.linear_iterations += n.linear.iterations;
    if (n.systems <= NewtonState::most_foreseen)
        n.iterations_of[n.systems - 1] = n.linear.iterations;
}

/// The system at hand has no solution that could be a correction: the negative slopes alone, or it
/// is the end.
__device__ void not_solved(NewtonState& n)
{
    count_iterations(n);
    n.progress.goes_on = n.all_slopes;
    n.all_slopes = false;
    n.phase = Phase::again;
}

/// Decides on the trial. @param scaled  the largest residual over the diagonal
__device__ void looked_at(NewtonState& n, double residual, double scaled, bool positive,
                          const diffusion::NewtonOptions& options)
{
    auto& p = n.progress;
    bool is_V = true; // the trial
    if (n.phase == Phase::begins)
        p.begin(residual, options);
    else if (n.phase == Phase::tries)
        is_V = p.tried(residual, options);
    ++n.evaluations;
    if (!is_V || !p.goes_on)
        return;
    ++n.systems;
    n.phase = Phase::corrects;
    n.linear = {};
    n.linear.first_mV = scaled;
    n.enough_mV = p.linear_part(options) * scaled;
    if (!positive)
        not_solved(n);
}

/// Decides on an iteration of conjugate gradients. @param scaled  largest residual over the
/// diagonal
__device__ void iterated(NewtonState& n, double scaled, double largest_x,
                         const diffusion::NewtonOptions& options)
{
    n.linear.residual_mV = scaled;
    if (scaled <= n.enough_mV) {
        count_iterations(n);
        n.progress.corrected(largest_x, options);
        n.phase = Phase::tries;
        n.all_slopes = true;
    } else if (n.linear.iterations >= options.most_linear_iterations) {
        not_solved(n);
    }
}

__global__ void begin_kernel(const __grid_constant__ NewtonPlaces p, std::int64_t slots,
                             const __grid_constant__ NewtonLoop loop)
{
    const double slope = loop.state->slope_ms, most = loop.state->most_mV;
    each_slot(slots, [&](std::int64_t slot) {
        const double v = p.now[slot];
        p.trial[slot] = moved(v, slope, v - p.before[slot], most);
        p.start[slot] = v;
        if (p.stimulus)
            p.own_stimulus[slot] = p.stimulus[slot];
    });
}

__global__ void __launch_bounds__(loop_block)
    look_kernel(const __grid_constant__ NewtonVectors n, const __grid_constant__ Matrix<double> a,
                double factor, const double* __restrict__ trial,
                const __grid_constant__ Correction<double> c, double* diagonal, double* row_sum,
                double dt, double in_time_steps, const __grid_constant__ NewtonLoop loop,
                const __grid_constant__ LoopHandle newton)
{
    NewtonState& state = *loop.state;
    if (state.idle)
        return;
    const bool all_slopes = state.all_slopes;
    double residual = 0, scaled = 0;
    bool positive = true;
    each_slot(n.slots, [&](std::int64_t slot) {
        const double volume = n.volume[slot];
        double r = 0;
        DiagonalAndSum row{1, 1};
        if (volume != 0) {
            r = minus_residual(n, a, factor, trial, slot, volume, dt);
            residual = larger(residual, r / volume);
            row = system_row(n, slot, volume, dt, in_time_steps, all_slopes, positive);
        }
        const double u = r / row.diagonal;
        scaled = larger(scaled, u);
        n.minus_r[slot] = r;
        diagonal[slot] = row.diagonal;
        row_sum[slot] = row.sum;
        c.u[slot] = u;
    });
    keep_largest(residual, &state.largest[0]);
    keep_largest(scaled, &state.largest[1]);
    if (!positive)
        atomicOr(&state.not_positive, 1U);
    __syncthreads(); // the atomics of all threads come before the first thread's count
    if (!is_last_block(c.finished, gridDim.x) || threadIdx.x != 0)
        return;
    residual = taken(state.largest[0]);
    scaled = taken(state.largest[1]);
    looked_at(state, residual, scaled, atomicExch(&state.not_positive, 0U) == 0, loop.options);
    decided(state);
    go_on(newton, state.progress.goes_on);
    if (loop.tells)
        *loop.told = state;
}

__global__ void __launch_bounds__(loop_block)
    loop_product_kernel(const __grid_constant__ Correction<double> c,
                        const __grid_constant__ Matrix<double> a, double factor,
                        const __grid_constant__ NewtonLoop loop)
{
    NewtonState& state = *loop.state;
    if (state.phase != Phase::corrects)
        return;
    const SolverSums mine = block_sums(product_of_rows(c, a, factor, 0, c.slots));
    if (threadIdx.x == 0)
        c.partial[blockIdx.x] = mine;
    if (!is_last_block(c.finished, gridDim.x))
        return;
    const SolverSums all = sums_of_blocks(c.partial, static_cast<int>(gridDim.x));
    if (threadIdx.x == 0 && !next_direction(state.linear, all.gamma, all.delta, state.beta)) {
        not_solved(state);
        decided(state);
    }
}

__global__ void __launch_bounds__(loop_block)
    loop_update_kernel(const __grid_constant__ Correction<double> c,
                       const __grid_constant__ NewtonLoop loop,
                       const __grid_constant__ LoopHandle linear)
{
    NewtonState& state = *loop.state;
    if (state.phase != Phase::corrects) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            go_on(linear, false);
            if (loop.tells)
                *loop.told = state;
        }
        return;
    }
    const double alpha = state.linear.alpha, beta = state.beta;
    const bool first = state.linear.iterations == 1;
    double scaled = 0, largest_x = 0;
    each_slot(c.slots / Pack<double>::width, [&](std::int64_t k) {
        update_pack(c, k, alpha, beta, first, [&](double u, double x) {
            scaled = larger(scaled, u);
            largest_x = larger(largest_x, x);
        });
    });
    keep_largest(scaled, &state.largest[0]);
    keep_largest(largest_x, &state.largest[1]);
    if (!is_last_block(c.finished, gridDim.x) || threadIdx.x != 0)
        return;
    scaled = taken(state.largest[0]);
    largest_x = taken(state.largest[1]);
    iterated(state, scaled, largest_x, loop.options);
    decided(state);
    go_on(linear, state.phase == Phase::corrects);
    if (loop.tells)
        *loop.told = state;
}

__global__ void attempt_kernel(const __grid_constant__ NewtonPlaces p, const double* x,
                               std::int64_t slots, const __grid_constant__ NewtonLoop loop)
{
    const NewtonState& state = *loop.state;
    if (state.phase != Phase::tries || state.idle)
        return;
    const double share = state.progress.share;
    const bool first = state.progress.halvings == 0;
    each_slot(slots, [&](std::int64_t slot) {
        const double from = first ? p.trial[slot] : p.end[slot];
        if (first)
            p.end[slot] = from;
        p.trial[slot] = moved(from, share, x[slot], any_way);
    });
}

__global__ void finish_kernel(const __grid_constant__ NewtonPlaces p, std::int64_t slots,
                              const __grid_constant__ NewtonLoop loop)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *loop.told = *loop.state;
    if (!loop.state->progress.converged)
        return;
    each_slot(slots, [&](std::int64_t slot) {
        if (!p.next) {
            p.end[slot] = p.trial[slot];
            return;
        }
        const double v = p.told[slot];
        p.before[slot] = p.start[slot];
        p.start[slot] = v;
        p.next[slot] = v;
    });
}

} // namespace

void begin_loop(StreamRef s, const NewtonPlaces& p, std::int64_t slots, const NewtonLoop& loop,
                const NewtonState* begin)
{
    check(cudaMemcpyAsync(loop.state, begin, sizeof *begin, cudaMemcpyHostToDevice, s.handle),
          "cudaMemcpyAsync", s.device);
    launch(s, "newton: begin", slots, loop_block, begin_kernel, p, slots, loop);
}

void loop_look(StreamRef s, const NewtonVectors& n, const Matrix<double>& a, double factor,
               const double* trial, const Correction<double>& c, double* diagonal, double* row_sum,
               const NewtonLength& l, const NewtonLoop& loop, const LoopHandle& newton)
{
    launch(s, "newton: look", strided(n.slots), loop_block, look_kernel, n, a, factor, trial, c,
           diagonal, row_sum, l.dt_ms, l.in_time_steps, loop, newton);
}

void loop_iteration(StreamRef s, const Correction<double>& c, const Matrix<double>& a,
                    double factor, int blocks, const NewtonLoop& loop, const LoopHandle& linear)
{
    launch(s, "newton: product", std::int64_t{blocks} * loop_block, loop_block, loop_product_kernel,
           c, a, factor, loop);
    launch(s, "newton: update", strided(c.slots / Pack<double>::width), loop_block,
           loop_update_kernel, c, loop, linear);
}

void loop_attempt(StreamRef s, const NewtonPlaces& p, const double* x, std::int64_t slots,
                  const NewtonLoop& loop)
{
    launch(s, "newton: attempt", slots, loop_block, attempt_kernel, p, x, slots, loop);
}

void finish_loop(StreamRef s, const NewtonPlaces& p, std::int64_t slots, const NewtonLoop& loop)
{
    launch(s, "newton: end", slots, loop_block, finish_kernel, p, slots, loop);
}

} // namespace tawara::device::cuda
