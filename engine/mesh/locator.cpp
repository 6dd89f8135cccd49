// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::mesh {
namespace {

constexpr double unlimited = std::numeric_limits<double>::max();

/// Barycentric coordinates of p in tetrahedron t; they sum to 1.
std::array<double, 4> barycentric(const TetMesh& m, std::size_t t, const Vec3& p)
{
    const auto c = m.corners(t);
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k)
        x[k] = m.vertex(static_cast<std::size_t>(c[k]));
    const double volume = dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]);
    std::array<double, 4> w{};
    w[0] = dot(cross(x[3] - x[1], x[2] - x[1]), p - x[1]) / volume;
    w[1] = dot(cross(x[2] - x[0], x[3] - x[0]), p - x[0]) / volume;
    w[2] = dot(cross(x[3] - x[0], x[1] - x[0]), p - x[0]) / volume;
    w[3] = 1 - w[0] - w[1] - w[2];
    return w;
}

/// Nearest point of segment ab to p, as weights of a and b.
double on_segment(const Vec3& a, const Vec3& b, const Vec3& p)
{
    const Vec3 e = b - a;
    const double l = dot(e, e);
    return l > 0 ? std::clamp(dot(p - a, e) / l, 0.0, 1.0) : 0.0;
}

/// Nearest point of the tetrahedron's surface to p, as barycentric weights, and its distance.
double nearest_on(const TetMesh& m, std::size_t t, const Vec3& p, std::array<double, 4>& w)
{
    static constexpr int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const auto c = m.corners(t);
    double best = std::numeric_limits<double>::max();
    for (const auto& f : faces) {
        std::array<Vec3, 3> x;
        for (std::size_t k = 0; k < 3; ++k)
            x[k] = m.vertex(static_cast<std::size_t>(c[static_cast<std::size_t>(f[k])]));
        const Vec3 n = cross(x[1] - x[0], x[2] - x[0]);
        const double nn = dot(n, n);
        std::array<double, 3> b{dot(cross(x[2] - x[1], p - x[1]), n) / nn,
                                dot(cross(x[0] - x[2], p - x[2]), n) / nn, 0};
        b[2] = 1 - b[0] - b[1];
        if (!(b[0] >= 0 && b[1] >= 0 && b[2] >= 0)) {
            double least = std::numeric_limits<double>::max();
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t l = (k + 1) % 3;
                const double s = on_segment(x[k], x[l], p);
                const double d = norm((1 - s) * x[k] + s * x[l] - p);
                if (d < least) {
                    least = d;
                    b = {0, 0, 0};
                    b[k] = 1 - s;
                    b[l] = s;
                }
            }
        }
        const double d = norm(b[0] * x[0] + b[1] * x[1] + b[2] * x[2] - p);
        if (d < best) {
            best = d;
            w = {0, 0, 0, 0};
            for (std::size_t k = 0; k < 3; ++k)
                w[static_cast<std::size_t>(f[k])] = b[k];
        }
    }
    return best;
}

} // namespace

struct Locator::Impl
{
    explicit Impl(const TetMesh& m) : mesh(m) {}
    const TetMesh& mesh;
    Vec3 low{}, high{};
    double cell = 1;
    std::array<int, 3> n{1, 1, 1};
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> tets;

