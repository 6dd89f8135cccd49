// SPDX-License-Identifier: GPL-3.0-or-later
// Ionic currents between vertices (NUMERICS.md, 4.1): what state-variable interpolation adds to the
// currents of a group's cells. Three kernels, one after the other, ahead of the cells' step (the
// first one is cell_front, or cell_listed where unknowns rest):
//
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
// Where unknowns rest, cell_look looks at all chunks now and then. It lists those with a
// tetrahedron in which V differs by more than half of front_mV. Until the next look the kernels
// that write V list the chunks of each slice whose V has changed by about a quarter of front_mV
// (cell_rest.cuh). cell_listed looks at what is listed, in the place of cell_front. In later steps
// of a long one the currents of slices that move alone are read, so that a chunk without such a
// slice is left out, too.
//
// Bytes: per tetrahedron about 0.7 indices and V, and 1 / 32 bits' word; per slot 1 / 32 words;
// where V differs that much within the chunk, 4 of corners; of the front per tetrahedron 16 of
// slots, 4 numbers of V and of each state that f reads, 4 results. Where unknowns rest, those of
// all chunks in cell_look alone, with a copy of V; of what is listed in each step, with 8 a slice
// in later ones; V of the last look in the kernels of the cells.
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

/// V of a chunk's vertices, for the warp that looks at it.
struct ChunkVertices
{
    Real v[FrontChunk::most_vertices];
    unsigned char touched[FrontChunk::most_vertices]; ///< whether a tetrahedron of the front has it
};

/// That of each warp of a block.
__device__ __forceinline__ ChunkVertices& vertices_of_warp()
{
    static __shared__ ChunkVertices of_warp[warps];
    return of_warp[threadIdx.x >> 5];
}

/// Fetches V of a chunk's vertices.
/// @tparam kept  whether `to` gets it
/// @return by how much it differs among them; the same for all lanes
template <bool kept>
__device__ __forceinline__ Real fetch(const Front<Real>& f, const FrontChunk& c, ChunkVertices& to)
{
    const std::int32_t* const vertex = f.vertex + c.first_vertex;
    Real low = Real(1.0 / 0.0), high = -low;
    if (kept)
        __syncwarp(); // what was there before has been read
#pragma unroll 4
    for (int i = threadIdx.x & 31; i < c.vertices; i += 32) {
        const Real x = f.cells.v_in[__ldcs(vertex + i)];
        if (kept)
            to.v[i] = x;
        low = x < low ? x : low, high = x > high ? x : high;
    }
    if (kept)
        __syncwarp();
#pragma unroll
    for (int far = 16; far; far >>= 1) {
        const Real x = __shfl_xor_sync(whole_warp, low, far);
        const Real y = __shfl_xor_sync(whole_warp, high, far);
        low = x < low ? x : low, high = y > high ? y : high;
    }
    return high - low;
}

/// Those tetrahedra of a chunk that a lane has: one in each row of 32.
struct LaneTetrahedra
{
    static constexpr int rows = FrontChunk::tetrahedra / 32;
    FrontCornersOfChunk corners[rows];
    bool differ[rows]; ///< V, by more than is asked for

    __device__ __forceinline__ LaneTetrahedra(const Front<Real>& f, int k, const ChunkVertices& of,
                                              Real by_mV)
    {
        const int first = k * FrontChunk::tetrahedra + (threadIdx.x & 31);
#pragma unroll
        for (int w = 0; w < rows; ++w)
            corners[w] = f.corners_of_chunk[first + 32 * w];
#pragma unroll
        for (int w = 0; w < rows; ++w) {
            Real low = of.v[corners[w].vertex[0]], high = low;
#pragma unroll
            for (int a = 1; a < 4; ++a) {
                const Real x = of.v[corners[w].vertex[a]];
                low = x < low ? x : low, high = x > high ? x : high;
            }
            differ[w] = high - low > by_mV;
        }
    }
    __device__ __forceinline__ bool any() const
    {
        bool one = false;
#pragma unroll
        for (int w = 0; w < rows; ++w)
            one = one || differ[w];
        return __ballot_sync(whole_warp, one) != 0;
    }
};

