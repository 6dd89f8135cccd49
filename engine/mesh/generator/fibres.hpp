// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh::generator {

/// Angles of the fibre rule [degrees].
///
/// Helix angle: from the circumferential direction (counter-clockwise seen from the base) towards
/// the base; positive at the endocardium gives the right-handed helix of hearts. Sheet angle: from
/// the transmural direction, about the fibre.
struct FibreRules
{
    double helix_endo_deg = 60, helix_epi_deg = -60;
    double sheet_endo_deg = -65, sheet_epi_deg = 25;
    bool operator==(const FibreRules&) const = default;
};

/// Solutions of Laplace's equation in the wall, one value per vertex in [0, 1]; no flux through the
/// rest of the boundary. epi + lv + rv = 1.
struct WallPotentials
{
    std::vector<double> epi; ///< 1 on the epicardium, 0 on the endocardia
    std::vector<double> lv;  ///< 1 on the left endocardium, 0 on the right one and the epicardium
    std::vector<double> rv;  ///< 1 on the right endocardium; all 0 where there is none
    std::vector<double> ab;  ///< 1 on the base, 0 on a patch of epicardium around the apex
};

/// Solves for the potentials by linear finite elements and conjugate gradients (relative residual
/// 1e-9).
///
/// The base is the wall of that name, or, where the surface has none, the rim at which epicardium
/// and endocardium meet. The apex is the epicardial point farthest from the base; the patch around
/// it has a radius of 6 % of the heart's length, so that the solution has no singular point.
/// @pre   the mesh's invariants; surface(m) with walls
/// @throws MeshError when the surface lacks epicardium or left endocardium, when it has neither
/// base
///         nor rim, or when a piece of the mesh touches none of them
/// @cost  about 4 s per million tetrahedra
WallPotentials wall_potentials(const TetMesh& m, const Surface& s, const Progress& progress = {});

/// Per vertex: epi + min(lv, rv): 0 on the endocardia, 1 on the epicardium, 0.5 mid-septum.
std::vector<double> transmural(const WallPotentials& w);

/// Per vertex: `ab` made nearly linear in height, without changing its level sets: 0 at the apex, 1
/// on the base.
std::vector<double> apex_base(const TetMesh& m, const WallPotentials& w);

/// Per tetrahedron: 1 left ventricle, 2 right ventricle, 3 septum: by which of the potentials rv,
/// lv, epi (at the centroid) is the smallest, the wall without it lying between the other two.
std::vector<std::int32_t> ventricles(const TetMesh& m, const WallPotentials& w);

/// Sets fibre, sheet and normal of every tetrahedron from potentials that were solved before.
///
/// Bayer et al., Ann Biomed Eng 40:2243 (2012): in each tetrahedron a frame (circumferential,
/// towards the base, transmural) per surface from the gradients of the potentials, turned by the
/// helix angle about the transmural axis and by the sheet angle about the fibre; the frames are
/// blended by quaternion interpolation that ignores the fibres' sign. Two things differ from the
/// paper: the angle in every frame is linear in phi_epi, times 1 - 2d in the frames of the
/// endocardia, d = rv / (lv + rv), so that the helix angle is linear in depth across the free walls
/// and goes from +a_endo to -a_endo across the septum (the paper's double interpolation is
/// quadratic); and gradients are averaged over neighbours. The sheet direction is the transmural
/// one after both turns; normal = fibre x sheet.
void assign_rule_based_fibres(TetMesh& m, const WallPotentials& w, const FibreRules& rules,
                              const Progress& progress = {});

/// The same for any mesh with a wall split: solves, then assigns; replaces what was there.
/// @throws MeshError as wall_potentials()
void assign_rule_based_fibres(TetMesh& m, const Surface& s, const FibreRules& rules,
                              const Progress& progress = {});

} // namespace tawara::mesh::generator
