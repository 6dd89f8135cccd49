// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/maps.hpp"
#include "engine/simulation/observe/scene.hpp"

#include <limits>
#include <span>
#include <string>

namespace tawara::simulation {

/// Action potentials over time as a picture for print: axes with units, a curve per probe in a
/// colour of its own, their names to the right. Long curves are drawn by their least and largest
/// value in each column.
/// @param changes_ms  times at which a line stands: the tissue was changed then
/// @return SVG of that size [CSS pixels], text as text; empty without samples
std::string trace_chart(std::span<const Trace> traces, std::span<const double> changes_ms,
                        int width, int height);

/// Calcium of cells with dyads: V, c_myo, c_jsr and I_CaL over time, each in a field of its own, a
/// curve per probe in a colour of its own, their names below.
/// @param calcium  rows of calcium.csv (observe/calcium_rows.hpp)
/// @return SVG, as above
std::string calcium_chart(const ProbeTable& calcium, int width, int height);

/// Leads on electrocardiogram paper: thick lines every 200 ms and 0.5 mV, as the foot says (every
/// 100 ms or finer where the window is short); at most the newest two seconds.
/// @param reading  stands at the right of the foot: what is measured on them
/// @param beat_ms  of the beat that is measured: where that is earlier, two seconds around it
/// @return SVG, as above
std::string ecg_chart(const Ecg& ecg, int width, int height, const std::string& reading = {},
                      double beat_ms = std::numeric_limits<double>::quiet_NaN());

} // namespace tawara::simulation
