// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of a cell model in an implicit step (ImplicitCells), a cell a thread with the states
// before the step in registers (cell_common.cuh: what it is compiled with). The program's last two
// states are F and F'. Nothing but its own work counts: some thousand operations for 8 bytes of
// each state in and out.
#pragma once
#include "engine/device/cuda/cell_common.cuh"

namespace tawara::device::cuda {

constexpr int own_states = cell_states - 2; // with V

struct ImplicitCell
{
    Real old[own_states > 1 ? own_states - 1 : 1];
    Real* after; ///< own column of the tile
    Row row;
    Real v, new_v, current, rate, slope;

    __device__ __forceinline__ Real state(int k) const
    {
        return k == 0 ? v : k < own_states ? old[k - 1] : Real(0);
    }
    __device__ __forceinline__ Real stimulus() const { return current; }
    __device__ __forceinline__ Real constant(int k) const { return row_number(row, k); }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            new_v = value;
        else if (k == own_states)
            rate = value;
        else if (k == own_states + 1)
            slope = value;
        else
            __stcs(after + (k - 1) * 32, value);
    }
};

extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_implicit(const __grid_constant__ ImplicitCells<Real> p)
{
    const Reaction<Real>& c = p.cells;
    const int slot = static_cast<int>(p.begin) + blockIdx.x * block_threads + threadIdx.x;
    const int tile = slot >> 5, lane = slot & 31;
    if (tile * 32 >= p.end ||
        (p.idle && *p.idle != 0)) // whole warps: Elementary exchanges numbers inside them
        return;
    const Elementary math;
    ImplicitCell cell;
    const Real* states = c.states + tile * c.slots + lane;
    cell.after = p.after + tile * c.slots + lane;
#pragma unroll
    for (int k = 0; k < own_states - 1; ++k)
        cell.old[k] = __ldcs(states + k * 32);
    cell.row = row_of(c, type_of(c, slot));
    cell.v = cell.new_v = c.v_in[slot];
    cell.current = c.stimulus ? c.stimulus[slot] : Real(0);
    cell.rate = cell.slope = 0;
    cell_step(cell, math, static_cast<Real>(p.start_ms ? *p.start_ms : p.t_ms), c.dt);
    c.v_out[slot] = cell.new_v;
    p.rate[slot] = cell.rate;
    p.slope[slot] = cell.slope;
}

} // namespace tawara::device::cuda
