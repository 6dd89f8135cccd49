// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/conductivity_search.hpp"

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace tawara::simulation {

/// The search for the conductivities along several directions at once that give waves along each
/// its velocity: Broyden's method for ln v of ln sigma. The first Jacobian is diagonal; the
/// following ones learn how far the conductivity along one direction moves waves along another.
class JointSearch
{
  public:
    /// The velocities [m/s] with these conductivities [S/m], one a direction; 0: no wave runs.
    using Measure = std::function<std::vector<double>(const std::vector<double>& sigma)>;

    /// @param target  velocities [m/s]
    /// @param floor_S_per_m  where waves that are too fast with it are taken as they are; 0: none
    JointSearch(Measure measure, std::vector<double> target, std::vector<double> floor_S_per_m);

    /// Searches from conductivities on.
    /// @param near  of each velocity, that is near enough
    /// @return nothing where it does not come near within some rounds: where no wave runs with a
    ///         little less than what makes one too fast, or a velocity is out of reach
    /// @cost  a call of `measure` a round
    std::optional<std::vector<SearchedPoint>> from(std::vector<double> sigma, double near);

    /// The conductivities of the last round [S/m].
    const std::vector<double>& last() const { return sigma_; }

  private:
    void learn(const Eigen::VectorXd& residual);
    bool settled(const Eigen::VectorXd& residual, double near) const;
    bool at_floor(std::size_t k) const { return floor_[k] > 0 && sigma_[k] <= floor_[k]; }
    void step(const Eigen::VectorXd& residual);

    Measure measure_;
    std::vector<double> target_, floor_;
    std::vector<double> sigma_;
    std::vector<double> none_;             ///< the largest with which no wave ran [S/m]
    Eigen::MatrixXd slope_;                ///< d ln v / d ln sigma
    Eigen::VectorXd log_sigma_, residual_; ///< of the last round in which all waves ran
};

} // namespace tawara::simulation
