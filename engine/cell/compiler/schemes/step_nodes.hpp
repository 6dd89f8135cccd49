// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tawara::cell::compiler {

/// Straight-line code that replaces, all at once, a cell's states and the values kept behind them.
struct Part
{
    std::vector<Node> next; ///< of states, then of kept values; what lies beyond stays as it is
    int times = 1;          ///< so often in a row
    /// A value, counted as in next, that tells whether a cell is done: where it is not 0, further
    /// rounds change nothing of the cell, so that back ends may leave them out.
    std::optional<std::size_t> until = {};
};

/// A step as expressions of states, parameters, time, dt, stimulus and pace. Schemes that iterate
/// have parts before the last one, each of which starts from the states that the one before has
/// left.
struct StepNodes
{
    std::vector<Part> before;
    std::vector<Node> next; ///< the last part: state k, and nothing else, after the step
    /// Values that parts leave for later ones: symbols of states, behind the cell's own.
    std::size_t kept = 0;
};

} // namespace tawara::cell::compiler
