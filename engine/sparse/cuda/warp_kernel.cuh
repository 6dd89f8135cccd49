// SPDX-License-Identifier: GPL-3.0-or-later
// What a warp does with a laid out matrix (WarpLayout says how it lies).
#pragma once
#include "engine/sparse/ell_warp.hpp"

#include <cstdint>

namespace tawara::sparse::cuda {

/// What a warp has to know, 16 bytes in one load. The record after the last warp's ends it.
struct alignas(16) WarpRecord
{
    std::uint32_t start = 0;   ///< of its values, in units of 32 numbers
    std::uint32_t columns = 0; ///< start of its columns in units of 32 words << 5 | shift << 1 |
                               ///< wide; 2^shift threads share a row
    std::int32_t base = 0;     ///< what its columns count from
    std::int32_t first_row = 0;
};

/// A WarpLayout in a device's memory.
template <class Stored>
struct WarpView
{
    const WarpRecord* record = nullptr;
    const Stored* value = nullptr;
    const std::uint16_t* word = nullptr;
    const std::int32_t* row_of = nullptr; ///< null: results stay in the layout's order
    int warps = 0, rows = 0;
    int several = 0; ///< warps of rows that several share: the first ones
};

/// Vectors of 1, 2 or 4 numbers that a thread loads at once.
template <class T, int size>
struct Packed;
#define TAWARA_PACKED(T, size, Vector)                                                             \
    template <>                                                                                    \
    struct Packed<T, size>                                                                         \
    {                                                                                              \
        using type = Vector;                                                                       \
    };
TAWARA_PACKED(double, 1, double)
TAWARA_PACKED(double, 2, double2)
TAWARA_PACKED(float, 1, float)
TAWARA_PACKED(float, 2, float2)
TAWARA_PACKED(float, 4, float4)
TAWARA_PACKED(std::uint16_t, 1, unsigned short)
TAWARA_PACKED(std::uint16_t, 2, ushort2)
TAWARA_PACKED(std::uint16_t, 4, ushort4)
TAWARA_PACKED(std::int32_t, 1, int)
TAWARA_PACKED(std::int32_t, 2, int2)
TAWARA_PACKED(std::int32_t, 4, int4)
#undef TAWARA_PACKED

/// Number i of a vector of `size`; i is known when the kernel is compiled.
template <int size, class Vector>
__device__ __forceinline__ auto part(const Vector& v, int i)
{
    if constexpr (size == 1)
        return v;
    else if constexpr (size == 2)
        return i == 0 ? v.x : v.y;
    else
        return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/// Packs of a lane's places, as many of `count` as are left. Each column of a pack has `run`
/// values.
template <class Stored, class Column, int pack, int run, int count>
struct Batch
{
    using Values = typename Packed<Stored, pack>::type;
    using Columns = typename Packed<Column, pack>::type;
    static constexpr int each = pack * run;

    Columns column[count];
    Values value[count * run];

    __device__ __forceinline__ void load_columns(const Columns* from, int left)
    {
#pragma unroll
        for (int u = 0; u < count; ++u)
            if (u < left)
                column[u] = __ldcs(from + u * 32);
    }
    __device__ __forceinline__ void load_values(const Values* from, int left)
    {
#pragma unroll
        for (int u = 0; u < count; ++u)
            if (u < left)
#pragma unroll
                for (int i = 0; i < run; ++i)
                    value[u * run + i] = __ldcs(from + (u * run + i) * 32);
    }
};

/// Adds packs [0, left) of a lane to its sum, in their order, `count` at a time: all of these are
/// loaded before the first is used.
template <Early early, class Stored, class Column, int pack, int run, int count, class Real>
__device__ __forceinline__ Real add_packs(const Stored* value, const Column* column, int lane,
                                          int left, const Real* __restrict__ x, Real sum)
{
    using B = Batch<Stored, Column, pack, run, count>;
    const auto* v = reinterpret_cast<const typename B::Values*>(value) + lane;
    const auto* c = reinterpret_cast<const typename B::Columns*>(column) + lane;
    B next;
    if constexpr (early != Early::nothing)
        next.load_columns(c, left);
    if constexpr (early == Early::all)
        next.load_values(v, left);
    for (; left > 0; left -= count) {
        if constexpr (early == Early::nothing)
            next.load_columns(c, left);
        if constexpr (early != Early::all)
            next.load_values(v, left);
        const B now = next;
        Real far[count * B::each];
#pragma unroll
        for (int u = 0; u < count; ++u)
            if (u < left)
#pragma unroll
                for (int i = 0; i < B::each; ++i)
                    far[u * B::each + i] = x[part<pack>(now.column[u], i / run) + i % run];
        v += count * run * 32, c += count * 32;
        if constexpr (early != Early::nothing)
            next.load_columns(c, left - count);
        if constexpr (early == Early::all)
            next.load_values(v, left - count);
#pragma unroll
        for (int u = 0; u < count; ++u)
            if (u < left)
#pragma unroll
                for (int i = 0; i < B::each; ++i)
                    sum =
                        fma(static_cast<Real>(part<pack>(now.value[u * run + i / pack], i % pack)),
                            far[u * B::each + i], sum);
    }
    return sum;
}

/// Sum of a lane: `places` places of a warp whose values and columns begin where told, columns
/// counted from x.
template <Early early, class Stored, class Column, int pack, int run, int count, class Real>
__device__ __forceinline__ Real lane_sum(const Stored* value, const Column* column, int lane,
                                         int places, const Real* __restrict__ x)
{
    Real sum = add_packs<early, Stored, Column, pack, run, count>(value, column, lane,
                                                                  places / pack, x, Real(0));
    int done = places / pack * pack;
    if constexpr (pack == 4)
        if (places & 2) {
            sum = add_packs<Early::nothing, Stored, Column, 2, 1, 1>(
                value + done * 32, column + done * 32, lane, 1, x, sum);
            done += 2;
        }
    if constexpr (pack > 1)
        if (places & 1)
            sum = add_packs<Early::nothing, Stored, Column, 1, 1, 1>(
                value + done * 32, column + done * 32, lane, 1, x, sum);
    return sum;
}

} // namespace tawara::sparse::cuda
