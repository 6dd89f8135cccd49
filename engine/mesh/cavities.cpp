// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/cavities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tawara::mesh {
namespace {

constexpr double voxels_along = 128;
constexpr std::size_t margin = 2; ///< empty voxels around the mesh

} // namespace

Cavities::Cavities(const TetMesh& m)
{
    Vec3 high{};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& c = a == 0 ? m.x : a == 1 ? m.y : m.z;
        const auto [least, most] = std::minmax_element(c.begin(), c.end());
        low_[a] = *least, high[a] = *most;
    }
    h_ = std::max({high[0] - low_[0], high[1] - low_[1], high[2] - low_[2]}) / voxels_along;
    for (std::size_t a = 0; a < 3; ++a) {
        n_[a] = static_cast<std::size_t>((high[a] - low_[a]) / h_) + 1 + 2 * margin;
        low_[a] -= static_cast<double>(margin) * h_;
    }
    solid_.assign(n_[0] * n_[1] * n_[2], 0);
    rasterise(m);
    find(enclosure());
}

std::size_t Cavities::voxel(const Vec3& p) const
{
    std::array<std::size_t, 3> i{};
    for (std::size_t a = 0; a < 3; ++a)
        i[a] = static_cast<std::size_t>(
            std::clamp((p[a] - low_[a]) / h_, 0.0, static_cast<double>(n_[a] - 1)));
    return index(i[0], i[1], i[2]);
}

void Cavities::rasterise(const TetMesh& m)
{
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        solid_[voxel(m.centroid(t))] = 1;
        std::array<Vec3, 4> p{};
        for (std::size_t k = 0; k < 4; ++k)
            p[k] = m.vertex(static_cast<std::size_t>(m.corner[k][t]));
        // voxels whose centres lie between the corners' extremes
        std::array<std::int64_t, 3> from{}, to{};
        bool any = true;
        for (std::size_t a = 0; a < 3; ++a) {
            const double least = std::min({p[0][a], p[1][a], p[2][a], p[3][a]});
            const double most = std::max({p[0][a], p[1][a], p[2][a], p[3][a]});
            from[a] = static_cast<std::int64_t>(std::ceil((least - low_[a]) / h_ - 0.5));
            to[a] = static_cast<std::int64_t>(std::floor((most - low_[a]) / h_ - 0.5));
            any = any && from[a] <= to[a];
        }
        if (!any)
            continue;
        const Vec3 e1 = p[1] - p[0], e2 = p[2] - p[0], e3 = p[3] - p[0];
        const double six_v = dot(cross(e1, e2), e3);
        const Vec3 r1 = (1 / six_v) * cross(e2, e3), r2 = (1 / six_v) * cross(e3, e1),
                   r3 = (1 / six_v) * cross(e1, e2);
        for (auto k = from[2]; k <= to[2]; ++k)
            for (auto j = from[1]; j <= to[1]; ++j)
                for (auto i = from[0]; i <= to[0]; ++i) {
                    const Vec3 c =
                        low_ + h_ * Vec3{double(i) + 0.5, double(j) + 0.5, double(k) + 0.5};
                    const double a = dot(c - p[0], r1), b = dot(c - p[0], r2),
                                 d = dot(c - p[0], r3);
                    if (a >= -1e-9 && b >= -1e-9 && d >= -1e-9 && a + b + d <= 1 + 1e-9)
                        solid_[index(std::size_t(i), std::size_t(j), std::size_t(k))] = 1;
                }
    }
}

std::vector<std::uint8_t> Cavities::enclosure() const
{
    std::vector<std::uint8_t> hits(solid_.size(), 0), met(solid_.size());
    const auto order = [&](std::size_t a, int d) { // voxels ahead come first
        std::vector<std::size_t> o(n_[a]);
        std::iota(o.begin(), o.end(), 0);
        if (d > 0)
            std::reverse(o.begin(), o.end());
        return o;
    };
    const auto inside = [&](std::size_t a, std::size_t i, int d) {
        return d == 0 || (d > 0 ? i + 1 < n_[a] : i > 0);
    };
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                if (dx == 0 && dy == 0 && dz == 0)
                    continue;
                const std::ptrdiff_t step = dx + static_cast<std::ptrdiff_t>(n_[0]) *
                                                     (dy + static_cast<std::ptrdiff_t>(n_[1]) * dz);
                const auto oi = order(0, dx), oj = order(1, dy), ok = order(2, dz);
                for (const auto k : ok)
                    for (const auto j : oj)
                        for (const auto i : oi) {
                            const auto v = index(i, j, k);
                            std::uint8_t hit = 0;
                            if (inside(0, i, dx) && inside(1, j, dy) && inside(2, k, dz)) {
                                const auto o =
                                    static_cast<std::size_t>(static_cast<std::ptrdiff_t>(v) + step);
                                hit = solid_[o] | met[o];
                            }
                            met[v] = hit;
                            hits[v] = static_cast<std::uint8_t>(hits[v] + hit);
                        }
            }
    return hits;
}

