// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/vec3.hpp"
#include "engine/partition/partition.hpp"

namespace tawara::partition {

/// What is decomposed: unknowns at places, and which of them read each other. Views, nothing owned.
struct Domain
{
    /// Group of an unknown that no part steps.
    static constexpr std::uint8_t left_out = 255;

    Graph graph;
    std::span<const Vec3> position_mm;
    std::span<const std::uint8_t> group; ///< unknowns of a group lie together; or left_out
    std::span<const std::uint16_t> type; ///< of a group's unknowns those of a type lie together
    /// How long each takes beside others, at least 1, sum below 2^31; empty: all alike.
    std::span<const std::int32_t> weight = {};
    /// 1 of unknowns that read, or are read by, what lies outside of the domain: they are of the
    /// separator as well; empty: none does.
    std::span<const std::uint8_t> border = {};

    std::size_t size() const { return group.size(); }
    std::size_t stepped() const; ///< how many are not left out
};

/// How neighbours are kept near each other in memory.
enum class Ordering {
    hilbert, ///< along a Hilbert curve through the positions: seconds for ten million unknowns
    metis    ///< METIS clusters along a breadth-first walk: minutes for ten million
};

/// Slots [begin, end) of one group in one part, begin a multiple of Subdomain::slice.
struct SlotRange
{
    std::size_t group = 0;
    std::int64_t begin = 0, end = 0;
};

/// What a part sends after each exchange: its slots `from`, in this order, to the places
/// [to, to + from.size()) of the other part's vectors.
struct Send
{
    std::size_t part = 0;
    std::vector<std::int32_t> from;
    std::int64_t to = 0;
};

/// One part's share of the unknowns, in local indices. Slots [0, separator) are read by other
/// parts, or read others; those from there to `stepped` are the interior; [slots, slots + halo)
/// hold copies of other parts' unknowns. Separator, stepped and slots are multiples of `slice`;
/// slots without an unknown have old_of = -1. Unknowns that are left out share slot `stepped`, the
/// first of a last slice that no range holds; without such unknowns there is no such slice.
struct Subdomain
{
    static constexpr std::size_t slice = 32; ///< slots; a warp's

    std::int64_t separator = 0, stepped = 0, slots = 0, halo = 0;
    std::vector<std::int64_t> old_of;  ///< [slots] global number of the unknown
    std::vector<std::int64_t> halo_of; ///< [halo] likewise, ascending in (owner, slot there)
    std::vector<SlotRange> ranges;     ///< separator's first, then the interior's
    std::vector<Send> sends;
};

/// Where an unknown lies.
struct Place
{
    std::int32_t part = 0, slot = 0;
};

/// A domain cut into parts: plain values, the same for GPUs of one machine, partitions on the CPU
/// and ranks of several machines. Global numbers have 64 bits, local ones 32.
struct Decomposition
{
    std::vector<Subdomain> parts;
    std::vector<Place> place; ///< [unknowns]
};

/// Where each of `count` parts ends when n unknowns in a row are cut by shares (sum 1; empty: all
/// alike), to the nearest unknown; the last is n.
std::vector<std::size_t> ends_of_parts(std::size_t n, int count, std::span<const double> shares);

/// The same where unknowns have weights: a part ends where the sum of these is nearest to its
/// share; each has at least one.
/// @pre as many unknowns as parts
std::vector<std::size_t> ends_of_parts(std::span<const std::int32_t> weight, int count,
                                       std::span<const double> shares);

/// Cuts a domain into `count` parts of the weights asked for (METIS k-way; along the Hilbert curve
/// for Ordering::hilbert with more than four million unknowns) and orders each: separator first,
/// groups together, in windows of neighbours those of a type together and long rows first.
/// Deterministic.
/// @param count   at least 1
/// @param shares  of the unknowns' weights for each part, sum 1; empty: all alike
/// @throws InputError when there are fewer unknowns than parts
Decomposition decompose(const Domain& d, int count, Ordering ordering,
                        const Progress& progress = {}, std::span<const double> shares = {});

} // namespace tawara::partition
