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
#include "engine/device/cuda/cell_record.cuh"
#include "engine/device/cuda/early_start.cuh"
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
/// How many slices of a range move in a long step, `ahead` long steps after that of rest.index.
__device__ __forceinline__ unsigned* list_length(const Rest& rest, const Moment& m, int ahead)
{
    return rest.count + ((m.status->long_steps + rest.index + ahead) & 1);
}
/// Lists a chunk that is not listed yet.
__device__ __forceinline__ void list_near(const FrontWatch<Real>& w, int chunk)
{
    const unsigned bit = 1u << (chunk & 31);
    if (!(atomicOr(w.listed + (chunk >> 5), bit) & bit))
        w.list[atomicAdd(w.count, 1u)] = chunk;
}
/// Lists the chunks of a slice that strays; its lanes come together.
/// @param v       of the lane's slot from here on
/// @param inside  whether there is such a slot
__device__ __forceinline__ void watch(const FrontWatch<Real>& w, int slice, Real v, bool inside)
{
    const int lane = threadIdx.x & 31;
    const bool strays = inside && !(fabs(v - w.v[slice * 32 + lane]) <= w.strays_mV);
    const bool known = w.strayed[slice] != 0;
    if (!__ballot_sync(whole_warp, strays && !known))
        return;
    for (std::uint32_t e = w.first[slice] + lane; e < w.first[slice + 1]; e += 32)
        list_near(w, w.chunk[e]);
    if (lane == 0)
        w.strayed[slice] = 1;
}
__device__ __forceinline__ int type_of(const Reaction<Real>& p, int slot)
{
    return many ? p.type[slot] : 0;
}
__device__ __forceinline__ Row row_of(const Reaction<Real>& p, int type)
{
    return RowPlace<(constant_rows > 0)>::of(p, type);
}

} // namespace tawara::device::cuda
