// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction kernel of a compiled cell model for large tissue (cell_common.cuh: what it is
// compiled with). One bulk copy brings all states of a block's tiles. Blocks draw groups of tiles
// from a queue; the next ones are on their way into a block's ring while it computes.
//
// Bytes per unknown and step (N states, r bytes a number): 2 (N - 1) r states, 2 r V, 1 of the
// record's phase, and r of its track until it is complete.
#pragma once
#include "engine/device/cuda/cell_common.cuh"

namespace tawara::device::cuda {

/// A stage of a block's ring: the states of its warps' tiles, then the potential of its slots.
constexpr int row_bytes = block_threads * sizeof(Real);
constexpr int v_at = kept * row_bytes;
constexpr int stage_bytes = v_at + (fused ? 0 : row_bytes);
constexpr int ring_bytes = stages * stage_bytes;

/// Groups of tiles that a block knows of: the present one, the next, and those on their way.
constexpr int known = stages > 2 ? stages : 2;
constexpr int queue_at = ring_bytes + stages * 8;

extern "C" {
/// Bytes of dynamic shared memory of a block.
__constant__ int cell_shared_bytes = queue_at + known * 4;
}

__device__ __forceinline__ unsigned shared_address(const void* p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// A load that takes place here and not where its value is needed.
__device__ __forceinline__ double load_now(const double* p)
{
    double x;
    asm volatile("ld.global.cs.f64 %0, [%1];" : "=d"(x) : "l"(p));
    return x;
}
__device__ __forceinline__ float load_now(const float* p)
{
    float x;
    asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(x) : "l"(p));
    return x;
}

/// One cell between a warp's stage (old values) and memory (new ones).
struct Cell
{
    const Real* stage; ///< own column
    Real* states;      ///< own column of the tile in device memory
    Row row;           ///< constants of the type, where there are several
    Real v, new_v, current;
    bool inside; ///< whether the slot belongs to the range

    __device__ __forceinline__ Real state(int k) const { return k == 0 ? v : stage[(k - 1) * 32]; }
    __device__ __forceinline__ Real stimulus() const { return current; }
    __device__ __forceinline__ Real constant(int k) const { return row_number(row, k); }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            new_v = value;
        else if (inside)
            states[(k - 1) * 32] = value;
    }
};

/// A launch's groups of tiles, in their order. What all blocks move at a time then lies close
/// together; with every so many-th group for each block they drift apart, and the same bytes take
/// 5 % longer (PREDICTIONS.md, "G2"). A block's k-th group, k < known, is given without drawing.
class Queue
{
  public:
    /// @param begin  the launch's first tile
    __device__ __forceinline__ Queue(const Reaction<Real>& p, unsigned char* memory, int begin)
        : drawn_(p.queue), known_(reinterpret_cast<int*>(memory + queue_at)), begin_(begin)
    {
        if (threadIdx.x < known)
            known_[threadIdx.x] = given(static_cast<int>(threadIdx.x));
    }
    /// First tile of the k-th group, k < known.
    __device__ __forceinline__ int given(int k) const
    {
        return tile(blockIdx.x + static_cast<unsigned>(k) * gridDim.x);
    }
    /// First tile of the group `ahead` after the present one, 0 < ahead < known: the present one's
    /// place is about to be written.
    __device__ __forceinline__ int after(int ahead) const
    {
        return known_[place_ + ahead < known ? place_ + ahead : place_ + ahead - known];
    }
    /// The number of a group that nobody else has. Thread 0 only.
    __device__ __forceinline__ unsigned draw() const
    {
        return atomicAdd(drawn_, 1U) + known * gridDim.x;
    }
    /// Goes on to the next group; `drawn` takes the place that becomes free, from the block's next
    /// barrier on.
    __device__ __forceinline__ void advance(unsigned drawn)
    {
        if (threadIdx.x == 0)
            known_[place_] = tile(drawn);
        place_ = place_ + 1 < known ? place_ + 1 : 0;
    }
    /// The last block to leave sets the counters to 0 again.
    __device__ __forceinline__ void leave() const
    {
        if (threadIdx.x)
            return;
        __threadfence();
        if (atomicAdd(drawn_ + 1, 1U) + 1 == gridDim.x)
            drawn_[0] = drawn_[1] = 0;
    }

