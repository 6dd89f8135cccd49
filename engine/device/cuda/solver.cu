// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of the linear solver (solver.cuh says what they compute and what they cost).
#include "engine/device/cuda/solver_rows.cuh"

#include <algorithm>

namespace tawara::device::cuda {
namespace {

constexpr int resident_blocks = 8; // of a multiprocessor: rows beyond them are taken in strides

template <class Real, class Stored>
__global__ void start_kernel(const __grid_constant__ Correction<Real> c,
                             const __grid_constant__ Matrix<Stored> flow,
                             const Real* __restrict__ v, const __grid_constant__ Moment m)
{
    const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool go = alive(m);
    if (slot == 0)
        c.status[1] = {0, 0, 0, 0, 0, go ? 0 : 1};
    if (slot >= c.slots || !go)
        return;
    c.u[slot] = row_sum(flow, v, static_cast<int>(slot), v[slot]) / c.diagonal[slot];
    c.x[slot] = 0;
}

/// The last block to arrive adds what all blocks left, and tells every shard.
template <class Real>
__device__ __forceinline__ void hand_over(const Correction<Real>& c, const ProductPart& part,
                                          const SolverSums& mine)
{
    if (threadIdx.x == 0)
        c.partial[part.first + static_cast<int>(blockIdx.x)] = mine;
    if (!is_last_block(c.finished, static_cast<unsigned>(part.blocks)))
        return;
    const SolverSums sum = sums_of_blocks(c.partial, part.blocks);
    if (threadIdx.x == 0) {
        for (int k = 0; k < c.shards; ++k)
            c.all_sums[k][part.parity * c.shards + c.me] = sum;
        __threadfence_system();
    }
}

template <class Real, class Stored>
__global__ void __launch_bounds__(solver_block)
    multiply_kernel(const __grid_constant__ Correction<Real> c,
                    const __grid_constant__ Matrix<Stored> a, Real factor,
                    const __grid_constant__ ProductPart part)
{
    if (c.status[1 - part.parity].verdict != 0)
        return;
    hand_over(c, part, block_sums(product_of_rows(c, a, factor, part.begin, part.end)));
}

/// The scalars of an iteration, from the sums of all shards. In `now` the verdict on it.
__device__ __forceinline__ double next_iteration(const SolverStatus& before, const SolverSums* sums,
                                                 int shards, const SolverLimits& limits,
                                                 SolverStatus& now)
{
    now = before;
    if (before.verdict != 0)
        return 0;
    SolverSums all;
    for (int k = 0; k < shards; ++k) {
        all.gamma += sums[k].gamma;
        all.delta += sums[k].delta;
        all.most = fmax(all.most, sums[k].most);
    }
    now.residual_mV = all.most;
    if (before.iterations == 0)
        now.first_mV = all.most;
    const double enough = fmax(limits.tolerance_mV, limits.part * now.first_mV);
    // A start that is not finite leaves the potential as it is; the run's verdict finds it.
    if (before.iterations == 0 && !isfinite(all.gamma))
        now.verdict = 1;
    else if (all.most <= enough && isfinite(all.gamma))
        now.verdict = 1;
    else if (before.iterations >= limits.iterations)
        now.verdict = -1;
    if (now.verdict != 0)
        return 0;
    double beta = 0;
    if (!next_direction(now, all.gamma, all.delta, beta))
        now.verdict = -2;
    return now.verdict == 0 ? beta : 0;
}

template <class Real>
__global__ void __launch_bounds__(solver_block)
    update_kernel(const __grid_constant__ Correction<Real> c, int parity,
                  const __grid_constant__ SolverLimits limits)
{
    __shared__ SolverStatus now;
    __shared__ double beta_of_all;
    if (threadIdx.x == 0) {
        SolverStatus next;
        beta_of_all = next_iteration(c.status[1 - parity], c.sums + parity * c.shards, c.shards,
                                     limits, next);
        now = next;
        if (blockIdx.x == 0)
            c.status[parity] = next;
    }
    __syncthreads();
    if (now.verdict != 0)
        return;
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * solver_block + threadIdx.x;
    if (k * Pack<Real>::width >= c.slots)
        return;
    update_pack(c, k, static_cast<Real>(now.alpha), static_cast<Real>(beta_of_all),
                now.iterations == 1, [](Real, Real) {});
}

template <class Real>
__global__ void apply_kernel(const __grid_constant__ Correction<Real> c, int parity, const Real* v,
                             Real* out, const __grid_constant__ Moment m)
{
    const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (slot < c.slots && c.status[parity].verdict == 1 && alive(m))
        out[slot] = v[slot] + c.x[slot];
}

} // namespace

int product_blocks(std::int64_t n, int multiprocessors)
{
    return static_cast<int>(std::min<std::int64_t>(
        (n + solver_block - 1) / solver_block, std::int64_t{resident_blocks} * multiprocessors));
}

template <class Real, class Stored>
void start_solution(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& flow,
                    const Real* v, const Moment& m)
{
    launch(s, "solver: start", c.slots, solver_block, start_kernel<Real, Stored>, c, flow, v, m);
}

template <class Real, class Stored>
void multiply(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& a, double factor,
              const ProductPart& part)
{
    launch(s, "solver: product", std::int64_t{part.count} * solver_block, solver_block,
           multiply_kernel<Real, Stored>, c, a, static_cast<Real>(factor), part);
}

template <class Real>
void update_solution(StreamRef s, const Correction<Real>& c, int parity, const SolverLimits& most)
{
    launch(s, "solver: update", c.slots / Pack<Real>::width, solver_block, update_kernel<Real>, c,
           parity, most);
}

template <class Real>
void apply_solution(StreamRef s, const Correction<Real>& c, int parity, const Real* v, Real* out,
                    const Moment& m)
{
    launch(s, "solver: result", c.slots, solver_block, apply_kernel<Real>, c, parity, v, out, m);
}

#define TAWARA_INSTANTIATE(Real, Stored)                                                           \
    template void start_solution(StreamRef, const Correction<Real>&, const Matrix<Stored>&,        \
                                 const Real*, const Moment&);                                      \
    template void multiply(StreamRef, const Correction<Real>&, const Matrix<Stored>&, double,      \
                           const ProductPart&);
TAWARA_INSTANTIATE(double, double)
TAWARA_INSTANTIATE(double, float)
TAWARA_INSTANTIATE(float, float)
#undef TAWARA_INSTANTIATE
#define TAWARA_INSTANTIATE(Real)                                                                   \
    template void update_solution(StreamRef, const Correction<Real>&, int, const SolverLimits&);   \
    template void apply_solution(StreamRef, const Correction<Real>&, int, const Real*, Real*,      \
                                 const Moment&);
TAWARA_INSTANTIATE(double)
TAWARA_INSTANTIATE(float)
#undef TAWARA_INSTANTIATE

} // namespace tawara::device::cuda
