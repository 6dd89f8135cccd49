// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"

#include <optional>
#include <span>
#include <string>

namespace tawara::cell::compiler {

/// Level of a file's protocol at a time; 0 between its events.
double pace_level(std::span<const PaceEvent> protocol, double t_ms);

/// Times in [0, until) at which the level of a protocol jumps, ascending.
std::vector<double> pace_jumps(std::span<const PaceEvent> protocol, double until_ms);

/// A model's own stimulus, as rectangular pulses.
struct OwnStimulus
{
    double amplitude_pA_per_pF = 0; ///< positive depolarises
    double start_ms = 0, duration_ms = 0;
    double period_ms = 0; ///< 0: one pulse
};

/// What the file's stimulus adds to dV/dt, sampled over two seconds: the largest pulse, and when
/// the next one comes.
/// @param s           resolved with ResolveOptions::own_stimulus
/// @param parameters  of a cell; empty: the text's
/// @return nothing for a model that has no stimulus of its own
/// @throws InputError where dV/dt has too many operations that depend on the time alone
std::optional<OwnStimulus> own_stimulus(const CellSystem& s,
                                        std::span<const double> parameters = {});

/// Pulses of the file's own that stimulate beside those from outside, because the variable was not
/// recognised as the stimulus current: one line that names file and variable and says what helps.
/// @param s           resolved without ResolveOptions::own_stimulus, from a file that is there
/// @param parameters  as above
/// @return empty where there are none
std::string stimulus_left_on(const CellSystem& s, std::span<const double> parameters = {});

} // namespace tawara::cell::compiler
