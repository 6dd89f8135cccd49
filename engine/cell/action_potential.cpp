// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/action_potential.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tawara::cell {
void ActionPotentialMeter::start_beat(double, const BeatBounds& bounds)
{
    // the last sample before the stimulus is the first of the new beat
    const bool carry = !beat_.empty();
    const Sample last = carry ? beat_.back() : Sample{0, 0};
    close();
    if (carry)
        beat_.push_back(last);
    bounds_ = bounds;
}

void ActionPotentialMeter::start_beat_at_rest()
{
    const auto lower = [](const Sample& x, const Sample& y) { return x.v < y.v; };
    // what comes last is the next beat's upstroke: the peak lies before the fall below it
    auto fall = beat_.end();
    while (fall != beat_.begin() && std::prev(fall)->v > excited_mV)
        --fall;
    auto from = fall;
    while (from != beat_.begin() && std::prev(from)->v <= excited_mV)
        --from;
    const auto rest = std::min_element(from, fall, lower);
    const std::vector<Sample> next(rest, beat_.end());
    beat_.erase(rest, beat_.end());
    close();
    beat_ = next;
    bounds_ = {};
}

void ActionPotentialMeter::sample(double t_ms, double v_mV)
{
    beat_.push_back({t_ms, v_mV});
}

std::vector<ActionPotential> ActionPotentialMeter::finish()
{
    close();
    return std::move(done_);
}

/// @param up  the sample at which the steepest rise ends
double ActionPotentialMeter::time_of_steps(const std::vector<Sample>& b, std::size_t up) const
{
    constexpr double within_ms = 10, as_steep = 0.5, dip = 0.25;
    constexpr double plateau_mV = 0; // what rises from there on is a pulse
    const auto slope = [&](std::size_t i) { return (b[i].v - b[i - 1].v) / (b[i].t - b[i - 1].t); };
    const auto middle = [&](std::size_t i) { return 0.5 * (b[i].t + b[i - 1].t); };
    const double steepest = slope(up);
    const double until = std::min(middle(up) + within_ms, bounds_.upstroke_until_ms);
    double heights = 0, sum = 0;
    int steps = 0;
    std::size_t top = 0; // of the step under way: where it is steepest
    double height = 0;
    const auto end = [&] {
        if (top > 0 && slope(top) >= as_steep * steepest)
            heights += height, sum += height * middle(top), ++steps;
        top = 0, height = 0;
    };
    for (std::size_t i = 1; i < b.size() && middle(i) <= until; ++i) {
        if (!(b[i].t > b[i - 1].t) || middle(i) < middle(up) - within_ms)
            continue;
        if (slope(i) < dip * steepest) {
            end();
            continue;
        }
        if (top == 0 && i != up && b[i - 1].v >= plateau_mV)
            continue;
        height += b[i].v - b[i - 1].v;
        if (top == 0 || slope(i) > slope(top))
            top = i;
    }
    end();
    return steps > 1 ? sum / heights : middle(up);
}

void ActionPotentialMeter::close()
{
    std::vector<Sample> b;
    std::swap(b, beat_);
    if (b.size() < 3)
        return;
    ActionPotential a;
    std::size_t up = 0;
    for (std::size_t i = 1; i < b.size() && b[i].t <= bounds_.upstroke_until_ms; ++i) {
        const double slope = (b[i].v - b[i - 1].v) / (b[i].t - b[i - 1].t);
        if (b[i].t > b[i - 1].t && slope > a.upstroke_mV_per_ms) {
            a.upstroke_mV_per_ms = slope;
            a.activation_ms = 0.5 * (b[i].t + b[i - 1].t);
            up = i;
        }
    }
    if (up == 0)
        return;
    if (bounds_.in_steps)
        a.activation_ms = time_of_steps(b, up);
    a.rest_mV = bounds_.rest_mV;
    if (std::isnan(a.rest_mV))
        a.rest_mV = std::min_element(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(up),
                                     [](auto x, auto y) { return x.v < y.v; })
                        ->v;
    std::size_t peak = up;
    for (std::size_t i = up; i < b.size() && b[i].t <= bounds_.peak_until_ms; ++i)
        if (b[i].v > b[peak].v)
            peak = i;
    a.peak_mV = b[peak].v;
    if (a.peak_mV < excited_mV)
        return;
    const auto duration = [&](double fraction) {
        const double level = a.peak_mV - fraction * (a.peak_mV - a.rest_mV);
        for (std::size_t i = peak + 1; i < b.size(); ++i)
            if (b[i].v <= level && b[i - 1].v > level) {
                const double part = (b[i - 1].v - level) / (b[i - 1].v - b[i].v);
                return b[i - 1].t + part * (b[i].t - b[i - 1].t) - a.activation_ms;
            }
        return std::numeric_limits<double>::quiet_NaN();
    };
    a.apd30_ms = duration(0.3);
    a.apd50_ms = duration(0.5);
    a.apd90_ms = duration(0.9);
    done_.push_back(a);
}

std::vector<ActionPotential> measure_action_potentials(std::span<const double> t_ms,
                                                       std::span<const double> v_mV,
                                                       std::span<const double> starts_ms,
                                                       std::span<const BeatBounds> bounds)
{
    ActionPotentialMeter meter;
    std::size_t next = 0;
    for (std::size_t i = 0; i < t_ms.size(); ++i) {
        for (; next < starts_ms.size() && t_ms[i] >= starts_ms[next]; ++next)
            meter.start_beat(starts_ms[next], bounds.empty() ? BeatBounds{} : bounds[next]);
        meter.sample(t_ms[i], v_mV[i]);
    }
    return meter.finish();
}

} // namespace tawara::cell
