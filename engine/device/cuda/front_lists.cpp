// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/front_lists.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t in_chunk = FrontLists::chunk_tetrahedra;

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// A tetrahedron by the shard's slots, and the halo's behind them.
struct Placed
{
    std::array<std::int32_t, 4> slot;
    std::uint32_t element; ///< its number in the mesh
};

/// The shard's numbers of unknowns: slots, then halo; -1 of all others.
std::vector<std::int32_t> local_numbers(const Shard& shard, std::size_t me,
                                        std::span<const partition::Place> place)
{
    std::vector<std::int32_t> local(place.size(), -1);
    for (std::size_t u = 0; u < place.size(); ++u)
        if (place[u].part == static_cast<std::int32_t>(me))
            local[u] = place[u].slot;
    for (std::size_t k = 0; k < shard.halo_of.size(); ++k)
        local[index(shard.halo_of[k])] =
            static_cast<std::int32_t>(shard.slots + static_cast<std::int64_t>(k));
    return local;
}

/// Tetrahedra of each group by their lowest slot, then by the next: neighbours in V are neighbours
/// in the list.
std::vector<std::vector<Placed>> placed(const TissueProblem& p, const Shard& shard,
                                        std::span<const std::int32_t> local)
{
    const auto mine = [&](std::int32_t slot) { return slot >= 0 && slot < shard.slots; };
    std::vector<std::vector<Placed>> out(p.groups.size());
    for (std::size_t t = 0; t < p.elements.size(); ++t) {
        const auto& corner = p.elements.corner[t];
        const auto group = p.group[index(corner[0])];
        Placed x{{}, static_cast<std::uint32_t>(t)};
        bool any = false, alike = group != no_cells;
        for (std::size_t a = 0; a < 4; ++a) {
            alike = alike && p.group[index(corner[a])] == group;
            x.slot[a] = local[index(corner[a])];
            any = any || mine(x.slot[a]);
        }
        if (alike && any)
            out[group].push_back(x);
    }
    for (auto& of_group : out) {
        std::vector<std::pair<std::array<std::int32_t, 4>, std::uint32_t>> keys;
        keys.reserve(of_group.size());
        for (std::size_t k = 0; k < of_group.size(); ++k) {
            auto s = of_group[k].slot;
            std::sort(s.begin(), s.end());
            keys.emplace_back(s, static_cast<std::uint32_t>(k));
        }
        std::sort(keys.begin(), keys.end());
        std::vector<Placed> sorted;
        sorted.reserve(of_group.size());
        for (const auto& [key, k] : keys)
            sorted.push_back(of_group[k]);
        of_group = std::move(sorted);
    }
    return out;
}

/// Adds a new chunk's slices, those that its vertices lie in.
/// @param first_vertex  of the chunk, whose last one is the last of all
void close_chunk(FrontLists& out, std::size_t first_vertex, const Shard& shard)
{
    const auto begin = out.slice.size(), end = out.vertex.size();
    FrontLists::Chunk c;
    c.first_vertex = static_cast<std::int32_t>(first_vertex);
    c.first_slice = static_cast<std::int32_t>(begin);
    c.vertices = static_cast<std::int16_t>(end - first_vertex);
    for (std::size_t v = first_vertex; v < end; ++v)
        if (out.vertex[v] < shard.slots)
            out.slice.push_back(out.vertex[v] / 32);
        else
            ++c.of_others;
    const auto from = out.slice.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(from, out.slice.end());
    out.slice.erase(std::unique(from, out.slice.end()), out.slice.end());
    c.slices = static_cast<std::int16_t>(out.slice.size() - begin);
    out.chunk.push_back(c);
}

/// Where vertices lie in FrontLists::vertex, the last time that they were put there.
using LastPlace = std::vector<std::int64_t>;

/// Adds a tetrahedron to the chunk whose vertices begin at first_vertex.
void add_corners(FrontLists& out, const std::array<std::int32_t, 4>& slots,
                 std::size_t first_vertex, LastPlace& last)
{
    std::array<std::uint8_t, 4> of_chunk{};
    for (std::size_t a = 0; a < 4; ++a) {
        auto& place = last[index(slots[a])];
        if (place < static_cast<std::int64_t>(first_vertex)) {
            place = static_cast<std::int64_t>(out.vertex.size());
            out.vertex.push_back(slots[a]);
        }
        of_chunk[a] = static_cast<std::uint8_t>(index(place) - first_vertex);
    }
    out.corners.push_back(slots);
    out.corner_of_chunk.push_back(of_chunk);
}