  private:
    __device__ __forceinline__ int tile(unsigned group) const
    {
        return begin_ + static_cast<int>(group) * warps;
    }
    unsigned* drawn_;
    int* known_;
    int begin_, place_ = 0;
};

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
        fetch_states(s, p, first, tiles);
        fetch_potential(s, p, first, tiles);
    }
    /// The first part of it: what no diffusion kernel writes. Thread 0 only.
    __device__ __forceinline__ void fetch_states(int s, const Reaction<Real>& p, int first,
                                                 int tiles) const
    {
        const unsigned barrier = barrier_ + 8 * s, to = shared_address(memory_ + s * stage_bytes);
        const int row = tiles * 32 * sizeof(Real);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"((kept + (fused ? 0 : 1)) * row)
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
    }
    /// The second part of it. Thread 0 only.
    __device__ __forceinline__ void fetch_potential(int s, const Reaction<Real>& p, int first,
                                                    int tiles) const
    {
        if (!fused)
            copy(shared_address(memory_ + s * stage_bytes) + v_at, p.v_in + first * 32,
                 tiles * 32 * static_cast<int>(sizeof(Real)), barrier_ + 8 * s);
    }
    /// Fills the first stages - 1 of the ring. A kernel that was launched early waits between its
    /// parts until what is ahead of it in its stream has ended.
    __device__ __forceinline__ void begin(const Reaction<Real>& p, const Queue& queue,
                                          int last) const
    {
        if (threadIdx.x)
            return;
        const auto each = [&](auto part) {
            for (int s = 0; s < stages - 1; ++s)
                if (const int first = queue.given(s); first < last)
                    part(s, first, min(warps, last - first));
        };
        each([&](int s, int first, int tiles) { fetch_states(s, p, first, tiles); });
        wait_for_kernel_ahead();
        each([&](int s, int first, int tiles) { fetch_potential(s, p, first, tiles); });
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
    __device__ __forceinline__ void begin(const Reaction<Real>&, const Queue&, int) const {}
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
    Queue queue(p, memory, static_cast<int>(m.begin / 32));
    const Ring ring(memory);
    const auto fetch = [&](int s, int from) {
        if (from < last)
            ring.fetch(s, p, from, min(warps, last - from));
    };
    ring.begin(p, queue, last);
    const long long step = m.status->step + m.offset;
    const bool go = alive(m);
    const double t_ms = static_cast<double>(step) * m.dt_ms;
    const Elementary math;
    const auto tile_of = [&](int from) { return min(from + warp, last - 1); };
    int phase = 3, type = 0; // loaded a tile ahead
    int first = queue.given(0);
    if (p.v_before && first < last)
        phase = p.record.phase[tile_of(first) * 32 + lane];
    if (first < last)
        type = type_of(p, tile_of(first) * 32 + lane);
    int s = 0, parity = 0;
    while (first < last) {
        __syncthreads();
        const int following = queue.after(1);
        fetch(s == 0 ? stages - 1 : s - 1, stages == 1 ? first : queue.after(stages - 1));
        const unsigned drawn = threadIdx.x == 0 ? queue.draw() : 0;
        const int tile = tile_of(first), slot = tile * 32 + lane;
        Cell cell;
        cell.inside = go && first + warp < last && slot < end;
        cell.current = stimulus_of(p, slot);
        cell.row = row_of(p, type);
        if (!cell.inside)
            phase = 3;
        Real track = 0;
        if (phase < 2)
            track = load_now(p.record.track + slot);
        int next_phase = 3, next_type = 0;
        if (p.v_before && following < last)
            next_phase = p.record.phase[tile_of(following) * 32 + lane];
        if (following < last)
            next_type = type_of(p, tile_of(following) * 32 + lane);
        Real diffused = 0;
        if (fused)
            diffused = passed(pass, slot);
        const unsigned char* stage = ring.wait(s, parity, p, tile);
        __syncwarp();
        cell.stage = reinterpret_cast<const Real*>(stage) + warp * tile_size + lane;
        cell.states = p.states + tile * p.slots + lane;
        cell.v = cell.new_v =
            fused ? diffused : reinterpret_cast<const Real*>(stage + v_at)[threadIdx.x];
        cell_step(cell, math, static_cast<Real>(t_ms), p.dt);
        const Real v = cell.new_v;
        if (cell.inside) {
            p.v_out[slot] = v;
            verdict(m, step, slot, v);
            if (p.v_before) {
                look<Elementary>(
                    p.record, slot, phase, track, [&] { return p.v_before[slot]; }, v, t_ms,
                    m.dt_ms);
            }
        }
        queue.advance(drawn);
        first = following, phase = next_phase, type = next_type;
        if (++s == stages)
            s = 0, parity ^= 1;
    }
    queue.leave();
}

} // namespace tawara::device::cuda
