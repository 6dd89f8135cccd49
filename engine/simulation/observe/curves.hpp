// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"
#include "engine/simulation/session/session.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Values that curves of a run are handed on as.
namespace tawara::simulation {

/// Samples of the electrocardiogram from one on: mV[lead][i] at time_ms[i].
struct Ecg
{
    std::vector<std::string> leads;    ///< names
    std::vector<Electrode> electrodes; ///< as placed
    std::vector<double> time_ms;
    std::vector<std::vector<float>> mV;
    double every_ms = 0;
    /// Changes when the samples start anew, or their leads are others; mV of a lead that came later
    /// is NaN before.
    std::uint64_t generation = 0;
    /// Whether tissue was activated, as far as is known: not so only where the samples are of a run
    /// from its beginning in which none was. What moves the leads then is no beat.
    bool activated = true;
};

/// While the current of a stimulus flowed into cells that a probe reads.
struct Driven
{
    double from_ms = 0, to_ms = 0;
    std::string by; ///< the stimulus's name; "click"
};

/// Samples of a probe since its start: V [mV] at time[i] [ms], every sample_ms of simulated time.
struct Trace
{
    std::uint64_t probe = 0; ///< id, from the answer to AddProbe
    std::string name;
    Vec3 position_mm{};
    std::vector<double> time_ms;
    std::vector<float> V_mV;
    std::vector<Driven> driven = {}; ///< ascending
};

/// Samples of all probes: row k at time_ms[k].
struct ProbeTable
{
    std::vector<std::string> names;
    std::vector<double> time_ms, V_mV;
};

/// The pulse that made a beat.
struct PacedBy
{
    std::string stimulus; ///< as of BeatPulse
    std::string kind;     ///< this and the next ones as of Pulse
    double time_ms = 0, coupling_ms = 0;
    std::optional<bool> captured;
    bool of_several = false; ///< several sites gave pulses in this run
};

/// One beat at a probe.
struct Beat
{
    double activation_ms = 0; ///< time of the largest dV/dt
    double upstroke_mV_per_ms = 0;
    double rest_mV = 0, peak_mV = 0, amplitude_mV = 0;
    double apd30_ms = 0, apd50_ms = 0, apd90_ms = 0; ///< NaN where V did not come back that far
    double diastolic_ms = 0; ///< from the APD90 before to this activation; NaN for the first
    double cycle_ms = 0;     ///< since the activation before; NaN for the first
    /// The stimulus whose current made its upstroke here: upstroke, peak and APDs are of that
    /// current, too. Empty: a wave came.
    std::string driven_by = {};
    /// Set by note_makers(). Nothing: not looked for, or no pulse made the beat.
    std::optional<PacedBy> paced_by = {};

    /// Whether V had come back by 90 % at that time [ms]; infinity: at all.
    bool over_by(double ms) const { return activation_ms + apd90_ms <= ms; } // NaN: it has not
    /// Whether that time [ms] is after its activation and before it was over: what was changed then
    /// fell into it.
    bool holds(double ms) const { return activation_ms < ms && !over_by(ms); }
};

} // namespace tawara::simulation
