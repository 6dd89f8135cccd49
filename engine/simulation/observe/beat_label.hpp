// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/maps.hpp"

#include <span>
#include <string>

namespace tawara::simulation {

/// Which beat a map is of: "beat 3 of 4, since the pulse at 800.0 ms" where its times count from
/// there, else, where they count from the start of the run, "beat 3 of 4, from 812.0 ms"; "newest
/// turn in beat 1 of 1, since 1234.0 ms" where places were activated more than once in it
/// (re-entry): of each the newest activation is shown, in times from when the newest turn began
/// ("from 12.0 ms", the beat's start, where that is not known, or maps are of another beat). Then
/// ", 3 % of the heart" where it reached less than half of it, and "; newest that propagated" or ";
/// newest that repolarised" where newer ones were passed over. "no beat yet" without one.
std::string beat_label(const MapFrame& maps);

/// The same of one of `count` beats.
std::string beat_label(const BeatSpan& beat, std::int64_t count);

/// Number of the beat that maps are of when nobody has chosen one: the newest that propagated;
/// where none has, the newest that reached the most; 0 without beats.
std::int64_t newest_propagated(std::span<const BeatSpan> beats);

/// The newest beat that propagated and repolarised in nine tenths of its places: its maps are
/// whole. newest_propagated() where none has.
std::int64_t newest_repolarised(std::span<const BeatSpan> beats);

/// Number of the beat that WatchMaps::beat asks for; 0 without beats.
std::int64_t asked_beat(std::int64_t asked, std::span<const BeatSpan> beats);

} // namespace tawara::simulation
