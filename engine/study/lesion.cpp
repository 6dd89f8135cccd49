// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/lesion.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tawara::study {
namespace {

/// Points along a line, at most `apart` from each other.
std::vector<Vec3> along(const std::vector<Vec3>& points, double apart)
{
    std::vector<Vec3> out{points.front()};
    for (std::size_t k = 1; k < points.size(); ++k) {
        const Vec3 from = points[k - 1], way = points[k] - from;
        const int parts = std::max(1, static_cast<int>(std::ceil(norm(way) / apart)));
        for (int n = 1; n <= parts; ++n)
            out.push_back(from + (static_cast<double>(n) / parts) * way);
    }
    return out;
}

/// A place on the boundary, and which way is out.
struct WallPlace
{
    Vec3 at{}, outward{};
    std::int32_t tetrahedron = -1;
    double distance_mm = std::numeric_limits<double>::infinity();
};

WallPlace wall_near(const simulation::Tissue& t, const Vec3& p)
{
    const auto& s = *t.surface;
    const auto vertex = [&](std::int32_t v) {
        return t.mesh->vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
    };
    WallPlace out;
    std::int32_t nearest = -1;
    for (std::size_t k = 0; k < s.vertices.size(); ++k)
        if (const double d = norm(vertex(static_cast<std::int32_t>(k)) - p); d < out.distance_mm)
            out.distance_mm = d, nearest = static_cast<std::int32_t>(k);
    out.at = vertex(nearest);
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
        const auto& c = s.triangles[k];
        if (std::find(c.begin(), c.end(), nearest) == c.end())
            continue;
        const Vec3 area = cross(vertex(c[1]) - vertex(c[0]), vertex(c[2]) - vertex(c[0]));
        out.outward = out.outward + area; // weighted by size
        out.tetrahedron = s.tetrahedron[k];
    }
    out.outward = normalized(out.outward);
    return out;
}

} // namespace

simulation::Session with_lesion(simulation::Session s, const simulation::Tissue& t,
                                const Ablation& a, const std::string& file)
{
    simulation::Region lesion;
    lesion.model.clear();
    lesion.insulating = true;
    lesion.name = "lesion";
    const auto& m = *t.mesh;
    if (a.label) {
        if (std::find(m.region.begin(), m.region.end(), *a.label) == m.region.end())
            throw InputError(file, "/ablation/label",
                             "the mesh has no label " + std::to_string(*a.label));
        lesion.labels = {*a.label};
        s.regions.push_back(std::move(lesion));
        return s;
    }
    std::set<std::int64_t> burnt;
    for (const auto& p : along(a.points_mm, a.radius_mm / 2)) {
        const auto wall = wall_near(t, p);
        if (t.locator->find(p).distance_mm > a.radius_mm)
            throw InputError(file, "/ablation/points_mm",
                             "the line leaves the tissue: " + simulation::number_text(p[0], 4) +
                                 ", " + simulation::number_text(p[1], 4) + ", " +
                                 simulation::number_text(p[2], 4) +
                                 " mm is farther from it than radius_mm");
        const auto inside = [&](std::size_t tet) {
            const Vec3 from = m.centroid(tet) - wall.at;
            const double out = dot(from, wall.outward);
            return norm(from - out * wall.outward) <= a.radius_mm &&
                   (!a.depth_mm || -out <= *a.depth_mm);
        };
        std::vector<std::int32_t> next{wall.tetrahedron}; // a thin cylinder may hold no other
        std::set<std::int32_t> seen{wall.tetrahedron};
        while (!next.empty()) {
            const auto tet = next.back();
            next.pop_back();
            burnt.insert(tet);
            for (const auto n : t.neighbours[static_cast<std::size_t>(tet)])
                if (n >= 0 && inside(static_cast<std::size_t>(n)) && seen.insert(n).second)
                    next.push_back(n);
        }
    }
    lesion.where = simulation::Tetrahedra{{burnt.begin(), burnt.end()}};
    s.regions.push_back(std::move(lesion));
    return s;
}

} // namespace tawara::study
