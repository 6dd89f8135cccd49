// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <optional>
#include <string>

namespace tawara::simulation {

/// Conductivities of tissue along fibre, sheet and normal [S/m], which coarse meshes want raised:
/// those of the tissue benchmark (Niederer et al., Phil Trans R Soc A 369:4331, 2011).
inline constexpr diffusion::Conductivity tissue_S_per_m{0.13341772, 0.01760618, 0.01760618};

/// Slower waves count as none.
inline constexpr double slowest_mm_per_ms = 0.03;

inline constexpr int cubes_across = 2; ///< of a bar that a wave runs along

/// Whether a conductivity was raised because the mesh is coarse: it is above 1.5 times tissue's,
/// and waves run slower on the mesh than on a fine one by more than a tenth.
bool raised_for_mesh(double sigma_S_per_m, double tissue, double on_mesh, double on_fine);

/// Velocities of conduction [mm/ms] along fibre, sheet and normal; 0 where no wave runs.
struct VelocityEstimate
{
    Vec3 fine{}; ///< on a fine mesh: what the tissue has
    Vec3 mesh{}; ///< on a mesh of that edge length, by this session's scheme
    double edge_mm = 0;
    double rest_mV = 0, peak_mV = 0; ///< of the wave along the fibres on that mesh, where one runs
    /// Where a region wants velocities: these, and what was found for them. Where its
    /// conductivities along the fibres are raised_for_mesh(): what waves should run at, as in
    /// tissue on a fine mesh.
    std::optional<Vec3> target;
    std::optional<TunedConductivity> tuned;
    std::string warning; ///< empty when the mesh is fine enough (within 10 %)
};

/// What conduction a session's values will make: runs a plane wave along each principal direction
/// of a region, with the session's splitting and stepping. `fine`: a chain of cells, differences of
/// second order, with spacing 0.05 mm or a tenth of the front's width, whichever is less, and steps
/// of 0.01 ms at most. `mesh`: a bar of 2 x 2 cubes across, and 24 along or as many as make 40 of
/// the front's widths, with the session's scheme, mass and time step: where the mesh's tetrahedra
/// are even, of six each, else as an uneven_bar() has them (mesh/uneven_bar.hpp); their mean edge
/// is the mesh's. Cells begin at the rest to which the region's own values move them.
/// Steps are in single precision, those of Newton's method in double.
/// Conductivities of a region with velocity_m_per_s are those of
/// tune_conductivity().
/// @param region  of the session, with a model of its own (resolved, not inheriting)
/// @param grain  of the mesh (mesh/measure.hpp)
/// @throws InputError, Cancelled
/// @thread any
/// @cost   some tenths of a second
VelocityEstimate estimate_velocity(const Session& session, const Region& region,
                                   const mesh::Grain& grain, const Progress& progress = {});

/// sqrt(D 1 ms), which a front is about as wide as, where a mesh resolves it [mm].
double front_width_mm(const Session& session, double sigma_S_per_m);

/// One of its velocities [mm/ms]: VelocityEstimate::mesh or fine of a direction (0 fibre, 1 sheet,
/// 2 normal).
/// @pre    a region with a model of its own, an edge above 0
/// @throws InputError, NumericsError, Cancelled
/// @param slowest  [mm/ms]: slower waves count as none
/// @param across   cubes of the bar
double velocity_on_mesh(const Session& session, const Region& region, std::size_t direction,
                        const mesh::Grain& grain, const Progress& progress = {},
                        double slowest = slowest_mm_per_ms, int across = cubes_across);
double velocity_on_fine(const Session& session, const Region& region, std::size_t direction,
                        const Progress& progress = {});

} // namespace tawara::simulation
