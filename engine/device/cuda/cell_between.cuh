// SPDX-License-Identifier: GPL-3.0-or-later
// Ionic currents between vertices (NUMERICS.md, 4.1): what state-variable interpolation adds to the
// currents of a group's cells. Three kernels, one after the other, ahead of the cells' step, and
// one before them in the second step of a long one (Rest):
//
//     cell_awake      lists the chunks with a vertex in a slice that moves. In later steps of a
//     long
//                     step the currents of these slices alone are read, so that only these chunks
//                     are looked at
//     cell_front      lists the tetrahedra in which V differs by more than front_mV, and their
//                     vertices; a warp a chunk, whose vertices' V alone is read outside the front
//     cell_points     f at the four Gauss points of each of these, a thread a point: a thread reads
//                     one vertex, and has the other three from its neighbours' registers
//     cell_vertices   f at the front's vertices, and what these get of their tetrahedra, added up
//                     in the mesh's order: no bit depends on the list's order or on the shards
//
// Compiled as cell_common.cuh says; the step is the program of a membrane's current, which leaves
// the rate of V in place of V. States of a halo's vertices are read where they are, on the shard
// that steps them.
//
// While all vertices of a chunk rest, V changes by the tolerance of rest at most in a long step: a
// chunk that lacks much to be in the front is not looked at for as many long steps as that takes.
//
// Bytes: per tetrahedron about 0.7 indices and V, and 1 / 32 bits' word; per slot 1 / 32 words; of
// the front per tetrahedron 16 of slots, 4 numbers of V and of each state that f reads, 4 results.
// Of a chunk that is not looked at 2, and in cell_awake 16 and 4 a slice.
#pragma once
#include "engine/device/cuda/cell_common.cuh"

namespace tawara::device::cuda {

/// Weights of a Gauss point: of its own vertex, and of each other (cpu/between_vertices.hpp).
constexpr Real near_weight = Real(0.58541019662496852), far_weight = Real(0.13819660112501052);

/// The sum over four threads that follow each other, the same bits in all of them.
__device__ __forceinline__ Real sum_of_four(Real x)
{
    x += __shfl_xor_sync(whole_warp, x, 1);
    return x + __shfl_xor_sync(whole_warp, x, 2);
}
/// sum_q N_q(p) x_q at the point p of this thread, whose vertex has x.
__device__ __forceinline__ Real weighted_by_four(Real x)
{
    return fma(near_weight - far_weight, x, far_weight * sum_of_four(x));
}

/// A vertex' states and type, wherever they lie.
struct VertexPlace
{
    const Real* states; ///< own column of a tile
    int type;

    __device__ __forceinline__ VertexPlace(const Front<Real>& f, int slot)
    {
        const Real* from = slot < f.separator ? f.separator_states : f.cells.states;
        const std::uint16_t* types = f.cells.type;
        if (slot >= f.slots) {
            const FrontPlace there = f.halo[slot - f.slots];
            from = f.peer[there.part].states;
            types = f.peer[there.part].type;
            slot = there.slot;
        }
        states = from + (slot >> 5) * f.cells.slots + (slot & 31);
        type = many ? types[slot] : 0;
    }
};

/// A place at which the current is computed: a vertex, or a Gauss point by its own vertex.
template <bool between>
struct CurrentPlace
{
    const Real* states;
    Row row;
    Real v, rate;

