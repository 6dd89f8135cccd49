// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tawara::simulation {

/// The least conductivity that is tried [S/m].
inline constexpr double least_tuned_S_per_m = 1e-5;

/// To four figures.
double rounded_conductivity(double sigma_S_per_m);

/// A conductivity [S/m], and the velocity of waves with it [m/s]; 0: none run.
struct SearchedPoint
{
    double sigma = 0, velocity = 0;
};

/// The search for the conductivity along one direction that gives waves a velocity: by v ~
/// sqrt(sigma) until there is one that is too low and one that is too high, then between these.
class ConductivitySearch
{
  public:
    /// @param measure  the velocity [m/s] with a conductivity, of a strip
    /// @param direction  0 along the fibres, 1 across them, 2 across the sheets; for messages
    /// @param edge_mm  of the mesh, likewise
    /// @param floor_S_per_m  where waves that are too fast with it are taken as they are; 0: they
    ///                       are an error
    ConductivitySearch(std::function<double(double sigma)> measure, double target,
                       std::size_t direction, double edge_mm, double floor_S_per_m = 0);

    /// Searches from a conductivity on.
    /// @param near  of the velocity, that is near enough
    /// @throws InputError (no_velocity_file) where the velocity cannot be reached
    /// @cost  a strip for each conductivity that is tried
    SearchedPoint from(double sigma, double near);

  private:
    std::optional<double> next() const;
    double next_above() const;
    double next_below() const;
    SearchedPoint nearer() const;
    [[noreturn]] void fail(const std::string& why) const;

    std::function<double(double)> measure_;
    double target_;
    std::size_t direction_;
    double edge_mm_, floor_S_per_m_;
    int strips_ = 0;
    std::optional<SearchedPoint> low_, high_; ///< too slow, too fast
};

} // namespace tawara::simulation
