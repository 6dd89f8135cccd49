// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace tawara::cable {

/// How a Purkinje network grows on the endocardia (heart_network.hpp). Ranges and meanings stand in
/// the table of session keys, under /purkinje/grow.
struct GrowthParameters
{
    static constexpr double largest_seed = 4294967295; ///< of 32 bits
    std::int64_t seed = 1;
    // the fractal rule
    double branch_mm = 5;          ///< mean length of a branch
    double branch_spread_mm = 1.5; ///< standard deviation of it
    double segment_mm = 0.5;
    double angle_deg = 25; ///< of a daughter from its mother's direction
    double repulsion = 0.15;
    double clearance_mm = 2.2; ///< nearest another branch may come
    int generations = 26;
    double base_margin_mm = 7; ///< no fractal branch comes so near to the rim
    double reach_mm = 3.5;     ///< twigs grow to places that are farther from an end; 0: none
    // what leads to where it begins
    double his_mm = 10;
    double left_bundle_mm = 16;
    double fascicle_mm = 22;
    double fascicle_angle_deg = 50;
    double septal_fascicle_mm = 6;
    double right_bundle = 0.55; ///< of the way from the right base to the apex
    bool moderator_band = true;
    bool operator==(const GrowthParameters&) const = default;
};

} // namespace tawara::cable
