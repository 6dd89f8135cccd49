// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of tissue of which most is at rest (or changes slowly): unknowns at rest take one long step
// while the others take several short ones. Each unknown decides for itself, from its own potential
// and its neighbours', so that results depend neither on the order nor on the number of shards;
// slices of 32 without a moving unknown cost nothing in the short steps.
//
// Bytes: the first step of a long one as the fused kernel (reaction.cuh), the others that times the
// share of slices with a moving unknown, and 2 r a slot once for the copy.
#pragma once
#include "engine/device/cuda/reaction.cuh"

namespace tawara::device::cuda {

/// What diffusion adds to a slot in a long step: its flow, made smaller where a row's weights are
/// too large for such a step (at slivers), so that the result lies between the neighbours' values.
template <class Real>
__device__ __forceinline__ Real long_flow(const Pass<Real>& pass, int slot, Real v, Real length,
                                          Real& short_flow)
{
    Real rate = 0;
    const Real sum = row_sum(pass.a, pass.x, slot, v, rate);
    short_flow = pass.tau * sum;
    return length * short_flow / fmax(Real(1), length * pass.tau * rate);
}

/// A cell of a slot from memory, its potential after diffusion.
template <class Real, bool many>
__device__ __forceinline__ void load_cell(CellIo<Real>& io, const Reaction<Real>& p,
                                          const OneType<Real>& one, std::int64_t slot)
{
    StateChunks<Real>::load(p.states, p.slots, slot, io.x + 1);
    if constexpr (many)
        io.constants = p.tables + static_cast<std::size_t>(p.type[slot]) * cell::tt06::folded_count;
    else
        io.constants = one.c;
    io.stimulus_now = p.stimulus ? p.stimulus[slot] : Real(0);
}

__device__ __forceinline__ unsigned* list_length(const Rest& rest, const Moment& m, int ahead)
{
    return rest.count + ((m.status->long_steps + rest.index + ahead) & 1);
}

template <class Real, bool many>
__global__ void __launch_bounds__(Ahead<Real>::block)
    rest_first_kernel(const __grid_constant__ Pass<Real> pass,
                      const __grid_constant__ Reaction<Real> p,
                      const __grid_constant__ OneType<Real> one, const __grid_constant__ Moment m,
                      const __grid_constant__ Rest rest)
{
    const std::int64_t slot =
        m.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x & 31);
    if (!alive(m))
        return;
    if (slot == m.begin) // of the next long step; nobody reads it now
        *list_length(rest, m, 1) = 0;
    bool moves = false;
    if (slot < m.end) {
        const auto tolerance = static_cast<Real>(rest.tolerance_mV);
        const auto length = static_cast<Real>(rest.length);
        CellIo<Real> io;
        load_cell<Real, many>(io, p, one, slot);
        const Real v = pass.x[slot];
        Real flow = 0;
        const Real long_one = long_flow(pass, static_cast<int>(slot), v, length, flow);
        io.x[0] = v + long_one;
        step_cell<Real, CellMode::rush_larsen>(io, length * p.dt);
        moves = !(fabs(long_one) <= tolerance && fabs(io.x[0] - v) <= tolerance);
        if (moves) {
            StateChunks<Real>::load(p.states, p.slots, slot, io.x + 1);
            io.x[0] = v + flow;
            step_cell<Real, CellMode::rush_larsen_light>(io, p.dt);
        }
        finish(io, p, m, slot, moves ? 1 : rest.length);
    }
    const unsigned moving = __ballot_sync(0xffffffffU, moves);
    if (lane == 0 && slot < m.end) {
        rest.moving[slot >> 5] = moving;
        if (moving && rest.length > 1) {
            rest.list[atomicAdd(list_length(rest, m, 0), 1U)] =
                static_cast<std::int32_t>(slot >> 5);
            atomicAdd(&m.status->moving, static_cast<unsigned long long>(rest.length - 1));
        }
    }
}

template <class Real, bool many>
__global__ void __launch_bounds__(Ahead<Real>::block)
    rest_moving_kernel(const __grid_constant__ Pass<Real> pass,
                       const __grid_constant__ Reaction<Real> p,
                       const __grid_constant__ OneType<Real> one, const __grid_constant__ Moment m,
                       const __grid_constant__ Rest rest)
{
    const unsigned lane = threadIdx.x & 31;
    const std::int64_t warp =
        (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
    const std::int64_t warps = (static_cast<std::int64_t>(gridDim.x) * blockDim.x) >> 5;
    if (!alive(m))
        return;
    if (rest.at == 1)
        for (std::int64_t slice = (m.begin >> 5) + warp; slice * 32 < m.end; slice += warps) {
            const std::int64_t slot = slice * 32 + lane;
            if (slot < m.end && !(rest.moving[slice] >> lane & 1U))
                p.v_out[slot] = pass.x[slot];
        }
    const unsigned n = *list_length(rest, m, 0);
    for (std::int64_t k = warp; k < n; k += warps) {
        const std::int64_t slice = rest.list[k], slot = slice * 32 + lane;
        if (!(rest.moving[slice] >> lane & 1U))
            continue;
        CellIo<Real> io;
        load_cell<Real, many>(io, p, one, slot);
        const Real v = pass.x[slot];
        io.x[0] = v + pass.tau * row_sum(pass.a, pass.x, static_cast<int>(slot), v);
        step_cell<Real, CellMode::rush_larsen_light>(io, p.dt);
        finish(io, p, m, slot);
    }
}

template <class Real, bool many>
void rest_launch(StreamRef s, const Pass<Real>& pass, const Reaction<Real>& r,
                 const OneType<Real>& one, const Moment& m, const Rest& rest)
{
    constexpr int block = Ahead<Real>::block;
    if (rest.at == 0)
        return launch(s, "long step", m.end - m.begin, block, rest_first_kernel<Real, many>, pass,
                      r, one, m, rest);
    const auto kernel = rest_moving_kernel<Real, many>;
    launch(s, "short step", resident_threads(kernel, block, 0, s.device, m.end - m.begin), block,
           kernel, pass, r, one, m, rest);
}

template <class Real>
void rest_as(StreamRef s, const Pass<Real>& pass, const Reaction<Real>& r, const OneType<Real>& one,
             const Moment& m, const Rest& rest)
{
    if (r.type)
        rest_launch<Real, true>(s, pass, r, one, m, rest);
    else
        rest_launch<Real, false>(s, pass, r, one, m, rest);
}

} // namespace tawara::device::cuda
