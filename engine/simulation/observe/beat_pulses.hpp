// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"

#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// The pulse that made a beat.
struct BeatPulse
{
    const Pulse* pulse = nullptr; ///< null: none of them did
    std::string stimulus;         ///< its site's name, "click"; "A + B" where both began at once
};
/// Which pulses made the beats of one place; an entry per beat.
///
/// A pulse makes one beat at most: the first that its wave brings. Of the pulses before a beat that
/// did not fail, and that are newer than what made the beats before, it is the one whose wave would
/// take a time as the newest one from the same site did, between half of it and twice as long with
/// 100 ms more; where that is not known yet, as a wave at 0.6 m/s would from where it was given, or
/// where that place is not known the newest, at most 500 ms before. No wave is faster than 5 m/s
/// (Purkinje fibres conduct at 2 to 4 m/s). A pulse that failed
/// made a beat that began while it was given, unless a wave from elsewhere came first: its current
/// did, within the site. All others came from elsewhere: a wave that goes round has no pulse.
/// @param place  of the beats [mm]; nothing: distances do not count
/// @pre  beats ascend
/// @cost  n log n of the pulses, and the beats
std::vector<BeatPulse> pulses_behind(std::span<const Beat> beats, std::span<const Pulse> pulses,
                                     const std::optional<Vec3>& place = {});

/// Sets Beat::paced_by of all by pulses_behind(), with its preconditions and cost.
/// @param pulses  all that were given before the samples end on which beats were measured
void note_makers(std::span<Beat> beats, std::span<const Pulse> pulses,
                 const std::optional<Vec3>& place);

/// "stimulus,pulse,pulse_ms,coupling_ms,captured": columns of tables of beats.
std::string pulse_columns();
/// Their values: name; "S1", "S2", .. or "Pace now", else empty; when it began; since the pulse
/// before at its site; 1, 0, or empty where that is not known. All empty where no pulse made it.
std::string pulse_fields(const BeatPulse& b);

} // namespace tawara::simulation
