// SPDX-License-Identifier: GPL-3.0-or-later
// Where a heart's Purkinje network begins.
#pragma once
#include "engine/cable/growth/network.hpp"
#include "engine/cable/growth/parameters.hpp"
#include "engine/mesh/surface.hpp"

namespace tawara::cable {

/// Grows a Purkinje network on the endocardia of a heart.
///
/// The frame: "down" runs from the middle of the left endocardium's rim to the point of it that is
/// farthest away, "right" from the left endocardium's centroid to the right one's. The bundle of
/// His comes down to the base between both rims, his_mm long, and forks into two pieces that cross
/// the base outside of the wall. The left bundle runs down the septum and forks into three
/// fascicles: the septal one down, the anterior and the posterior one around the wall, at the angle
/// to "down". The right bundle runs down the septum's right face; the moderator band leaves it
/// through the cavity, at right angles to the wall, to the free wall. The fractal rule (growth.hpp)
/// goes on from the three fascicles, from the moderator band's end to three sides, and from the
/// right bundle's end. Twigs then fill what is left.
///
/// Without a right endocardium there is a left network alone, and "right" is the direction of -x,
/// which is said.
/// @throws InputError (of the mesh's `title`) where there is no left endocardium, or it has no rim
/// @cost  linear in the surface, and some 10 us a segment
Morphology grow_network(const mesh::TetMesh& m, const mesh::Surface& s, const GrowthParameters& p,
                        const std::string& title, Notices& notices, const Progress& progress = {});

} // namespace tawara::cable
