// SPDX-License-Identifier: GPL-3.0-or-later
// A dipole in a sphere that ends where nothing conducts: its potential is known.
#pragma once
#include "engine/analysis/volume_conductor.hpp"

namespace tawara::verify {

inline constexpr double sphere_mm = 100; ///< the sphere's radius

/// An icosahedron whose triangles are cut into four so many times, its vertices on a sphere.
analysis::ClosedSurface sphere(int times);

/// Potential at x of a dipole p at a place of an unbounded conductor: p . r / (4 pi |r|^3),
/// sigma 1.
double unbounded(const Vec3& x, const Vec3& at, const Vec3& p);

/// Error of the potential at the vertices of sphere(), relative to the root mean square: of a
/// dipole p at a distance from the centre along z, against the series of Brody, Terry & Ideker,
/// IEEE Trans Biomed Eng 20:141 (1973).
double dipole_error(const analysis::VolumeConductor& body, double distance_mm, const Vec3& p);

} // namespace tawara::verify
