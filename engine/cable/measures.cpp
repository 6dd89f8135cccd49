// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/measures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tawara::cable {

Measures measure(const Morphology& m)
{
    Measures out;
    const auto n = m.points();
    out.points = n;
    std::vector<std::size_t> children(n, 0);
    std::vector<char> turns(n, 0); ///< a wire or another kind begins here
    std::vector<double> distance(n, 0);
    out.low_mm = out.high_mm = m.point_mm[0];
    out.least_radius_um = out.largest_radius_um = m.radius_um[0];
    out.kinds[m.kind[0]].points = 1;
    for (std::size_t i = 1; i < n; ++i) {
        const auto p = static_cast<std::size_t>(m.parent[i]);
        ++children[p];
        for (std::size_t a = 0; a < 3; ++a) {
            out.low_mm[a] = std::min(out.low_mm[a], m.point_mm[i][a]);
            out.high_mm[a] = std::max(out.high_mm[a], m.point_mm[i][a]);
        }
        out.least_radius_um = std::min(out.least_radius_um, m.radius_um[i]);
        out.largest_radius_um = std::max(out.largest_radius_um, m.radius_um[i]);
        auto& kind = out.kinds[m.kind[i]];
        ++kind.points;
        distance[i] = distance[p];
        if (m.is_wire(i)) {
            turns[p] = turns[i] = 1;
            continue;
        }
        turns[p] = turns[p] || m.kind[i] != m.kind[p];
        const double length = 1000 * norm(m.point_mm[i] - m.point_mm[p]);
        const double dr = m.radius_um[i] - m.radius_um[p];
        const double area = std::numbers::pi * (m.radius_um[i] + m.radius_um[p]) *
                            std::sqrt(length * length + dr * dr);
        kind.length_um += length;
        kind.area_um2 += area;
        out.length_um += length;
        out.area_um2 += area;
        distance[i] += length;
        out.farthest_um = std::max(out.farthest_um, distance[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
        out.forks += children[i] > 1;
        out.ends += children[i] == 0;
        // a section ends at each point that is no mere bend
        const bool bend = i == 0 || (children[i] == 1 && !turns[i]);
        out.sections += !bend && !m.is_wire(i);
    }
    return out;
}

std::string kind_name(std::int32_t kind)
{
    switch (kind) {
    case 1:
        return "soma";
    case 2:
        return "axon";
    case 3:
        return "basal dendrite";
    case 4:
        return "apical dendrite";
    default:
        return "kind " + std::to_string(kind);
    }
}

} // namespace tawara::cable
