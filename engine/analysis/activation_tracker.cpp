// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/activation_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::analysis {
namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();

} // namespace

ActivationTracker::ActivationTracker(std::size_t places, double threshold_mV)
    : activation(places), repolarisation(places), previous(places), apd90(places), count(places),
      threshold_(static_cast<float>(threshold_mV)), v_(places), peak_(places), rest_(places),
      excited_(places)
{
    clear();
}

void ActivationTracker::clear()
{
    for (auto* list : {&activation, &repolarisation, &previous, &apd90})
        std::fill(list->begin(), list->end(), never);
    std::fill(count.begin(), count.end(), 0);
    std::fill(excited_.begin(), excited_.end(), 0);
    time_ms_ = -std::numeric_limits<double>::infinity();
    since_ms_ = std::numeric_limits<double>::infinity();
}

void ActivationTracker::sample(double t_ms, std::span<const float> v)
{
    if (t_ms == time_ms_)
        return;
    if (t_ms < time_ms_)
        clear();
    const bool first = std::isinf(time_ms_);
    const double from = time_ms_, step = t_ms - time_ms_;
    time_ms_ = t_ms;
    if (first) {
        since_ms_ = t_ms;
        std::copy(v.begin(), v.end(), v_.begin());
        std::copy(v.begin(), v.end(), rest_.begin());
        for (std::size_t i = 0; i < v_.size(); ++i) { // what is up already counts from its peak on
            peak_[i] = v_[i];
            excited_[i] = v_[i] >= threshold_;
        }
        return;
    }
    const auto crossing = [&](float a, float b, float level) {
        return static_cast<float>(from + step * static_cast<double>((level - a) / (b - a)));
    };
    for (std::size_t i = 0; i < v_.size(); ++i) {
        const float a = v_[i], b = v[i];
        v_[i] = b;
        if (a < threshold_ && b >= threshold_) {
            const float t = crossing(a, b, threshold_);
            if (!(t < activation[i] + static_cast<float>(blind_ms))) {
                previous[i] = activation[i];
                activation[i] = t;
                repolarisation[i] = never;
                ++count[i];
                peak_[i] = b;
                excited_[i] = 1;
                continue;
            }
        }
        if (!excited_[i]) {
            rest_[i] = std::min(rest_[i], b);
            continue;
        }
        peak_[i] = std::max(peak_[i], b);
        const float level = peak_[i] - 0.9F * (peak_[i] - rest_[i]);
        if (b < level && a >= level) {
            excited_[i] = 0;
            rest_[i] = b;
            if (count[i] > 0) {
                repolarisation[i] = crossing(a, b, level);
                apd90[i] = repolarisation[i] - activation[i];
            }
        }
    }
}

double newest_beat_start(std::span<const float> newest, std::span<const float> previous,
                         double silent_ms, double look_back_ms)
{
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    double end = nothing;
    for (float t : newest)
        if (static_cast<double>(t) > end) // false for NaN
            end = static_cast<double>(t);
    if (end == nothing)
        return nothing;
    std::vector<std::uint8_t> busy(static_cast<std::size_t>(look_back_ms) + 1); // of each ms, back
    for (const auto& list : {newest, previous})
        for (float t : list)
            if (const double back = end - static_cast<double>(t); back < look_back_ms)
                busy[static_cast<std::size_t>(back)] = 1;
    std::size_t last = 0;
    for (std::size_t i = 1; i < busy.size(); ++i) {
        if (busy[i])
            last = i;
        else if (static_cast<double>(i - last) > silent_ms)
            return end - static_cast<double>(last + 1);
    }
    return nothing;
}

} // namespace tawara::analysis
