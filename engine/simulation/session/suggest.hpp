// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session/session.hpp"

#include <set>
#include <string>
#include <vector>

/// Pure functions that a window may call on a worker: what a session's values will do.
namespace tawara::simulation {

/// A named point of the wall at which one might pace.
struct Site
{
    std::string name;  ///< "RV apex", "AHA 7, mid anterior"
    std::string group; ///< "Common", "AHA segments"
    Vec3 position_mm{};
};
/// Sites on the endocardium of the left ventricle's segments, apex of both ventricles, lateral wall
/// and so on, as far as the mesh tells where they are.
std::vector<Site> suggested_sites(const mesh::TetMesh& m, const mesh::Surface& surface);

/// A ball about the tetrahedron nearest to the middle of the mesh's bounding box: a region there
/// holds tissue, which the middle of a hollow heart does not.
/// @return centre to 0.1 mm; radius 15 mm, in small meshes 0.15 of the box's diagonal
/// @cost   linear in the tetrahedra
Sphere ball_in_tissue(const mesh::TetMesh& m);

/// Where an electrode stands that was put in front of a point of the surface.
struct ElectrodePlace
{
    Vec3 position_mm{};
    bool aside = false; ///< not in front of that wall: it faces a cavity, or the heart beyond it
};
/// `gap_mm` in front of a wall, along its normal, where that is outside the heart's convex hull by
/// half the gap or more; else along the normal or away from the heart's centre (where the heart
/// reaches less far) until it is `gap_mm` outside. So it never lies in a cavity.
/// @param normal  outward from the tissue, of length 1
/// @cost  linear in the vertices
ElectrodePlace electrode_in_front(const mesh::TetMesh& m, const Vec3& point_mm, const Vec3& normal,
                                  double gap_mm);

/// Regions for the layers of a generated heart by its labels (mesh::generator::RegionLabel): `like`
/// with the model's endocardial, mid-myocardial and epicardial variant, as in the built-in heart.
/// @param labels  those that the mesh has; layers without any are left out
std::vector<Region> heart_layers(const Region& like, const std::set<std::int32_t>& labels);

} // namespace tawara::simulation
