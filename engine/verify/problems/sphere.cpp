// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace tawara::verify {

using analysis::ClosedSurface;
using analysis::VolumeConductor;

constexpr double radius = sphere_mm;

ClosedSurface sphere(int times)
{
    const double g = (1 + std::sqrt(5.0)) / 2;
    ClosedSurface s;
    for (const Vec3& p : {Vec3{-1, g, 0}, Vec3{1, g, 0}, Vec3{-1, -g, 0}, Vec3{1, -g, 0},
                          Vec3{0, -1, g}, Vec3{0, 1, g}, Vec3{0, -1, -g}, Vec3{0, 1, -g},
                          Vec3{g, 0, -1}, Vec3{g, 0, 1}, Vec3{-g, 0, -1}, Vec3{-g, 0, 1}})
        s.points.push_back(radius * normalized(p));
    s.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                   {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                   {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                   {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (int k = 0; k < times; ++k) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [it, fresh] = middles.try_emplace(std::pair{std::min(a, b), std::max(a, b)},
                                                         static_cast<int>(s.points.size()));
            if (fresh)
                s.points.push_back(radius * normalized(s.points[static_cast<std::size_t>(a)] +
                                                       s.points[static_cast<std::size_t>(b)]));
            return it->second;
        };
        std::vector<std::array<std::int32_t, 3>> fine;
        for (const auto& t : s.triangles) {
            const int a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
            fine.push_back({t[0], a, c});
            fine.push_back({t[1], b, a});
            fine.push_back({t[2], c, b});
            fine.push_back({a, b, c});
        }
        s.triangles = fine;
    }
    return s;
}

namespace {

/// On an insulated sphere, of a dipole p at a distance from its centre along z, sigma = 1:
///
///     phi = 1 / (4 pi R^2) sum_n (2n + 1) / n b^(n-1) (n p_z P_n + (p . e_rho) P_n^1),
///
/// b the distance over R, P of the angle's cosine (Brody, Terry & Ideker, IEEE Trans Biomed Eng
/// 20:141, 1973).
double on_sphere(const Vec3& x, double distance, const Vec3& p)
{
    const double c = x[2] / norm(x), s = std::sqrt(std::max(0.0, 1 - c * c));
    const double rho = std::hypot(x[0], x[1]);
    const double across = rho > 1e-9 ? (p[0] * x[0] + p[1] * x[1]) / rho : 0;
    double before = 1, now = c, power = 1, sum = 0;
    for (int n = 1; n < 300; ++n) {
        const double associated = s > 1e-9 ? n * (before - c * now) / s : 0;
        sum += power * (2 * n + 1) / n * (n * p[2] * now + across * associated);
        const double next = ((2 * n + 1) * c * now - n * before) / (n + 1);
        before = now;
        now = next;
        power *= distance / radius;
    }
    return sum / (4 * std::numbers::pi * radius * radius);
}

} // namespace

double unbounded(const Vec3& x, const Vec3& at, const Vec3& p)
{
    const Vec3 r = x - at;
    return dot(p, r) / (4 * std::numbers::pi * std::pow(norm(r), 3));
}

double dipole_error(const VolumeConductor& body, double distance_mm, const Vec3& p)
{
    std::vector<double> infinite, exact;
    double mean = 0;
    for (const Vec3& x : body.surface().points) {
        infinite.push_back(unbounded(x, {0, 0, distance_mm}, p));
        exact.push_back(on_sphere(x, distance_mm, p));
        mean += exact.back();
    }
    mean /= static_cast<double>(exact.size());
    const auto found = body.potential(infinite);
    double off = 0, all = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        off += std::pow(found[k] - exact[k] + mean, 2);
        all += std::pow(exact[k] - mean, 2);
    }
    return std::sqrt(off / all);
}

} // namespace tawara::verify