    __device__ __forceinline__ CurrentPlace(const Front<Real>& f, int slot) : rate(0)
    {
        const VertexPlace at(f, slot);
        states = at.states;
        row = row_of(f.cells, at.type);
        v = here(f.cells.v_in[slot]);
    }
    __device__ __forceinline__ static Real here(Real x)
    {
        return between ? weighted_by_four(x) : x;
    }
    __device__ __forceinline__ Real state(int k) const
    {
        return k == 0 ? v : here(states[(k - 1) * 32]);
    }
    __device__ __forceinline__ Real stimulus() const { return 0; }
    __device__ __forceinline__ Real constant(int k) const { return row_number(row, k); }
    __device__ __forceinline__ void store(int k, Real value)
    {
        if (k == 0)
            rate = value;
    }
};

__device__ __forceinline__ Real time_of(const Front<Real>& f, const Moment& m)
{
    const long long step = m.status->step + m.offset;
    return static_cast<Real>(static_cast<double>(step) * m.dt_ms + f.after_ms);
}

/// A step inside a long one, of slices that move alone.
__device__ __forceinline__ bool later(const Rest& rest)
{
    return rest.at > 0;
}

/// Whether V differs enough, and if so marks the vertices whose currents will be read.
__device__ __forceinline__ bool joins_front(const Front<Real>& f, const Rest& rest, int tetrahedron)
{
    const FrontCorners c = f.corners[tetrahedron];
    Real low = f.cells.v_in[c.slot[0]], high = low;
#pragma unroll
    for (int a = 1; a < 4; ++a) {
        const Real x = f.cells.v_in[c.slot[a]];
        low = x < low ? x : low, high = x > high ? x : high;
    }
    if (!(high - low > f.front_mV))
        return false;
#pragma unroll
    for (int a = 0; a < 4; ++a)
        if (const int slot = c.slot[a]; slot < f.slots &&
                                        !(f.touched[slot >> 5] >> (slot & 31) & 1) &&
                                        (!later(rest) || rest.moving[slot >> 5]))
            atomicOr(f.touched + (slot >> 5), 1u << (slot & 31));
    return true;
}

/// Chunks [begin, end), a thread each.
extern "C" __global__ void __launch_bounds__(block_threads)
    cell_awake(const __grid_constant__ Front<Real> f, const __grid_constant__ Rest rest, int begin,
               int end)
{
    const int lane = threadIdx.x & 31;
    const int k = begin + blockIdx.x * block_threads + threadIdx.x;
    bool awake = false;
    if (k < end) {
        const FrontChunk c = f.chunk[k];
        for (int i = 0; i < c.slices && !awake; ++i)
            awake = rest.moving[f.slice[c.first_slice + i]] != 0;
        if (awake)
            f.calm[k] = 0;
    }
    const unsigned all = __ballot_sync(whole_warp, awake);
    if (!all)
        return;
    int at = 0;
    if (lane == 0)
        at = static_cast<int>(atomicAdd(f.awake_count, static_cast<std::uint32_t>(__popc(all))));
    at = __shfl_sync(whole_warp, at, 0) + __popc(all & ((1u << lane) - 1));
    if (awake)
        f.awake[at] = k;
}

/// For how many long steps a chunk stays out of the front whose V differs by so much, if it rests.
__device__ __forceinline__ std::uint16_t calm_steps(const Front<Real>& f, const Rest& rest,
                                                    Real difference)
{
    constexpr float safe = 0.49f, most = 1000; // each of two vertices changes by the tolerance
    const float n =
        safe * static_cast<float>(f.front_mV - difference) / static_cast<float>(rest.tolerance_mV);
    return static_cast<std::uint16_t>(n < most ? n : most);
}

/// Whether V differs enough in a chunk as a whole; the same for all lanes.
__device__ __forceinline__ bool may_join(const Front<Real>& f, const Rest& rest, int k)
{
    const int lane = threadIdx.x & 31;
    // in a long step of one step what moves is not seen by cell_awake
    const bool decides = f.calm && !later(rest), rests = decides && rest.length > 1;
    if (rests) {
        const int calm = __shfl_sync(whole_warp, lane == 0 ? f.calm[k] : 0, 0);
        if (calm > 0) {
            if (lane == 0)
                f.calm[k] = static_cast<std::uint16_t>(calm - 1);
            return false;
        }
    }
    const FrontChunk c = f.chunk[k];
    const std::int32_t* const vertex = f.vertex + c.first_vertex;
    Real low = Real(1.0 / 0.0), high = -low;
    bool mine = true;
#pragma unroll 4
    for (int i = lane; i < c.vertices; i += 32) {
        const int at = __ldcs(vertex + i);
        mine = mine && at < f.slots;
        const Real x = f.cells.v_in[at];
        low = x < low ? x : low, high = x > high ? x : high;
    }
#pragma unroll
    for (int far = 16; far; far >>= 1) {
        const Real x = __shfl_xor_sync(whole_warp, low, far);
        const Real y = __shfl_xor_sync(whole_warp, high, far);
        low = x < low ? x : low, high = y > high ? y : high;
    }
    const bool joins = high - low > f.front_mV;
    mine = __ballot_sync(whole_warp, mine) == whole_warp;
    if (decides && lane == 0) // what other shards' vertices do is not known here
        f.calm[k] = rests && mine && !joins ? calm_steps(f, rest, high - low) : 0;
    if (!joins && lane < 4)
        f.in_front[4 * k + lane] = 0;
    return joins;
}

/// Lists a chunk's tetrahedra that are in the front, by a warp.
__device__ __forceinline__ void list_chunk(const Front<Real>& f, const Moment& m, const Rest& rest,
                                           int k)
{
    const int lane = threadIdx.x & 31;
    if (!may_join(f, rest, k))
        return;
    unsigned bits[4];
    int found = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        bits[w] = __ballot_sync(whole_warp,
                                joins_front(f, rest, k * FrontChunk::tetrahedra + 32 * w + lane));
        if (lane == 0)
            f.in_front[4 * k + w] = bits[w];
        found += __popc(bits[w]);
    }
    if (found == 0)
        return;
    int at = 0;
    if (lane == 0) {
        at = static_cast<int>(atomicAdd(f.count, static_cast<std::uint32_t>(found)));
        atomicAdd(&m.status->front, static_cast<unsigned long long>(found));
    }
    at = __shfl_sync(whole_warp, at, 0);
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        if (bits[w] >> lane & 1)
            f.list[at + __popc(bits[w] & ((1u << lane) - 1))] =
                k * FrontChunk::tetrahedra + 32 * w + lane;
        at += __popc(bits[w]);
    }
}

