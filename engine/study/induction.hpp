// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys `induction` and `ablation` of a study ask for.
#pragma once
#include "engine/core/vec3.hpp"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tawara::study {

inline constexpr int aha_segments = 17; ///< of a left ventricle

/// Where is paced: in an AHA segment, or at a point.
struct PacingSite
{
    std::string name;               ///< "AHA 7"; of a point its own, or "site 1"
    int segment = 0;                ///< 1 to 17; 0: the point
    std::optional<Vec3> place_mm{}; ///< nothing: where the segment has its site
};

/// Programmed stimulation: a train S1, then extrastimuli S2, S3, .. with intervals that shrink.
struct Induction
{
    static constexpr int most_extra = 8;
    std::vector<PacingSite> sites;
    double cycle_ms = 600; ///< of S1
    int count = 6;         ///< of S1
    int extra = 3;         ///< S2 alone: 1
    double first_coupling_ms = 300, decrement_ms = 10, shortest_ms = 150;
    double sustained_ms = 2000; ///< re-entry that lasts so long after the last pulse
    double radius_mm = 5, amplitude_pA_per_pF = 60, duration_ms = 2; ///< of each pulse
};

/// A lesion that does not conduct: along a line of points, or all of a label.
struct Ablation
{
    std::vector<Vec3> points_mm;
    double radius_mm = 4;
    std::optional<double> depth_mm; ///< from the wall inwards; nothing: through the wall
    std::optional<std::int32_t> label;
};

/// Reads a study's `induction`, strictly. @throws InputError naming file and JSON pointer
Induction read_induction(const std::filesystem::path& file, const nlohmann::ordered_json& o);
/// Reads a study's `ablation`. @throws InputError
Ablation read_ablation(const std::filesystem::path& file, const nlohmann::ordered_json& o);

} // namespace tawara::study
