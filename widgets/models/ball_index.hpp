// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <cstdint>
#include <vector>

namespace tawara {

/// Finds the tetrahedra whose centroids lie in a ball, or in one that is flattened or stretched
/// along an axis, for a brush that paints tissue.
class BallIndex
{
  public:
    /// @thread any
    /// @cost   linear
    explicit BallIndex(const mesh::TetMesh& m, double cell_mm = 5);
    /// @cost  linear in what lies around the ball
    std::vector<std::int64_t> within(const Vec3& centre, double radius_mm) const;
    /// (across / radius)^2 + (along / depth)^2 <= 1, by the distance along `axis` and across it.
    /// @param axis  of length 1
    std::vector<std::int64_t> within(const Vec3& centre, double radius_mm, const Vec3& axis,
                                     double depth_mm) const;

  private:
    std::size_t cell(const std::array<int, 3>& k) const;
    std::array<int, 3> at(const Vec3& p) const;

    Vec3 m_low{};
    double m_size = 5;
    std::array<int, 3> m_count{1, 1, 1};
    std::vector<std::size_t> m_first;
    std::vector<std::int64_t> m_tetrahedra;
    std::vector<std::array<float, 3>> m_centroids; // in the order of m_tetrahedra
};

} // namespace tawara
