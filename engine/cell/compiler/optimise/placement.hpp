// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <span>
#include <vector>

namespace tawara::cell::compiler {

/// The operations that differ from cell to cell below the roots, one root after the other,
/// arguments first: the order in which code is written.
std::vector<Node> depth_first(const Graph& g, std::span<const Node> roots);

/// The same, but of two arguments the one first that needs more registers (Sethi and Ullman 1970,
/// J. ACM 17:715; exact for trees, a rule of thumb where subexpressions are shared).
std::vector<Node> larger_first(const Graph& g, std::span<const Node> roots);

/// Which value leaves the registers when they are full.
enum class Eviction {
    farthest_use, ///< Belady's MIN (1966, IBM Systems J. 5:78): least loads for a given order
    oldest_use    ///< least recently used
};

/// Values that a placement moves between registers and memory.
struct Traffic
{
    std::size_t loads = 0, stores = 0;
    std::size_t most_alive = 0; ///< registers with which nothing would move
};

/// Follows an order with `registers` registers. States and constants are operands from memory, a
/// root's result leaves at once; neither is counted.
/// @pre registers >= 4
Traffic place_values(const Graph& g, std::span<const Node> order, std::size_t registers,
                     Eviction eviction);

/// For each node: does it differ from cell to cell (states and the stimulus do)?
std::vector<bool> differs_between_cells(const Graph& g);

} // namespace tawara::cell::compiler
