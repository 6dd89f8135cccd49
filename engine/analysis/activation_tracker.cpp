// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/activation_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::analysis {
namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();

} // namespace

ActivationTracker::ActivationTracker(std::size_t places, double threshold_mV)
    : count(places), threshold_(static_cast<float>(threshold_mV)), v_(places), peak_(places),
      rest_(places), activation_(places), beat_of_(places), excited_(places)
{
    clear();
}

void ActivationTracker::clear()
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    beats_.clear();
    std::fill(activation_.begin(), activation_.end(), never);
    std::fill(beat_of_.begin(), beat_of_.end(), 0);
    std::fill(count.begin(), count.end(), 0);
    std::fill(excited_.begin(), excited_.end(), 0);
    time_ms_ = newest_ms_ = hole_ms_ = -infinite;
    since_ms_ = infinite;
}

/// @param silence_ms  before this sample, of all places; 0 when this sample has begun a beat
void ActivationTracker::activated(std::size_t i, float t, double silence_ms)
{
    const auto at = static_cast<double>(t);
    if (beats_.empty() || silence_ms > TissueBeat::silent_ms) {
        const std::size_t n = v_.size();
        const auto kept = std::clamp<std::size_t>(
            most_bytes / (3 * sizeof(float) * std::max<std::size_t>(n, 1)), 4, most_beats);
        TissueBeat fresh;
        fresh.number = beats_.empty() ? 1 : beats_.back().number + 1;
        fresh.from_ms = fresh.last_ms = fresh.newest_place_ms = at;
        for (auto* list : {&fresh.activation, &fresh.repolarisation, &fresh.period})
            list->assign(n, never);
        beats_.push_back(std::move(fresh));
        if (beats_.size() > kept)
            beats_.pop_front();
    }
    TissueBeat& beat = beats_.back();
    beat.from_ms = std::min(beat.from_ms, at);
    beat.last_ms = std::max(beat.last_ms, at);
    if (beat_of_[i] == beat.number) {
        ++beat.turns;
    } else {
        ++beat.places;
        beat.newest_place_ms = std::max(beat.newest_place_ms, at);
    }
    const float known = exact_ ? t : never;
    beat.period[i] = known - activation_[i];
    beat.activation[i] = known;
    beat.repolarisation[i] = never;
    activation_[i] = known;
    beat_of_[i] = beat.number;
    newest_ms_ = std::max(newest_ms_, at);
    ++count[i];
}

void ActivationTracker::sample(double t_ms, std::span<const float> v)
{
    if (t_ms == time_ms_)
        return;
    if (t_ms < time_ms_)
        clear();
    const bool first = std::isinf(time_ms_);
    const double from = time_ms_, step = t_ms - time_ms_;
    double silence = from - std::max(newest_ms_, hole_ms_); // what samples showed of it
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
    exact_ = step <= blind_ms;
    if (step > TissueBeat::silent_ms)
        hole_ms_ = t_ms;
    const auto fall = static_cast<float>(rest_mV_per_ms * step);
    const auto crossing = [&](float a, float b, float level) {
        return static_cast<float>(from + step * static_cast<double>((level - a) / (b - a)));
    };
    for (std::size_t i = 0; i < v_.size(); ++i) {
        const float a = v_[i], b = v[i];
        v_[i] = b;
        if (a < threshold_ && b >= threshold_) {
            const float t = crossing(a, b, threshold_);
            if (!(t < activation_[i] + static_cast<float>(blind_ms))) {
                activated(i, t, silence);
                silence = 0;
                peak_[i] = b;
                excited_[i] = 1;
                continue;
            }
        }
        if (!excited_[i]) {
            rest_[i] = std::min(rest_[i], std::max(b, rest_[i] - fall));
            continue;
        }
        peak_[i] = std::max(peak_[i], b);
        const float level = peak_[i] - 0.9F * (peak_[i] - rest_[i]);
        if (b < level && a >= level) {
            excited_[i] = 0;
            rest_[i] = b;
            if (count[i] > 0 && beat_of_[i] >= beats_.front().number) // else no longer kept
                beats_[static_cast<std::size_t>(beat_of_[i] - beats_.front().number)]
                    .repolarisation[i] = crossing(a, b, level);
        }
    }
}

} // namespace tawara::analysis
