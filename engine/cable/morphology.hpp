// SPDX-License-Identifier: GPL-3.0-or-later
// A cable that branches, as it was measured, grown or drawn.
#pragma once
#include "engine/core/vec3.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tawara::cable {

/// Points in space, each but the first joined to one that comes before it: a neuron's
/// reconstruction or a Purkinje network. Plain values; lengths in mm, radii in um.
///
/// Between a point and its parent lies a truncated cone (a frustum) of their two radii.
struct Morphology
{
    std::vector<std::int32_t> parent; ///< [points]; parent[0] is -1, else parent[i] < i
    std::vector<Vec3> point_mm;       ///< [points]
    std::vector<double> radius_um;    ///< [points], above 0
    /// [points] of the piece from the parent to this point: SWC's number of its kind (1 soma, 2
    /// axon, 3 basal dendrite, 4 apical dendrite), or the fascicle of a Purkinje network.
    std::vector<std::int32_t> kind;
    /// [points], or none: not 0 where the piece from the parent is a wire without length: no
    /// membrane, no resistance, wherever the two points lie. So neurites hang on their soma, and so
    /// a radius changes at one place.
    std::vector<std::uint8_t> wire{};

    std::size_t points() const { return parent.size(); }
    bool is_wire(std::size_t i) const { return !wire.empty() && wire[i] != 0; }
};

} // namespace tawara::cable
