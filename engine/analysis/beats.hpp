// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/action_potential.hpp"

#include <span>
#include <vector>

namespace tawara::analysis {

/// Action potentials of a trace whose start times nobody gave: one for each upward crossing of the
/// middle between the trace's least and largest V, at least 20 ms after the one before and after V
/// was below four tenths of that span: a notch after a stimulus, or an early afterdepolarisation,
/// is no beat. A trace that spans less than 40 mV has none. V above 60 mV and below -120 mV counts
/// as that much there: pulses lead so far, action potentials do not. What a trace begins with and
/// has no upstroke, a plateau, is none.
///
/// A pulse that meets the plateau is no part of the beat: the steepest rise is looked for until 10
/// ms after the crossing, the peak until V rises by 5 mV/ms or more later than that. Where V falls
/// is where it falls, however the pulse has shifted it.
///
/// Where a probe lies between vertices, V is interpolated between places that fire one after the
/// other, and rises in steps: activation is the mean time of those that are at least half as steep
/// as the steepest (cell::BeatBounds::in_steps). Near the middle between places that is what
/// interpolating their activation gives; near one of them, that one's. The largest dV/dt is that of
/// one step.
///
/// Rest is the least median of V over any 10 ms that end before the crossing and begin, at the
/// earliest, 50 ms before it: the potential that the tissue comes back to, as APD is defined by,
/// and not the least V, which on a coarse mesh or with long steps is the numerical undershoot of a
/// few milliseconds just ahead of the wave. Of a trace that begins less than 10 ms before the
/// crossing it is the first V.
/// @pre  t_ms ascends and has as many values as v_mV
std::vector<cell::ActionPotential> find_beats(std::span<const double> t_ms,
                                              std::span<const float> v_mV);

} // namespace tawara::analysis
