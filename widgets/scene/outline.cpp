// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/outline.hpp"

#include <algorithm>
#include <array>

namespace tawara::scene {
namespace {

// of the diagonal of the wall's box: half a band's width, and how far it lies off the wall
constexpr double dark_half = 0.0042, light_half = 0.0018, dark_lift = 0.0022, light_lift = 0.003;

using Edge = std::array<std::int32_t, 2>; // the lesser vertex first

/// Edges that belong to one marked triangle and one other.
std::vector<Edge> border(const mesh::Surface& s, std::span<const std::uint8_t> marked)
{
    std::vector<Edge> edges, out;
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[t]);
        if (tet >= marked.size() || marked[tet] == 0)
            continue;
        const auto& v = s.triangles[t];
        for (std::size_t k = 0; k < 3; ++k)
            edges.push_back({std::min(v[k], v[(k + 1) % 3]), std::max(v[k], v[(k + 1) % 3])});
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i + 1;
        while (end < edges.size() && edges[end] == edges[i])
            ++end;
        if (end - i == 1)
            out.push_back(edges[i]);
        i = end;
    }
    return out;
}

/// A band from a to b, longer at both ends by its half width, so that pieces meet.
void append_band(std::vector<float>& out, const Vec3& a, const Vec3& b, const Vec3& n, double half,
                 double lift)
{
    const Vec3 along = half * normalized(b - a), aside = half * normalized(cross(n, b - a)),
               up = lift * n;
    for (const Vec3& p : {a - along - aside + up, b + along - aside + up, b + along + aside + up,
                          a - along + aside + up})
        for (double x : p)
            out.push_back(static_cast<float>(x));
}

} // namespace

Outline outline(const mesh::TetMesh& m, const mesh::Surface& s,
                std::span<const std::uint8_t> marked)
{
    Outline out;
    const auto edges = border(s, marked);
    if (edges.empty())
        return out;
    const auto place = [&](std::int32_t v) {
        return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
    };
    std::vector<Vec3> normal(s.vertices.size());
    Vec3 low = place(0), high = low;
    for (const auto& t : s.triangles) {
        const Vec3 n = cross(place(t[1]) - place(t[0]), place(t[2]) - place(t[0]));
        for (auto v : t) {
            normal[static_cast<std::size_t>(v)] = normal[static_cast<std::size_t>(v)] + n;
            const Vec3 p = place(v);
            for (std::size_t k = 0; k < 3; ++k)
                low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
        }
    }
    const double size = norm(high - low);
    for (const Edge& e : edges) {
        const Vec3 a = place(e[0]), b = place(e[1]);
        const Vec3 n =
            normal[static_cast<std::size_t>(e[0])] + normal[static_cast<std::size_t>(e[1])];
        if (!(norm(n) > 0) || !(norm(cross(n, b - a)) > 0))
            continue;
        append_band(out.dark, a, b, normalized(n), dark_half * size, dark_lift * size);
        append_band(out.light, a, b, normalized(n), light_half * size, light_lift * size);
    }
    return out;
}

} // namespace tawara::scene
