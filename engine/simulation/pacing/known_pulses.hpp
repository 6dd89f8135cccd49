// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint keeps of the session's pulses.
#pragma once
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// What is known of a stimulus's pulses so far.
struct KnownPulses
{
    std::string of; ///< stimulus_key(); of another one the pulses are others
    /// Per pulse that is decided: when it began [ms], whether it captured, V around it [mV],
    /// whether it was overtaken.
    std::vector<double> verdicts;
    std::vector<double> watch; ///< CaptureWatch::states(): also of a pulse that is not decided yet
};

/// Where and how strongly a stimulus paces, on this mesh: equal texts, equal verdicts.
std::string stimulus_key(const Stimulus& s, std::span<const std::int32_t> unknowns);
/// @param number  by which the log knows the stimulus
/// @param watch   what a CaptureWatch knows of it
KnownPulses known_pulses(const std::string& key, const PulseLog& log, std::uint64_t number,
                         std::vector<double> watch);
/// Tells the log what was known.
/// @return when the newest pulse began that is decided or being followed [ms]; below 0: none
double recall(const KnownPulses& known, PulseLog& log, std::uint64_t number);

} // namespace tawara::simulation
