// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/torso.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tawara::analysis {
namespace {

/// Half axes of the cross-section at a height.
struct Section
{
    double z, width, depth;
};
constexpr std::array sections{
    Section{-340, 150, 100}, Section{-250, 158, 106}, Section{-150, 141, 102}, Section{0, 155, 110},
    Section{120, 166, 104},  Section{180, 172, 84},   Section{215, 130, 66},   Section{240, 62, 52},
};
constexpr double middle_left = -25, middle_back = 25; // of the trunk: the heart lies left, in front
constexpr std::size_t around = 36;
constexpr double denser = 0.45; // of 1: in front of the heart than on average
constexpr double front = -1.25; // angle of that, from the left towards the back
constexpr double fine_mm = 12, fine_half_mm = 72, coarsest_mm = 40, growth = 1.25;

Section section_at(double z)
{
    std::size_t k = 1;
    while (k + 1 < sections.size() && sections[k].z < z)
        ++k;
    const Section &a = sections[k - 1], &b = sections[k];
    const double u = std::clamp((z - a.z) / (b.z - a.z), 0.0, 1.0);
    const double s = 0.5 - 0.5 * std::cos(std::numbers::pi * u); // level at the sections
    return {z, a.width + s * (b.width - a.width), a.depth + s * (b.depth - a.depth)};
}

std::vector<double> heights()
{
    const double low = sections.front().z, high = sections.back().z;
    std::vector<double> out;
    const auto outwards = [&](double limit) {
        const double sign = limit > 0 ? 1 : -1;
        double at = fine_half_mm, step = fine_mm;
        for (;;) {
            step = std::min(coarsest_mm, growth * step);
            if (at + 1.5 * step > std::abs(limit))
                break;
            at += step;
            out.push_back(sign * at);
        }
        out.push_back(limit);
    };
    for (double z = -fine_half_mm; z < fine_half_mm + 0.5 * fine_mm; z += fine_mm)
        out.push_back(z);
    outwards(low);
    outwards(high);
    std::sort(out.begin(), out.end());
    return out;
}

/// A ring of a section, its axes times `share`.
void add_ring(std::vector<Vec3>& points, double z, double share)
{
    const Section s = section_at(z);
    for (std::size_t k = 0; k < around; ++k) {
        const double u = 2 * std::numbers::pi * static_cast<double>(k) / around;
        const double angle = u - denser * std::sin(u - front);
        points.push_back({middle_left + share * s.width * std::cos(angle),
                          middle_back + share * s.depth * std::sin(angle), z});
    }
}

} // namespace

ClosedSurface torso_surface()
{
    ClosedSurface out;
    const auto z = heights();
    out.points.push_back({middle_left, middle_back, z.front()});
    add_ring(out.points, z.front(), 0.5);
    for (const double h : z)
        add_ring(out.points, h, 1);
    add_ring(out.points, z.back(), 0.5);
    out.points.push_back({middle_left, middle_back, z.back()});
    const auto rings = static_cast<std::int32_t>((out.points.size() - 2) / around);
    const auto n = static_cast<std::int32_t>(around);
    const auto last = static_cast<std::int32_t>(out.points.size()) - 1;
    const auto at = [](std::int32_t ring, std::int32_t k) { return 1 + ring * n + k % n; };
    for (std::int32_t k = 0; k < n; ++k) {
        out.triangles.push_back({0, at(0, k + 1), at(0, k)});
        for (std::int32_t ring = 0; ring + 1 < rings; ++ring) {
            const auto a = at(ring, k), b = at(ring, k + 1), c = at(ring + 1, k + 1),
                       d = at(ring + 1, k);
            if ((ring + k) % 2 == 0) { // no diagonal is preferred
                out.triangles.push_back({a, b, c});
                out.triangles.push_back({a, c, d});
            } else {
                out.triangles.push_back({a, b, d});
                out.triangles.push_back({b, c, d});
            }
        }
        out.triangles.push_back({last, at(rings - 1, k), at(rings - 1, k + 1)});
    }
    return out;
}

double torso_reach(const Vec3& x)
{
    if (x[2] <= sections.front().z || x[2] >= sections.back().z)
        return std::numeric_limits<double>::infinity();
    const Section s = section_at(x[2]);
    return std::hypot((x[0] - middle_left) / s.width, (x[1] - middle_back) / s.depth);
}

} // namespace tawara::analysis
