// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/system.hpp"
#include "engine/simulation/session/session.hpp"

#include <string_view>
#include <vector>

/// What a mesh does to conduction velocities, by a table that was measured once: no wave is run.
namespace tawara::simulation {

/// Errors of velocity smaller than this need no word.
inline constexpr double velocity_error_to_tell = 0.1;

/// How wide a front is about, sqrt(D 1 ms) with D = sigma / (chi Cm). [mm]
double front_width_mm(double sigma_S_per_m, const Session& s);

/// Of conductivities along and across fibres, with which fvm was measured: the tissue benchmark's.
inline constexpr double fibre_ratio = 7.5779;
/// Of the conductivity in a wave's direction to the one across it that differs most; 1 where one of
/// both is 0.
double conductivity_ratio(double here, double other);

/// Relative error of a plane wave's velocity on a mesh, against the same tissue on an infinitely
/// fine one; -1: no wave runs. It depends on the mesh by the mean edge in widths of the front, for
/// cells of one model; by fvm also on the conductivities across the wave's path, by p1 on these
/// within 0.04. Measured with those of ten Tusscher 2006 (epicardial) along bars
/// of cubes, each cut into six tetrahedra (estimate_velocity()), and interpolated between. Waves on
/// the uneven tetrahedra of a heart may run otherwise: by p1 on one of 2.1 mm edges they ran 19 to
/// 35 % faster than on bars with the same conductivities (resources/guide/trust.md).
/// @param edge_mm   mesh::mean_edge_mm() (mesh/measure.hpp)
/// @param width_mm  front_width_mm(), above 0
/// @param ratio  conductivity_ratio(); fvm was measured with fibre_ratio, 1 and 1 / fibre_ratio
/// @param currents  of p1 with lumped mass; others have theirs at their unknowns
double velocity_error(diffusion::Scheme scheme, diffusion::Mass mass, IonicCurrents currents,
                      double edge_mm, double width_mm, double ratio);

/// A row of the table.
struct MeasuredErrors
{
    double edge_in_widths;
    double fvm, fvm_along, fvm_across; ///< with ratios of 1, fibre_ratio and 1 / fibre_ratio
    double nodal, interpolated, consistent;
};
const std::vector<MeasuredErrors>& measured_errors();

/// What can be chosen in sessions' "diffusion", as people read it.
struct MeshScheme
{
    diffusion::Scheme scheme;
    diffusion::Mass mass;
    IonicCurrents currents;
    std::string_view words;
};
const std::vector<MeshScheme>& mesh_schemes();

/// Such an error in words: "12 % slower", "2 % faster", "no wave".
std::string error_words(double error);

} // namespace tawara::simulation
