// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/morphology.hpp"

#include <map>
#include <string>

namespace tawara::cable {

/// What can be said of a morphology without solving anything on it. Wires count for nothing.
struct Measures
{
    struct OfKind
    {
        std::size_t points = 0;
        double length_um = 0, area_um2 = 0;
    };
    std::size_t points = 0;
    std::size_t sections = 0; ///< stretches between forks, ends, wires and changes of kind
    std::size_t forks = 0, ends = 0;
    double length_um = 0, area_um2 = 0;
    double least_radius_um = 0, largest_radius_um = 0;
    double farthest_um = 0; ///< from the root along the cable
    Vec3 low_mm{}, high_mm{};
    std::map<std::int32_t, OfKind> kinds;
};

/// @pre   check(m)
/// @cost  O(points)
Measures measure(const Morphology& m);

/// What SWC calls a kind: soma, axon, basal dendrite, apical dendrite; else "kind N".
std::string kind_name(std::int32_t kind);

} // namespace tawara::cable
