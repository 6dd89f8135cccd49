// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <limits>
#include <span>
#include <vector>

namespace tawara::cell {

/// One action potential, measured.
struct ActionPotential
{
    double activation_ms = 0; ///< when dV/dt was largest; of steps (BeatBounds) their mean time
    double upstroke_mV_per_ms = 0; ///< largest dV/dt
    double rest_mV = 0;  ///< as given, or the least V from the beat's start to its upstroke
    double peak_mV = 0;  ///< largest V after the upstroke
    double apd30_ms = 0; ///< NaN where V did not come back that far
    double apd50_ms = 0;
    double apd90_ms = 0;
};

/// What is known of a beat when it starts.
struct BeatBounds
{
    double rest_mV = std::numeric_limits<double>::quiet_NaN(); ///< NaN: the least V from the beat's
                                                               ///< start to its upstroke, as in a
                                                               ///< cell alone, which starts with
                                                               ///< its stimulus
    double upstroke_until_ms = std::numeric_limits<double>::infinity(); ///< it is looked for before
    double peak_until_ms = std::numeric_limits<double>::infinity();     ///< the same of the peak
    /// V may rise in steps, as what is interpolated between places does that fire one after the
    /// other. Steps are rises within 10 ms of the steepest that begin below 0 mV, are half as steep
    /// or more, and between which dV/dt falls below a quarter of it. Each counts by its height.
    bool in_steps = false;
};

/// Collects V sample by sample, so that no trace has to be kept.
///
/// A beat starts at start_beat(). APDx: from the time of the largest dV/dt to the first fall
/// through peak - x (peak - rest), linear between samples.
class ActionPotentialMeter
{
  public:
    static constexpr double excited_mV = -40; ///< an upstroke goes beyond it
    /// Closes the beat under way, if any, and starts another at time t.
    void start_beat(double t_ms, const BeatBounds& bounds = {});
    /// The same for a cell that nobody stimulates, when V rises through excited_mV again: the beat
    /// under way ends, and the next one starts, where V was least after its peak.
    void start_beat_at_rest();
    /// The next sample of the trace; times ascend.
    void sample(double t_ms, double v_mV);
    /// Closes the beat under way and returns all that had an upstroke (above excited_mV).
    std::vector<ActionPotential> finish();

  private:
    struct Sample
    {
        double t, v;
    };
    void close();
    double time_of_steps(const std::vector<Sample>& b, std::size_t up) const;
    std::vector<Sample> beat_;
    BeatBounds bounds_;
    std::vector<ActionPotential> done_;
};

/// The action potentials of a trace whose beats start at the given times.
/// @param bounds  of each; empty: as start_beat() has them without
/// @pre t_ms and v_mV have one size, so have starts_ms and bounds unless that is empty; t_ms and
///      starts_ms ascend
std::vector<ActionPotential> measure_action_potentials(std::span<const double> t_ms,
                                                       std::span<const double> v_mV,
                                                       std::span<const double> starts_ms,
                                                       std::span<const BeatBounds> bounds = {});

} // namespace tawara::cell
