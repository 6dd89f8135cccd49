// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction kernel of a compiled cell model with a cell a thread, its states in registers
// (cell_common.cuh: what it is compiled with): the shortest way for tissue that the device holds at
// once, and with the last diffusion pass, whose loads keep the memory busy by themselves. Bytes as
// in cell_ring.cuh.
#pragma once
#include "engine/device/cuda/cell_common.cuh"

namespace tawara::device::cuda {

/// A cell with all states in registers.
struct Cell
{
    Real old[kept > 0 ? kept : 1];
    Real* states; ///< own column of the tile
    Row row;      ///< constants of the type, where there are several
    Real v, new_v, current;
    bool inside; ///< whether the slot belongs to the range, and the run goes on

    __device__ __forceinline__ Real state(int k) const { return k == 0 ? v : old[k - 1]; }
    __device__ __forceinline__ Real stimulus() const { return current; }
    __device__ __forceinline__ Real constant(int k) const { return row_number(row, k); }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            new_v = value;
        else if (inside)
            __stcs(states + (k - 1) * 32, value);
    }
};

extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_kernel(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
                const __grid_constant__ Moment m)
{
    const int slot = static_cast<int>(m.begin) + blockIdx.x * block_threads + threadIdx.x;
    const int tile = slot >> 5, lane = slot & 31;
    if (fused)
        let_kernel_behind_start();
    if (tile * 32 >= m.end) // whole warps: Elementary exchanges numbers inside them
        return;
    const bool go = alive(m), stimulated = may_have_stimulus(p, slot);
    const Elementary math;
    Cell cell;
    cell.states = p.states + tile * p.slots + lane;
#pragma unroll
    for (int k = 0; k < kept; ++k)
        cell.old[k] = __ldcs(cell.states + k * 32);
    const int phase = p.v_before ? p.record.phase[slot] : 3;
    const Real track = p.v_before && p.record.track ? p.record.track[slot] : Real(0);
    cell.row = row_of(p, type_of(p, slot));
    const long long step = m.status->step + m.offset;
    const double t_ms = static_cast<double>(step) * m.dt_ms;
    cell.v = cell.new_v = fused ? passed(pass, slot) : p.v_in[slot];
    // The kernel ahead may be the one that writes the stimulus. Block 0 waits whatever it has: the
    // kernels behind this one take it that all ahead of them has ended.
    if (fused && (stimulated || blockIdx.x == 0))
        wait_for_kernel_ahead();
    cell.current = stimulated ? p.stimulus[slot] : Real(0);
    cell.inside = go && slot < m.end;
    cell_step(cell, math, static_cast<Real>(t_ms), p.dt);
    if (!cell.inside)
        return;
    const Real v = cell.new_v;
    p.v_out[slot] = v;
    verdict(m, step, slot, v);
    if (p.v_before) {
        look<Elementary>(
            p.record, slot, phase, track, [&] { return p.v_before[slot]; }, v, t_ms, m.dt_ms);
    }
}

} // namespace tawara::device::cuda
