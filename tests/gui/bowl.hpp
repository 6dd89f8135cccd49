// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <memory>

namespace tawara::fake {

/// A thick half ellipsoid, open at its base (z = 0), apex down; about 4 * n * n * 2 triangles.
struct Bowl
{
    std::shared_ptr<mesh::TetMesh> mesh; ///< vertices only: views need no tetrahedra
    std::shared_ptr<mesh::Surface> surface;
};
Bowl bowl(int n, double radius_mm = 30, double length_mm = 60, double wall_mm = 10);

/// V of a wave that leaves the apex at t = 0 and runs to the base at 0.6 mm/ms [mV].
float wave_mV(const Vec3& at_mm, double time_ms, double length_mm = 60);
/// A slab of tetrahedra of 4 mm, with a named label.
Bowl block();

} // namespace tawara::fake
