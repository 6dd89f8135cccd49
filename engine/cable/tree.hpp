// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of unknowns, and the systems of equations that a cable has on them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tawara::cable {

/// Unknowns in Hines' order: the parent of each has a smaller number, unknown 0 is the root.
/// A chain, where parent[i] = i - 1, is a tridiagonal system.
///
/// Source: Hines 1984 (Int. J. Biomed. Comput. 15)
struct Tree
{
    std::vector<std::int32_t> parent{-1}; ///< [nodes]; parent[0] is -1

    std::size_t nodes() const { return parent.size(); }
};

/// @throws Error unless node 0 is the one root and each other node's parent is in front of it
void check(const Tree& t);

/// Stretches without a fork: from the root or a fork to the next fork or to an end.
std::size_t branches(const Tree& t);

/// The chain of so many nodes.
Tree chain(std::size_t nodes);

/// Trees in place of neurons that are not shipped: as many nodes and branches as asked for, forks
/// of two, lengths by chance. The same tree for the same numbers. So many branches cannot always be
/// had by forks of two alone (an odd number can): then the root forks once more.
/// @throws Error where the branches are more than the nodes
Tree random_tree(std::size_t nodes, std::size_t branches, std::uint64_t seed);

/// The trees that batched solvers were published with: name, nodes, branches (Valero-Lara and
/// others 2018, table 1), as random trees of those sizes.
struct StandIn
{
    std::string name;
    std::size_t nodes, branches;
};
std::span<const StandIn> stand_ins();

/// What one system has for each node of its tree: row i reads
///     lower_i x_p(i) + diagonal_i x_i + sum over children c of upper_c x_c = rhs_i
template <class Real>
struct System
{
    std::span<Real> upper, lower; ///< [nodes]; those of the root are not read
    std::span<Real> diagonal, rhs;
};

/// Hines' elimination, from the ends to the root and back: rhs becomes x, diagonal is lost.
/// What all other solvers are compared with.
/// @cost  two sweeps of O(nodes), each step waiting for the one before
template <class Real>
void solve(const Tree& t, const System<Real>& s);
extern template void solve(const Tree&, const System<double>&);
extern template void solve(const Tree&, const System<float>&);

} // namespace tawara::cable
