// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

#include <optional>

namespace tawara::simulation {

/// A pulse of a stimulus, as people call it.
struct NamedPulse
{
    std::string name; ///< "S2", "pulse 3", "the pulse"; "S2 of repeat 2"
    double at_ms = 0;
};
/// The first that begins at t_ms or later; nothing after the last and where the stimulus is off.
/// @cost  as many steps as the protocol has runs
std::optional<NamedPulse> pulse_from(const Stimulus& s, double t_ms);
/// The last that began before t_ms.
std::optional<NamedPulse> pulse_before(const Stimulus& s, double t_ms);

/// A pulse that a run does not reach.
struct LatePulse
{
    std::string name; ///< "S2", "pulse 3", "the pulse"; "S2 of repeat 2"
    double at_ms = 0;
    std::int64_t more = 0; ///< pulses of the same stimulus after it
};
/// The first pulse that begins at end_ms or later; nothing where all begin before, where the
/// stimulus is off, and of pulses that go on for ever, unless they begin too late.
/// @cost  as many steps as the protocol has runs
std::optional<LatePulse> first_late_pulse(const Stimulus& s, double end_ms);

/// "S2 at 1320 ms comes after the end of the run (1000 ms)", of each stimulus that has one.
Notices late_pulses(const Session& s);

} // namespace tawara::simulation
