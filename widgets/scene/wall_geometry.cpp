// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/wall_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tawara::scene {
namespace {

/// Triangles around each vertex: corners[first[v] .. first[v + 1]) are 3 * triangle + corner.
struct Fans
{
    std::vector<std::int32_t> first, corners;
};

Fans fans(const std::vector<std::array<std::int32_t, 3>>& triangles, std::size_t vertices)
{
    Fans f;
    f.first.assign(vertices + 1, 0);
    for (const auto& t : triangles)
        for (auto v : t)
            ++f.first[static_cast<std::size_t>(v) + 1];
    for (std::size_t v = 0; v < vertices; ++v)
        f.first[v + 1] += f.first[v];
    f.corners.resize(3 * triangles.size());
    auto at = f.first;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            f.corners[static_cast<std::size_t>(at[static_cast<std::size_t>(triangles[t][k])]++)] =
                static_cast<std::int32_t>(3 * t + k);
    return f;
}

/// Whether two triangles around a vertex share another vertex too.
bool share_edge(const std::array<std::int32_t, 3>& a, const std::array<std::int32_t, 3>& b)
{
    int common = 0;
    for (auto v : a)
        common += std::find(b.begin(), b.end(), v) != b.end() ? 1 : 0;
    return common >= 2;
}

/// Angle of a triangle's corner [rad].
double corner_angle(const std::array<Vec3, 3>& p, std::size_t k)
{
    const Vec3 a = normalized(p[(k + 1) % 3] - p[k]), b = normalized(p[(k + 2) % 3] - p[k]);
    return std::acos(std::clamp(dot(a, b), -1.0, 1.0));
}

/// Spreads 10 bits to every third one.
std::uint32_t spread(std::uint32_t x)
{
    x = (x | x << 16) & 0x030000ffU;
    x = (x | x << 8) & 0x0300f00fU;
    x = (x | x << 4) & 0x030c30c3U;
    return (x | x << 2) & 0x09249249U;
}

/// Orders triangles along a Z-curve, so that what is drawn together shares vertices in the cache.
void order(WallGeometry& g)
{
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        low[i % 3] = std::min(low[i % 3], static_cast<double>(g.points[i]));
        high[i % 3] = std::max(high[i % 3], static_cast<double>(g.points[i]));
    }
    std::vector<std::uint32_t> code(g.triangles.size());
    for (std::size_t t = 0; t < code.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            double middle = 0;
            for (auto v : g.triangles[t])
                middle += static_cast<double>(g.points[3 * static_cast<std::size_t>(v) + k]) / 3;
            const double u = (middle - low[k]) / std::max(1e-30, high[k] - low[k]);
            code[t] |= spread(static_cast<std::uint32_t>(std::clamp(u * 1023, 0.0, 1023.0))) << k;
        }
    std::iota(g.triangle_source.begin(), g.triangle_source.end(), 0);
    std::stable_sort(g.triangle_source.begin(), g.triangle_source.end(), [&](auto a, auto b) {
        return code[static_cast<std::size_t>(a)] < code[static_cast<std::size_t>(b)];
    });
    auto triangles = g.triangles;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        triangles[t] = g.triangles[static_cast<std::size_t>(g.triangle_source[t])];
    g.triangles = std::move(triangles);
}

} // namespace

WallGeometry wall_geometry(const mesh::TetMesh& m, const mesh::Surface& s, double crease_deg)
{
    const std::size_t n = s.vertices.size();
    auto place = [&](std::int32_t v) {
        return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
    };
    std::vector<Vec3> flat(s.triangles.size());
    std::vector<std::array<double, 3>> angle(s.triangles.size());
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const std::array<Vec3, 3> p{place(s.triangles[t][0]), place(s.triangles[t][1]),
                                    place(s.triangles[t][2])};
        flat[t] = normalized(cross(p[1] - p[0], p[2] - p[0]));
        for (std::size_t k = 0; k < 3; ++k)
            angle[t][k] = corner_angle(p, k);
    }

    WallGeometry g;
    g.triangles = s.triangles;
    g.source.resize(n);
    std::vector<Vec3> normal(n);
    const double limit = std::cos(crease_deg * std::numbers::pi / 180);
    const Fans fan = fans(s.triangles, n);
    std::vector<int> part;
    for (std::size_t v = 0; v < n; ++v) {
        g.source[v] = static_cast<std::int32_t>(v);
        const auto from = static_cast<std::size_t>(fan.first[v]);
        const auto count = static_cast<std::size_t>(fan.first[v + 1]) - from;
        // smooth parts of the fan: the connected pieces over edges that are not creases
        part.assign(count, -1);
        int parts = 0;
        for (std::size_t seed = 0; seed < count; ++seed) {
            if (part[seed] >= 0)
                continue;
            std::vector<std::size_t> todo{seed};
            part[seed] = parts;
            Vec3 sum{};
            while (!todo.empty()) {
                const auto i = todo.back();
                todo.pop_back();
                const auto c = static_cast<std::size_t>(fan.corners[from + i]);
                sum = sum + angle[c / 3][c % 3] * flat[c / 3];
                for (std::size_t j = 0; j < count; ++j) {
                    const auto d = static_cast<std::size_t>(fan.corners[from + j]);
                    if (part[j] < 0 && dot(flat[c / 3], flat[d / 3]) >= limit &&
                        share_edge(s.triangles[c / 3], s.triangles[d / 3])) {
                        part[j] = parts;
                        todo.push_back(j);
                    }
                }
            }
            if (parts == 0) {
                normal[v] = normalized(sum);
            } else {
                const auto copy = static_cast<std::int32_t>(g.source.size());
                g.source.push_back(static_cast<std::int32_t>(v));
                normal.push_back(normalized(sum));
                for (std::size_t j = 0; j < count; ++j)
                    if (part[j] == parts) {
                        const auto d = static_cast<std::size_t>(fan.corners[from + j]);
                        g.triangles[d / 3][d % 3] = copy;
                    }
            }
            ++parts;
        }
    }
    g.points.reserve(3 * g.source.size());
    g.normals.reserve(3 * g.source.size());
    for (std::size_t i = 0; i < g.source.size(); ++i) {
        const Vec3 p = place(g.source[i]);
        for (std::size_t k = 0; k < 3; ++k) {
            g.points.push_back(static_cast<float>(p[k]));
            g.normals.push_back(static_cast<float>(normal[i][k]));
        }
    }
    g.triangle_source.resize(g.triangles.size());
    order(g);
    return g;
}

} // namespace tawara::scene
