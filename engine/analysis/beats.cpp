// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/beats.hpp"

#include <algorithm>
#include <limits>

namespace tawara::analysis {
namespace {

constexpr float least_span_mV = 40;
constexpr double blind_ms = 20;
constexpr float ready = 0.4F;  // part of the span above the least V: below it a beat is over
constexpr double lead_ms = 10; // a beat starts so long before its crossing: the foot belongs to it

constexpr double upstroke_ms = 10;             // after the crossing: what rises later is a pulse
constexpr double pulse_mV_per_ms = 5;          // or more; a plateau's dome rises far slower
constexpr float most_mV = 60, least_mV = -120; // of an action potential

constexpr double look_back_ms = 50, window_ms = 10, stride_ms = 1; // of the potential at rest

/// V at rest before sample `end`, as the header has it.
double rest_before(std::span<const double> t_ms, std::span<const float> v_mV, std::size_t end)
{
    const double until = t_ms[end];
    if (until - t_ms.front() < window_ms)
        return static_cast<double>(v_mV.front());
    const auto at = [&](double t) { return std::lower_bound(t_ms.begin(), t_ms.end(), t); };
    auto rest = std::numeric_limits<float>::infinity();
    std::vector<float> window;
    for (double from = std::max(t_ms.front(), until - look_back_ms);
         from <= until - window_ms + 1e-9; from += stride_ms) {
        const auto a = at(from) - t_ms.begin(), b = at(from + window_ms) - t_ms.begin();
        window.assign(v_mV.begin() + a, v_mV.begin() + std::min(b, std::ptrdiff_t(end)));
        if (window.empty()) // samples further apart
            window.push_back(v_mV[static_cast<std::size_t>(std::max<std::ptrdiff_t>(a, 1) - 1)]);
        const auto middle = window.begin() + static_cast<std::ptrdiff_t>((window.size() - 1) / 2);
        std::nth_element(window.begin(), middle, window.end());
        rest = std::min(rest, *middle);
    }
    return static_cast<double>(rest);
}

/// When the first pulse after `from_ms`, before sample `end`, lifts V; infinite where none does.
double pulse_after(double from_ms, std::size_t end, std::span<const double> t_ms,
                   std::span<const float> v_mV)
{
    auto i = static_cast<std::size_t>(std::upper_bound(t_ms.begin(), t_ms.end(), from_ms) -
                                      t_ms.begin());
    for (i = std::max<std::size_t>(i, 1); i < end; ++i)
        if (static_cast<double>(v_mV[i] - v_mV[i - 1]) >= pulse_mV_per_ms * (t_ms[i] - t_ms[i - 1]))
            return t_ms[i - 1];
    return std::numeric_limits<double>::infinity();
}

} // namespace

std::vector<cell::ActionPotential> find_beats(std::span<const double> t_ms,
                                              std::span<const float> v_mV)
{
    if (v_mV.size() < 3)
        return {};
    const auto [lowest, highest] = std::minmax_element(v_mV.begin(), v_mV.end());
    const float low = std::max(*lowest, least_mV), high = std::min(*highest, most_mV);
    if (!(high - low >= least_span_mV))
        return {};
    const float level = 0.5F * (low + high);
    const float again = low + ready * (high - low);
    std::vector<double> starts;
    std::vector<cell::BeatBounds> bounds;
    std::vector<std::size_t> crossings;
    double last = -1e300;
    bool over = true; // the beat before
    for (std::size_t i = 1; i < v_mV.size(); ++i) {
        over = over || v_mV[i - 1] < again;
        if (over && v_mV[i - 1] < level && v_mV[i] >= level && t_ms[i] >= last + blind_ms) {
            starts.push_back(t_ms[i] - lead_ms);
            crossings.push_back(i);
            cell::BeatBounds b{rest_before(t_ms, v_mV, i), t_ms[i] + upstroke_ms};
            b.in_steps = true;
            bounds.push_back(b);
            last = t_ms[i];
            over = false;
        }
    }
    for (std::size_t k = 0; k < crossings.size(); ++k)
        bounds[k].peak_until_ms =
            pulse_after(bounds[k].upstroke_until_ms,
                        k + 1 < crossings.size() ? crossings[k + 1] : v_mV.size(), t_ms, v_mV);
    if (starts.empty())
        return {};
    // what is before the first one is no beat: a trace may begin on a plateau
    const auto from = std::lower_bound(t_ms.begin(), t_ms.end(), starts.front()) - t_ms.begin();
    const std::vector<double> v(v_mV.begin() + from, v_mV.end());
    return cell::measure_action_potentials(t_ms.subspan(static_cast<std::size_t>(from)), v, starts,
                                           bounds);
}

} // namespace tawara::analysis
