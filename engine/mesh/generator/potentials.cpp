// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/generator/laplace.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tawara::mesh::generator {
namespace {

/// Which walls each mesh vertex lies on, as bits 1 << Wall.
std::vector<char> walls_of_vertices(const TetMesh& m, const Surface& s)
{
    std::vector<char> bits(m.vertex_count(), 0);
    for (std::size_t i = 0; i < s.triangles.size(); ++i)
        for (auto v : s.triangles[i])
            bits[static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)])] |=
                static_cast<char>(1 << static_cast<int>(s.wall[i]));
    return bits;
}

constexpr int bit(Wall w)
{
    return 1 << static_cast<int>(w);
}

/// Vertices of the base, and which way is up: the mean normal of the base's triangles, or, for a
/// rim, from the epicardium's mean place to the rim's.
struct Base
{
    std::vector<std::size_t> vertices;
    Vec3 centre{}, up{};
};

Base find_base(const TetMesh& m, const Surface& s, const std::vector<char>& walls)
{
    Base base;
    constexpr int endo = bit(Wall::endo_lv) | bit(Wall::endo_rv);
    Vec3 epi{};
    double epi_count = 0;
    bool flat = false;
    for (auto w : s.wall)
        flat = flat || w == Wall::base;
    for (std::size_t v = 0; v < walls.size(); ++v) {
        if (walls[v] & bit(Wall::epi))
            epi = epi + m.vertex(v), epi_count += 1;
        if (flat ? (walls[v] & bit(Wall::base)) != 0
                 : (walls[v] & bit(Wall::epi)) && (walls[v] & endo))
            base.vertices.push_back(v);
    }
    if (base.vertices.empty())
        throw MeshError("mesh", "no base was found: fibres by rule need an open heart, with a "
                                "surface or rim at which epicardium and endocardium end");
    for (auto v : base.vertices)
        base.centre = base.centre + m.vertex(v);
    base.centre = (1 / static_cast<double>(base.vertices.size())) * base.centre;
    if (flat)
        for (std::size_t i = 0; i < s.triangles.size(); ++i)
            if (s.wall[i] == Wall::base) {
                const auto& t = s.triangles[i];
                const auto at = [&](std::size_t k) {
                    return m.vertex(
                        static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(t[k])]));
                };
                base.up = base.up + cross(at(1) - at(0), at(2) - at(0));
            }
    const Vec3 rise = base.centre - (1 / epi_count) * epi;
    if (norm(base.up) == 0 || dot(normalized(base.up), normalized(rise)) < 0.3)
        base.up = rise;
    base.up = normalized(base.up);
    return base;
}

/// The solver's fixed vertices and values for the apex-base potential.
std::vector<double> solve_apex_base(const TetMesh& m, const Surface& s,
                                    const std::vector<char>& walls, const Progress& progress)
{
    const Base base = find_base(m, s, walls);
    const auto depth = [&](std::size_t v) { return -dot(m.vertex(v) - base.centre, base.up); };
    std::size_t apex = 0;
    double deepest = -INFINITY;
    for (std::size_t v = 0; v < walls.size(); ++v)
        if ((walls[v] & bit(Wall::epi)) && depth(v) > deepest)
            apex = v, deepest = depth(v);
    std::vector<char> fixed(m.vertex_count(), 0);
    std::vector<double> value(m.vertex_count(), 0);
    for (std::size_t v = 0; v < walls.size(); ++v)
        if ((walls[v] & bit(Wall::epi)) && norm(m.vertex(v) - m.vertex(apex)) < 0.06 * deepest)
            fixed[v] = 1;
    fixed[apex] = 1;
    for (auto v : base.vertices)
        fixed[v] = 1, value[v] = 1;
    return LaplaceSolver(m, std::move(fixed)).solve(value, progress, "apex to base");
}

} // namespace

