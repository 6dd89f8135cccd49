// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/outline.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace tawara::scene {
namespace {

// of the diagonal of the wall's box: half a band's width, and how far it lies off the wall
constexpr double dark_half = 0.0042, light_half = 0.0018, dark_lift = 0.0022, light_lift = 0.003;
constexpr double zone_part = 0.45; // of that width, around a zone

using Edge = std::array<std::int32_t, 2>; // the lesser vertex first

struct Border
{
    Edge edge;
    bool zone; ///< the marked triangle is of the zone
};

/// Edges that belong to one triangle of the core and one other, or to one of the zone and one that
/// is not marked.
std::vector<Border> border(const mesh::Surface& s, std::span<const std::uint8_t> marked)
{
    struct Side
    {
        Edge edge;
        std::uint8_t mark;
        bool operator<(const Side& o) const
        {
            return std::tie(edge, mark) < std::tie(o.edge, o.mark);
        }
    };
    std::vector<Side> sides;
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[t]);
        if (tet >= marked.size() || marked[tet] == unmarked)
            continue;
        const auto& v = s.triangles[t];
        for (std::size_t k = 0; k < 3; ++k)
            sides.push_back(
                {{std::min(v[k], v[(k + 1) % 3]), std::max(v[k], v[(k + 1) % 3])}, marked[tet]});
    }
    std::sort(sides.begin(), sides.end());
    std::vector<Border> out;
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i + 1;
        while (end < sides.size() && sides[end].edge == sides[i].edge)
            ++end;
        const bool core = sides[i].mark == marked_core,
                   both = core && end - i > 1 && sides[end - 1].mark != marked_core;
        if (end - i == 1 || both)
            out.push_back({sides[i].edge, !core});
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
    for (const auto& [e, zone] : edges) {
        const double wide = zone ? zone_part * size : size;
        const Vec3 a = place(e[0]), b = place(e[1]);
        const Vec3 n =
            normal[static_cast<std::size_t>(e[0])] + normal[static_cast<std::size_t>(e[1])];
        if (!(norm(n) > 0) || !(norm(cross(n, b - a)) > 0))
            continue;
        append_band(out.dark, a, b, normalized(n), dark_half * wide, dark_lift * size);
        append_band(out.light, a, b, normalized(n), light_half * wide, light_lift * size);
    }
    return out;
}

} // namespace tawara::scene
