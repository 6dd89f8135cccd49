// SPDX-License-Identifier: GPL-3.0-or-later
// Conduction velocity for the report, from the gradient of the activation map.
#include "engine/mesh/topology.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::simulation {
namespace {

constexpr double fastest = 10; // mm/ms, as in the map of velocity

using Speeds = std::vector<std::pair<double, double>>; // speed, volume

void add(Speeds& to, const Vec3& slope, double volume)
{
    const double speed = 1 / norm(slope);
    if (speed < fastest) // not so where all fire at once, as under a stimulus, and where none did
        to.emplace_back(speed, volume);
}

Speeds on_tetrahedra(const mesh::TetMesh& m, std::span<const double> activation)
{
    Speeds out;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        const auto a = [&](std::size_t k) { return activation[static_cast<std::size_t>(c[k])]; };
        const auto x = [&](std::size_t k) { return m.vertex(static_cast<std::size_t>(c[k])); };
        const Vec3 u = x(1) - x(0), v = x(2) - x(0), w = x(3) - x(0);
        const double six = dot(cross(u, v), w);
        add(out,
            (1 / six) * ((a(1) - a(0)) * cross(v, w) + (a(2) - a(0)) * cross(w, u) +
                         (a(3) - a(0)) * cross(u, v)),
            six);
    }
    return out;
}

/// A linear function fitted to the tetrahedra around each vertex.
Speeds at_vertices_fitted(const mesh::TetMesh& m, std::span<const double> activation)
{
    constexpr int least = 6;          // tetrahedra for the 4 coefficients
    constexpr double flattest = 1e-3; // smallest over largest spread of their centroids, squared
    const auto stars = mesh::vertex_stars(m);
    Speeds out;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        Eigen::Vector3d mean = Eigen::Vector3d::Zero();
        double mean_time = 0, volume = 0;
        int n = 0;
        const auto each = [&](auto&& f) {
            for (auto i = stars.first[v]; i < stars.first[v + 1]; ++i) {
                const auto t = static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(i)]);
                if (!std::isfinite(activation[t]))
                    continue;
                const Vec3 p = m.centroid(t);
                f(t, Eigen::Vector3d(p[0], p[1], p[2]));
            }
        };
        each([&](std::size_t t, const Eigen::Vector3d& p) {
            mean += p;
            mean_time += activation[t];
            volume += m.volume(t) / 4;
            ++n;
        });
        if (n < least)
            continue;
        mean /= n;
        mean_time /= n;
        Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        each([&](std::size_t t, const Eigen::Vector3d& p) {
            spread += (p - mean) * (p - mean).transpose();
            right += (activation[t] - mean_time) * (p - mean);
        });
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes(spread);
        if (modes.eigenvalues()(0) < flattest * modes.eigenvalues()(2))
            continue;
        const Eigen::Vector3d slope = spread.ldlt().solve(right);
        add(out, {slope(0), slope(1), slope(2)}, volume);
    }
    return out;
}

} // namespace

std::vector<double> without_stimulated(std::vector<double> activation_ms,
                                       std::span<const Pulse> pulses, bool from_pulse)
{
    constexpr double tail_ms = 1;
    std::vector<std::pair<double, double>> spans; // begin, length
    for (const auto& p : pulses)
        spans.emplace_back(from_pulse ? 0 : p.time_ms, p.duration_ms + tail_ms);
    std::sort(spans.begin(), spans.end());
    for (double& t : activation_ms) {
        if (!std::isfinite(t))
            continue;
        const auto next = std::upper_bound(spans.begin(), spans.end(), std::pair{t, HUGE_VAL});
        if (next != spans.begin() && t <= std::prev(next)->first + std::prev(next)->second)
            t = std::numeric_limits<double>::quiet_NaN();
    }
    return activation_ms;
}

std::array<double, 3> conduction_velocity(const mesh::TetMesh& m, bool on_vertices,
                                          std::span<const double> activation_ms)
{
    auto speeds =
        on_vertices ? on_tetrahedra(m, activation_ms) : at_vertices_fitted(m, activation_ms);
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 3> out{none, none, none};
    std::sort(speeds.begin(), speeds.end());
    double total = 0, sum = 0;
    for (const auto& s : speeds)
        total += s.second;
    const double at[] = {0.05, 0.5, 0.95};
    std::size_t k = 0;
    for (const auto& [speed, volume] : speeds) {
        sum += volume;
        for (; k < 3 && sum >= at[k] * total; ++k)
            out[k] = speed;
    }
    return out;
}

} // namespace tawara::simulation
