// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <span>
#include <vector>

namespace tawara::cell::compiler {

/// Tables of functions of V: equidistant values over [table_low_mV, table_high_mV], straight lines
/// between them and beyond the ends.
inline constexpr double table_low_mV = -120, table_high_mV = 80;
std::size_t table_points(double step_mV);

/// Takes the largest subexpressions that depend on V and parameters alone, and hold an exponential
/// or another dear function of V, out of the roots: function k becomes the symbol of state
/// `states` + k, one behind the model's states. @return the functions
std::vector<Node> tabulate(Graph& g, std::vector<Node>& roots, std::uint32_t states);

/// Values for a cell type, [point][function].
std::vector<double> table_values(const Graph& g, std::span<const Node> functions,
                                 std::span<const double> parameters, double step_mV);

/// Largest differences between a function and its table, at three places between any two points;
/// a jump of a function counts as what the line makes of it.
struct TableError
{
    double absolute = 0, relative = 0, largest = 0; ///< largest: of the function itself
};
std::vector<TableError> table_errors(const Graph& g, std::span<const Node> functions,
                                     std::span<const double> parameters, double step_mV);

} // namespace tawara::cell::compiler
