// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction kernel of a compiled cell model. NVRTC compiles this text while the program runs,
// after that of the model (cuda_text.hpp: Real, cell_states, cell_row_size, Elementary, cell_step)
// and these constants:
//
//     block_threads, blocks, stages   launch bounds; depth of each warp's ring in shared memory
//     fused, many                     with the last diffusion pass; more than one cell type
//
// States other than V lie in tiles of 32 slots, [tile][state][32], so that one bulk copy brings all
// those of a block's warps. Each block takes every so many-th group of tiles; the next ones are on
// their way into its ring while it computes.
//
// Bytes per unknown and step (N states, r bytes a number): 2 (N - 1) r states, 2 r V, and for the
// record r of V before the step, r of its track, 1 of its phase.
#pragma once
#include "engine/device/cuda/rows.cuh"

namespace tawara::device::cuda {

using ::block_threads, ::blocks, ::stages, ::fused, ::many, ::Real, ::cell_states, ::cell_row_size;

constexpr int kept = cell_states - 1; // states in tiles
constexpr int tile_size = kept * 32;
constexpr int warps = block_threads / 32;
/// A stage of a block's ring: the states of its warps' tiles, then of all its slots the potential,
/// and for the record potential before the step, track and phase.
constexpr int row_bytes = block_threads * sizeof(Real);
constexpr int v_at = kept * row_bytes, before_at = v_at + row_bytes;
constexpr int track_at = before_at + row_bytes, phase_at = track_at + row_bytes;
constexpr int stage_bytes = phase_at + block_threads;
constexpr int ring_bytes = stages * stage_bytes;

extern "C" {
/// Constants of the one cell type.
__constant__ Real cell_rows[cell_row_size];
/// Bytes of dynamic shared memory of a block.
__constant__ int cell_shared_bytes = ring_bytes + stages * 8;
}

__device__ __forceinline__ unsigned shared_address(const void* p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// One cell between a warp's stage (old values) and device memory (new ones).
struct Cell
{
    const Real* stage; ///< own column
    Real* states;      ///< own column of the tile
    const Real* row;   ///< constants of the type, where there are several
    Real v, new_v, current;
    bool inside; ///< whether the slot belongs to the range

    __device__ __forceinline__ Real state(int k) const { return k == 0 ? v : stage[(k - 1) * 32]; }
    __device__ __forceinline__ Real stimulus() const { return current; }
    __device__ __forceinline__ Real constant(int k) const
    {
        if (many)
            return __ldg(row + k);
        return cell_rows[k];
    }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            new_v = value;
        else if (inside)
            states[(k - 1) * 32] = value;
    }
};

/// Looks at the step from a to b of one slot (the CPU back end's ActivationRecord does the same).
__device__ __forceinline__ void look(const Record<Real>& r, int slot, int phase, Real track, Real a,
                                     Real b, double t_ms, double dt_ms)
{
    if (phase >= 2)
        return;
    const auto threshold = static_cast<Real>(r.threshold_mV);
    const auto crossing = [&](Real level) {
        return t_ms + dt_ms * static_cast<double>((level - a) * Elementary::reciprocal(b - a));
    };
    if (phase == 0) {
        const Real least = min(track, a);
        if (a < threshold && b >= threshold) {
            r.activation_ms[slot] = crossing(threshold);
            r.rest[slot] = least;
            r.track[slot] = b;
            r.phase[slot] = 1;
        } else if (least < track) {
            r.track[slot] = least;
        }
        return;
    }
    const Real peak = max(track, b);
    if (peak > track)
        r.track[slot] = peak;
    const Real level = peak - Real(0.9) * (peak - r.rest[slot]);
    if (b < level && a >= level) {
        r.repolarisation_ms[slot] = crossing(level);
        r.phase[slot] = 2;
    }
}

#if __CUDA_ARCH__ >= 900
/// A block's ring of stages, filled by bulk copies that its first thread starts.
class Ring
{
  public:
    __device__ __forceinline__ explicit Ring(unsigned char* memory)
        : memory_(memory), barrier_(shared_address(memory + ring_bytes))
    {
        if (threadIdx.x == 0) {
            for (int s = 0; s < stages; ++s)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_ + 8 * s));
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
    }
    /// Fetches `tiles` tiles from `first` on. All threads have read the stage before.
    __device__ __forceinline__ void fetch(int s, const Reaction<Real>& p, int first,
                                          int tiles) const
    {
        if (threadIdx.x)
            return;
        const unsigned barrier = barrier_ + 8 * s, to = shared_address(memory_ + s * stage_bytes);
        const bool recorded = p.v_before;
        const int slots = tiles * 32, row = slots * sizeof(Real);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
            "r"((kept + (fused ? 0 : 1) + (recorded ? 2 : 0)) * row + (recorded ? slots : 0))
            : "memory");
        const Real* states = p.states + first * p.slots;
        if (p.slots == tile_size) {
            copy(to, states, kept * row, barrier);
        } else {
#pragma unroll 1
            for (int k = 0; k < tiles; ++k)
                copy(to + k * tile_size * sizeof(Real), states + k * p.slots,
                     tile_size * sizeof(Real), barrier);
        }
        if (!fused)
            copy(to + v_at, p.v_in + first * 32, row, barrier);
        if (recorded) {
            copy(to + before_at, p.v_before + first * 32, row, barrier);
            copy(to + track_at, p.record.track + first * 32, row, barrier);
            copy(to + phase_at, p.record.phase + first * 32, slots, barrier);
        }
    }
    /// @param parity  of how often the stage was filled before
    __device__ __forceinline__ const unsigned char* wait(int s, int parity, const Reaction<Real>&,
                                                         int) const
    {
        asm volatile("{\n.reg .pred done;\nagain:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                     "@!done bra again;\n}" ::"r"(barrier_ + 8 * s),
                     "r"(parity)
                     : "memory");
        return memory_ + s * stage_bytes;
    }

  private:
    __device__ __forceinline__ static void copy(unsigned to, const void* from, int bytes,
                                                unsigned barrier)
    {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(from), "r"(bytes), "r"(barrier)
                     : "memory");
    }
    unsigned char* memory_;
    unsigned barrier_;
};
#else
/// Before compute capability 9.0 each thread copies its own column when it needs it.
class Ring
{
  public:
    __device__ __forceinline__ explicit Ring(unsigned char* memory) : memory_(memory) {}
    __device__ __forceinline__ void fetch(int, const Reaction<Real>&, int, int) const {}
    __device__ __forceinline__ const unsigned char* wait(int, int, const Reaction<Real>& p,
                                                         int tile) const
    {
        const int lane = threadIdx.x & 31, slot = tile * 32 + lane;
        const auto own = [&](int at) -> Real& {
            return reinterpret_cast<Real*>(memory_ + at)[threadIdx.x];
        };
        Real* states = reinterpret_cast<Real*>(memory_) + threadIdx.x / 32 * tile_size + lane;
        for (int k = 0; k < kept; ++k)
            states[k * 32] = p.states[tile * p.slots + k * 32 + lane];
        if (!fused)
            own(v_at) = p.v_in[slot];
        if (p.v_before) {
            own(before_at) = p.v_before[slot];
            own(track_at) = p.record.track[slot];
            memory_[phase_at + threadIdx.x] = p.record.phase[slot];
        }
        return memory_;
    }

