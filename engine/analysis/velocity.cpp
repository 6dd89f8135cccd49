// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/velocity.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::analysis {

std::vector<std::array<float, 3>> conduction_velocity(const mesh::TetMesh& m,
                                                      const mesh::VertexStars& stars,
                                                      std::span<const float> times,
                                                      std::span<const std::int32_t> at,
                                                      double longest_ms, double fastest_mm_per_ms)
{
    constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::array<float, 3>> out(at.size(), {unknown, unknown, unknown});
    std::vector<std::int32_t> around;
    for (std::size_t k = 0; k < at.size(); ++k) {
        const auto i = static_cast<std::size_t>(at[k]);
        if (std::isnan(times[i]))
            continue;
        const Vec3 x = m.vertex(i);
        around.clear(); // a neighbour shares several tetrahedra, and counts once
        for (auto s = stars.first[i]; s < stars.first[i + 1]; ++s)
            for (auto corner :
                 m.corners(static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(s)])))
                around.push_back(corner);
        std::sort(around.begin(), around.end());
        around.erase(std::unique(around.begin(), around.end()), around.end());
        Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
        Eigen::Vector3d b = Eigen::Vector3d::Zero();
        int used = 0;
        for (const auto corner : around) {
            const auto j = static_cast<std::size_t>(corner);
            const double later = static_cast<double>(times[j]) - static_cast<double>(times[i]);
            if (j == i || !(std::abs(later) <= longest_ms))
                continue;
            const Vec3 r = m.vertex(j) - x;
            const Eigen::Vector3d d(r[0], r[1], r[2]);
            const double w = 1 / d.squaredNorm();
            a += w * d * d.transpose();
            b += w * later * d;
            ++used;
        }
        if (used < 3)
            continue;
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(a);
        if (!(solver.eigenvalues()[0] > 1e-3 * solver.eigenvalues()[2]))
            continue;
        const Eigen::Vector3d g = a.ldlt().solve(b);
        if (!(g.norm() * fastest_mm_per_ms > 1))
            continue;
        const Eigen::Vector3d v = g / g.squaredNorm();
        out[k] = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
    }
    return out;
}

} // namespace tawara::analysis
