// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/activation_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::analysis {
namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();
constexpr float ready = 0.4F; // part of peak - rest above rest: below it the next may come

/// What a place does between its activation and the repolarisation that ends it.
enum Excited : std::uint8_t { no, yes, falling /*below `ready`*/ };

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
    packed_.clear();
    open_.clear();
    packed_bytes_ = 0;
    std::fill(activation_.begin(), activation_.end(), never);
    std::fill(beat_of_.begin(), beat_of_.end(), 0);
    std::fill(count.begin(), count.end(), 0);
    std::fill(excited_.begin(), excited_.end(), 0);
    time_ms_ = newest_ms_ = hole_ms_ = -infinite;
    since_ms_ = infinite;
}

void ActivationTracker::forget_oldest()
{
    packed_bytes_ -= packed_.front().bytes();
    packed_.pop_front();
    beats_.pop_front();
}

void ActivationTracker::begin_beat(double t_ms)
{
    TissueBeat fresh;
    fresh.number = beats_.empty() ? 1 : beats_.back().number + 1;
    fresh.from_ms = fresh.last_ms = fresh.newest_place_ms = t_ms;
    BeatTimes times;
    std::deque<PackedBeat> packed; // one at most
    if (open_.size() == open_beats) {
        const auto& oldest = open_.front();
        packed.push_back({PackedTimes(oldest.activation),
                          PackedTimes(oldest.repolarisation),
                          PackedTimes(oldest.period),
                          {}});
    } else {
        for (auto* list : {&times.activation, &times.repolarisation, &times.period})
            list->resize(v_.size());
    }
    const auto beats = beats_.size(), open = open_.size(), whole = packed_.size();
    try { // all of the beat is there, or nothing of it
        beats_.push_back(fresh);
        open_.emplace_back();
        for (auto& p : packed)
            packed_.push_back(std::move(p));
    } catch (...) {
        beats_.resize(beats);
        open_.resize(open);
        packed_.resize(whole);
        throw;
    }
    if (!packed.empty()) { // the lists of the one that is packed now serve again
        packed_bytes_ += packed_.back().bytes();
        times = std::move(open_.front());
        open_.pop_front();
    }
    for (auto* list : {&times.activation, &times.repolarisation, &times.period})
        std::fill(list->begin(), list->end(), never);
    open_.back() = std::move(times);
    while (!packed_.empty() && (beats_.size() > most_beats || packed_bytes_ > most_bytes))
        forget_oldest();
}

BeatTimes ActivationTracker::times(std::int64_t number) const
{
    const auto k = static_cast<std::size_t>(number - beats_.front().number);
    if (k >= packed_.size())
        return open_[k - packed_.size()];
    const PackedBeat& p = packed_[k];
    BeatTimes out{p.activation.unpack(), p.repolarisation.unpack(), p.period.unpack()};
    for (const auto& [place, t] : p.ended_since)
        out.repolarisation[place] = t;
    return out;
}

void ActivationTracker::repolarised(std::size_t i, float t)
{
    if (count[i] == 0 || beat_of_[i] < beats_.front().number)
        return; // before the first sample, or of a beat that is no longer kept
    const auto k = static_cast<std::size_t>(beat_of_[i] - beats_.front().number);
    ++beats_[k].ended;
    if (k < packed_.size())
        packed_[k].ended_since.emplace_back(i, t);
    else
        open_[k - packed_.size()].repolarisation[i] = t;
}

/// @param silence_ms  before this sample, of all places; 0 when this sample has begun a beat
void ActivationTracker::activated(std::size_t i, float t, double silence_ms)
{
    const auto at = static_cast<double>(t);
    if (beats_.empty() || silence_ms > TissueBeat::silent_ms)
        begin_beat(at);
    TissueBeat& beat = beats_.back();
    BeatTimes& times = open_.back();
    beat.from_ms = std::min(beat.from_ms, at);
    beat.last_ms = std::max(beat.last_ms, at);
    if (beat_of_[i] == beat.number) {
        ++beat.turns;
        beat.ended -= std::isfinite(times.repolarisation[i]);
    } else {
        ++beat.places;
        beat.newest_place_ms = std::max(beat.newest_place_ms, at);
    }
    const float known = exact_ ? t : never;
    times.period[i] = known - activation_[i];
    times.activation[i] = known;
    times.repolarisation[i] = never;
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
            excited_[i] = v_[i] >= threshold_ ? yes : no;
        }
        return;
    }
    exact_ = step <= blind_ms;
    if (step > TissueBeat::silent_ms)
        hole_ms_ = t_ms;
    const auto fall = static_cast<float>(rest_mV_per_ms * step);
    const auto crossing = [&](float a, float b, float level) {
        return PackedTimes::whole(
            static_cast<float>(from + step * static_cast<double>((level - a) / (b - a))));
    };
    for (std::size_t i = 0; i < v_.size(); ++i) {
        const float a = v_[i], b = v[i];
        v_[i] = b;
        if (a < threshold_ && b >= threshold_ && excited_[i] != yes) {
            const float t = crossing(a, b, threshold_);
            if (!(t < activation_[i] + static_cast<float>(blind_ms))) {
                activated(i, t, silence);
                silence = 0;
                peak_[i] = b;
                excited_[i] = yes;
                continue;
            }
        }
        if (excited_[i] == no) {
            rest_[i] = std::min(rest_[i], std::max(b, rest_[i] - fall));
            continue;
        }
        peak_[i] = std::max(peak_[i], b);
        const float span = peak_[i] - rest_[i], level = peak_[i] - 0.9F * span;
        if (b < rest_[i] + ready * span)
            excited_[i] = falling;
        if (b < level && a >= level) {
            excited_[i] = no;
            rest_[i] = b;
            repolarised(i, crossing(a, b, level));
        }
    }
}

} // namespace tawara::analysis
