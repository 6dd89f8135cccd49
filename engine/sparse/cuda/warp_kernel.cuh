// SPDX-License-Identifier: GPL-3.0-or-later
// What a warp does with a laid out matrix (WarpLayout says how it lies).
#pragma once
#include <cstdint>

namespace tawara::sparse::cuda {

/// What a warp has to know, 16 bytes in one load. The record after the last warp's ends it.
struct alignas(16) WarpRecord
{
    std::uint32_t start = 0;   ///< of its values, in units of 32 numbers
    std::uint32_t columns = 0; ///< start of its columns in units of 32 words << 4 | shift << 1 |
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
    const std::int32_t *tile_first = nullptr, *tile_own = nullptr, *tile_column = nullptr;
    int tile_rows = 0;
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

/// How values and columns are loaded: past the caches, in which x stays, or from shared memory.
struct Streamed
{
    template <class T>
    static __device__ __forceinline__ T load(const T* from)
    {
        return __ldcs(from);
    }
};
struct Local
{
    template <class T>
    static __device__ __forceinline__ T load(const T* from)
    {
        return *from;
    }
};

/// Adds up to `count` packs from pack `begin` of a lane to its sum, in their order: all of them are
/// loaded before the first is used.
template <class Load, class Stored, class Column, int pack, int count, class Real>
__device__ __forceinline__ Real add_packs(const Stored* value, const Column* column, int lane,
                                          int begin, int end, const Real* __restrict__ x, Real sum)
{
    using Values = typename Packed<Stored, pack>::type;
    using Columns = typename Packed<Column, pack>::type;
    const auto* v = reinterpret_cast<const Values*>(value) + begin * 32 + lane;
    const auto* c = reinterpret_cast<const Columns*>(column) + begin * 32 + lane;
    Columns k[count];
    Values a[count];
    Real far[count * pack];
#pragma unroll
    for (int u = 0; u < count; ++u)
        if (begin + u < end)
            k[u] = Load::load(c + u * 32);
#pragma unroll
    for (int u = 0; u < count; ++u)
        if (begin + u < end)
            a[u] = Load::load(v + u * 32);
#pragma unroll
    for (int u = 0; u < count; ++u)
        if (begin + u < end)
#pragma unroll
            for (int i = 0; i < pack; ++i)
                far[u * pack + i] = x[part<pack>(k[u], i)];
#pragma unroll
    for (int u = 0; u < count; ++u)
        if (begin + u < end)
#pragma unroll
            for (int i = 0; i < pack; ++i)
                sum = fma(static_cast<Real>(part<pack>(a[u], i)), far[u * pack + i], sum);
    return sum;
}

/// Sum of a lane: `places` entries of a warp whose values and columns begin where told, columns
/// counted from x.
template <class Load, class Stored, class Column, int pack, int flight, class Real>
__device__ __forceinline__ Real lane_sum(const Stored* value, const Column* column, int lane,
                                         int places, const Real* __restrict__ x)
{
    constexpr int count = flight / pack;
    Real sum = 0;
    const int whole = places / pack;
    for (int begin = 0; begin < whole; begin += count)
        sum =
            add_packs<Load, Stored, Column, pack, count>(value, column, lane, begin, whole, x, sum);
    if constexpr (pack > 1) {
        int done = whole * pack;
        if constexpr (pack == 4)
            if (places & 2) {
                sum = add_packs<Load, Stored, Column, 2, 1>(value + done * 32, column + done * 32,
                                                            lane, 0, 1, x, sum);
                done += 2;
            }
        if (places & 1)
            sum = add_packs<Load, Stored, Column, 1, 1>(value + done * 32, column + done * 32, lane,
                                                        0, 1, x, sum);
    }
    return sum;
}

} // namespace tawara::sparse::cuda
