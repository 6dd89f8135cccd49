// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"

namespace tawara::device::cuda {

/// Slots [begin, end) of one cell group in one shard, begin a multiple of 32.
struct SlotRange
{
    std::size_t group = 0;
    std::int64_t begin = 0, end = 0;
};

/// What a shard sends after each exchange: its slots `from`, in this order, to the places
/// [to, to + from.size()) of the other shard's vectors.
struct Send
{
    std::size_t shard = 0;
    std::vector<std::int32_t> from;
    std::int64_t to = 0;
};

/// One device's share of the unknowns. Slots [0, separator) are read by other shards; those from
/// there to `slots` are the interior; [slots, slots + halo) hold copies of other shards' unknowns.
/// Separator, stepped and slots are multiples of 32; slots without an unknown have old_of = -1.
/// Unknowns without cells (no_cells) share slot `stepped`, the first of a last slice that no range
/// holds; without such unknowns there is no such slice.
///
/// Matrix, off-diagonals only, in slices of 32 rows that are stored transposed in chunks: chunk c
/// of row r of slice s holds the entries k = pack c .. pack c + pack - 1 of that row at ((chunk[s]
/// + c) 32 + r) pack, so that one thread a row loads 16 bytes at once. Unused entries are (own
/// slot, 0).
/// Columns lie likewise in chunks of `pack` 16-bit numbers a row that count from the slice's first
/// slot; slices that reach farther than those can have 32-bit slots, in chunks of twice the size.
/// column_chunk[s] is twice the index of the slice's first small chunk, plus 1 where they are wide.
struct Shard
{
    int pack = 2; ///< entries a chunk
    std::int64_t separator = 0, stepped = 0, slots = 0, halo = 0;
    std::vector<std::int32_t> old_of; ///< [slots]
    std::vector<SlotRange> ranges;    ///< separator's first, then the interior's
    std::vector<std::uint32_t> chunk; ///< [slots / 32 + 1]
    std::vector<std::uint32_t> column_chunk; ///< [slots / 32]
    std::vector<std::int16_t> column;
    std::vector<float> single_value; ///< [32 pack chunk.back()], one of these two, by pack = 4 or 2
    std::vector<double> double_value;
    std::vector<Send> sends;
    std::int64_t nonzeros = 0;
    /// Only where steps solve a linear system (needs_solver): the values above are then the flow of
    /// diffusion::implicit_matrix. Consistent mass: off-diagonals of the system's matrix, as above.
    std::vector<float> single_second;
    std::vector<double> double_second;
    std::vector<double> diagonal, weight; ///< [slots] of the system's matrix; its row sums
};

/// Where an unknown of the mesh lies.
struct Place
{
    std::int32_t shard = 0, slot = 0;
};

struct Sharding
{
    std::vector<Shard> shards;
    std::vector<Place> place; ///< [unknowns]
    int sub_steps = 1;        ///< systems to solve in a step, where there is a solver
};

/// Where each of `count` parts ends when n unknowns in a row are cut by shares (sum 1; empty: all
/// alike), to the nearest unknown; the last is n.
std::vector<std::size_t> ends_of_parts(std::size_t n, int count, std::span<const double> shares);

/// Cuts a problem into `count` shards (METIS k-way; along the Hilbert curve for Ordering::hilbert
/// with more than four million unknowns) and lays each out. Each row keeps the order of its entries,
/// so that results do not depend on count or order, bit for bit.
/// @param pack   16 bytes over the size of a stored value: 2 or 4
/// @param count   at least 1
/// @param shares  of the unknowns for each shard, sum 1; empty: all alike
/// @throws InputError when there are fewer unknowns than shards
Sharding make_shards(const TissueProblem& p, int count, int pack, Ordering ordering,
                     const Progress& progress = {}, std::span<const double> shares = {});

} // namespace tawara::device::cuda
