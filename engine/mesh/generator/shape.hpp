// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/surface.hpp"

namespace tawara::mesh::generator {

/// The exact domain of an idealised heart as a function of space.
///
/// Built from approximate signed distances of ellipsoids (exact on them, with unit gradient there):
/// the outer wall is the smooth union of the two epicardia, the right cavity the smooth difference
/// of its ellipsoid and the septum's right face; blend_mm is the width of the smoothing.
class Shape
{
  public:
    explicit Shape(const HeartParameters& p);

    /// Negative in the muscle, positive outside, 0 on the boundary [mm, first order].
    double operator()(const Vec3& p) const;
    /// The same without the plane of the base: the wall goes on above it.
    double open(const Vec3& p) const;

    double outer(const Vec3& p) const;     ///< negative inside the epicardium
    double lv_cavity(const Vec3& p) const; ///< negative inside the left cavity
    double rv_cavity(const Vec3& p) const; ///< negative inside the right cavity

    /// The wall that a boundary point below the base plane lies on: the one it is nearest to.
    Wall wall(const Vec3& p) const;

    double base_z() const { return base_; }
    double lv_cavity_apex_z() const { return -endo_[2]; }
    Vec3 low() const { return low_; }   ///< corner of a box that holds the domain
    Vec3 high() const { return high_; } ///< the opposite corner

    /// Closed curves in which the walls cut the plane of the base, points about `step_mm` apart;
    /// the first point is not repeated. In order of their walls: epicardium, left, right
    /// endocardium.
    /// @throws InputError when their number is not one per wall
    std::vector<std::vector<Vec3>> rims(double step_mm) const;

  private:
    double rv(const Vec3& p, const Vec3& axes) const; ///< distance from a right ellipsoid

    bool biventricular_;
    double base_, blend_, lean_;
    Vec3 endo_, epi_, septum_, rv_endo_, rv_epi_, rv_centre_, low_, high_;
};

} // namespace tawara::mesh::generator
