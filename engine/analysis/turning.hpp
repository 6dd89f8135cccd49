// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::analysis {

/// Something that a wave turns around at one moment: a filament or an obstacle.
struct Centre
{
    std::int32_t obstacle = -1;       ///< of Path; below 0: it is a filament
    std::vector<Vec3> line;           ///< of a filament [mm]
    std::vector<std::int32_t> around; ///< vertices of the mesh that the wave passes as it turns
};

/// Tells which centres waves have turned around once and more.
///
/// A centre is the same as one before when it is the same obstacle, or a filament no farther from
/// that before than a core moves in between: reach_mm, and 1 mm each ms. One that is not seen for
/// lost_ms is over. The wave has turned once when, since the centre was first seen, V has risen
/// through the middle at two thirds of the places around where the centre is now, and at a tenth of
/// them twice: the wave has come back to where it was. So a wave that passes, however its tail
/// curls, has not turned.
/// @thread one at a time
class TurnWatch
{
  public:
    static constexpr double lost_ms = 20;
    /// After a rise at a place the next one counts: no cell fires twice within it.
    static constexpr double blind_ms = 20;

    explicit TurnWatch(double reach_mm = 3) : reach_mm_(reach_mm) {}
    void clear();

    /// @param v  V of every vertex of the mesh now
    /// @return for each centre whether the wave has turned around it since it was first seen
    std::vector<bool> sample(double t_ms, std::span<const float> v, float middle_mV,
                             std::span<const Centre> centres);

  private:
    struct Followed
    {
        std::int32_t obstacle = -1;
        std::vector<Vec3> line;
        double first_ms = 0, seen_ms = 0;
        bool turned = false;
    };
    /// When V rose through the middle there: for the last time, and the time before.
    struct Rises
    {
        double last_ms = -1e9, before_ms = -1e9;
    };
    Followed* find(const Centre& c, double t_ms, std::vector<const Followed*>& taken);
    void note_rises(double t_ms, std::span<const float> v, float middle_mV);
    bool came_back(const Followed& f, std::span<const std::int32_t> around) const;

    double reach_mm_;
    std::vector<Followed> followed_;
    std::vector<float> before_; ///< V of the sample before
    std::vector<Rises> rises_;
};

} // namespace tawara::analysis
