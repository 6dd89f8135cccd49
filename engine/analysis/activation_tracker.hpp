// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tawara::analysis {

/// Follows V at many places and notes the newest beats, however long a run lasts.
///
/// An activation is an upward crossing of the threshold, linear between samples, at least blind_ms
/// after the one before; repolarisation the first fall below peak - 0.9 (peak - rest) after it,
/// rest being the least V since the repolarisation before. Samples a millisecond apart give
/// activation times within about 0.2 ms of those of every step.
/// @thread one at a time
class ActivationTracker
{
  public:
    static constexpr double blind_ms = 20;

    explicit ActivationTracker(std::size_t places = 0, double threshold_mV = 0);

    /// The next sample of all places [mV]; times ascend: the same one again is passed over, an
    /// earlier one starts anew.
    /// @cost  about 5 ns per place
    void sample(double t_ms, std::span<const float> v);
    void clear();

    /// Time of the first sample [ms]; infinity before it.
    double since_ms() const { return since_ms_; }
    std::size_t size() const { return activation.size(); }
    std::vector<float> activation, repolarisation; ///< newest beat [ms], NaN: never
    std::vector<float> previous;                   ///< the activation before the newest [ms]
    std::vector<float> apd90;                      ///< of the newest beat that ended [ms]
    std::vector<std::int32_t> count;               ///< activations so far

    /// Time between the two newest activations [ms]; NaN before the second.
    float period(std::size_t i) const { return activation[i] - previous[i]; }

  private:
    float threshold_;
    double time_ms_ = -std::numeric_limits<double>::infinity();
    double since_ms_ = std::numeric_limits<double>::infinity();
    std::vector<float> v_, peak_, rest_;
    std::vector<std::uint8_t> excited_;
};

/// When the newest beat of a tissue began [ms]: its first activation after the newest stretch of
/// silent_ms in which nothing was activated. -infinity where there was no such stretch within
/// look_back_ms of the newest activation (re-entry never pauses) or nothing was activated.
/// @param newest,previous  the two newest activations of each place [ms], NaN: never
/// @cost  about 1 ns per place
double newest_beat_start(std::span<const float> newest, std::span<const float> previous,
                         double silent_ms = 40, double look_back_ms = 5000);

} // namespace tawara::analysis
