// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <vector>

namespace tawara::cell {

/// One action potential, measured.
struct ActionPotential
{
    double activation_ms = 0;      ///< when dV/dt was largest
    double upstroke_mV_per_ms = 0; ///< largest dV/dt
    double rest_mV = 0;            ///< least V between the beat's start and its upstroke
    double peak_mV = 0;            ///< largest V after the upstroke
    double apd30_ms = 0;           ///< NaN where V did not come back that far
    double apd50_ms = 0;
    double apd90_ms = 0;
};

/// Collects V sample by sample, so that no trace has to be kept.
///
/// A beat starts at start_beat(). APDx: from the time of the largest dV/dt to the first fall
/// through peak - x (peak - rest), linear between samples.
class ActionPotentialMeter
{
  public:
    /// Closes the beat under way, if any, and starts another at time t.
    void start_beat(double t_ms);
    /// The next sample of the trace; times ascend.
    void sample(double t_ms, double v_mV);
    /// Closes the beat under way and returns all that had an upstroke (above -40 mV).
    std::vector<ActionPotential> finish();

  private:
    void close();
    struct Sample
    {
        double t, v;
    };
    std::vector<Sample> beat_;
    std::vector<ActionPotential> done_;
};

/// The action potentials of a trace whose beats start at the given times.
/// @pre t_ms and v_mV have one size, t_ms and starts_ms ascend
std::vector<ActionPotential> measure_action_potentials(std::span<const double> t_ms,
                                                       std::span<const double> v_mV,
                                                       std::span<const double> starts_ms);

} // namespace tawara::cell
