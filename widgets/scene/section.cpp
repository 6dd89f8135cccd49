// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace tawara::scene {
namespace {

/// Marching tetrahedra: `side(v)` is the signed distance of a vertex from the surface.
template <class Side>
Section march(const mesh::TetMesh& m, Side side)
{
    Section s;
    std::unordered_map<std::uint64_t, std::int32_t> known; // edge -> point
    const auto point = [&](std::int32_t a, std::int32_t b) {
        if (a > b)
            std::swap(a, b);
        const auto key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
        const auto [it, fresh] = known.try_emplace(key, static_cast<std::int32_t>(s.at.size()));
        if (fresh) {
            const double u = side(static_cast<std::size_t>(a)),
                         v = side(static_cast<std::size_t>(b));
            const double t = std::clamp(u / (u - v), 0.0, 1.0);
            s.from.push_back(a);
            s.to.push_back(b);
            s.at.push_back(static_cast<float>(t));
            const Vec3 p = (1 - t) * m.vertex(static_cast<std::size_t>(a)) +
                           t * m.vertex(static_cast<std::size_t>(b));
            for (double x : p)
                s.points.push_back(static_cast<float>(x));
        }
        return it->second;
    };
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        std::array<std::int32_t, 4> above{}, below{};
        std::size_t na = 0, nb = 0;
        for (auto v : c)
            (side(static_cast<std::size_t>(v)) > 0 ? above[na++] : below[nb++]) = v;
        if (na == 0 || nb == 0)
            continue;
        const std::size_t fresh = s.triangles.size();
        if (na == 2) {
            const auto p = point(above[0], below[0]), q = point(above[0], below[1]),
                       r = point(above[1], below[1]), w = point(above[1], below[0]);
            s.triangles.push_back({p, q, r});
            s.triangles.push_back({p, r, w});
        } else {
            const auto one = na == 1 ? above[0] : below[0];
            const auto& rest = na == 1 ? below : above;
            s.triangles.push_back({point(one, rest[0]), point(one, rest[1]), point(one, rest[2])});
        }
        s.tetrahedron.resize(s.triangles.size(), static_cast<std::int64_t>(t));
        // all look to the side above
        const Vec3 up = m.vertex(static_cast<std::size_t>(above[0])) -
                        m.vertex(static_cast<std::size_t>(below[0]));
        for (std::size_t k = fresh; k < s.triangles.size(); ++k) {
            auto& tri = s.triangles[k];
            const auto place = [&](std::int32_t v) {
                const auto i = 3 * static_cast<std::size_t>(v);
                return Vec3{s.points[i], s.points[i + 1], s.points[i + 2]};
            };
            const Vec3 a = place(tri[0]);
            if (dot(cross(place(tri[1]) - a, place(tri[2]) - a), up) < 0)
                std::swap(tri[1], tri[2]);
        }
    }
    return s;
}

} // namespace

void Section::carry(std::span<const float> field, std::vector<float>& out, bool cyclic) const
{
    constexpr float turn = 2 * std::numbers::pi_v<float>;
    out.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        const float a = field[static_cast<std::size_t>(from[i])],
                    b = field[static_cast<std::size_t>(to[i])];
        out[i] = cyclic ? std::remainder(a + at[i] * std::remainder(b - a, turn), turn)
                        : (1 - at[i]) * a + at[i] * b;
    }
}

Section plane_section(const mesh::TetMesh& m, const Plane& plane)
{
    return march(m,
                 [&](std::size_t v) { return dot(m.vertex(v), plane.normal) - plane.offset_mm; });
}

Section isosurface(const mesh::TetMesh& m, std::span<const float> field, float level)
{
    if (field.size() != m.vertex_count())
        return {};
    return march(m, [&](std::size_t v) { return static_cast<double>(field[v] - level); });
}

} // namespace tawara::scene
