// SPDX-License-Identifier: GPL-3.0-or-later
// What became of an extrastimulus, by the activations that followed it.
#pragma once
#include "engine/analysis/wave_age.hpp"

#include <span>
#include <vector>

namespace tawara::study {

/// What became of one extrastimulus.
enum class Outcome {
    blocked,   ///< it did not capture
    none,      ///< its wave ended without coming back
    focal,     ///< something stays active for Induction::sustained_ms, but no wave comes back
    transient, ///< re-entry that ended by itself: non-sustained
    sustained  ///< re-entry that lasted Induction::sustained_ms
};
const char* name(Outcome o);

/// A pulse that captured, and what was seen since.
struct AfterPulse
{
    static constexpr double least_share = 0.01; ///< of the volume that fires again, for re-entry
    static constexpr double longest_pause_ms = 500; ///< in re-entry that goes on

    analysis::ActivatedPlaces places; ///< activations since the pulse
    analysis::Neighbours neighbours;
    /// Of each place: how many waves of pulses before are still to come (awaited_at_pulse()). As
    /// many of its activations are not this pulse's.
    std::span<const char> awaited;
    double pulse_ms = 0, now_ms = 0;
    double sustained_ms = 0; ///< of Induction
    bool to_its_end = false; ///< it was followed for sustained_ms, since something stayed active
};

struct Verdict
{
    Outcome outcome = Outcome::none;
    double duration_ms = 0;      ///< of what came back, from the pulse to the last activation
    analysis::Reentry reentry{}; ///< what it was like
};

/// What is awaited when a pulse is given: what was at the pulse before, and that pulse's wave, less
/// one where the place was activated in between.
/// @param activation_ms  of each place since the pulse before; NaN: it was not
std::vector<char> awaited_at_pulse(std::span<const char> before,
                                   std::span<const double> activation_ms);

/// Tells what followed a pulse.
///
/// There was re-entry where least_share of the volume was activated twice: by the pulse's wave, and
/// once more. It goes on where the pulse was followed to_its_end and the last activation is no
/// longer ago than longest_pause_ms, or half of sustained_ms if that is less. What goes on is
/// described by its second half, other re-entry by all of it. It is sustained re-entry where
/// least_share of what the last cycle activates was activated by waves that have run since before
/// that half (share_of_old_waves()), and focal where all waves began later.
/// @cost  that of describe_reentry()
Verdict verdict(const AfterPulse& a);

} // namespace tawara::study