/// Chunks [begin, end), by a warp each: lists those with a tetrahedron near the front, and those of
/// which other shards step a vertex, since nobody here knows whether that strays.
extern "C" __global__ void __launch_bounds__(block_threads)
    cell_look(const __grid_constant__ Front<Real> f, int begin, int end)
{
    const int k = begin + ((blockIdx.x * block_threads + threadIdx.x) >> 5);
    if (k >= end)
        return;
    const FrontChunk c = f.chunk[k];
    ChunkVertices& vertices = vertices_of_warp();
    const bool near = c.of_others > 0 || (fetch<true>(f, c, vertices) > f.near_mV &&
                                          LaneTetrahedra(f, k, vertices, f.near_mV).any());
    if (near && (threadIdx.x & 31) == 0)
        list_near(f.cells.watch, k);
}

/// Whether a slice of a chunk moves, by its lane.
__device__ __forceinline__ bool lane_moves(const Front<Real>& f, const Rest& rest,
                                           const FrontChunk& c)
{
    bool moves = false;
    for (int i = threadIdx.x & 31; i < c.slices; i += 32)
        moves = moves || rest.moving[f.slice[c.first_slice + i]] != 0;
    return moves;
}

/// Marks the vertices of a chunk's front whose currents will be read, each by one lane.
__device__ __forceinline__ void touch(const Front<Real>& f, const Rest& rest, const FrontChunk& c,
                                      const LaneTetrahedra& front, ChunkVertices& of)
{
    const int lane = threadIdx.x & 31;
    for (int i = lane; i < c.vertices; i += 32)
        of.touched[i] = 0;
    __syncwarp();
#pragma unroll
    for (int w = 0; w < LaneTetrahedra::rows; ++w)
        if (front.differ[w]) {
#pragma unroll
            for (int a = 0; a < 4; ++a)
                of.touched[front.corners[w].vertex[a]] = 1;
        }
    __syncwarp();
    for (int i = lane; i < c.vertices; i += 32) {
        const int slot = f.vertex[c.first_vertex + i];
        if (!of.touched[i] || slot >= f.slots)
            continue;
        const unsigned bit = 1u << (slot & 31), touched = f.touched[slot >> 5];
        const bool read = !later(rest) || rest.moving[slot >> 5] != 0;
        if (read && !(touched & bit))
            atomicOr(f.touched + (slot >> 5), bit);
    }
}

/// Lists a chunk's tetrahedra that are in the front, by a warp.
/// @tparam near  whether most chunks that are asked for come as far as to need V of each vertex
template <bool near>
__device__ __forceinline__ void list_chunk(const Front<Real>& f, const Moment& m, const Rest& rest,
                                           int k)
{
    constexpr int rows = LaneTetrahedra::rows;
    const int lane = threadIdx.x & 31;
    const FrontChunk c = f.chunk[k];
    const bool moves = !later(rest) || lane_moves(f, rest, c);
    ChunkVertices& vertices = vertices_of_warp();
    const Real difference = fetch<near>(f, c, vertices);
    if (!__ballot_sync(whole_warp, moves)) // nobody reads in_front of such a chunk
        return;
    if (!(difference > f.front_mV)) {
        if (lane < rows)
            f.in_front[rows * k + lane] = 0;
        return;
    }
    if (!near)
        fetch<true>(f, c, vertices);
    const LaneTetrahedra tetrahedra(f, k, vertices, f.front_mV);
    unsigned bits[rows];
    int found = 0;
#pragma unroll
    for (int w = 0; w < rows; ++w) {
        bits[w] = __ballot_sync(whole_warp, tetrahedra.differ[w]);
        if (lane == 0)
            f.in_front[rows * k + w] = bits[w];
        found += __popc(bits[w]);
    }
    if (found == 0)
        return;
    touch(f, rest, c, tetrahedra, vertices);
    int at = 0;
    if (lane == 0) {
        at = static_cast<int>(atomicAdd(f.count, static_cast<std::uint32_t>(found)));
        atomicAdd(&m.status->front, static_cast<unsigned long long>(found));
    }
    at = __shfl_sync(whole_warp, at, 0);
#pragma unroll
    for (int w = 0; w < rows; ++w) {
        if (bits[w] >> lane & 1)
            f.list[at + __popc(bits[w] & ((1u << lane) - 1))] =
                k * FrontChunk::tetrahedra + 32 * w + lane;
        at += __popc(bits[w]);
    }
}

