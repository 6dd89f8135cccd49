// SPDX-License-Identifier: GPL-3.0-or-later
// What kind of re-entry a tissue shows, by when its places are activated.
#pragma once
#include "engine/core/vec3.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::analysis {

/// A place is activated.
struct Activation
{
    std::int32_t place = 0;
    float time_ms = 0;
};

/// Notes activations of many places: V rises through threshold_mV, linear between samples, after it
/// was below rearmed_mV. NaN (no cells) never is.
/// @thread one at a time
class ActivationLog
{
  public:
    static constexpr float threshold_mV = -20, rearmed_mV = -40;

    /// Forgets all. A place that is up at the first sample is activated when it comes again.
    void begin();
    /// V [mV] of all places; times ascend. @cost about 1 ns per place
    void sample(double t_ms, std::span<const double> V_mV);

    std::span<const Activation> all() const { return all_; }         ///< in order of samples
    std::span<const std::int32_t> counts() const { return counts_; } ///< of each place
    /// Of the newest one [ms]; below 0: there was none.
    double last_ms() const { return last_ms_; }
    float highest_mV() const { return highest_mV_; } ///< of the newest sample

  private:
    void activated(std::size_t place, float V_mV, double t_ms);

    std::vector<Activation> all_;
    std::vector<std::int32_t> counts_;
    std::vector<float> before_;
    std::vector<std::int32_t> armed_; ///< 1: below the level of rearming since it was activated
    double before_ms_ = 0, last_ms_ = -1;
    float highest_mV_ = 0;
};

/// Activations of a tissue, and its places.
struct ActivatedPlaces
{
    std::span<const Activation> activations;
    std::span<const Vec3> position_mm; ///< of each place
    std::span<const double> volume;    ///< of each place
};

/// What re-entry is like in a stretch of time.
struct Reentry
{
    double cycle_length_ms = 0; ///< median time between two activations of a place; 0: none
    /// (90th - 10th percentile) / median of the times between two activations of a place.
    double variability = 0;
    /// How much the pattern of activation changes from the first to the last period: for each place
    /// the time between its first and its last activation, less the nearest whole number of mean
    /// cycles; (90th - 10th percentile) / mean cycle.
    double drift = 0;
    int periods = 0; ///< whole ones that were looked at
    bool monomorphic = false;
    Vec3 exit_mm{};            ///< in the last period
    double exit_spread_mm = 0; ///< the largest distance of a period's exit from their mean
    bool slow_channel = false; ///< there is one, at channel_mm
    Vec3 channel_mm{};
};

/// Describes re-entry from its last whole periods within a stretch of time.
///
/// A period is a median cycle length long, counted back from to_ms. Folded onto one period, the
/// quarter of it in which the least tissue is activated is its quiet stretch: what the
/// electrocardiogram shows as diastole. The exit is where the wave is in the twentieth of a period
/// after that: the place nearest to the mean of those activated then. The wave runs in a slow
/// channel (isthmus) during the quiet stretch where that holds less than a quarter of its even
/// share, 1/16 of what a period activates; the channel's place is found as the exit's is.
///
/// Monomorphic: at least two periods, a variability of at most most_variability, and a drift of at
/// most most_drift: the same beat again and again. Else polymorphic. The exit does not decide:
/// where a wave is everywhere on its way at all times, as that of a rotor in a sheet, no place is
/// one.
/// @cost  that of sorting the activations
Reentry describe_reentry(const ActivatedPlaces& of, double from_ms, double to_ms);

inline constexpr double most_variability = 0.1, most_drift = 0.25;

} // namespace tawara::analysis
