// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

#include <string>

namespace tawara::simulation {

/// Velocities of conduction [mm/ms] along fibre, sheet and normal; 0 where no wave runs.
struct VelocityEstimate
{
    Vec3 fine{}; ///< on a fine mesh: what the tissue has
    Vec3 mesh{}; ///< on a mesh of that edge length, by this session's scheme
    double edge_mm = 0;
    double rest_mV = 0, peak_mV = 0; ///< of the wave along the fibres on that mesh, where one runs
    std::string warning; ///< empty when the mesh is fine enough (within 10 %)
};

/// What conduction a session's values will make: runs a plane wave along each principal direction
/// of a region, with the session's splitting and stepping. `fine`: a chain of cells, differences of
/// second order, with spacing 0.05 mm or a tenth of the front's width, whichever is less, and steps
/// of 0.01 ms at most. `mesh`: a bar of 24 x 2 x 2 cubes of six tetrahedra whose mean edge is
/// edge_mm, with the session's scheme, mass and time step.
/// @param region  of the session, with a model of its own (resolved, not inheriting)
/// @param edge_mm  mesh::mean_edge_mm() (mesh/measure.hpp)
/// @throws InputError, Cancelled
/// @thread any
/// @cost   some tenths of a second
VelocityEstimate estimate_velocity(const Session& session, const Region& region, double edge_mm,
                                   const Progress& progress = {});

} // namespace tawara::simulation
