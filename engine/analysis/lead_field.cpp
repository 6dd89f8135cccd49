// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/lead_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tawara::analysis {
namespace {

using Corners = std::array<Vec3, 4>;

/// grad_y (1 / |x - y|) = (x - y) / |x - y|^3
Vec3 kernel(const Vec3& x, const Vec3& y)
{
    const Vec3 d = x - y;
    const double r2 = std::max(dot(d, d), 1e-12);
    return (1 / (r2 * std::sqrt(r2))) * d;
}

/// Mean of the kernel over a tetrahedron by the 4-point rule of degree 2.
Vec3 mean_kernel(const Vec3& x, const Corners& c)
{
    constexpr double a = 0.5854101966249685,
                     b = 0.1381966011250105; // (5 + 3 sqrt 5) / 20, (5 - sqrt 5) / 20
    const Vec3 all = c[0] + c[1] + c[2] + c[3];
    Vec3 sum{};
    for (const auto& p : c)
        sum = sum + kernel(x, b * all + (a - b) * p);
    return 0.25 * sum;
}

/// The same on 8^depth parts of equal volume.
Vec3 mean_kernel(const Vec3& x, const Corners& c, int depth)
{
    if (depth == 0)
        return mean_kernel(x, c);
    const auto mid = [&](std::size_t i, std::size_t j) { return 0.5 * (c[i] + c[j]); };
    const Vec3 ab = mid(0, 1), ac = mid(0, 2), ad = mid(0, 3), bc = mid(1, 2), bd = mid(1, 3),
               cd = mid(2, 3);
    const Corners parts[8]{{c[0], ab, ac, ad}, {ab, c[1], bc, bd}, {ac, bc, c[2], cd},
                           {ad, bd, cd, c[3]}, {ab, ac, ad, bd},   {ab, ac, bc, bd},
                           {ac, ad, bd, cd},   {ac, bc, bd, cd}};
    Vec3 sum{};
    for (const auto& p : parts)
        sum = sum + mean_kernel(x, p, depth - 1);
    return 0.125 * sum;
}

Vec3 times(const ConductivityTensor& s, const Vec3& v)
{
    return {s[0] * v[0] + s[3] * v[1] + s[4] * v[2], s[3] * v[0] + s[1] * v[1] + s[5] * v[2],
            s[4] * v[0] + s[5] * v[1] + s[2] * v[2]};
}

Corners corners(const mesh::TetMesh& m, std::size_t t)
{
    const auto c = m.corners(t);
    Corners out;
    for (std::size_t k = 0; k < 4; ++k)
        out[k] = m.vertex(static_cast<std::size_t>(c[k]));
    return out;
}

} // namespace

std::array<Vec3, 4> gradients(const mesh::TetMesh& m, std::size_t tetrahedron)
{
    const auto c = corners(m, tetrahedron);
    const Vec3 a = c[1] - c[0], b = c[2] - c[0], d = c[3] - c[0];
    const double six = dot(cross(a, b), d);
    const Vec3 g1 = (1 / six) * cross(b, d), g2 = (1 / six) * cross(d, a),
               g3 = (1 / six) * cross(a, b);
    return {-1.0 * (g1 + g2 + g3), g1, g2, g3};
}

std::vector<double> lead_field(const mesh::TetMesh& m, std::span<const ConductivityTensor> tensors,
                               const Vec3& electrode_mm, double bath_S_per_m,
                               const Progress& progress)
{
    std::vector<double> w(m.vertex_count(), 0);
    const double scale = -1 / (4 * std::numbers::pi * bath_S_per_m);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        if (t % 65536 == 0)
            progress.at(static_cast<double>(t) / static_cast<double>(m.tetrahedron_count()),
                        "computing the lead field");
        const auto c = corners(m, t);
        const auto g = gradients(m, t);
        const double volume = m.volume(t), edge = std::cbrt(8.5 * volume);
        const double near = norm(electrode_mm - m.centroid(t)) / edge;
        const Vec3 k = mean_kernel(electrode_mm, c, near < 2 ? 2 : near < 4 ? 1 : 0);
        const Vec3 flow = (scale * volume) * times(tensors[t], k); // sigma is symmetric
        const auto v = m.corners(t);
        for (std::size_t i = 0; i < 4; ++i)
            w[static_cast<std::size_t>(v[i])] += dot(flow, g[i]);
    }
    return w;
}

double direct_sum(const mesh::TetMesh& m, std::span<const ConductivityTensor> tensors,
                  std::span<const double> v_mV, const Vec3& electrode_mm, double bath_S_per_m)
{
    double sum = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto g = gradients(m, t);
        const auto v = m.corners(t);
        Vec3 gradient{};
        for (std::size_t i = 0; i < 4; ++i)
            gradient = gradient + v_mV[static_cast<std::size_t>(v[i])] * g[i];
        const Vec3 dipole = -m.volume(t) * times(tensors[t], gradient);
        sum += dot(dipole, kernel(electrode_mm, m.centroid(t)));
    }
    return sum / (4 * std::numbers::pi * bath_S_per_m);
}

} // namespace tawara::analysis
