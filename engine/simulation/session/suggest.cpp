// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/suggest.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace tawara::simulation {
namespace {

Vec3 surface_point(const mesh::TetMesh& m, const mesh::Surface& s, std::int32_t v)
{
    return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
}

/// Vertices of a wall's triangles.
std::vector<Vec3> wall_points(const mesh::TetMesh& m, const mesh::Surface& s, mesh::Wall wall)
{
    std::vector<Vec3> out;
    for (std::size_t k = 0; k < s.triangles.size(); ++k)
        if (s.wall[k] == wall)
            for (auto v : s.triangles[k])
                out.push_back(surface_point(m, s, v));
    return out;
}

Vec3 mean(const std::vector<Vec3>& points)
{
    Vec3 sum{};
    for (const auto& p : points)
        sum = sum + p;
    return (1.0 / static_cast<double>(std::max<std::size_t>(points.size(), 1))) * sum;
}

template <class Measure>
const Vec3& most(const std::vector<Vec3>& points, Measure measure)
{
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return measure(a) < measure(b); });
}

void add_segments(const mesh::TetMesh& m, const mesh::Surface& s, std::vector<Site>& out)
{
    constexpr const char* names[]{"basal anterior",
                                  "basal anteroseptal",
                                  "basal inferoseptal",
                                  "basal inferior",
                                  "basal inferolateral",
                                  "basal anterolateral",
                                  "mid anterior",
                                  "mid anteroseptal",
                                  "mid inferoseptal",
                                  "mid inferior",
                                  "mid inferolateral",
                                  "mid anterolateral",
                                  "apical anterior",
                                  "apical septal",
                                  "apical inferior",
                                  "apical lateral",
                                  "apex"};
    const auto* field = m.field("aha_segment");
    if (!field || field->on != mesh::Field::On::tetrahedra)
        return;
    std::map<int, std::vector<Vec3>> inner, any; // the apex has no endocardium of its own
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[k]);
        const int segment = static_cast<int>(std::lround(field->values[tet]));
        for (auto v : s.triangles[k]) {
            if (s.wall[k] == mesh::Wall::endo_lv)
                inner[segment].push_back(surface_point(m, s, v));
            if (s.wall[k] == mesh::Wall::epi)
                any[segment].push_back(surface_point(m, s, v));
        }
    }
    for (int segment = 1; segment <= 17; ++segment) {
        const auto& points = inner[segment].empty() ? any[segment] : inner[segment];
        if (points.empty())
            continue;
        const Vec3 centre = mean(points);
        out.push_back({"AHA " + std::to_string(segment) + ", " + names[segment - 1], "AHA segments",
                       most(points, [&](const Vec3& p) { return -norm(p - centre); })});
    }
}

} // namespace

Sphere ball_in_tissue(const mesh::TetMesh& m)
{
    constexpr double largest_mm = 15, of_diagonal = 0.15;
    Vec3 low{}, high{};
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 x = m.vertex(v);
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = v ? std::min(low[k], x[k]) : x[k];
            high[k] = v ? std::max(high[k], x[k]) : x[k];
        }
    }
    const Vec3 middle = 0.5 * (low + high);
    Vec3 best = middle;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (const Vec3 c = m.centroid(t); norm(c - middle) < nearest) {
            nearest = norm(c - middle);
            best = c;
        }
    for (double& x : best)
        x = std::round(10 * x) / 10;
    return {best, std::min(largest_mm, of_diagonal * norm(high - low))};
}

ElectrodePlace electrode_in_front(const mesh::TetMesh& m, const Vec3& point_mm, const Vec3& normal,
                                  double gap_mm)
{
    Vec3 centre{};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        centre = centre + (1.0 / static_cast<double>(m.vertex_count())) * m.vertex(v);
    const Vec3 from_centre = point_mm - centre;
    const Vec3 outward = norm(from_centre) > 1e-9 ? normalized(from_centre) : normal;
    // How far the heart reaches beyond the point: what is farther in that direction than every
    // vertex is outside of their hull.
    double beyond = 0, beyond_outward = 0;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 x = m.vertex(v) - point_mm;
        beyond = std::max(beyond, dot(normal, x));
        beyond_outward = std::max(beyond_outward, dot(outward, x));
    }
    if (beyond <= gap_mm / 2)
        return {point_mm + gap_mm * normal, false};
    if (beyond <= beyond_outward)
        return {point_mm + (beyond + gap_mm) * normal, false};
    return {point_mm + (beyond_outward + gap_mm) * outward, true};
}

std::vector<Site> suggested_sites(const mesh::TetMesh& m, const mesh::Surface& s)
{
    std::vector<Site> out;
    const auto lv = wall_points(m, s, mesh::Wall::endo_lv),
               rv = wall_points(m, s, mesh::Wall::endo_rv),
               epi = wall_points(m, s, mesh::Wall::epi), base = wall_points(m, s, mesh::Wall::base);
    if (!lv.empty() && !epi.empty()) {
        const Vec3 centre = mean(lv);
        const Vec3 top = base.empty() ? centre + (centre - mean(epi)) : mean(base);
        const auto far = [&](const Vec3& p) { return norm(p - top); };
        const Vec3 apex = most(lv, far), axis = normalized(apex - top);
        const double length = norm(apex - top);
        out.push_back({"LV apex", "Common", apex});
        if (!rv.empty()) {
            out.push_back({"RV apex", "Common", most(rv, far)});
            Vec3 side = centre - mean(rv); // from the right ventricle to the left wall
            side = normalized(side - dot(side, axis) * axis);
            const auto lateral = [&](const Vec3& p) { // far to the side, half way down
                const double depth = dot(p - top, axis) / length - 0.5;
                return dot(p - centre, side) - 2 * length * depth * depth;
            };
            const auto septal = [&](const Vec3& p) {
                const double depth = dot(p - top, axis) / length - 0.5;
                return -dot(p - centre, side) - 2 * length * depth * depth;
            };
            out.push_back({"LV lateral wall, endocardium", "Common", most(lv, lateral)});
            out.push_back({"LV lateral wall, epicardium", "Common", most(epi, lateral)});
            out.push_back({"Septum, left side", "Common", most(lv, septal)});
            out.push_back({"RV free wall, endocardium", "Common", most(rv, septal)});
        }
    }
    add_segments(m, s, out);
    return out;
}

} // namespace tawara::simulation
