// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/session.hpp"

#include <vector>

namespace tawara::simulation {

/// What raised conductivities of a region become on a finer mesh, and the velocities [mm/ms] of
/// waves along fibre, sheet and normal. What was not raised is as it was.
struct Lowered
{
    diffusion::Conductivity before, after; ///< [S/m]
    Vec3 target{};    ///< what tissue of tissue_S_per_m conducts with on a fine mesh
    Vec3 predicted{}; ///< on the finer mesh, with `after`
    std::vector<std::size_t> regions; ///< of the session, that have these
};

/// Lowers the conductivities of a session's regions that were raised because its mesh is coarse, as
/// far as a finer mesh allows: to the least that a wave needs there to run as fast as in tissue on
/// a fine mesh, and to tissue's own where that is enough.
///
/// Raised are those that raised_for_mesh() calls so: larger ones that a mesh resolves were wanted.
/// Where there is one conductivity for all directions, that along the fibres counts. Never raises
/// any; regions that lie on others (Region::inherits()) have none of their own, and for those that
/// want velocities they are found on the finer mesh anyway.
/// @param grain, finer  of the mesh as it is and as it will be
/// @return what was lowered, each pair of model and conductivities once
/// @throws InputError, NumericsError, Cancelled
/// @thread any
/// @cost   some seconds where anything is raised
std::vector<Lowered> lower_conductivities(Session& s, const mesh::Grain& grain,
                                          const mesh::Grain& finer, const Progress& progress = {});

} // namespace tawara::simulation
