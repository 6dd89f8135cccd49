// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <functional>
#include <string>

namespace tawara::cell::compiler {

/// op(a, b, c) with constants folded and the neutral and absorbing elements gone: x + 0, 1 x, 0 x,
/// x / 1, x - x, -(-x), x^0, x^1, exp(log x), conditions that are known, branches that are equal.
/// 0 x = 0 holds for finite x: models are not meant to reach infinity.
Node simple(Graph& g, Op op, Node a, Node b = no_node, Node c = no_node);

/// `simple` applied to everything below the roots.
std::vector<Node> simplify(Graph& g, std::span<const Node> roots);

/// Values of the roots; `value_of` gives the value of a symbol. Booleans are 0 or 1.
std::vector<double> evaluate(const Graph& g, std::span<const Node> roots,
                             const std::function<double(std::uint32_t)>& value_of);
double evaluate(const Graph& g, Node root, const std::function<double(std::uint32_t)>& value_of);

/// The value of one operation in double precision, as every back end has to compute it.
double apply(Op op, double a, double b, double c);

/// Roots with each symbol for which `by` returns something else than no_node replaced, and
/// simplified.
std::vector<Node> substitute(Graph& g, std::span<const Node> roots,
                             const std::function<Node(std::uint32_t)>& by);

/// d root / d symbol for each root, exact where the function is smooth; piecewise parts are
/// differentiated branch by branch, jumps of floor, ceil and rem count as 0.
std::vector<Node> differentiate(Graph& g, std::span<const Node> roots, std::uint32_t symbol);

/// For each node of the graph: does it depend on a symbol for which `is` holds?
std::vector<bool> depends(const Graph& g, const std::function<bool(std::uint32_t)>& is);
bool depends_on(const Graph& g, Node root, std::uint32_t symbol);

/// Text with all brackets, for messages and tests; `name_of` names symbols.
std::string to_text(const Graph& g, Node root,
                    const std::function<std::string(std::uint32_t)>& name_of);

} // namespace tawara::cell::compiler
