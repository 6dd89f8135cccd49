// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/halo.hpp"
#include "engine/device/stepper.hpp"
#include "engine/partition/decomposition.hpp"

namespace tawara::device::cuda {

/// One device's share of the unknowns, and its rows of the operator. Unknowns without cells
/// (no_cells) are those that the decomposition leaves out.
///
/// Matrix, off-diagonals only, in slices of 32 rows that are stored transposed in chunks: chunk c
/// of row r of slice s holds the entries k = pack c .. pack c + pack - 1 of that row at ((chunk[s]
/// + c) 32 + r) pack, so that one thread a row loads 16 bytes at once. Unused entries are (own
/// slot, 0).
/// Columns lie likewise in chunks of `pack` 16-bit numbers a row that count from the slice's first
/// slot; slices that reach farther than those can have 32-bit slots, in chunks of twice the size.
/// column_chunk[s] is twice the index of the slice's first small chunk, plus 1 where they are wide.
struct Shard : partition::Subdomain
{
    int pack = 2;                            ///< entries a chunk
    std::vector<std::uint32_t> chunk;        ///< [slots / 32 + 1]
    std::vector<std::uint32_t> column_chunk; ///< [slots / 32]
    std::vector<std::int16_t> column;
    std::vector<float> single_value; ///< [32 pack chunk.back()], one of these two, by pack = 4 or 2
    std::vector<double> double_value;
    std::int64_t nonzeros = 0;
    /// Only where steps solve linear systems (needs_solver, Stepping::newton): the values above are
    /// then the flow of diffusion::implicit_matrix. Consistent mass: off-diagonals of the system's
    /// matrix, as above.
    std::vector<float> single_second;
    std::vector<double> double_second;
    std::vector<double> diagonal, weight; ///< [slots] of the system's matrix; its row sums
    /// Only of Stepping::newton, [slots], 0 without an unknown: lumped mass, the mass's diagonal.
    std::vector<double> volume, mass_diagonal;
};

struct Sharding
{
    std::vector<Shard> shards;
    std::vector<partition::Place> place; ///< [unknowns]
    int sub_steps = 1;                   ///< systems to solve in a step, where there is a solver
};

/// Cuts a problem into `count` shards (partition::decompose()) and lays each out. Each row keeps
/// the order of its entries, so that results do not depend on count or order, bit for bit.
/// @param pack   16 bytes over the size of a stored value: 2 or 4
/// @param count   at least 1
/// @param shares  of what all cells take (cell_weights()) for each shard, sum 1; empty: all alike
/// @param others  of a share of a tissue (TissueProblem::elsewhere), with count 1: the shard's halo
///                is what it takes, in that order; null: all of the tissue is here
/// @throws InputError when there are fewer unknowns than shards
Sharding make_shards(const TissueProblem& p, int count, int pack, partition::Ordering ordering,
                     const Progress& progress = {}, std::span<const double> shares = {},
                     const Halo* others = nullptr);

} // namespace tawara::device::cuda
