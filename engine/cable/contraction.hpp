// SPDX-License-Identifier: GPL-3.0-or-later
// An order of elimination for many hands: of one tree, many nodes at a time.
#pragma once
#include "engine/cable/tree.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tawara::cable {

/// Node i leaves the tree: its parent p takes over its child c, if there is one. With f = 1 / d_i:
///     d_p -= u_i l_i f      rhs_p -= u_i rhs_i f
///     d_c -= u_c l_c f      rhs_c -= l_c rhs_i f
///     (u_c, l_c) <- (-u_i u_c f, -l_c l_i f)
/// and, when x_p and x_c are known, x_i = (rhs_i - l_i x_p - u_c x_c) f, with u_c as it was.
/// Here are p and c of i, by their places (Contraction::place).
struct Elimination
{
    static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
    std::uint16_t parent = none, child = none;
};

/// Nodes one above the other without a fork, which one hand eliminates from the lowest to the
/// highest; what it adds to the parent above and to the child below is held back until all have
/// eliminated theirs.
struct Run
{
    std::uint16_t length = 0;
    std::uint16_t parent = Elimination::none, child = Elimination::none; ///< places
    std::uint16_t turn = 0; ///< when it adds to the parent: 0 or 1, so that no two do it at once
};

/// How a tree is contracted to its root (Miller and Reif 1985, "Parallel tree contraction"): runs
/// first, then what is left by rounds. The eliminations of a round do not touch each other's nodes,
/// but for this: a node may be the parent of one eliminated node and the child of another. So a
/// round has two phases, the parents in the first, and no sum depends on an order. A chain that is
/// left is halved by each round (cyclic reduction, Hockney 1965).
struct Contraction
{
    /// Where each node's numbers lie meanwhile: node j from below of run s at row[j] + s, the k-th
    /// node that rounds eliminate at rest + k, the root at the end. Rows are filled up, so that
    /// neither the nodes of a run side by side nor those of neighbouring runs share a bank of
    /// shared memory.
    std::vector<std::uint16_t> place; ///< [nodes]
    std::size_t places = 0;

    std::vector<Run> runs;          ///< the longest first
    std::vector<std::uint16_t> row; ///< [length of the longest run]
    std::size_t rest = 0;
    std::vector<Elimination> steps;     ///< of rounds
    std::vector<std::int32_t> first{0}; ///< [rounds + 1], of each round's steps

    std::size_t rounds() const { return first.size() - 1; }
};

/// Nodes that a tree may have for a Contraction.
inline constexpr std::size_t most_contracted = 60'000;

/// @param longest_run  0: all by rounds
/// @throws Error for a tree of more than most_contracted nodes
/// @cost   O(nodes rounds); rounds are some log2(what runs leave) + forks above each other
Contraction contraction_of(const Tree& t, std::size_t longest_run);

/// Solves in the order of `c`, as many hands do it: rhs becomes x, all else stays.
template <class Real>
void solve(const Contraction& c, const System<Real>& s);
extern template void solve(const Contraction&, const System<double>&);
extern template void solve(const Contraction&, const System<float>&);

} // namespace tawara::cable
