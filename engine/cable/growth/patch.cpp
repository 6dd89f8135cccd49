// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/growth/patch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

namespace tawara::cable {
namespace {

using Triangle = std::array<std::int32_t, 3>;

std::size_t at_index(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// Neighbours across edges; an edge of one triangle, or of more than two, is rim.
std::vector<Triangle> neighbours_of(const std::vector<Triangle>& triangles)
{
    struct Side
    {
        std::int32_t a, b, triangle;
        int corner;
    };
    std::vector<Side> sides;
    sides.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = triangles[t][(k + 1) % 3], b = triangles[t][(k + 2) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t),
                             static_cast<int>(k)});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
        return std::tie(x.a, x.b, x.triangle) < std::tie(y.a, y.b, y.triangle);
    });
    std::vector<Triangle> across(triangles.size(), Triangle{-1, -1, -1});
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t j = i;
        while (j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b)
            ++j;
        if (j - i == 2) {
            const auto &x = sides[i], &y = sides[i + 1];
            across[at_index(x.triangle)][static_cast<std::size_t>(x.corner)] = y.triangle;
            across[at_index(y.triangle)][static_cast<std::size_t>(y.corner)] = x.triangle;
        }
        i = j;
    }
    return across;
}

/// Of each triangle whether it is in the largest piece.
std::vector<char> largest_piece(const std::vector<Triangle>& across)
{
    std::vector<std::int32_t> piece(across.size(), -1);
    std::vector<std::size_t> sizes;
    std::vector<std::int32_t> open;
    for (std::size_t seed = 0; seed < across.size(); ++seed) {
        if (piece[seed] >= 0)
            continue;
        const auto number = static_cast<std::int32_t>(sizes.size());
        sizes.push_back(0);
        open.assign(1, static_cast<std::int32_t>(seed));
        piece[seed] = number;
        while (!open.empty()) {
            const auto t = open.back();
            open.pop_back();
            ++sizes.back();
            for (const auto n : across[at_index(t)])
                if (n >= 0 && piece[at_index(n)] < 0) {
                    piece[at_index(n)] = number;
                    open.push_back(n);
                }
        }
    }
    const auto best = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    std::vector<char> in(across.size());
    for (std::size_t t = 0; t < in.size(); ++t)
        in[t] = piece[t] == best;
    return in;
}

/// Shortest ways along edges from the rim (Dijkstra).
std::vector<double> rim_distances(const Patch& p)
{
    std::vector<double> d(p.point.size(), std::numeric_limits<double>::infinity());
    std::vector<std::vector<std::int32_t>> around(p.point.size());
    using Item = std::pair<double, std::int32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    for (std::size_t t = 0; t < p.triangle.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = p.triangle[t][(k + 1) % 3], b = p.triangle[t][(k + 2) % 3];
            around[at_index(a)].push_back(b);
            around[at_index(b)].push_back(a);
            if (p.across[t][k] < 0)
                for (const auto v : {a, b})
                    if (d[at_index(v)] > 0) {
                        d[at_index(v)] = 0;
                        open.emplace(0, v);
                    }
        }
    while (!open.empty()) {
        const auto [far, v] = open.top();
        open.pop();
        if (far > d[at_index(v)])
            continue;
        for (const auto w : around[at_index(v)]) {
            const double to = far + norm(p.point[at_index(w)] - p.point[at_index(v)]);
            if (to < d[at_index(w)]) {
                d[at_index(w)] = to;
                open.emplace(to, w);
            }
        }
    }
    return d;
}

/// Barycentric weights of a point in the triangle's plane.
Vec3 weights_in(const Patch& patch, std::int32_t t, const Vec3& p)
{
    const Vec3 a = patch.corner(t, 0), b = patch.corner(t, 1), c = patch.corner(t, 2);
    const Vec3 n = cross(b - a, c - a);
    const double nn = dot(n, n);
    Vec3 w{dot(cross(c - b, p - b), n) / nn, dot(cross(a - c, p - c), n) / nn, 0};
    w[2] = 1 - w[0] - w[1];
    return w;
}

/// The point of a triangle nearest to p (Ericson 2005, 5.1.5).
Vec3 nearest_in(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p)
{
    const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp),
                 d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0)
        return a;
    if (d3 >= 0 && d4 <= d3)
        return b;
    if (d6 >= 0 && d5 <= d6)
        return c;
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return a + (d1 / (d1 - d3)) * ab;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return a + (d2 / (d2 - d6)) * ac;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + ((d4 - d3) / (d4 - d3 + d5 - d6)) * (c - b);
    const double all = va + vb + vc;
    return a + (vb / all) * ab + (vc / all) * ac;
}

} // namespace

Vec3 Patch::normal(std::int32_t t) const
{
    return normalized(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)));
}

double Patch::area_mm2(std::int32_t t) const
{
    return 0.5 * norm(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)));
}

Vec3 Patch::centroid() const
{
    Vec3 sum{};
    double all = 0;
    for (std::size_t k = 0; k < triangle.size(); ++k) {
        const auto t = static_cast<std::int32_t>(k);
        const double area = area_mm2(t);
        sum = sum + (area / 3) * (corner(t, 0) + corner(t, 1) + corner(t, 2));
        all += area;
    }
    return (1 / all) * sum;
}

