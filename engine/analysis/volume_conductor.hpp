// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// A bounded volume conductor by boundary elements.
namespace tawara::analysis {

/// A closed surface of triangles, their vertices counter-clockwise as seen from outside.
struct ClosedSurface
{
    std::vector<Vec3> points; ///< [mm]
    std::vector<std::array<std::int32_t, 3>> triangles;
};

/// Where a point lies with respect to a closed surface.
struct OnSurface
{
    bool inside = false;
    double distance_mm = 0;     ///< to the nearest triangle
    std::size_t triangle = 0;   ///< the nearest
    Vec3 nearest_mm{}, share{}; ///< the point of it, and its barycentric coordinates
};
OnSurface place_on(const ClosedSurface& s, const Vec3& x);

/// The solid angle [sr] of a triangle seen from x, weighted by its vertices' linear shape
/// functions:
///
///     w_k = int N_k(y) (y - x) . n / |y - x|^3 dS,   w_0 + w_1 + w_2 = the solid angle.
///
/// Positive where x is behind the triangle (on the inside); 0 where x lies in its plane. Source: de
/// Munck, IEEE Trans Biomed Eng 39:986 (1992); the solid angle of van Oosterom & Strackee, same
/// journal 30:125 (1983).
std::array<double, 3> linear_solid_angles(const Vec3& x, const Vec3& a, const Vec3& b,
                                          const Vec3& c);

/// A homogeneous conductor that ends at a closed surface, outside of which nothing conducts.
/// Sources inside have the potential phi_inf in an unbounded conductor; with the surface's,
///
///     c(x) phi(x) = phi_inf(x) + 1/(4 pi) int_S phi(y) (y - x) . n / |y - x|^3 dS(y),
///
/// c = 1 inside, the solid angle over 4 pi on S (Barr et al., IEEE Trans Biomed Eng 13:88, 1966;
/// phi linear on triangles, equations at the vertices, c from the row's sum, so that a constant
/// solves it). The constant that is left free is chosen so that the vertices' mean is 0.
class VolumeConductor
{
  public:
    /// @cost  n vertices: about 0.2 us n^2 and n^3 / 3 multiplications; 1000: about 0.3 s
    explicit VolumeConductor(ClosedSurface surface);
    ~VolumeConductor();
    VolumeConductor(VolumeConductor&&) noexcept;
    VolumeConductor& operator=(VolumeConductor&&) noexcept;

    const ClosedSurface& surface() const;
    /// phi at the vertices from phi_inf there.
    std::vector<double> potential(std::span<const double> unbounded) const;

    /// The potential at a place as weights of phi_inf:
    ///
    ///     phi(x) = own phi_inf(x) + sum_k at_points_k phi_inf(vertex k).
    ///
    /// A place on the surface or outside of it has the potential of the surface's nearest point
    /// (own = 0).
    struct Transfer
    {
        double own = 0;
        std::vector<double> at_points;
    };
    Transfer transfer(const Vec3& place_mm) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::analysis
