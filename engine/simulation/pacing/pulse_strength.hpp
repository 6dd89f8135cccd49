// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::simulation {

/// What a click gives, and a new site: 50 pA/pF for 2 ms lift V by 100 mV where they act.
inline constexpr double usual_radius_mm = 3, usual_amplitude_pA_per_pF = 50, usual_duration_ms = 2;

/// The radius of a ball in which the usual amplitude and duration capture resting tissue anywhere
/// in a mesh [mm]: usual_radius_mm, on coarse meshes twice the mean edge, in steps of half a
/// millimetre.
///
/// A ball of a few unknowns loses its charge to its neighbours before they fire. By trial on the
/// built-in heart (2.7 mm): a ball of 3 mm fails at 6 of 20 places near the base, one of 1.5 mean
/// edges at none.
double capturing_radius_mm(double mean_edge_mm);

} // namespace tawara::simulation
