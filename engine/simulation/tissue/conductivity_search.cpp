// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/conductivity_search.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr const char* names[]{"along the fibres", "across the fibres", "across the sheets"};
constexpr int most_strips = 24;

std::string figures(double x)
{
    return number_text(x, 4);
}

} // namespace

double rounded_conductivity(double sigma)
{
    const std::string text = figures(sigma);
    double out = sigma;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

ConductivitySearch::ConductivitySearch(std::function<double(double sigma)> measure, double target,
                                       std::size_t direction, double edge_mm, double floor_S_per_m)
    : measure_(std::move(measure)), target_(target), direction_(direction), edge_mm_(edge_mm),
      floor_S_per_m_(rounded_conductivity(floor_S_per_m))
{
}

SearchedPoint ConductivitySearch::from(double sigma, double near)
{
    for (int k = 0; k < most_strips; ++k) {
        const SearchedPoint p{sigma, measure_(sigma)};
        ++strips_;
        const double off = std::abs(p.velocity / target_ - 1);
        if (off <= near)
            return p;
        (p.velocity < target_ ? low_ : high_) = p;
        if (p.velocity > target_ && p.sigma <= floor_S_per_m_)
            return p;
        const auto another = next();
        if (!another)
            return nearer();
        sigma = *another;
    }
    fail("is not found within " + std::to_string(most_strips) + " strips");
}

constexpr double most_factor = 4, least_factor = 1.02; // from strip to strip

/// Where all were too slow so far.
double ConductivitySearch::next_above() const
{
    constexpr double grow = 3; // where no wave runs
    if (low_->sigma >= most_tuned_S_per_m)
        fail((low_->velocity > 0 ? "waves run at no more than " + figures(low_->velocity) + " m/s"
                                 : std::string("no wave runs")) +
             " at " + figures(most_tuned_S_per_m) +
             " S/m, and tissue has 0.01 to 1 S/m; refine the mesh, or see whether the model's "
             "parameters let waves run");
    const double ratio = target_ / low_->velocity;
    const double factor =
        low_->velocity > 0 ? std::clamp(ratio * ratio, least_factor, most_factor) : grow;
    return std::min(low_->sigma * factor, most_tuned_S_per_m);
}

/// Where all were too fast so far.
double ConductivitySearch::next_below() const
{
    if (high_->sigma <= least_tuned_S_per_m)
        fail("waves run at " + figures(high_->velocity) + " m/s even at " +
             figures(least_tuned_S_per_m) + " S/m");
    const double ratio = target_ / high_->velocity;
    const double factor = std::clamp(ratio * ratio, 1 / most_factor, 1 / least_factor);
    return std::max({least_tuned_S_per_m, floor_S_per_m_, high_->sigma * factor});
}

/// Nothing where there is none between those that are too low and too high.
std::optional<double> ConductivitySearch::next() const
{
    if (!high_)
        return rounded_conductivity(next_above());
    if (!low_)
        return rounded_conductivity(next_below());
    // in logarithms; bisected where no wave runs at the lower end, and now and then, as one end may
    // stay where it is
    const bool bisect = !(low_->velocity > 0) || strips_ % 3 == 2;
    const double at = bisect ? 0.5
                             : std::clamp(std::log(target_ / low_->velocity) /
                                              std::log(high_->velocity / low_->velocity),
                                          0.02, 0.98);
    const double between = low_->sigma * std::pow(high_->sigma / low_->sigma, at);
    for (const double next : {between, std::sqrt(low_->sigma * high_->sigma)})
        if (const double sigma = rounded_conductivity(next);
            sigma > low_->sigma && sigma < high_->sigma)
            return sigma;
    return {};
}

SearchedPoint ConductivitySearch::nearer() const
{
    const auto off = [&](const SearchedPoint& p) { return std::abs(p.velocity / target_ - 1); };
    const SearchedPoint& p = off(*low_) < off(*high_) ? *low_ : *high_;
    if (off(p) > tuning_tolerance)
        fail((low_->velocity > 0 ? "they run at " + figures(low_->velocity) + " m/s"
                                 : std::string("waves stop")) +
             " at " + figures(low_->sigma) + " S/m, and run at " + figures(high_->velocity) +
             " m/s at " + figures(high_->sigma) + " S/m; refine the mesh");
    return p;
}

void ConductivitySearch::fail(const std::string& why) const
{
    throw InputError(no_velocity_file, figures(target_) + " m/s " + names[direction_] +
                                           " cannot be reached on this mesh (mean edge " +
                                           number_text(edge_mm_, 3) + " mm): " + why);
}

} // namespace tawara::simulation
