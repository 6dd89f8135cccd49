// SPDX-License-Identifier: GPL-3.0-or-later
// How the numbers of many systems on trees lie in memory.
#pragma once
#include "engine/cable/tree.hpp"

#include <cstdint>
#include <string_view>

namespace tawara::cable {

/// Where the number of node i of system s lies, of n nodes and S systems (Valero-Lara and others
/// 2018, section 3).
enum class Layout : std::uint8_t {
    flat,             ///< s n + i: one system after another
    full_interleaved, ///< i S + s: first nodes of all systems, then second ones, ...
    block_interleaved ///< full_interleaved within blocks of `block` systems, block after block
};
std::string_view name(Layout l);

/// Many systems on the same tree. Blocks are filled up with systems that nobody reads.
struct Batch
{
    std::size_t nodes = 0, systems = 0;
    Layout layout = Layout::flat;
    std::size_t block = 32; ///< systems a block, of block_interleaved

    std::size_t place(std::size_t node, std::size_t system) const
    {
        if (layout == Layout::full_interleaved)
            return node * systems + system;
        if (layout == Layout::block_interleaved)
            return (system / block * nodes + node) * block + system % block;
        return system * nodes + node;
    }
    /// Numbers of one array.
    std::size_t size() const
    {
        const auto filled = (systems + block - 1) / block * block;
        return (layout == Layout::block_interleaved ? filled : systems) * nodes;
    }
};

/// Numbers of a node that every solver reads or writes at least: upper, lower, diagonal and rhs in,
/// x out.
inline constexpr double words_per_node = 5;

/// All systems of a batch, in its layout: [Batch::size()] each.
template <class Real>
struct BatchNumbers
{
    std::vector<Real> upper, lower, diagonal, rhs;
};

/// Systems by chance (counter-based: they depend on the seed, node and system alone) with a
/// diagonal that dominates, as a time step of a cable has it: off the diagonal [-1, -0.1), upper
/// and lower not alike; rhs in [-1, 1). What fills blocks up has the diagonal 1 and else 0.
/// @cost  O(nodes systems)
template <class Real>
BatchNumbers<Real> random_systems(const Tree& t, const Batch& b, std::uint64_t seed);
/// Many systems on trees that differ, each flat, one after another.
struct MixedBatch
{
    std::vector<Tree> trees;
    std::vector<std::uint32_t> tree_of; ///< [systems]

    std::size_t systems() const { return tree_of.size(); }
    std::size_t nodes(std::size_t system) const { return trees[tree_of[system]].nodes(); }
    /// Where each system's numbers begin, and behind the last where they end.
    std::vector<std::size_t> first() const;
};

/// The same for trees that differ.
/// @param different  so many systems of each tree are unlike each other, and the others repeat them
template <class Real>
BatchNumbers<Real> random_systems(const MixedBatch& b, std::uint64_t seed,
                                  std::size_t different = 64);
extern template BatchNumbers<double> random_systems(const MixedBatch&, std::uint64_t, std::size_t);
extern template BatchNumbers<float> random_systems(const MixedBatch&, std::uint64_t, std::size_t);
extern template BatchNumbers<double> random_systems(const Tree&, const Batch&, std::uint64_t);
extern template BatchNumbers<float> random_systems(const Tree&, const Batch&, std::uint64_t);

} // namespace tawara::cable
