// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/optimise/short_exponentials.hpp"
#include "engine/cell/compiler/program.hpp"

#include <limits>

namespace tawara::cell::compiler {

/// Selects that share a condition, and what is needed for one of their sides alone: when all cells
/// of a vector are on the other side it is left out.
struct Branch
{
    Node condition = no_node;
    std::vector<Node> selects;
    std::vector<Node> then_nodes, else_nodes; ///< ascending; each needed by that side alone
    std::vector<Node> inputs;                 ///< varying nodes from outside that they need
};

/// What the emitter for the CPU does with the nodes of a program's part. @thread const, any
struct Plan
{
    std::vector<bool> varying; ///< differs from cell to cell, per node
    std::vector<Branch> branches;
    std::vector<int> branch_of; ///< per node: index of the branch whose select it is, or -1
    std::vector<bool> early;    ///< exponentials that V alone is needed for, up to a few operations
    std::vector<bool> raised;   ///< exponentials that are multiplied by themselves
    std::vector<Node> logarithms;   ///< of a few operations on states: computed first of all
    std::vector<std::size_t> order; ///< in which the results are computed and stored
};
Plan make_plan(const Graph& g, std::span<const Node> next);

/// Absolute value of c where n is c V, else infinity [1/mV].
double rate_of_V(const Graph& g, Node n);
/// Values that a node can have while V stays within 1000 mV (what the steppers check); other states
/// and table entries may have any value.
struct Interval
{
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    /// Whether all have normal reciprocals, and are such themselves.
    bool has_reciprocal(bool single) const;
};
/// @param single  for code in single precision: exponentials of multiples of V keep the value that
///                they have at the bounds of V (short_exponentials.hpp) beyond them
std::vector<Interval> intervals(const Graph& g, std::span<const Node> roots, bool single);

} // namespace tawara::cell::compiler
