// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions of conjugate gradients (solver.cuh), for the kernels whose iterations the host
// enqueues and for those that devices repeat by themselves.
#pragma once
#include "engine/device/cuda/rows.cuh"
#include "engine/device/cuda/solver.cuh"

namespace tawara::device::cuda {

constexpr int solver_block = 256;

/// 16 bytes of a vector.
template <class Real>
struct alignas(16) Pack
{
    static constexpr int width = 16 / sizeof(Real);
    Real v[width];
};

/// Sums over a block, in a fixed order; complete in thread 0.
__device__ __forceinline__ SolverSums block_sums(SolverSums mine)
{
    __shared__ SolverSums of_warp[solver_block / 32];
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
        for (int k = 1; k < solver_block / 32; ++k) {
            mine.gamma += of_warp[k].gamma;
            mine.delta += of_warp[k].delta;
            mine.most = fmax(mine.most, of_warp[k].most);
        }
    return mine;
}

/// Whether this block is the last of `blocks` to come here. It sees what the others' first threads
/// wrote before, and sets the count back.
__device__ __forceinline__ bool is_last_block(unsigned* finished, unsigned blocks)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(finished, 1U) == blocks - 1;
        if (last)
            *finished = 0;
    }
    __syncthreads();
    if (last)
        __threadfence();
    return last;
}

/// The sums of all blocks, in a fixed order; complete in thread 0.
__device__ __forceinline__ SolverSums sums_of_blocks(const SolverSums* partial, int blocks)
{
    SolverSums sum;
    for (int k = static_cast<int>(threadIdx.x); k < blocks; k += solver_block) {
        sum.gamma += __ldcg(&partial[k].gamma);
        sum.delta += __ldcg(&partial[k].delta);
        sum.most = fmax(sum.most, __ldcg(&partial[k].most));
    }
    return block_sums(sum);
}

/// w of a block's share of the rows [begin, end), and what is theirs of the sums.
template <class Real, class Stored>
__device__ __forceinline__ SolverSums product_of_rows(const Correction<Real>& c,
                                                      const Matrix<Stored>& a, Real factor,
                                                      std::int64_t begin, std::int64_t end)
{
    SolverSums mine;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * solver_block;
    for (std::int64_t slot =
             begin + static_cast<std::int64_t>(blockIdx.x) * solver_block + threadIdx.x;
         slot < end; slot += stride) {
        const Real u = c.u[slot];
        const Real w = fma(factor, row_sum(a, c.u, static_cast<int>(slot), u), c.weight[slot] * u);
        c.w[slot] = w;
        const double uu = static_cast<double>(u);
        mine.gamma = fma(static_cast<double>(c.diagonal[slot]) * uu, uu, mine.gamma);
        mine.delta = fma(static_cast<double>(w), uu, mine.delta);
        mine.most = fmax(mine.most, fabs(uu));
    }
    return mine;
}

/// beta, and in `s` what else an iteration needs, from the sums of all rows.
/// @return whether <p, A p> is positive; if not, the iteration is not counted
__device__ __forceinline__ bool next_direction(SolverStatus& s, double gamma, double delta,
                                               double& beta)
{
    beta = s.iterations == 0 ? 0 : gamma / s.gamma;
    const double less = s.iterations == 0 ? 0 : beta * gamma / s.alpha;
    if (!(delta - less > 0))
        return false;
    s.gamma = gamma;
    s.alpha = gamma / (delta - less);
    ++s.iterations;
    return true;
}

/// The rest of an iteration for pack k. @param first  of all iterations: p, s and x are 0 so far
/// @param each  is given each u and x
template <class Real, class Each>
__device__ __forceinline__ void update_pack(const Correction<Real>& c, std::int64_t k, Real alpha,
                                            Real beta, bool first, Each each)
{
    using P = Pack<Real>;
    P u = reinterpret_cast<const P*>(c.u)[k], p{}, s{}, x{};
    const P w = reinterpret_cast<const P*>(c.w)[k], d = reinterpret_cast<const P*>(c.diagonal)[k];
    if (!first) {
        p = reinterpret_cast<const P*>(c.p)[k];
        s = reinterpret_cast<const P*>(c.s)[k];
        x = reinterpret_cast<const P*>(c.x)[k];
    }
#pragma unroll
    for (int i = 0; i < P::width; ++i) {
        p.v[i] = first ? u.v[i] : fma(beta, p.v[i], u.v[i]);
        s.v[i] = first ? w.v[i] : fma(beta, s.v[i], w.v[i]);
        x.v[i] = fma(alpha, p.v[i], x.v[i]);
        u.v[i] -= alpha * s.v[i] / d.v[i];
        each(u.v[i], x.v[i]);
    }
    reinterpret_cast<P*>(c.p)[k] = p;
    reinterpret_cast<P*>(c.s)[k] = s;
    reinterpret_cast<P*>(c.x)[k] = x;
    reinterpret_cast<P*>(c.u)[k] = u;
}

} // namespace tawara::device::cuda
