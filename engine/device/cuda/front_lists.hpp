// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cuda/shards.hpp"

#include <array>
#include <bit>
#include <span>
#include <vector>

namespace tawara::device::cuda {

/// The tetrahedra that a shard's interpolated currents are made of, on the host: those whose four
/// vertices have cells of one group and of which the shard steps at least one. A tetrahedron across
/// shards is computed by each of them, since that costs less than to send what it comes to. Arrays
/// are as Front has them (kernel_values.cuh).
struct FrontLists
{
    static constexpr int chunk_tetrahedra = 128;
    static constexpr std::size_t chunk_vertices = 256; ///< a byte numbers them
    std::vector<std::int32_t> first_chunk;             ///< [groups + 1]
    /// As FrontChunk: along the slots, group by group.
    struct Chunk
    {
        std::int32_t first_vertex = 0, first_slice = 0;
        std::int16_t vertices = 0, slices = 0;
        std::int32_t of_others = 0;
    };
    std::vector<Chunk> chunk;
    std::vector<std::int32_t> vertex, slice;
    std::vector<std::array<std::int32_t, 4>> corners;
    std::vector<std::array<std::uint8_t, 4>> corner_of_chunk; ///< among the chunk's vertices
    std::vector<double> volume;
    std::vector<std::uint32_t> first, star;
    std::vector<double> per_mass;
    std::vector<partition::Place> halo;
    std::size_t tetrahedra = 0; ///< without those that fill chunks
};

/// The same bytes as values of another type.
template <class To, class From>
std::vector<To> same_bytes(const std::vector<From>& from)
{
    std::vector<To> to;
    to.reserve(from.size());
    for (const From& x : from)
        to.push_back(std::bit_cast<To>(x));
    return to;
}

/// @param place  of all unknowns
/// @throws InputError where there are more tetrahedra than 32 bits number
/// @cost   time linear in the tetrahedra, but for sorting them within each lowest slot
FrontLists make_front_lists(const TissueProblem& p, const Shard& shard, std::size_t me,
                            std::span<const partition::Place> place);

/// The chunks that have a vertex in each slice, in rows: those of slice k from first[k] on.
struct NearChunks
{
    std::vector<std::uint32_t> first; ///< [slices + 1]
    std::vector<std::int32_t> chunk;
};
NearChunks near_chunks(const FrontLists& lists, std::size_t slices);

} // namespace tawara::device::cuda
