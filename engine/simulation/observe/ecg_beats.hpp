// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/ecg_intervals.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"

#include <string>

namespace tawara::simulation {

using analysis::EcgBeat;
using analysis::EcgIntervals;

/// QRS, QT and RR of a run's leads (analysis/ecg_intervals.hpp): of the twelve where there are
/// these, without leads of own electrodes beside them, which may stand near the heart; else of all.
/// A record that begins with the run, at 0 ms, begins at rest.
/// @param mV  per lead, as many values as times
/// @param pulses_ms  when pulses were given that did not fail, as far as is known
EcgIntervals ecg_beats(const std::vector<std::string>& leads, std::span<const double> time_ms,
                       std::span<const std::vector<float>> mV,
                       std::span<const double> pulses_ms = {});
/// Takes the beats of a run away in which no tissue was activated, and says so: what moved its
/// leads were currents of junctions and of pulses that excited nothing.
void no_beats_without_activation(EcgIntervals& of);
/// The same, if the map has no activation.
/// @param maps_are_whole  the activation map began with the run: without an output.maps_from_ms and
///                        without a branch, before which tissue may have been activated
void no_beats_without_activation(EcgIntervals& of, std::span<const double> activation_ms,
                                 bool maps_are_whole);
/// When those of a run's pulses were given that did not fail, as far as is known.
std::vector<double> times_of_pulses(std::span<const Pulse> pulses);

/// The beat to show: the newest one of which QT is known, else QRS, else the newest; of those after
/// a rhythm without rests (RR alone is known) where there is one. Null where there is none.
/// @param until_ms  newest of those that begin before it
const EcgBeat* newest_measured(const EcgIntervals& of,
                               double until_ms = std::numeric_limits<double>::infinity());

/// "QRS 96 ms, QT 388 ms, RR 800 ms, QTcF 418 ms" (the last where QT and RR are known); for what is
/// not known a dash and why, in parentheses.
std::string intervals_text(const EcgBeat& beat);

/// For people: what is measured, by which rule, to which resolution.
std::string ecg_method_text(const EcgIntervals& of);

} // namespace tawara::simulation
