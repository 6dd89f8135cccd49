// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/simulation.hpp"

#include <chrono>
#include <functional>

namespace tawara::simulation {

/// Hands potentials to an Analyst while steps are taken: for maps, phase and volume as often as
/// they are worth their cost, for the electrocardiogram exactly when its rows are due.
class AnalystFeed final : public Observer
{
  public:
    /// @param pulses  what the run's stimuli gave; outlives the feed
    AnalystFeed(Simulation& s, Analyst& analyst, const PulseLog& pulses,
                const Analyst::Watch& watch);

    void watch(const Analyst::Watch& w);
    /// Wall time between two maps, at least.
    void maps_interval(double s) { maps_interval_s_ = s; }
    void maps_at_once() { maps_due_ = {}; }
    /// Time between rows of the electrocardiogram; 0: there are no electrodes.
    void ecg_every(double ms);
    /// How fast steps are taken now, by which the cost of a sample is judged.
    void steps_per_second(double rate) { rate_ = rate; }
    /// The run is back at its start.
    void restart();
    /// Hands over this moment, whether it is due or not, if anybody wants one.
    void sample_now() { sample(true); }
    std::uint64_t refused() const { return refused_; } ///< samples, because the analyst was behind

    std::int64_t due_after(std::int64_t step) const override;
    void observe(Moment&) override { sample(false); }

  private:
    using Clock = std::chrono::steady_clock;
    bool watching() const;
    void plan();
    void sample(bool now);

    Simulation& simulation_;
    Analyst& analyst_;
    const PulseLog& pulses_;
    Analyst::Watch watch_;
    double maps_interval_s_ = 0.25, rate_ = 0, cost_s_ = 0;
    Clock::time_point maps_due_{};
    std::int64_t due_ = 0, every_ = 1, ecg_every_ = 0; ///< steps; 0: none
    double told_ms_ = 0; ///< pulses before it are known to the analyst
    std::uint64_t refused_ = 0;
};

} // namespace tawara::simulation