  private:
    unsigned char* memory_;
};
#endif

extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_kernel(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
                const __grid_constant__ Moment m)
{
    extern __shared__ __align__(128) unsigned char memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const int last = static_cast<int>((m.end + 31) / 32), end = static_cast<int>(m.end);
    const int stride = gridDim.x * warps;
    int first = static_cast<int>(m.begin / 32) + blockIdx.x * warps;
    const Ring ring(memory);
    for (int s = 0; s < stages - 1; ++s)
        if (first + s * stride < last)
            ring.fetch(s, p, first + s * stride, min(warps, last - first - s * stride));
    const long long step = m.status->step + m.offset;
    const bool go = alive(m);
    const double t_ms = static_cast<double>(step) * m.dt_ms;
    const Elementary math;
    int s = 0, parity = 0;
    for (; first < last; first += stride) {
        const int ahead = first + (stages - 1) * stride;
        __syncthreads();
        if (ahead < last)
            ring.fetch(s == 0 ? stages - 1 : s - 1, p, ahead, min(warps, last - ahead));
        const int tile = min(first + warp, last - 1), slot = tile * 32 + lane;
        Cell cell;
        cell.inside = go && first + warp < last && slot < end;
        cell.current = p.stimulus ? p.stimulus[slot] : Real(0);
        cell.row = many ? p.tables + p.type[slot] * cell_row_size : nullptr;
        Real diffused = 0;
        if (fused)
            diffused = passed(pass, slot);
        const unsigned char* stage = ring.wait(s, parity, p, tile);
        __syncwarp();
        const auto own = [&](int at) {
            return reinterpret_cast<const Real*>(stage + at)[threadIdx.x];
        };
        cell.stage = reinterpret_cast<const Real*>(stage) + warp * tile_size + lane;
        cell.states = p.states + tile * p.slots + lane;
        cell.v = cell.new_v = fused ? diffused : own(v_at);
        cell_step(cell, math, static_cast<Real>(t_ms), p.dt);
        const Real v = cell.new_v;
        if (cell.inside) {
            p.v_out[slot] = v;
            if (p.v_before) {
                if (!(v > Real(-1000) && v < Real(1000))) // no membrane reaches 1 V
                    atomicMin(&m.status->bad, static_cast<unsigned long long>(step) << 32 |
                                                  static_cast<unsigned long long>(slot));
                look(p.record, slot, stage[phase_at + threadIdx.x], own(track_at), own(before_at),
                     v, t_ms, m.dt_ms);
            }
        }
        if (++s == stages)
            s = 0, parity ^= 1;
    }
}

} // namespace tawara::device::cuda
