// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"

#include <string>

namespace tawara::cell::compiler {

/// Makes V tell where a concentration has left its range (SystemState::range), so that whoever
/// looks at V after a step, as every back end does, stops there: V is then -(1e6 + k) mV where
/// state k is below its range, and 1e6 + k where it is above or no number.
/// @param next  the states after a step
/// @cost  two comparisons and two selections for each concentration
void watch_ranges(CellSystem& s, std::vector<Node>& next);

/// What V tells of a state that has left its range, for a message: "calcium.CaJSR is below 0 mM";
/// empty when it tells of none.
std::string left_range(const CellSystem& s, double V_mV);

/// The same of states that were computed otherwise.
std::string left_range(const CellSystem& s, std::span<const double> states);

} // namespace tawara::cell::compiler