    std::size_t index(int i, int j, int k) const
    {
        return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) +
                static_cast<std::size_t>(j)) *
                   static_cast<std::size_t>(n[0]) +
               static_cast<std::size_t>(i);
    }
    int clamp_cell(double x, std::size_t axis) const
    {
        return std::clamp(static_cast<int>(std::floor((x - low[axis]) / cell)), 0, n[axis] - 1);
    }
    template <class F>
    void each_cell_of(std::size_t t, F f) const
    {
        Vec3 a = mesh.vertex(static_cast<std::size_t>(mesh.corner[0][t])), b = a;
        for (std::size_t c = 1; c < 4; ++c) {
            const Vec3 x = mesh.vertex(static_cast<std::size_t>(mesh.corner[c][t]));
            for (std::size_t k = 0; k < 3; ++k) {
                a[k] = std::min(a[k], x[k]);
                b[k] = std::max(b[k], x[k]);
            }
        }
        for (int k = clamp_cell(a[2], 2); k <= clamp_cell(b[2], 2); ++k)
            for (int j = clamp_cell(a[1], 1); j <= clamp_cell(b[1], 1); ++j)
                for (int i = clamp_cell(a[0], 0); i <= clamp_cell(b[0], 0); ++i)
                    f(index(i, j, k));
    }
    double nearest_vertex_distance(const Vec3& p) const
    {
        double least = std::numeric_limits<double>::max();
        for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
            const Vec3 d = mesh.vertex(v) - p;
            least = std::min(least, dot(d, d));
        }
        return (1 + 1e-9) * std::sqrt(least); // rounded upwards
    }
    /// No tetrahedron's point within this cell of the grid is nearer to p.
    double least_distance(int i, int j, int k, const Vec3& p) const
    {
        const std::array<int, 3> at{i, j, k};
        Vec3 d{};
        for (std::size_t x = 0; x < 3; ++x) {
            const double begin = low[x] + at[x] * cell;
            const double end = at[x] + 1 < n[x] ? begin + cell : std::max(high[x], begin + cell);
            d[x] = std::max({begin - p[x], p[x] - end, 0.0});
        }
        return (1 - 1e-9) * norm(d); // rounded downwards
    }
    /// @param limit  a tetrahedron at most so far away is known to be there
    void look_in(int i, int j, int k, const Vec3& p, double limit, Place& best) const
    {
        if (i < 0 || j < 0 || k < 0 || i >= n[0] || j >= n[1] || k >= n[2])
            return;
        const auto c = index(i, j, k);
        if (first[c] == first[c + 1] ||
            least_distance(i, j, k, p) > std::min(limit, best.distance_mm))
            return;
        for (auto at = first[c]; at < first[c + 1]; ++at) {
            const auto t = tets[static_cast<std::size_t>(at)];
            auto w = barycentric(mesh, static_cast<std::size_t>(t), p);
            if (*std::min_element(w.begin(), w.end()) >= -1e-12) {
                best = {t, w, 0};
                return;
            }
            const double d = nearest_on(mesh, static_cast<std::size_t>(t), p, w);
            if (d < best.distance_mm || (d == best.distance_mm && t < best.tetrahedron))
                best = {t, w, d};
        }
    }
    void look_everywhere(const Vec3& p, double limit, Place& best) const
    {
        for (int k = 0; k < n[2]; ++k)
            for (int j = 0; j < n[1]; ++j)
                for (int i = 0; i < n[0]; ++i)
                    look_in(i, j, k, p, limit, best);
    }
};

Locator::Locator(const TetMesh& m) : impl_(std::make_unique<Impl>(m))
{
    Impl& g = *impl_;
    const auto [x0, x1] = std::minmax_element(m.x.begin(), m.x.end());
    const auto [y0, y1] = std::minmax_element(m.y.begin(), m.y.end());
    const auto [z0, z1] = std::minmax_element(m.z.begin(), m.z.end());
    g.low = {*x0, *y0, *z0};
    g.high = {*x1, *y1, *z1};
    const Vec3 size = g.high - g.low;
    const double count = std::max(1.0, static_cast<double>(m.tetrahedron_count()));
    g.cell = std::max(std::cbrt(size[0] * size[1] * size[2] / count) * 2, 1e-9);
    for (std::size_t k = 0; k < 3; ++k)
        g.n[k] = std::clamp(static_cast<int>(size[k] / g.cell) + 1, 1, 1024);
    const std::size_t cells = static_cast<std::size_t>(g.n[0]) * static_cast<std::size_t>(g.n[1]) *
                              static_cast<std::size_t>(g.n[2]);
    g.first.assign(cells + 1, 0);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        g.each_cell_of(t, [&](std::size_t c) { ++g.first[c + 1]; });
    for (std::size_t c = 0; c < cells; ++c)
        g.first[c + 1] += g.first[c];
    g.tets.resize(static_cast<std::size_t>(g.first.back()));
    auto next = g.first;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        g.each_cell_of(t, [&](std::size_t c) {
            g.tets[static_cast<std::size_t>(next[c]++)] = static_cast<std::int32_t>(t);
        });
}

Locator::~Locator() = default;

Locator::Place Locator::find(const Vec3& p) const
{
    const Impl& g = *impl_;
    Place best;
    best.distance_mm = unlimited;
    const int i = g.clamp_cell(p[0], 0), j = g.clamp_cell(p[1], 1), k = g.clamp_cell(p[2], 2);
    if (p[0] < g.low[0] || p[1] < g.low[1] || p[2] < g.low[2] || p[0] > g.high[0] ||
        p[1] > g.high[1] || p[2] > g.high[2]) {
        const double near = g.nearest_vertex_distance(p);
        g.look_everywhere(p, near, best);
        if (best.distance_mm > near) // that vertex is no tetrahedron's
            g.look_everywhere(p, unlimited, best);
        return best;
    }
    const int most = std::max({g.n[0], g.n[1], g.n[2]});
    // Rings of grid cells, until the nearest tetrahedron found is nearer than the next ring can be.
    for (int ring = 0; ring <= most; ++ring) {
        if (best.tetrahedron >= 0 && best.distance_mm <= std::max(ring - 1, 0) * g.cell)
            break;
        for (int c = -ring; c <= ring; ++c)
            for (int b = -ring; b <= ring; ++b)
                for (int a = -ring; a <= ring; ++a)
                    if (std::max({std::abs(a), std::abs(b), std::abs(c)}) == ring)
                        g.look_in(i + a, j + b, k + c, p, unlimited, best);
    }
    return best;
}

} // namespace tawara::mesh
