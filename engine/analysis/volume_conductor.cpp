// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/volume_conductor.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tawara::analysis {
namespace {

constexpr double whole = 4 * std::numbers::pi; // [sr]
constexpr double on_it_mm = 1e-6;

std::array<Vec3, 3> corners(const ClosedSurface& s, std::size_t triangle)
{
    const auto& t = s.triangles[triangle];
    std::array<Vec3, 3> out;
    for (std::size_t k = 0; k < 3; ++k)
        out[k] = s.points[static_cast<std::size_t>(t[k])];
    return out;
}

/// Barycentric coordinates of the triangle's point that is the nearest to x (Ericson, Real-Time
/// Collision Detection, 5.1.5).
Vec3 nearest_share(const Vec3& x, const std::array<Vec3, 3>& p)
{
    const Vec3 ab = p[1] - p[0], ac = p[2] - p[0];
    const Vec3 ax = x - p[0], bx = x - p[1], cx = x - p[2];
    const double d1 = dot(ab, ax), d2 = dot(ac, ax), d3 = dot(ab, bx), d4 = dot(ac, bx),
                 d5 = dot(ab, cx), d6 = dot(ac, cx);
    if (d1 <= 0 && d2 <= 0)
        return {1, 0, 0};
    if (d3 >= 0 && d4 <= d3)
        return {0, 1, 0};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
    if (d6 >= 0 && d5 <= d6)
        return {0, 0, 1};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0, 1 - w, w};
    }
    const double sum = va + vb + vc;
    return {va / sum, vb / sum, vc / sum};
}

/// The row of a place: 1/(4 pi) of the weighted solid angles, by vertex.
Eigen::VectorXd row_of(const ClosedSurface& s, const Vec3& x)
{
    Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(s.points.size()));
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto p = corners(s, t);
        const auto w = linear_solid_angles(x, p[0], p[1], p[2]);
        for (std::size_t k = 0; k < 3; ++k)
            out[s.triangles[t][k]] += w[k] / whole;
    }
    return out;
}

} // namespace

std::array<double, 3> linear_solid_angles(const Vec3& x, const Vec3& a, const Vec3& b,
                                          const Vec3& c)
{
    const std::array<Vec3, 3> r{a - x, b - x, c - x};
    const std::array<double, 3> n{norm(r[0]), norm(r[1]), norm(r[2])};
    const double volume = dot(r[0], cross(r[1], r[2]));
    const double product = n[0] * n[1] * n[2];
    if (std::abs(volume) <= 1e-10 * product || product == 0)
        return {0, 0, 0}; // in its plane
    const double angle =
        2 * std::atan2(volume, product + n[0] * dot(r[1], r[2]) + n[1] * dot(r[2], r[0]) +
                                   n[2] * dot(r[0], r[1]));
    // int 1 / |y - x| along the edges, times their direction
    Vec3 edges{};
    std::array<Vec3, 3> side;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3;
        side[k] = r[l] - r[k];
        const double length = norm(side[k]);
        const double along =
            std::log((n[l] * length + dot(r[l], side[k])) / (n[k] * length + dot(r[k], side[k])));
        edges = edges + (along / length) * side[k];
    }
    const std::array<Vec3, 3> z{cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])};
    const Vec3 normal = z[0] + z[1] + z[2];
    const double area2 = dot(normal, normal);
    std::array<double, 3> out;
    for (std::size_t k = 0; k < 3; ++k)
        out[k] = (angle * dot(z[k], normal) + volume * dot(side[(k + 1) % 3], edges)) / area2;
    return out;
}

OnSurface place_on(const ClosedSurface& s, const Vec3& x)
{
    OnSurface out;
    out.distance_mm = std::numeric_limits<double>::infinity();
    double angle = 0;
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto p = corners(s, t);
        const Vec3 share = nearest_share(x, p);
        const Vec3 at = share[0] * p[0] + share[1] * p[1] + share[2] * p[2];
        if (const double d = norm(at - x); d < out.distance_mm)
            out = {false, d, t, at, share};
        const auto w = linear_solid_angles(x, p[0], p[1], p[2]);
        angle += w[0] + w[1] + w[2];
    }
    out.inside = angle > whole / 2 && out.distance_mm > on_it_mm;
    return out;
}

struct VolumeConductor::Impl
{
    ClosedSurface surface;
    Eigen::PartialPivLU<Eigen::MatrixXd> solver;
};

VolumeConductor::VolumeConductor(ClosedSurface surface) : impl_(std::make_unique<Impl>())
{
    impl_->surface = std::move(surface);
    const auto& s = impl_->surface;
    const auto n = static_cast<Eigen::Index>(s.points.size());
    Eigen::MatrixXd a(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::VectorXd row = row_of(s, s.points[static_cast<std::size_t>(i)]);
        a.row(i) = -row.transpose();
        a(i, i) += row.sum();
    }
    a.array() += 1.0 / static_cast<double>(n); // the vertices' mean is 0
    impl_->solver.compute(a);
}

VolumeConductor::~VolumeConductor() = default;
VolumeConductor::VolumeConductor(VolumeConductor&&) noexcept = default;
VolumeConductor& VolumeConductor::operator=(VolumeConductor&&) noexcept = default;

const ClosedSurface& VolumeConductor::surface() const
{
    return impl_->surface;
}

std::vector<double> VolumeConductor::potential(std::span<const double> unbounded) const
{
    const auto n = static_cast<Eigen::Index>(unbounded.size());
    Eigen::VectorXd out =
        impl_->solver.solve(Eigen::Map<const Eigen::VectorXd>(unbounded.data(), n));
    out.array() -= out.mean(); // what the equations' error leaves
    return {out.begin(), out.end()};
}

VolumeConductor::Transfer VolumeConductor::transfer(const Vec3& place_mm) const
{
    const auto& s = impl_->surface;
    const auto on = place_on(s, place_mm);
    const auto n = static_cast<Eigen::Index>(s.points.size());
    Transfer out{on.inside ? 1.0 : 0.0, {}};
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    if (on.inside)
        row = row_of(s, place_mm);
    else
        for (std::size_t k = 0; k < 3; ++k)
            row[s.triangles[on.triangle][k]] = on.share[k];
    row.array() -= row.sum() / static_cast<double>(n); // the mean of the vertices is 0
    const Eigen::VectorXd weights = impl_->solver.transpose().solve(row);
    out.at_points.assign(weights.begin(), weights.end());
    return out;
}

} // namespace tawara::analysis
