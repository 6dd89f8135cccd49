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
/// Here are p and c of i, by their places in Contraction::node.
struct Elimination
{
    static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
    std::uint16_t parent = none, child = none;
};

/// Rounds of eliminations that do not touch each other's nodes, but for this: a node may be the
/// parent of one eliminated node and the child of another. So a round has two phases, the parents
/// in the first, and no sum depends on an order. After all rounds the root is left.
///
/// A chain of n nodes is halved by each round (cyclic reduction, Hockney 1965); forks and ends are
/// contracted as by Miller and Reif 1985 ("Parallel tree contraction").
struct Contraction
{
    std::vector<std::uint16_t> node;    ///< [nodes] in the order of elimination, the root last
    std::vector<Elimination> steps;     ///< [nodes - 1], of node[k]
    std::vector<std::int32_t> first{0}; ///< [rounds + 1], of each round's steps

    std::size_t rounds() const { return first.size() - 1; }
};

/// Nodes that a tree may have for a Contraction.
inline constexpr std::size_t most_contracted = Elimination::none;

/// @throws Error for a tree of more than most_contracted nodes
/// @cost   O(nodes rounds); rounds are some log2(nodes) + forks above each other
Contraction contraction_of(const Tree& t);

/// Solves by the rounds of `c`: rhs becomes x; upper, lower and diagonal are lost.
template <class Real>
void solve(const Contraction& c, const System<Real>& s);
extern template void solve(const Contraction&, const System<double>&);
extern template void solve(const Contraction&, const System<float>&);

} // namespace tawara::cable
