// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/probe_samples.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

double value_at(const device::Gather& weights, std::size_t k, std::span<const double> v_mV)
{
    double sum = 0;
    for (auto i = static_cast<std::size_t>(weights.first[k]);
         i < static_cast<std::size_t>(weights.first[k + 1]); ++i)
        sum += static_cast<double>(weights.weight[i]) *
               v_mV[static_cast<std::size_t>(weights.unknown[i])];
    return sum;
}

void TraceThinner::restart()
{
    kept_ms_ = -std::numeric_limits<double>::infinity();
    kept_.clear();
    skipped_.clear();
}

void TraceThinner::feed(double t_ms, std::span<const double> v_mV,
                        const std::function<void(double, std::span<const double>)>& keep)
{
    constexpr double hair = 1e-9;
    bool fast = false;
    for (std::size_t p = 0; p < std::min(kept_.size(), v_mV.size()); ++p)
        fast = fast || !(std::abs(v_mV[p] - kept_[p]) < fast_mV);
    if (!fast && t_ms < kept_ms_ + every_ms_ - hair) {
        skipped_.assign(v_mV.begin(), v_mV.end());
        skipped_ms_ = t_ms;
        return;
    }
    if (fast && !skipped_.empty())
        keep(skipped_ms_, skipped_);
    keep(t_ms, v_mV);
    kept_.assign(v_mV.begin(), v_mV.end());
    kept_ms_ = t_ms;
    skipped_.clear();
}

} // namespace tawara::simulation