Patch patch_of(const mesh::TetMesh& m, const mesh::Surface& s, mesh::Wall wall)
{
    std::vector<Triangle> of_wall;
    for (std::size_t t = 0; t < s.triangles.size(); ++t)
        if (s.wall[t] == wall)
            of_wall.push_back(s.triangles[t]);
    Patch out;
    if (of_wall.empty())
        return out;
    const auto in = largest_piece(neighbours_of(of_wall));
    std::vector<std::int32_t> number(s.vertices.size(), -1);
    for (std::size_t t = 0; t < of_wall.size(); ++t) {
        if (!in[t])
            continue;
        for (auto& v : of_wall[t]) {
            auto& to = number[at_index(v)];
            if (to < 0) {
                to = static_cast<std::int32_t>(out.point.size());
                out.point.push_back(m.vertex(at_index(s.vertices[at_index(v)])));
            }
            v = to;
        }
        out.triangle.push_back(of_wall[t]);
    }
    out.across = neighbours_of(out.triangle);
    out.to_rim_mm = rim_distances(out);
    return out;
}

OnPatch nearest_on(const Patch& patch, const Vec3& p)
{
    OnPatch best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < patch.triangle.size(); ++k) {
        const auto t = static_cast<std::int32_t>(k);
        const Vec3 q = nearest_in(patch.corner(t, 0), patch.corner(t, 1), patch.corner(t, 2), p);
        if (const double d = dot(q - p, q - p); d < least) {
            least = d;
            best = {t, q};
        }
    }
    return best;
}

double rim_distance_mm(const Patch& patch, const OnPatch& at)
{
    const Vec3 w = weights_in(patch, at.triangle, at.at_mm);
    double out = 0;
    for (std::size_t k = 0; k < 3; ++k)
        out += w[k] * patch.to_rim_mm[at_index(patch.triangle[at_index(at.triangle)][k])];
    return out;
}

Vec3 along_surface(const Patch& patch, const OnPatch& at, const Vec3& v)
{
    const Vec3 n = patch.normal(at.triangle);
    const Vec3 flat = v - dot(v, n) * n;
    return norm(flat) > 1e-9 * norm(v) ? normalized(flat) : Vec3{};
}

bool walk(const Patch& patch, OnPatch& at, Vec3& direction, double length_mm)
{
    constexpr int most_triangles = 100'000;
    std::int32_t from = -1; // the triangle that was left
    for (int k = 0; k < most_triangles; ++k) {
        const auto t = at.triangle;
        const Vec3 w = weights_in(patch, t, at.at_mm);
        const Vec3 rate = weights_in(patch, t, at.at_mm + direction) - w; // per mm
        double way = length_mm;
        int leaves = -1; // by the edge without this corner
        for (std::size_t c = 0; c < 3; ++c) {
            if (!(rate[c] < 0) || (from >= 0 && patch.across[at_index(t)][c] == from))
                continue;
            const double to_edge = std::max(0.0, w[c]) / -rate[c];
            if (to_edge < way) {
                way = to_edge;
                leaves = static_cast<int>(c);
            }
        }
        at.at_mm = at.at_mm + way * direction;
        length_mm -= way;
        if (leaves < 0)
            return true;
        const auto corner = static_cast<std::size_t>(leaves);
        const auto next = patch.across[at_index(t)][corner];
        if (next < 0)
            return false;
        const Vec3 edge =
            normalized(patch.corner(t, (corner + 2) % 3) - patch.corner(t, (corner + 1) % 3));
        // into the next triangle, in its plane and at right angles to the edge
        const Vec3 inward = cross(edge, patch.normal(next));
        const double along = dot(direction, edge);
        const double over = std::sqrt(std::max(0.0, 1 - along * along));
        const Vec3 centre =
            (1.0 / 3) * (patch.corner(next, 0) + patch.corner(next, 1) + patch.corner(next, 2));
        const double side = dot(inward, centre - at.at_mm) < 0 ? -1 : 1;
        direction = normalized(along * edge + side * over * inward);
        at.triangle = next;
        from = t;
        if (dot(direction, direction) == 0) // a triangle without area
            return false;
    }
    return false;
}

OnPatch ray_hit(const Patch& patch, const OnPatch& from, const Vec3& direction)
{
    OnPatch best;
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < patch.triangle.size(); ++k) {
        const auto t = static_cast<std::int32_t>(k);
        if (t == from.triangle)
            continue;
        const Vec3 a = patch.corner(t, 0), ab = patch.corner(t, 1) - a, ac = patch.corner(t, 2) - a;
        const Vec3 p = cross(direction, ac); // Moeller and Trumbore 1997
        const double det = dot(ab, p);
        if (!(std::abs(det) > 0))
            continue;
        const Vec3 s = from.at_mm - a, q = cross(s, ab);
        const double u = dot(s, p) / det, v = dot(direction, q) / det, far = dot(ac, q) / det;
        constexpr double own_mm = 1e-6;
        if (u >= 0 && v >= 0 && u + v <= 1 && far > own_mm && far < first) {
            first = far;
            best = {t, from.at_mm + far * direction};
        }
    }
    return best;
}

} // namespace tawara::cable
