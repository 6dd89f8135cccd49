// SPDX-License-Identifier: GPL-3.0-or-later
// Cables with stimuli and probes, from their start to an end.
#pragma once
#include "engine/cable/step/cables.hpp"
#include "engine/core/progress.hpp"

namespace tawara::cable {

/// Current clamp at a node: pulses of one height, which may rise from copy to copy.
struct CurrentPulses
{
    std::int32_t node = 0;
    double nA = 0, nA_of_last_copy = 0; ///< positive depolarises; in between linearly
    double start_ms = 0, duration_ms = 1;
    double period_ms = 0; ///< 0: one pulse

    /// Whether a step is stimulated: when its middle lies inside a pulse.
    bool on(double middle_ms) const;
    double height_nA(std::size_t copy, std::size_t copies) const;
};

/// One of the cables of a run.
template <class Real>
struct RunningCables
{
    Cables<Real> cables;
    std::vector<CurrentPulses> pulses;
    std::vector<std::int32_t> probes; ///< nodes
};

struct CablesRunOptions
{
    double end_ms = 100;           ///< how long, from where the cables are
    double sample_every_ms = 0.1;  ///< of traces, in whole steps
    std::size_t traced_copies = 1; ///< of each cable, from the first on
    double spike_mV = 0;           ///< what V of a probe has to rise through
};

/// V of a probe rose through the threshold, at the time between two steps where a line does.
struct Spike
{
    std::size_t cable = 0, copy = 0, probe = 0;
    double time_ms = 0;
};

struct CablesRunResult
{
    std::vector<double> time_ms; ///< of samples, the start's first
    /// [cables][traced copies][probes][samples] [mV]
    std::vector<std::vector<std::vector<std::vector<float>>>> traces;
    std::vector<Spike> spikes; ///< by cable, copy, probe, time
    std::int64_t steps = 0;    ///< that were taken
    bool stopped = false;      ///< by progress.stop, before the end
    double seconds = 0;        ///< of stepping
};

/// Steps all cables to the end, blocks of copies side by side on the threads of progress.context.
/// Results do not depend on their number. All cables have one time step.
/// @throws Error where time steps differ; NumericsError
/// @thread any; reports now and then the stage "running"
template <class Real>
CablesRunResult run_cables(std::vector<RunningCables<Real>>& cables, const CablesRunOptions& o,
                           const Progress& progress);
extern template CablesRunResult run_cables(std::vector<RunningCables<double>>&,
                                           const CablesRunOptions&, const Progress&);
extern template CablesRunResult run_cables(std::vector<RunningCables<float>>&,
                                           const CablesRunOptions&, const Progress&);

} // namespace tawara::cable