/// Chunks [begin, end), by a warp each. Most are not in the front: as many warps as there is room
/// for wait for their V.
extern "C" __global__ void __launch_bounds__(block_threads, 64 / warps)
    cell_front(const __grid_constant__ Front<Real> f, const __grid_constant__ Moment m,
               const __grid_constant__ Rest rest, int begin, int end)
{
    const int k = begin + ((blockIdx.x * block_threads + threadIdx.x) >> 5);
    if (k < end)
        list_chunk<false>(f, m, rest, k);
}

/// What is listed of a group's chunks, by a warp each, of which as many as there is room for.
extern "C" __global__ void __launch_bounds__(block_threads, 64 / warps)
    cell_listed(const __grid_constant__ Front<Real> f, const __grid_constant__ Moment m,
                const __grid_constant__ Rest rest)
{
    const int warp = (blockIdx.x * block_threads + threadIdx.x) >> 5, stride = gridDim.x * warps;
    const int n = static_cast<int>(*f.cells.watch.count);
    for (int i = warp; i < n; i += stride)
        list_chunk<true>(f, m, rest, f.cells.watch.list[i]);
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

/// What a slot's tetrahedra in the front add to its current, times its mass, in the mesh's order.
/// Eight of them are read at once, so that a warp waits for them once.
__device__ __forceinline__ Real added_by_star(const Front<Real>& f, int slot, Real rate)
{
    constexpr int together = 8;
    const std::uint32_t end = f.first[slot + 1];
    Real added = 0;
    for (std::uint32_t e = f.first[slot]; e < end; e += together) {
        std::uint32_t at[together];
        bool in_front[together];
        Real volume[together], of_corner[together];
#pragma unroll
        for (int i = 0; i < together; ++i)
            at[i] = f.star[e + i < end ? e + i : end - 1];
#pragma unroll
        for (int i = 0; i < together; ++i)
            in_front[i] = e + i < end && (f.in_front[at[i] >> 7] >> (at[i] >> 2 & 31) & 1);
#pragma unroll
        for (int i = 0; i < together; ++i) {
            volume[i] = in_front[i] ? f.volume[at[i] >> 2] : Real(0);
            of_corner[i] = in_front[i] ? f.corner_rate[at[i]] : Real(0);
        }
#pragma unroll
        for (int i = 0; i < together; ++i)
            if (in_front[i])
                added = fma(volume[i], of_corner[i] - rate, added);
    }
    return added;
}

/// The current of one slot, which is touched by the front or driven; lanes of a slice come
/// together.
/// @param touched, driven  bits of the slice
__device__ __forceinline__ void vertex_current(const Front<Real>& f, const Moment& m, int slot,
                                               unsigned touched, unsigned driven)
{
    Real added = 0;
    if (touched) {
        const Elementary math;
        CurrentPlace<false> vertex(f, slot);
        cell_step(vertex, math, time_of(f, m), f.cells.dt);
        if (touched >> (slot & 31) & 1)
            added = f.per_mass[slot] * added_by_star(f, slot, vertex.rate);
    }
    f.cells.v_out[slot] = added + (driven ? f.cells.stimulus[slot] : Real(0));
}

constexpr int at_once = 4; ///< slices whose bits a warp reads

/// How far slices that a warp reads at once lie apart, of n: of neighbours all would be in the
/// front, or none. A warp has one of them where there are warps enough.
__device__ __forceinline__ int spread(int n)
{
    return n <= static_cast<int>(gridDim.x * warps) ? n : (n + at_once - 1) / at_once;
}

/// Slots [m.begin, m.end) of a range, or the slices of it that move: of these a warp reads some at
/// once, and computes those that the front touches or that are driven.
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
    const int apart = spread(n);
    for (int i = thread >> 5; i < apart; i += gridDim.x * warps) {
        const int mine = i + lane * apart;
        int slice = 0;
        unsigned touched = 0, driven = 0;
        if (lane < at_once && mine < n) {
            slice = later(rest) ? rest.list[mine] : first + mine;
            touched = f.touched[slice];
            driven = f.cells.stimulus ? f.cells.driven[slice] : 0;
            f.currents[slice] = touched | driven;
            if (touched)
                f.touched[slice] = 0;
        }
        const unsigned some = __ballot_sync(whole_warp, (touched | driven) != 0);
        for (int k = 0; k < at_once; ++k)
            if (some >> k & 1)
                vertex_current(f, m, 32 * __shfl_sync(whole_warp, slice, k) + lane,
                               __shfl_sync(whole_warp, touched, k),
                               __shfl_sync(whole_warp, driven, k));
    }
}

} // namespace tawara::device::cuda
