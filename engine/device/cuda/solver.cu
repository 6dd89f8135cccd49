// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of the linear solver (solver.cuh says what they compute and what they cost).
#include "engine/device/cuda/rows.cuh"
#include "engine/device/cuda/solver.cuh"

#include <algorithm>

namespace tawara::device::cuda {
namespace {

constexpr int block = 256;
constexpr int resident_blocks = 8; // of a multiprocessor: rows beyond them are taken in strides

/// 16 bytes of a vector.
template <class Real>
struct alignas(16) Pack
{
    static constexpr int width = 16 / sizeof(Real);
    Real v[width];
};

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

/// Sums over a block, in a fixed order; complete in thread 0.
__device__ __forceinline__ SolverSums block_sums(SolverSums mine)
{
    __shared__ SolverSums of_warp[block / 32];
    for (int away = 16; away > 0; away /= 2) {
        mine.gamma += __shfl_down_sync(0xffffffffU, mine.gamma, away);
        mine.delta += __shfl_down_sync(0xffffffffU, mine.delta, away);
        mine.most = fmax(mine.most, __shfl_down_sync(0xffffffffU, mine.most, away));
    }
    __syncthreads(); // of_warp may still be read
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < block / 32; ++k) {
            mine.gamma += of_warp[k].gamma;
            mine.delta += of_warp[k].delta;
            mine.most = fmax(mine.most, of_warp[k].most);
        }
    return mine;
}

/// The last block to arrive adds what all blocks left, and tells every shard.
template <class Real>
__device__ __forceinline__ void hand_over(const Correction<Real>& c, const ProductPart& part,
                                          const SolverSums& mine)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        c.partial[part.first + static_cast<int>(blockIdx.x)] = mine;
        __threadfence();
        last = atomicAdd(c.finished, 1U) == static_cast<unsigned>(part.blocks) - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    SolverSums sum;
    for (int k = static_cast<int>(threadIdx.x); k < part.blocks; k += block) {
        sum.gamma += __ldcg(&c.partial[k].gamma);
        sum.delta += __ldcg(&c.partial[k].delta);
        sum.most = fmax(sum.most, __ldcg(&c.partial[k].most));
    }
    sum = block_sums(sum);
    if (threadIdx.x == 0) {
        *c.finished = 0;
        for (int k = 0; k < c.shards; ++k)
            c.all_sums[k][part.parity * c.shards + c.me] = sum;
        __threadfence_system();
    }
}

template <class Real, class Stored>
__global__ void __launch_bounds__(block)
    multiply_kernel(const __grid_constant__ Correction<Real> c,
                    const __grid_constant__ Matrix<Stored> a, Real factor,
                    const __grid_constant__ ProductPart part)
{
    if (c.status[1 - part.parity].verdict != 0)
        return;
    SolverSums mine;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block;
    for (std::int64_t slot =
             part.begin + static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
         slot < part.end; slot += stride) {
        const Real u = c.u[slot];
        const Real w = fma(factor, row_sum(a, c.u, static_cast<int>(slot), u), c.weight[slot] * u);
        c.w[slot] = w;
        const double uu = static_cast<double>(u);
        mine.gamma = fma(static_cast<double>(c.diagonal[slot]) * uu, uu, mine.gamma);
        mine.delta = fma(static_cast<double>(w), uu, mine.delta);
        mine.most = fmax(mine.most, fabs(uu));
    }
    hand_over(c, part, block_sums(mine));
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
    const double beta = before.iterations == 0 ? 0 : all.gamma / before.gamma;
    const double less = before.iterations == 0 ? 0 : beta * all.gamma / before.alpha;
    if (!(all.delta - less > 0)) { // <p, A p>
        now.verdict = -2;
        return 0;
    }
    now.gamma = all.gamma;
    now.alpha = all.gamma / (all.delta - less);
    ++now.iterations;
    return beta;
}

template <class Real>
__global__ void __launch_bounds__(block)
    update_kernel(const __grid_constant__ Correction<Real> c, int parity,
                  const __grid_constant__ SolverLimits limits)
{
    using P = Pack<Real>;
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
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (k * P::width >= c.slots)
        return;
    const Real alpha = static_cast<Real>(now.alpha), beta = static_cast<Real>(beta_of_all);
    const bool first = now.iterations == 1; // p, s hold nothing yet
    P u = reinterpret_cast<const P*>(c.u)[k], p, s;
    const P w = reinterpret_cast<const P*>(c.w)[k], d = reinterpret_cast<const P*>(c.diagonal)[k];
    P x = reinterpret_cast<const P*>(c.x)[k];
    if (!first) {
        p = reinterpret_cast<const P*>(c.p)[k];
        s = reinterpret_cast<const P*>(c.s)[k];
    }
#pragma unroll
    for (int i = 0; i < P::width; ++i) {
        p.v[i] = first ? u.v[i] : fma(beta, p.v[i], u.v[i]);
        s.v[i] = first ? w.v[i] : fma(beta, s.v[i], w.v[i]);
        x.v[i] = fma(alpha, p.v[i], x.v[i]);
        u.v[i] -= alpha * s.v[i] / d.v[i];
    }
    reinterpret_cast<P*>(c.p)[k] = p;
    reinterpret_cast<P*>(c.s)[k] = s;
    reinterpret_cast<P*>(c.x)[k] = x;
    reinterpret_cast<P*>(c.u)[k] = u;
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
        (n + block - 1) / block, std::int64_t{resident_blocks} * multiprocessors));
}

template <class Real, class Stored>
void start_solution(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& flow,
                    const Real* v, const Moment& m)
{
    launch(s, "solver: start", c.slots, block, start_kernel<Real, Stored>, c, flow, v, m);
}

template <class Real, class Stored>
void multiply(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& a, double factor,
              const ProductPart& part)
{
    launch(s, "solver: product", std::int64_t{part.count} * block, block,
           multiply_kernel<Real, Stored>, c, a, static_cast<Real>(factor), part);
}

template <class Real>
void update_solution(StreamRef s, const Correction<Real>& c, int parity, const SolverLimits& most)
{
    launch(s, "solver: update", c.slots / Pack<Real>::width, block, update_kernel<Real>, c, parity,
           most);
}

template <class Real>
void apply_solution(StreamRef s, const Correction<Real>& c, int parity, const Real* v, Real* out,
                    const Moment& m)
{
    launch(s, "solver: result", c.slots, block, apply_kernel<Real>, c, parity, v, out, m);
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