template <class F>
void Cavities::each_neighbour(std::size_t v, F&& f) const
{
    const std::size_t i = v % n_[0], j = v / n_[0] % n_[1], k = v / (n_[0] * n_[1]);
    if (i > 0)
        f(v - 1);
    if (i + 1 < n_[0])
        f(v + 1);
    if (j > 0)
        f(v - n_[0]);
    if (j + 1 < n_[1])
        f(v + n_[0]);
    if (k > 0)
        f(v - n_[0] * n_[1]);
    if (k + 1 < n_[2])
        f(v + n_[0] * n_[1]);
}

std::vector<std::int64_t> Cavities::components(const std::vector<std::uint8_t>& hits, int from,
                                               std::vector<std::int32_t>& label) const
{
    label.assign(solid_.size(), -1);
    std::vector<std::int64_t> size;
    std::vector<std::size_t> front;
    const auto take = [&](std::size_t v) {
        if (label[v] < 0 && !solid_[v] && hits[v] >= from) {
            label[v] = static_cast<std::int32_t>(size.size());
            front.push_back(v);
        }
    };
    for (std::size_t seed = 0; seed < solid_.size(); ++seed) {
        take(seed);
        if (front.empty())
            continue;
        std::int64_t n = 0;
        while (!front.empty()) {
            const auto v = front.back();
            front.pop_back();
            ++n;
            each_neighbour(v, take);
        }
        size.push_back(n);
    }
    return size;
}

void Cavities::find(const std::vector<std::uint8_t>& hits)
{
    const auto solid = std::count(solid_.begin(), solid_.end(), 1);
    std::vector<std::int32_t> best;
    std::vector<std::int32_t> chambers;
    for (int from = enclosed_from; from <= 24; ++from) {
        std::vector<std::int32_t> label;
        const auto size = components(hits, from, label);
        std::vector<std::int32_t> order;
        const std::int64_t largest = size.empty() ? 0 : *std::max_element(size.begin(), size.end());
        for (std::size_t c = 0; c < size.size(); ++c)
            if (12 * size[c] >= largest && 100 * size[c] >= solid)
                order.push_back(static_cast<std::int32_t>(c));
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return size[std::size_t(a)] > size[std::size_t(b)];
        });
        if (from == enclosed_from || order.size() >= 2) {
            best = std::move(label);
            chambers = std::move(order);
        }
        if (chambers.size() >= 2 || chambers.empty())
            break;
    }
    cavity_.assign(solid_.size(), -1);
    for (std::size_t v = 0; v < solid_.size(); ++v)
        for (std::size_t c = 0; c < chambers.size(); ++c)
            if (best[v] == chambers[c])
                cavity_[v] = static_cast<std::int32_t>(c);
    volume_mm3_.assign(chambers.size(), 0);
    grow(hits);
    for (const auto c : cavity_)
        if (c >= 0)
            volume_mm3_[static_cast<std::size_t>(c)] += h_ * h_ * h_;
}

void Cavities::grow(const std::vector<std::uint8_t>& hits)
{
    std::vector<std::size_t> front;
    for (std::size_t v = 0; v < solid_.size(); ++v)
        if (cavity_[v] >= 0)
            front.push_back(v);
    while (!front.empty()) {
        std::vector<std::size_t> next;
        for (const auto v : front)
            each_neighbour(v, [&](std::size_t o) {
                if (cavity_[o] < 0 && !solid_[o] && hits[o] >= enclosed_from) {
                    cavity_[o] = cavity_[v];
                    next.push_back(o);
                }
            });
        front = std::move(next);
    }
}

int Cavities::ahead(const Vec3& p, const Vec3& normal) const
{
    for (double s = 0.5; s <= 3; s += 0.5) {
        const auto v = voxel(p + s * h_ * normal);
        if (!solid_[v])
            return cavity_[v];
    }
    return -1;
}

double Cavities::thickness_mm(const Vec3& p, const Vec3& normal) const
{
    const double step = 0.5 * h_;
    double depth = step;
    while (depth < voxels_along * h_ && solid_[voxel(p - depth * normal)])
        depth += step;
    return depth;
}

} // namespace tawara::mesh
