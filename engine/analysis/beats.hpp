// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/action_potential.hpp"

#include <span>
#include <vector>

namespace tawara::analysis {

/// Action potentials of a trace whose start times nobody gave: one for each upward crossing of the
/// middle between the trace's least and largest V, at least 20 ms after the one before. A trace
/// that spans less than 40 mV has none.
/// @pre  t_ms ascends and has as many values as v_mV
std::vector<cell::ActionPotential> find_beats(std::span<const double> t_ms,
                                              std::span<const float> v_mV);

} // namespace tawara::analysis
