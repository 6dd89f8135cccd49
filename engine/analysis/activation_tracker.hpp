// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/packed_times.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tawara::analysis {

/// One beat of a tissue.
///
/// The rule, the same for every map: a beat begins with the first activation after a stretch of
/// silent_ms in which no place was activated, and holds every activation until the next such
/// stretch. So a pulse that captures a patch alone is a beat, of that patch; re-entry, which never
/// pauses, is one beat, of which each place shows its newest turn. What a place shows of a beat all
/// belongs to one activation: that, the repolarisation that ends it (also when another beat has
/// begun elsewhere by then), and the time since the activation before. A place that took no part
/// has none of them.
///
/// Silence is what samples show: between two of them nothing is known, so it lasts from the newest
/// activation to the last sample without one, and from the end of every stretch of more than
/// silent_ms without samples, which may have held activations that left no trace.
struct TissueBeat
{
    static constexpr double silent_ms = 40;

    std::int64_t number = 0;         ///< 1 for the first that was followed
    double from_ms = 0, last_ms = 0; ///< its first and newest activation
    std::size_t places = 0;          ///< that were activated in it
    std::size_t turns = 0;           ///< further activations of the same places
    std::size_t ended = 0;           ///< places whose newest activation in it has repolarised
    double newest_place_ms = 0;      ///< when a place was activated in it for the first time, last
};

/// What a beat did at every place, to PackedTimes' ticks.
struct BeatTimes
{
    /// The newest activation in this beat [ms]. NaN: none, or one between two samples that are
    /// further apart than ActivationTracker::blind_ms: it counts, but when it was is not known.
    std::vector<float> activation;
    std::vector<float> repolarisation; ///< the end of that [ms], NaN: not yet
    std::vector<float> period;         ///< since the activation before [ms], NaN: there was none
};

/// Follows V at many places and notes their beats, however long a run lasts.
///
/// An activation is an upward crossing of the threshold, linear between samples, at least blind_ms
/// after the one before and after a fall below four tenths of that one's height, from rest to peak:
/// a plateau that comes back to the threshold, as beside a scar, is one activation. Repolarisation
/// is the first fall below peak - 0.9 (peak - rest) after it, rest being the least V since the
/// repolarisation before, which follows a fall by at most rest_mV_per_ms: the numerical undershoot
/// of a millisecond or two just ahead of a wave on a coarse mesh is not rest. Samples a millisecond
/// apart give activation times within about 0.2 ms of those of every step; further apart, up to
/// their distance.
/// @thread one at a time
class ActivationTracker
{
  public:
    static constexpr double blind_ms = 20, rest_mV_per_ms = 1;
    /// Beats that are kept: the newest, as many as fit into so many bytes. The newest `open_beats`
    /// are always there, as they are; older ones are packed.
    static constexpr std::size_t most_bytes = std::size_t{64} << 20, most_beats = 200,
                                 open_beats = 3;

    explicit ActivationTracker(std::size_t places = 0, double threshold_mV = 0);

    /// The next sample of all places [mV]; times ascend: the same one again is passed over, an
    /// earlier one starts anew.
    /// @cost  about 5 ns per place
    void sample(double t_ms, std::span<const float> v);
    void clear();

    /// Time of the first sample [ms]; infinity before it.
    double since_ms() const { return since_ms_; }
    std::size_t size() const { return v_.size(); }
    /// The beats that are kept, the newest last; their numbers follow one another.
    const std::deque<TissueBeat>& beats() const { return beats_; }
    /// One of them, place by place.
    /// @pre number is one of beats()'
    /// @cost  30 ns a place where it is packed
    BeatTimes times(std::int64_t number) const;
    /// Of all packed beats.
    std::size_t packed_bytes() const { return packed_bytes_; }
    std::vector<std::int32_t> count; ///< activations of each place so far

  private:
    struct PackedBeat
    {
        PackedTimes activation, repolarisation, period;
        std::vector<std::pair<std::size_t, float>> ended_since; ///< place, repolarisation [ms]
        std::size_t bytes() const
        {
            return activation.bytes() + repolarisation.bytes() + period.bytes();
        }
    };
    void activated(std::size_t place, float t_ms, double silence_ms);
    void repolarised(std::size_t place, float t_ms);
    void begin_beat(double t_ms);
    void forget_oldest();

    float threshold_;
    double time_ms_ = -std::numeric_limits<double>::infinity();
    double since_ms_ = std::numeric_limits<double>::infinity();
    double newest_ms_ = -std::numeric_limits<double>::infinity(); // activation of any place
    double hole_ms_ = -std::numeric_limits<double>::infinity();   // end of the last hole in samples
    bool exact_ = true; // the sample before was no longer ago than blind_ms
    std::deque<TissueBeat> beats_;
    std::deque<PackedBeat> packed_; // of the first of them
    std::deque<BeatTimes> open_;    // of the others
    std::size_t packed_bytes_ = 0;
    std::vector<float> v_, peak_, rest_;
    std::vector<float> activation_;     // the newest
    std::vector<std::int64_t> beat_of_; // its beat's number
    std::vector<std::uint8_t> excited_;
};

} // namespace tawara::analysis
