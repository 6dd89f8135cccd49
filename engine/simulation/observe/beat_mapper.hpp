// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/activation_tracker.hpp"
#include "engine/simulation/observe/maps.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// One beat's maps at every vertex of the mesh.
struct BeatMaps
{
    std::vector<BeatSpan> beats; ///< that can be asked for, the newest last
    std::int64_t beat = 0;       ///< number of this one; 0: there is none yet
    VolumeMaps at;
    std::string failed; ///< why there are none; empty: nothing did
};

/// Follows V at every vertex of the mesh and gives the maps of one beat, activations of the stepper
/// beside those that samples date.
/// @thread one at a time
class BeatMapper
{
  public:
    /// Keeps references to mesh and stars of the tissue, which outlives it.
    /// @param follows  from the start on
    BeatMapper(const Tissue& tissue, bool follows);

    /// Begins to follow, with nothing known; or lets go.
    void follow(bool on);
    /// Nothing is known.
    void clear();
    /// @param v  [mV] per vertex
    void sample(double time_ms, std::span<const float> v) { tracker_.sample(time_ms, v); }
    /// Pulses that have begun: beats that they began count from them.
    void pulses(std::span<const double> time_ms);

    /// @param number  as in WatchMaps
    /// @param first   the stepper's maps now
    BeatMaps beat(std::int64_t number, const device::Maps& first) const;
    /// How often a vertex was activated since it is followed.
    std::int32_t activations(std::int32_t v) const
    {
        return tracker_.count[static_cast<std::size_t>(v)];
    }

  private:
    /// The beat of the stepper's own maps that was over, or had begun, when following began.
    struct EarlyBeat
    {
        bool known = false;   ///< there is one
        bool goes_on = false; ///< the first that was followed is the same
        BeatSpan span;
    };
    EarlyBeat early_beat(std::span<const float> first_activation, const device::Maps& first) const;
    /// The pulse that began a beat: the last one before it, unless too long ago; of several that
    /// came right after one another the first.
    std::optional<double> pulse_of(const BeatSpan& beat) const;
    /// The stepper's value there: mean over the tetrahedra around it that have one.
    float at_vertex(const std::vector<double>& list, std::size_t v) const;
    std::vector<float> at_vertices(const std::vector<double>& list) const;

    const Tissue& tissue_;
    const bool on_vertices_;
    const std::size_t vertices_;
    std::vector<double> pulses_; ///< that began, ascending [ms]
    analysis::ActivationTracker tracker_;
};

} // namespace tawara::simulation
