// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of tissue of which most is at rest (or changes slowly): unknowns at rest take one long step
// while the others take several short ones. Each unknown decides for itself, from its own potential
// and its neighbours', so that results depend neither on the order nor on the number of shards;
// slices of 32 without a moving unknown cost nothing in the short steps.
//
// With several passes of diffusion a long step is tried by all first (cell_first as Part::decide).
// What moves then takes each short step, the first one too, in the passes of cell_pass and in
// cell_moving.
//
// Short steps see unknowns at rest midway between the start and the end of their long step: if they
// saw the end, which lies ahead of them in time, it would draw them along, and repolarisation would
// come early. The last short step writes the end.
//
// Compiled as cell_common.cuh says, with a second step in namespace long_step whose constants
// follow those of the first in each row.
//
// Bytes: the first step of a long one as a fused kernel (cell_ring.cuh), the others that times the
// share of slices with a moving unknown, and 6 r a slot once: the end kept, read and written, the
// midway value, the copy. Where fronts are watched (FrontWatch), r + 1 / 8 more of each slot
// stepped.
#pragma once
#include "engine/device/cuda/cell_common.cuh"

namespace tawara::device::cuda {

/// A cell with old and new states in registers. @param first  of the step's constants in a row
template <int first>
struct Cell
{
    Real old[kept > 0 ? kept : 1], fresh[kept > 0 ? kept : 1];
    Row row;
    Real v, new_v, current;

    __device__ __forceinline__ Real state(int k) const { return k == 0 ? v : old[k - 1]; }
    __device__ __forceinline__ Real stimulus() const { return current; }
    __device__ __forceinline__ Real constant(int k) const { return row_number(row, first + k); }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            new_v = value;
        else
            fresh[k - 1] = value;
    }
    /// From memory, with the potential after diffusion.
    __device__ __forceinline__ void load(const Reaction<Real>& p, int slot, Real diffused)
    {
        const Real* states = p.states + (slot >> 5) * p.slots + (slot & 31);
#pragma unroll
        for (int k = 0; k < kept; ++k)
            old[k] = fresh[k] = states[k * 32];
        row = row_of(p, type_of(p, slot));
        current = stimulus_of(p, slot);
        v = new_v = diffused;
    }
};
using ShortCell = Cell<0>;
using LongCell = Cell<::cell_row_size>;

/// What diffusion adds to a slot in a long step: its flow, made smaller where a row's weights are
/// too large for such a step (at slivers), so that the result lies between the neighbours' values.
__device__ __forceinline__ Real long_flow(const Pass<Real>& pass, int slot, Real v, Real length,
                                          Real& short_flow)
{
    Real rate = 0;
    const Real sum = row_sum(pass.a, pass.x, slot, v, rate);
    short_flow = pass.tau * sum;
    return length * short_flow / fmax(Real(1), length * pass.tau * rate);
}

/// A slot after a short step's last pass: its only one, or one of several.
__device__ __forceinline__ Real diffused(const Pass<Real>& pass, int slot)
{
    if (pass.c_x != Real(1) || pass.y || pass.l0)
        return passed(pass, slot);
    const Real v = pass.x[slot];
    return v + pass.tau * row_sum(pass.a, pass.x, slot, v);
}

/// Writes what became of a cell after a step as long as `steps` short ones.
__device__ __forceinline__ void finish(const Real* fresh, Real v, const Reaction<Real>& p,
                                       const Moment& m, long long step, int slot, int steps)
{
    p.v_out[slot] = v;
    Real* states = p.states + (slot >> 5) * p.slots + (slot & 31);
#pragma unroll
    for (int k = 0; k < kept; ++k)
        states[k * 32] = fresh[k];
    verdict(m, step, slot, v);
    const int phase = p.record.phase[slot];
    look<Elementary>(
        p.record, slot, phase, phase < 2 ? p.record.track[slot] : Real(0),
        [&] { return p.v_before[slot]; }, v, static_cast<double>(step) * m.dt_ms, steps * m.dt_ms);
}

extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_first(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
               const __grid_constant__ Moment m, const __grid_constant__ Rest rest)
{
    const int slot = static_cast<int>(m.begin) + blockIdx.x * block_threads + threadIdx.x;
    if ((slot & ~31) >= m.end || !alive(m))
        return;          // whole warps: Elementary exchanges numbers inside them
    if (slot == m.begin) // of the next long step; nobody reads it now
        *list_length(rest, m, 1) = 0;
    const auto tolerance = static_cast<Real>(rest.tolerance_mV);
    const auto length = static_cast<Real>(rest.length);
    const long long step = m.status->step + m.offset;
    const auto t_ms = static_cast<Real>(static_cast<double>(step) * m.dt_ms);
    const Elementary math;
    const bool inside = slot < m.end;
    const Real v = pass.x[slot];
    Real flow = 0;
    const Real long_one = long_flow(pass, slot, v, length, flow);
    const Real whole = length * flow;
    LongCell cell;
    cell.load(p, slot, v + long_one);
    ::long_step::cell_step(cell, math, t_ms, length * p.dt);
    const bool moves =
        inside && !(fabs(whole) <= tolerance && fabs(cell.new_v - v) <= tolerance &&
                    fabs(whole - long_one) <= static_cast<Real>(rest.most_lost) * tolerance);
    const unsigned moving = __ballot_sync(whole_warp, moves);
    const bool decides = rest.part == Rest::Part::decide;
    if (moving && !decides) {
        asm volatile("" ::: "memory"); // the states are read again, not kept
        ShortCell small;
        small.load(p, slot, v + flow);
        ::cell_step(small, math, t_ms, p.dt);
#pragma unroll
        for (int k = 0; k < kept; ++k)
            cell.fresh[k] = moves ? small.fresh[k] : cell.fresh[k];
        cell.new_v = moves ? small.new_v : cell.new_v;
    }
    if (inside && !(decides && moves))
        finish(cell.fresh, cell.new_v, p, m, step, slot, moves ? 1 : rest.length);
    if (inside && !moves) {
        Real seen = cell.new_v;
        if (rest.length > 1) {
            p.v_end[slot] = cell.new_v;
            p.v_out[slot] = seen = (v + cell.new_v) / 2;
        }
        if (decides) // what the passes of short steps see of it
            pass.out[slot] = pass.l_out[slot] = seen;
    }
    if (p.watch.v) // V of what rests at its end; V midway lies between that and V at the start
        watch(p.watch, slot >> 5, cell.new_v, inside && !(decides && moves));
    if ((slot & 31) == 0) {
        rest.moving[slot >> 5] = moving;
        if (moving && (decides || rest.length > 1)) {
            rest.list[atomicAdd(list_length(rest, m, 0), 1U)] = slot >> 5;
            atomicAdd(&m.status->moving, static_cast<unsigned long long>(rest.length - 1));
        }
    }
}

/// A pass of diffusion that is not the last, of the listed slices' moving slots.
extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_pass(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Moment m,
              const __grid_constant__ Rest rest)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * block_threads + threadIdx.x) >> 5, stride = gridDim.x * warps;
    if (!alive(m))
        return;
    const int n = static_cast<int>(*list_length(rest, m, 0));
    for (int k = warp; k < n; k += stride) {
        const int slice = rest.list[k], slot = slice * 32 + lane;
        if (rest.moving[slice] >> lane & 1U)
            pass.out[slot] = passed(pass, slot);
    }
}

extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_moving(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
                const __grid_constant__ Moment m, const __grid_constant__ Rest rest)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * block_threads + threadIdx.x) >> 5, stride = gridDim.x * warps;
    if (!alive(m))
        return;
    const bool ends = rest.length > 1 && rest.at + 1 == rest.length;
    if (rest.at == 1 || ends) // p.v_before is the step's start, pass.x the last pass'
        for (int slice = static_cast<int>(m.begin >> 5) + warp; slice * 32 < m.end;
             slice += stride) {
            const int slot = slice * 32 + lane;
            if (slot < m.end && !(rest.moving[slice] >> lane & 1U))
                p.v_out[slot] = ends ? p.v_end[slot] : p.v_before[slot];
        }
    const long long step = m.status->step + m.offset;
    const auto t_ms = static_cast<Real>(static_cast<double>(step) * m.dt_ms);
    const Elementary math;
    const int n = static_cast<int>(*list_length(rest, m, 0));
    for (int k = warp; k < n; k += stride) {
        const int slice = rest.list[k], slot = slice * 32 + lane;
        ShortCell cell;
        cell.load(p, slot, diffused(pass, slot));
        ::cell_step(cell, math, t_ms, p.dt);
        const bool moves = rest.moving[slice] >> lane & 1U;
        if (moves)
            finish(cell.fresh, cell.new_v, p, m, step, slot, 1);
        if (p.watch.v)
            watch(p.watch, slice, cell.new_v, moves);
    }
}

} // namespace tawara::device::cuda
