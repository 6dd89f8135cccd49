// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/simulation/tissue/regions.hpp"

#include <string>

/// What is to be said of a tissue that was made of a session.
namespace tawara::simulation {

/// Conductivities above are no tissue's.
inline constexpr double beyond_tissue_S_per_m = 5;

/// To four digits, as notices give numbers.
std::string rounded_text(double x);

/// Says how far velocities are off on a mesh by the session's scheme (velocity_error()), where that
/// is more than velocity_error_to_tell in a region that was not tuned, and what comes nearer.
void say_if_coarse(const Session& s, const mesh::TetMesh& m, const RegionMap& patches,
                   Notices& notices);
/// Says so where a conductivity is beyond any tissue's: most likely its unit is another.
void say_if_beyond_tissue(const RegionMap& patches, Notices& notices);
/// Says which values of tissue are allowed and most likely in another unit than they should be, or
/// of the wrong sign.
void say_if_in_another_unit(const Session& s, Notices& notices);
/// Says how much volume mass scaling has added, where most, and what that does; or that it is asked
/// for beside a stepping that has no use for it.
void say_mass_scaling(const Session& s, const device::TissueProblem& p, Notices& notices);
/// Says so where an ECG is of conductivities that are no tissue's.
void say_if_raised(const Session& s, const RegionMap& patches, Notices& notices);
/// Says so where Newton's method steps a tissue that explicit steps are likely to be faster on, and
/// the other way round (tests/bench/FIGURES.md: when Newton's method pays).
void say_which_stepping_pays(const device::TissueProblem& p, Notices& notices);
/// Leaves rest out where the session takes it where it is possible and it is not, which is said.
void rest_where_possible(const Session& s, device::TissueProblem& p, Notices& notices);
/// Says so where cells are stepped as their model's file does not advise.
void say_if_beyond_step(const Session& s, const device::TissueProblem& p, Notices& notices);
/// Says so where a model's own stimulus stays on beside the session's.
void say_if_stimulus_left_on(const device::TissueProblem& p, Notices& notices);
/// Says so of O'Hara and Rudy's model: its own fast sodium current carries waves about half as fast
/// as other human models do (Elshrif & Cherry 2014, PLoS ONE 9:e84401).
void say_if_slow_in_tissue(const device::TissueProblem& p, Notices& notices);

} // namespace tawara::simulation
