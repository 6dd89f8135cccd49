// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a heart's boundary that one can walk on.
#pragma once
#include "engine/mesh/surface.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tawara::cable {

/// The triangles of one wall, the largest piece of them that hangs together, with their
/// neighbours. Plain values; lengths in mm.
struct Patch
{
    std::vector<Vec3> point;
    std::vector<std::array<std::int32_t, 3>> triangle; ///< outward, so into the cavity
    /// across[t][k]: the triangle beyond the edge of t that does not touch corner k; -1: the rim.
    std::vector<std::array<std::int32_t, 3>> across;
    std::vector<double> to_rim_mm; ///< [points] along edges; infinite where there is no rim

    bool empty() const { return triangle.empty(); }
    Vec3 corner(std::int32_t t, std::size_t k) const
    {
        return point[static_cast<std::size_t>(triangle[static_cast<std::size_t>(t)][k])];
    }
    Vec3 normal(std::int32_t t) const; ///< unit, into the cavity
    double area_mm2(std::int32_t t) const;
    Vec3 centroid() const; ///< of its area
};

/// @return an empty patch where the surface has no triangle of that wall
/// @cost   O(n log n) of the surface
Patch patch_of(const mesh::TetMesh& m, const mesh::Surface& s, mesh::Wall wall);

/// A place on a patch.
struct OnPatch
{
    std::int32_t triangle = -1;
    Vec3 at_mm{};
};

/// The place nearest to p. @pre not empty @cost linear
OnPatch nearest_on(const Patch& patch, const Vec3& p);

/// The distance to the rim there, linear within a triangle. [mm]
double rim_distance_mm(const Patch& patch, const OnPatch& at);

/// A vector without its part across the triangle there, of length 1; zero where nothing is left.
Vec3 along_surface(const Patch& patch, const OnPatch& at, const Vec3& v);

/// Walks straight on: over an edge the direction keeps its angle to the edge, as if both triangles
/// lay in a plane (a geodesic of the surface).
/// @param direction  of length 1 in the plane of the triangle; afterwards in that of the last one
/// @return false where the rim, or a corner that cannot be passed, ends the walk; `at` and
///         `direction` are then those of the last place
/// @cost  one step for each triangle that is crossed
bool walk(const Patch& patch, OnPatch& at, Vec3& direction, double length_mm);

/// Where a ray from a place into the cavity first meets the patch again; triangle -1: nowhere.
/// @cost linear
OnPatch ray_hit(const Patch& patch, const OnPatch& from, const Vec3& direction);

} // namespace tawara::cable
