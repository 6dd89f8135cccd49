// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/surface.hpp"

namespace tawara::simulation {

/// Adds what a heart's mesh lacks of the fields "transmural" and "apex_base" (vertices, as the
/// generator defines them) and "aha_segment" (tetrahedra: 1 to 17 in the left ventricle with the
/// septum, 0 in the right wall), so that layers, segments and bull's-eyes work on hearts from
/// images too.
///
/// Segments (Cerqueira et al., Circulation 105:539 (2002)): thirds of the left cavity's long axis,
/// from the middle of its mouth (the rim at which the left endocardium ends) to its lowest point,
/// and 17 below that; sectors by the angle about this axis, counted from anterior by the septum,
/// whose middle lies between 2 and
/// 3. A mesh without a right ventricle, or whose left cavity is closed, gets none.
/// @return  whether the walls allowed it; where not, nothing is added
/// @throws  Cancelled
/// @cost    about 4 s per million tetrahedra
bool add_heart_coordinates(mesh::TetMesh& m, const mesh::Surface& surface,
                           const Progress& progress = {});

} // namespace tawara::simulation
