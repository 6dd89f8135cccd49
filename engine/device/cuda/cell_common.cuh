// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of compiled cell models share. NVRTC compiles this text while the program runs,
// after that of the model (cuda_text.hpp: Real, cell_states, cell_row_size, Elementary, cell_step)
// and these constants:
//
//     block_threads, blocks   launch bounds
//     stages                  depth of a block's ring in shared memory (cell_ring.cuh)
//     fused, many             with the last diffusion pass; more than one cell type
//     row_size                numbers of a type's row: those of all steps in the text
//     constant_rows           rows in constant memory: those of all types, or the first one alone
//     (0) row_differs(k)          whether number k is not the same for all types
//
// States other than V lie in tiles of 32 slots, [tile][state][32].
#pragma once
#include "engine/device/cuda/rows.cuh"

namespace tawara::device::cuda {

using ::block_threads, ::blocks, ::stages, ::fused, ::many, ::row_size, ::constant_rows, ::Real,
    ::cell_states;

constexpr int kept = cell_states - 1; // states in tiles
constexpr int tile_size = kept * 32;
constexpr int warps = block_threads / 32;
constexpr unsigned whole_warp = 0xffffffffu;

extern "C" {
/// Constants of the cell types. Slots are sorted so that nearly all warps are of one type, and a
/// number then comes in one access for all lanes.
__constant__ Real cell_rows[(constant_rows ? constant_rows : 1) * row_size];
}

/// Where a type's row is: its offset in constant memory, or its address in device memory.
template <bool constant>
struct RowPlace
{
    using Type = int;
    __device__ __forceinline__ static Type of(const Reaction<Real>&, int type)
    {
        return type * row_size;
    }
};
template <>
struct RowPlace<false>
{
    using Type = const Real*;
    __device__ __forceinline__ static Type of(const Reaction<Real>& p, int type)
    {
        return p.tables + type * row_size;
    }
};
using Row = RowPlace<(constant_rows > 0)>::Type;

/// Number k of a type's row. An instruction takes it as an operand from the first row where it is
/// the same for all.
__device__ __forceinline__ Real row_number(int row, int k)
{
    return cell_rows[row_differs(k) ? row + k : k];
}
__device__ __forceinline__ Real row_number(const Real* row, int k)
{
    return row_differs(k) ? __ldg(row + k) : cell_rows[k];
}
__device__ __forceinline__ int type_of(const Reaction<Real>& p, int slot)
{
    return many ? p.type[slot] : 0;
}
__device__ __forceinline__ Row row_of(const Reaction<Real>& p, int type)
{
    return RowPlace<(constant_rows > 0)>::of(p, type);
}

/// What stimulates a slot [pA/pF]: read where a slot of its slice has a stimulus alone.
__device__ __forceinline__ Real stimulus_of(const Reaction<Real>& p, int slot)
{
    const bool some = p.stimulus && (!p.driven || p.driven[slot >> 5]);
    return some ? p.stimulus[slot] : Real(0);
}

/// Looks at the step from a to b of one slot (the CPU back end's ActivationRecord does the same).
/// Before activation `track` is the least potential so far, b's included; a is asked for at the two
/// steps alone that cross a level.
template <class Before>
__device__ __forceinline__ void look(const Record<Real>& r, int slot, int phase, Real track,
                                     Before a, Real b, double t_ms, double dt_ms)
{
    if (phase >= 2)
        return;
    const auto crossing = [&](Real level, Real from) {
        return t_ms +
               dt_ms * static_cast<double>((level - from) * Elementary::reciprocal(b - from));
    };
    if (phase == 0) {
        const auto threshold = static_cast<Real>(r.threshold_mV);
        if (b >= threshold) {
            const Real from = a();
            if (from < threshold) {
                r.activation_ms[slot] = crossing(threshold, from);
                r.rest[slot] = track;
                r.track[slot] = b;
                r.phase[slot] = 1;
            }
        } else if (b < track) {
            r.track[slot] = b;
        }
        return;
    }
    const Real peak = max(track, b);
    if (peak > track)
        r.track[slot] = peak;
    const Real level = peak - Real(0.9) * (peak - r.rest[slot]);
    if (b < level) {
        const Real from = a();
        if (from >= level) {
            r.repolarisation_ms[slot] = crossing(level, from);
            r.phase[slot] = 2;
        }
    }
}

/// Notes the first value that no membrane reaches.
__device__ __forceinline__ void verdict(const Moment& m, long long step, int slot, Real v)
{
    if (!(v > Real(-1000) && v < Real(1000)))
        atomicMin(&m.status->bad, static_cast<unsigned long long>(step) << 32 |
                                      static_cast<unsigned long long>(slot));
}

} // namespace tawara::device::cuda
