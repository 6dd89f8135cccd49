// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/beats.hpp"

#include <algorithm>

namespace tawara::analysis {
namespace {

constexpr float least_span_mV = 40;
constexpr double blind_ms = 20;
constexpr double lead_ms = 10; // a beat starts so long before its crossing: the foot belongs to it

} // namespace

std::vector<cell::ActionPotential> find_beats(std::span<const double> t_ms,
                                              std::span<const float> v_mV)
{
    if (v_mV.size() < 3)
        return {};
    const auto [low, high] = std::minmax_element(v_mV.begin(), v_mV.end());
    if (!(*high - *low >= least_span_mV))
        return {};
    const float level = 0.5F * (*low + *high);
    std::vector<double> starts;
    double last = -1e300;
    for (std::size_t i = 1; i < v_mV.size(); ++i)
        if (v_mV[i - 1] < level && v_mV[i] >= level && t_ms[i] >= last + blind_ms) {
            starts.push_back(t_ms[i] - lead_ms);
            last = t_ms[i];
        }
    const std::vector<double> v(v_mV.begin(), v_mV.end());
    return cell::measure_action_potentials(t_ms, v, starts);
}

} // namespace tawara::analysis
