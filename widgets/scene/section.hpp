// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::scene {

/// A plane: points x with normal . x = offset [mm].
struct Plane
{
    Vec3 normal{1, 0, 0}; ///< unit
    double offset_mm = 0;
    bool operator==(const Plane&) const = default;
};

/// A surface inside a mesh. Each point lies on an edge of the mesh, so that any field on the
/// vertices can be carried onto it: (1 - at) of vertex `from` and `at` of vertex `to`.
struct Section
{
    std::vector<std::int32_t> from, to; ///< mesh vertices, per point
    std::vector<float> at;
    std::vector<float> points;                          ///< x y z [mm]
    std::vector<std::array<std::int32_t, 3>> triangles; ///< seen from where the field is higher, or
                                                        ///< from the plane's normal: anticlockwise
    std::vector<std::int64_t> tetrahedron;              ///< that each triangle lies in

    /// A field of the mesh's vertices on the points; not finite where a vertex has no value.
    /// @param cyclic  the field is a phase in (-pi, pi], and so is what comes out: it is carried
    /// the
    ///                short way round
    void carry(std::span<const float> field, std::vector<float>& out, bool cyclic = false) const;
};

/// Where a plane cuts the mesh.
/// @thread any
/// @cost   linear in the tetrahedra; some 3 ms per 100 thousand
Section plane_section(const mesh::TetMesh& m, const Plane& plane);

/// Where a field of the vertices has a value: the boundary of what lies above it.
/// @pre    one value per vertex of the mesh
/// @thread any
/// @cost   as plane_section()
Section isosurface(const mesh::TetMesh& m, std::span<const float> field, float level);

} // namespace tawara::scene
