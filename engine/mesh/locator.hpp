// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <memory>

namespace tawara::mesh {

/// Finds the tetrahedron at a point by a uniform grid over the bounding box.
class Locator
{
  public:
    explicit Locator(const TetMesh& m); ///< keeps a reference to the mesh
    ~Locator();

    struct Place
    {
        std::int32_t tetrahedron = -1;
        std::array<double, 4> weights{}; ///< barycentric; clamped to the tetrahedron when outside
        double distance_mm = 0;          ///< from the point to the mesh, 0 inside
    };
    /// The tetrahedron that holds p, or the one nearest to it.
    /// @thread any
    Place find(const Vec3& p) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::mesh