/// Chunks [begin, end), or of these what is awake, a warp each.
extern "C" __global__ void __launch_bounds__(block_threads)
    cell_front(const __grid_constant__ Front<Real> f, const __grid_constant__ Moment m,
               const __grid_constant__ Rest rest, int begin, int end)
{
    const int warp = (blockIdx.x * block_threads + threadIdx.x) >> 5, stride = gridDim.x * warps;
    if (f.awake_count && !later(rest) && blockIdx.x == 0 && threadIdx.x == 0)
        *f.awake_count = 0; // of the next step
    const int n = later(rest) ? static_cast<int>(*f.awake_count) : end - begin;
    for (int i = warp; i < n; i += stride)
        list_chunk(f, m, rest, later(rest) ? f.awake[i] : begin + i);
}

/// The listed tetrahedra, eight a warp.
extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_points(const __grid_constant__ Front<Real> f, const __grid_constant__ Moment m)
{
    const int of_warp = (threadIdx.x & 31) >> 2, a = threadIdx.x & 3;
    const int warp = (blockIdx.x * block_threads + threadIdx.x) >> 5;
    const int n = static_cast<int>(*f.count);
    const Real t_ms = time_of(f, m);
    const Elementary math;
    for (int first = 8 * warp; first < n; first += 8 * warps * gridDim.x) {
        const bool inside = first + of_warp < n;
        const int t = f.list[inside ? first + of_warp : n - 1];
        CurrentPlace<true> point(f, f.corners[t].slot[a]);
        cell_step(point, math, t_ms, f.cells.dt);
        const Real sum = weighted_by_four(point.rate); // N_a(p) = N_p(a)
        if (inside)
            f.corner_rate[4 * t + a] = sum;
    }
}

/// The currents of one slot of a slice, whose lanes come together.
__device__ __forceinline__ void vertex_current(const Front<Real>& f, const Moment& m, int slot)
{
    const int word = slot >> 5, lane = slot & 31;
    const unsigned touched = f.touched[word];
    const unsigned driven = f.cells.stimulus ? f.cells.driven[word] : 0;
    __syncwarp();
    if (lane == 0) {
        f.currents[word] = touched | driven;
        if (touched)
            f.touched[word] = 0;
    }
    if (!(touched | driven))
        return;
    Real added = 0;
    if (touched) {
        const Elementary math;
        CurrentPlace<false> vertex(f, slot);
        cell_step(vertex, math, time_of(f, m), f.cells.dt);
        if (touched >> lane & 1) {
            for (std::uint32_t e = f.first[slot]; e < f.first[slot + 1]; ++e) {
                const std::uint32_t at = f.star[e], t = at >> 2;
                if (f.in_front[t >> 5] >> (t & 31) & 1)
                    added = fma(f.volume[t], f.corner_rate[at] - vertex.rate, added);
            }
            added *= f.per_mass[slot];
        }
    }
    f.cells.v_out[slot] = added + (driven ? f.cells.stimulus[slot] : Real(0));
}

/// Slots [m.begin, m.end) of a range, or the slices of it that move.
extern "C" __global__ void __launch_bounds__(block_threads, blocks)
    cell_vertices(const __grid_constant__ Front<Real> f, const __grid_constant__ Moment m,
                  const __grid_constant__ Rest rest)
{
    const int thread = blockIdx.x * block_threads + threadIdx.x;
    const int lane = threadIdx.x & 31, first = static_cast<int>(m.begin) >> 5;
    if (thread == 0)
        *f.count = 0; // for the next step
    const int n = later(rest) ? static_cast<int>(*list_length(rest, m, 0))
                              : (static_cast<int>(m.end) + 31) / 32 - first;
    for (int i = thread >> 5; i < n; i += gridDim.x * warps)
        vertex_current(f, m, 32 * (later(rest) ? rest.list[i] : first + i) + lane);
}

} // namespace tawara::device::cuda
