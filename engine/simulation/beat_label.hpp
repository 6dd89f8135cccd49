// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"

#include <string>

namespace tawara::simulation {

/// Which beat a map is of: "beat 3 of 4, since the pulse at 800.0 ms" where its times count from
/// there, else, where they count from the start of the run, "beat 3 of 4, from 812.0 ms"; then
/// ", newest turn" where it is re-entry, and ", 3 % of the heart" where it reached less than half
/// of it. "no beat yet" without one.
std::string beat_label(const MapFrame& maps);

/// The same of one of `count` beats.
std::string beat_label(const BeatSpan& beat, std::int64_t count);

} // namespace tawara::simulation
