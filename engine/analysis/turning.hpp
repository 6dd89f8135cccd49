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
/// lost_ms is over. The wave has turned once when V has risen through the middle at two thirds of
/// the places around the centre as they were when it was first seen, and at a tenth of them twice:
/// it has come back to where it was. So a wave that passes, however its tail curls, has not turned.
/// @thread one at a time
class TurnWatch
{
  public:
    static constexpr double lost_ms = 20;
    /// After a rise at a place the next one counts: no cell fires twice within it.
    static constexpr double blind_ms = 20;

    explicit TurnWatch(double reach_mm = 3) : reach_mm_(reach_mm) {}
    void clear() { followed_.clear(); }

    /// @param v  V of every vertex of the mesh now
    /// @return for each centre whether the wave has turned around it since it was first seen
    std::vector<bool> sample(double t_ms, std::span<const float> v, float middle_mV,
                             std::span<const Centre> centres);

  private:
    struct Place
    {
        std::int32_t vertex = 0;
        float before = 0;
        int rises = 0;
        double rose_ms = 0;
    };
    struct Followed
    {
        Centre centre;
        double seen_ms = 0;
        std::vector<Place> places;
        bool turned = false;
    };
    Followed* find(const Centre& c, double t_ms, std::vector<const Followed*>& taken);
    static void follow(Followed& f, double t_ms, std::span<const float> v, float middle_mV);

    double reach_mm_;
    std::vector<Followed> followed_;
};

} // namespace tawara::analysis