/// Adds a group's chunks; `row_of` gets the place of each of the mesh's tetrahedra. A chunk ends
/// early where the next tetrahedron could bring it too many vertices.
void add_chunks(FrontLists& out, const TissueProblem& p, const Shard& shard,
                std::span<const Placed> all, LastPlace& last, std::vector<std::uint32_t>& row_of)
{
    for (std::size_t next = 0; next < all.size();) {
        const auto first_vertex = out.vertex.size(), first_row = out.corners.size();
        while (next < all.size() && out.corners.size() < first_row + in_chunk &&
               out.vertex.size() - first_vertex + 4 <= FrontLists::chunk_vertices) {
            const Placed& x = all[next++];
            row_of[x.element] = static_cast<std::uint32_t>(out.corners.size());
            out.volume.push_back(p.elements.volume_mm3[x.element] / 4);
            add_corners(out, x.slot, first_vertex, last);
        }
        const auto filler = out.corners.back()[0];
        while (out.corners.size() < first_row + in_chunk) {
            out.volume.push_back(0);
            add_corners(out, {filler, filler, filler, filler}, first_vertex, last);
        }
        close_chunk(out, first_vertex, shard);
    }
    out.tetrahedra += all.size();
}

constexpr std::uint32_t not_here = std::numeric_limits<std::uint32_t>::max();

/// The tetrahedra at each slot, in the mesh's order, and the slots' masses.
void add_stars(FrontLists& out, const TissueProblem& p, const Shard& shard,
               std::span<const std::int32_t> local, std::span<const std::uint32_t> row_of)
{
    const auto slots = index(shard.slots);
    std::vector<double> mass(slots, 0);
    out.first.assign(slots + 1, 0);
    const auto each = [&](auto body) {
        for (std::size_t t = 0; t < p.elements.size(); ++t)
            for (std::size_t a = 0; a < 4; ++a) {
                const auto u = index(p.elements.corner[t][a]);
                if (const auto slot = local[u];
                    slot >= 0 && slot < shard.slots && p.group[u] != no_cells)
                    body(index(slot), t, a);
            }
    };
    each([&](std::size_t slot, std::size_t t, std::size_t) {
        mass[slot] += p.elements.volume_mm3[t] / 4;
        out.first[slot + 1] += row_of[t] != not_here;
    });
    std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
    out.star.resize(out.first.back());
    std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
    each([&](std::size_t slot, std::size_t t, std::size_t a) {
        if (row_of[t] != not_here)
            out.star[next[slot]++] = 4 * row_of[t] + static_cast<std::uint32_t>(a);
    });
    for (const double m : mass)
        out.per_mass.push_back(m > 0 ? 1 / m : 0);
}

} // namespace

FrontLists make_front_lists(const TissueProblem& p, const Shard& shard, std::size_t me,
                            std::span<const partition::Place> place)
{
    const auto need_few = [](std::size_t rows) {
        constexpr std::size_t most = std::size_t{1} << 28; // 4 corners, bounds of 31 bits
        if (rows > most)
            throw InputError("", "/diffusion/currents",
                             "interpolated currents on CUDA devices take " + std::to_string(most) +
                                 " tetrahedra; here are " + std::to_string(rows) +
                                 "; take nodal, or --devices cpu");
    };
    need_few(p.elements.size());
    const auto local = local_numbers(shard, me, place);
    FrontLists out;
    std::vector<std::uint32_t> row_of(p.elements.size(), not_here);
    LastPlace last(index(shard.slots + shard.halo), -1);
    out.first_chunk.push_back(0);
    for (const auto& of_group : placed(p, shard, local)) {
        add_chunks(out, p, shard, of_group, last, row_of);
        out.first_chunk.push_back(static_cast<std::int32_t>(out.chunk.size()));
    }
    need_few(out.corners.size()); // with what fills chunks
    add_stars(out, p, shard, local, row_of);
    for (const auto u : shard.halo_of)
        out.halo.push_back(place[index(u)]);
    return out;
}

NearChunks near_chunks(const FrontLists& lists, std::size_t slices)
{
    NearChunks out;
    out.first.assign(slices + 1, 0);
    for (const auto slice : lists.slice)
        ++out.first[index(slice) + 1];
    std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
    out.chunk.resize(lists.slice.size());
    std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
    for (std::size_t k = 0; k < lists.chunk.size(); ++k) {
        const auto& c = lists.chunk[k];
        for (auto i = c.first_slice; i < c.first_slice + c.slices; ++i)
            out.chunk[next[index(lists.slice[index(i)])]++] = static_cast<std::int32_t>(k);
    }
    return out;
}

} // namespace tawara::device::cuda
