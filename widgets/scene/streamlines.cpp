// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/streamlines.hpp"

#include "engine/mesh/locator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace tawara::scene {
namespace {

constexpr double step_mm = 0.8;
constexpr double outside_mm = 1e-6;

void put(Lines& l, const Vec3& p, double value)
{
    for (double x : p)
        l.points.push_back(static_cast<float>(x));
    l.values.push_back(static_cast<float>(value));
}

double angle_deg(const Vec3& d)
{
    return std::asin(std::clamp(std::abs(d[2]), 0.0, 1.0)) * 180 / std::numbers::pi *
           (d[2] * d[0] < 0 ? -1 : 1);
}

/// Points of a line from p along the fibres, p itself left out.
std::vector<std::pair<Vec3, double>> follow(const mesh::TetMesh& m, const mesh::Locator& locator,
                                            Vec3 p, Vec3 direction, double length_mm)
{
    std::vector<std::pair<Vec3, double>> out;
    for (double gone = 0; gone < length_mm; gone += step_mm) {
        p = p + step_mm * direction;
        const auto place = locator.find(p);
        if (place.tetrahedron < 0 || place.distance_mm > outside_mm)
            break;
        const Vec3 f = m.fibre[static_cast<std::size_t>(place.tetrahedron)];
        direction = dot(f, direction) < 0 ? -1.0 * f : f;
        out.emplace_back(p, angle_deg(f));
    }
    return out;
}

} // namespace

Lines fibre_lines(const mesh::TetMesh& m, const mesh::Surface& s, std::size_t count,
                  double length_mm)
{
    Lines l;
    l.starts.push_back(0);
    if (m.fibre.empty() || s.tetrahedron.empty())
        return l;
    const mesh::Locator locator(m);
    std::vector<std::int32_t> seeds;
    for (std::size_t t = 0; t < s.tetrahedron.size(); ++t)
        if (s.wall[t] != mesh::Wall::base)
            seeds.push_back(s.tetrahedron[t]);
    const double stride = std::max(1.0, static_cast<double>(seeds.size()) /
                                            static_cast<double>(std::max<std::size_t>(1, count)));
    for (double k = 0; k < static_cast<double>(seeds.size()); k += stride) {
        const auto t = static_cast<std::size_t>(seeds[static_cast<std::size_t>(k)]);
        const Vec3 p = m.centroid(t), f = m.fibre[t];
        const auto back = follow(m, locator, p, -1.0 * f, length_mm / 2);
        const auto on = follow(m, locator, p, f, length_mm / 2);
        for (auto i = back.rbegin(); i != back.rend(); ++i)
            put(l, i->first, i->second);
        put(l, p, angle_deg(f));
        for (const auto& [q, v] : on)
            put(l, q, v);
        l.starts.push_back(static_cast<std::int32_t>(l.values.size()));
    }
    return l;
}

Lines arrows(const mesh::TetMesh& m, const mesh::Surface& s, std::span<const Vec3> vectors,
             double spacing_mm, double scale)
{
    Lines l;
    l.starts.push_back(0);
    if (vectors.size() != s.vertices.size())
        return l;
    std::vector<Vec3> normal(s.vertices.size());
    for (const auto& t : s.triangles) {
        const auto at = [&](std::size_t k) {
            return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(t[k])]));
        };
        const Vec3 n = cross(at(1) - at(0), at(2) - at(0));
        for (auto v : t)
            normal[static_cast<std::size_t>(v)] = normal[static_cast<std::size_t>(v)] + n;
    }
    std::set<std::array<int, 3>> taken;
    for (std::size_t v = 0; v < s.vertices.size(); ++v) {
        const Vec3 d = vectors[v];
        const double speed = norm(d);
        if (!std::isfinite(speed) || speed < 1e-6)
            continue;
        const Vec3 p = m.vertex(static_cast<std::size_t>(s.vertices[v]));
        if (!taken
                 .insert({static_cast<int>(std::floor(p[0] / spacing_mm)),
                          static_cast<int>(std::floor(p[1] / spacing_mm)),
                          static_cast<int>(std::floor(p[2] / spacing_mm))})
                 .second)
            continue;
        const Vec3 up = normalized(normal[v]), along = (1 / speed) * d;
        const Vec3 side = cross(up, along);
        const double length = std::clamp(speed * scale, 0.3 * spacing_mm, 1.2 * spacing_mm);
        const Vec3 base = p + 0.6 * up, tip = base + length * along;
        const Vec3 barb = tip - 0.35 * length * along;
        const auto stroke = [&](const Vec3& a, const Vec3& b) {
            put(l, a, speed);
            put(l, b, speed);
            l.starts.push_back(static_cast<std::int32_t>(l.values.size()));
        };
        stroke(base, tip);
        stroke(tip, barb + 0.2 * length * side);
        stroke(tip, barb - 0.2 * length * side);
    }
    return l;
}

} // namespace tawara::scene
