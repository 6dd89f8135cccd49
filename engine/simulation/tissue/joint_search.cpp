// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/joint_search.hpp"

#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr int most_rounds = 10;
constexpr double usual_slope = 0.8;  // 0.5 where a mesh resolves the front, above 1 near block
constexpr double largest_factor = 4; // from round to round
constexpr double where_none_runs = 2.5;

Eigen::VectorXd logarithm(const std::vector<double>& x)
{
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()))
        .array()
        .log();
}

} // namespace

JointSearch::JointSearch(Measure measure, std::vector<double> target,
                         std::vector<double> floor_S_per_m)
    : measure_(std::move(measure)), target_(std::move(target)), floor_(std::move(floor_S_per_m)),
      none_(target_.size(), 0.0)
{
    const auto n = static_cast<Eigen::Index>(target_.size());
    slope_ = usual_slope * Eigen::MatrixXd::Identity(n, n);
    for (double& f : floor_)
        f = rounded_conductivity(f);
}

std::optional<std::vector<SearchedPoint>> JointSearch::from(std::vector<double> sigma, double near)
{
    sigma_ = std::move(sigma);
    for (int round = 0; round < most_rounds; ++round) {
        const auto v = measure_(sigma_);
        const Eigen::VectorXd residual = logarithm(v) - logarithm(target_);
        if (settled(residual, near)) {
            std::vector<SearchedPoint> out;
            for (std::size_t k = 0; k < v.size(); ++k)
                out.push_back({sigma_[k], v[k]});
            return out;
        }
        learn(residual);
        step(residual);
    }
    return {};
}

/// Waves at the floor may be too fast.
bool JointSearch::settled(const Eigen::VectorXd& residual, double near) const
{
    for (std::size_t k = 0; k < sigma_.size(); ++k) {
        const double r = residual[static_cast<Eigen::Index>(k)];
        if (!(std::abs(std::expm1(r)) <= near) && !(r > 0 && at_floor(k)))
            return false;
    }
    return true;
}

/// Broyden's update, where waves ran in this round and in one before.
void JointSearch::learn(const Eigen::VectorXd& residual)
{
    constexpr double least_step = 2e-3; // below which rounding of conductivities counts
    if (!residual.allFinite())
        return;
    const Eigen::VectorXd at = logarithm(sigma_);
    if (log_sigma_.size() == at.size()) {
        const Eigen::VectorXd moved = at - log_sigma_;
        if (moved.norm() < least_step)
            return;
        slope_ += (residual - residual_ - slope_ * moved) * moved.transpose() / moved.squaredNorm();
    }
    log_sigma_ = at;
    residual_ = residual;
}

void JointSearch::step(const Eigen::VectorXd& residual)
{
    const auto n = static_cast<Eigen::Index>(sigma_.size());
    Eigen::MatrixXd slope = slope_;
    Eigen::VectorXd wanted = -residual;
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const bool stays = residual[k] > 0 && at_floor(at);
        if (!stays && std::isfinite(residual[k]))
            continue;
        slope.row(k).setZero();
        slope(k, k) = 1;
        wanted[k] = stays ? 0 : std::log(where_none_runs);
        if (!stays)
            none_[at] = std::max(none_[at], sigma_[at]);
    }
    Eigen::VectorXd by = slope.fullPivLu().solve(wanted);
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        // towards what is wanted in any case: a slope that was learnt from noise may turn it round
        if (!(by[k] * wanted[k] > 0) && wanted[k] != 0)
            by[k] = wanted[k] / usual_slope;
        by[k] = std::clamp(by[k], -std::log(largest_factor), std::log(largest_factor));
        double next = sigma_[at] * std::exp(by[k]);
        if (next <= none_[at])
            next = std::sqrt(none_[at] * sigma_[at]);
        sigma_[at] = rounded_conductivity(
            std::clamp(next, std::max(floor_[at], least_tuned_S_per_m), most_tuned_S_per_m));
    }
}

} // namespace tawara::simulation