WallPotentials wall_potentials(const TetMesh& m, const Surface& s, const Progress& progress)
{
    const auto walls = walls_of_vertices(m, s);
    const auto seen =
        std::accumulate(walls.begin(), walls.end(), 0, [](int a, char b) { return a | b; });
    if (!(seen & bit(Wall::epi)) || !(seen & bit(Wall::endo_lv)))
        throw MeshError("mesh",
                        "the boundary could not be split into epicardium and left endocardium, "
                        "which fibres by rule need");
    WallPotentials w;
    w.ab = solve_apex_base(m, s, walls, progress);

    std::vector<char> fixed(m.vertex_count(), 0);
    std::vector<double> epi(m.vertex_count(), 0), lv = epi;
    for (std::size_t v = 0; v < walls.size(); ++v) {
        // On a rim shared by two walls the endocardium wins, as it has the smaller area.
        if (walls[v] & (bit(Wall::endo_lv) | bit(Wall::endo_rv)))
            fixed[v] = 1, lv[v] = walls[v] & bit(Wall::endo_lv) ? 1 : 0;
        else if (walls[v] & bit(Wall::epi))
            fixed[v] = 1, epi[v] = 1;
    }
    const LaplaceSolver solver(m, std::move(fixed));
    w.epi = solver.solve(epi, progress, "endocardium to epicardium");
    w.rv.assign(m.vertex_count(), 0);
    if (seen & bit(Wall::endo_rv))
        w.lv = solver.solve(lv, progress, "left to right");
    else
        w.lv.assign(m.vertex_count(), 1);
    for (std::size_t v = 0; v < w.rv.size(); ++v) {
        if (seen & bit(Wall::endo_rv))
            w.rv[v] = std::max(0.0, 1 - w.epi[v] - w.lv[v]);
        else
            w.lv[v] = 1 - w.epi[v];
    }
    return w;
}

std::vector<double> transmural(const WallPotentials& w)
{
    std::vector<double> t(w.epi.size());
    for (std::size_t v = 0; v < t.size(); ++v)
        t[v] = std::clamp(w.epi[v] + std::min(w.lv[v], w.rv[v]), 0.0, 1.0);
    return t;
}

std::vector<double> apex_base(const TetMesh& m, const WallPotentials& w)
{
    const std::size_t n = w.ab.size();
    // Up: the mean gradient of the potential.
    Vec3 up{};
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        const auto g = shape_gradients(m, t);
        for (std::size_t k = 0; k < 4; ++k)
            up = up + m.volume(t) * w.ab[static_cast<std::size_t>(c[k])] * g[k];
    }
    up = normalized(up);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return w.ab[a] < w.ab[b]; });
    // Mean height of each of 64 equally filled bins of the potential, made increasing.
    struct Knot
    {
        double potential, height;
    };
    std::vector<Knot> knots{{0, INFINITY}};
    double top = -INFINITY;
    for (std::size_t v = 0; v < n; ++v) {
        const double h = dot(m.vertex(v), up);
        knots[0].height = std::min(knots[0].height, h);
        top = std::max(top, h);
    }
    const std::size_t bins = std::clamp<std::size_t>(n / 16, 1, 64);
    for (std::size_t b = 0; b < bins; ++b) {
        Knot k{0, 0};
        const std::size_t first = b * n / bins, last = (b + 1) * n / bins;
        double count = 0;
        for (std::size_t i = first; i < last; ++i)
            if (w.ab[order[i]] > 0 && w.ab[order[i]] < 1) {
                k.potential += w.ab[order[i]];
                k.height += dot(m.vertex(order[i]), up);
                count += 1;
            }
        if (count == 0)
            continue;
        k = {k.potential / count, k.height / count};
        if (k.potential > knots.back().potential + 1e-9 && k.height > knots.back().height)
            knots.push_back(k);
    }
    const double bottom = knots[0].height;
    knots.push_back({1, std::max(top, knots.back().height)});
    std::vector<double> out(n);
    for (std::size_t v = 0; v < n; ++v) {
        const auto next = std::upper_bound(knots.begin() + 1, knots.end() - 1, w.ab[v],
                                           [](double u, const Knot& k) { return u < k.potential; });
        const auto& a = *(next - 1);
        const double f = (w.ab[v] - a.potential) / std::max(next->potential - a.potential, 1e-12);
        out[v] = std::clamp((a.height + f * (next->height - a.height) - bottom) /
                                (knots.back().height - bottom),
                            0.0, 1.0);
    }
    return out;
}

std::vector<std::int32_t> ventricles(const TetMesh& m, const WallPotentials& w)
{
    std::vector<std::int32_t> out(m.tetrahedron_count());
    for (std::size_t t = 0; t < out.size(); ++t) {
        double epi = 0, lv = 0, rv = 0;
        for (auto c : m.corners(t)) {
            const auto v = static_cast<std::size_t>(c);
            epi += w.epi[v], lv += w.lv[v], rv += w.rv[v];
        }
        out[t] = rv <= lv && rv <= epi ? 1 : lv <= epi ? 2 : 3;
    }
    return out;
}

} // namespace tawara::mesh::generator
