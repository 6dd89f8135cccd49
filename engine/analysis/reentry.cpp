// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/reentry.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tawara::analysis {
namespace {

constexpr std::size_t parts = 40; // of a period
constexpr std::size_t quiet_parts = parts / 4, exit_parts = parts / 20;
constexpr double channel_share = 1.0 / 16;

void sort_by_place(std::vector<Activation>& events)
{
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.place != b.place ? a.place < b.place : a.time_ms < b.time_ms;
    });
}

/// Times between activations of the same place.
std::vector<double> cycles(const std::vector<Activation>& by_place)
{
    std::vector<double> out;
    for (std::size_t k = 1; k < by_place.size(); ++k)
        if (by_place[k].place == by_place[k - 1].place)
            out.push_back(static_cast<double>(by_place[k].time_ms - by_place[k - 1].time_ms));
    std::sort(out.begin(), out.end());
    return out;
}

double quantile(const std::vector<double>& sorted, double q)
{
    return sorted[static_cast<std::size_t>(
        std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

/// Reentry::drift.
double drift(const std::vector<Activation>& by_place, double cycle_ms)
{
    std::vector<double> spans, cycle;
    for (std::size_t from = 0, to = 0; from < by_place.size(); from = to) {
        while (to < by_place.size() && by_place[to].place == by_place[from].place)
            ++to;
        const auto span = static_cast<double>(by_place[to - 1].time_ms - by_place[from].time_ms);
        if (const double turns = std::round(span / cycle_ms); turns > 0) {
            spans.push_back(span);
            cycle.push_back(span / turns);
        }
    }
    if (spans.empty())
        return 0;
    std::sort(cycle.begin(), cycle.end());
    const double mean_ms = quantile(cycle, 0.5);
    for (double& s : spans)
        s -= mean_ms * std::round(s / mean_ms);
    std::sort(spans.begin(), spans.end());
    return (quantile(spans, 0.9) - quantile(spans, 0.1)) / mean_ms;
}

/// Which part of which period, counted back from the end, a time lies in.
struct Fold
{
    double to_ms, cycle_ms;
    double before(double t_ms) const { return (to_ms - t_ms) / cycle_ms; }
    int period(double t_ms) const { return static_cast<int>(std::floor(before(t_ms))); }
    std::size_t part(double t_ms) const
    {
        const double x = before(t_ms), phase = 1 - (x - std::floor(x)); // in (0, 1]
        return std::min(parts - 1, static_cast<std::size_t>(phase * double{parts}));
    }
};

/// The place nearest to the mean of those activated in some parts of a period.
struct Gathered
{
    Vec3 sum{};
    double volume = 0;
    std::vector<std::int32_t> places;
    void add(const ActivatedPlaces& of, std::int32_t place)
    {
        const auto p = static_cast<std::size_t>(place);
        sum = sum + of.volume[p] * of.position_mm[p];
        volume += of.volume[p];
        places.push_back(place);
    }
    Vec3 nearest(const ActivatedPlaces& of) const
    {
        const Vec3 mean = (1 / std::max(volume, 1e-300)) * sum;
        const auto far = [&](std::int32_t p) {
            return norm(of.position_mm[static_cast<std::size_t>(p)] - mean);
        };
        return of.position_mm[static_cast<std::size_t>(*std::min_element(
            places.begin(), places.end(), [&](auto a, auto b) { return far(a) < far(b); }))];
    }
};

bool within(std::size_t part, std::size_t from, std::size_t count)
{
    return (part + parts - from) % parts < count;
}

/// The first part of the quiet stretch; its share of all volume.
std::size_t quietest(const std::array<double, parts>& volume, double& share)
{
    double all = 0, least = INFINITY;
    for (const double v : volume)
        all += v;
    std::size_t at = 0;
    for (std::size_t from = 0; from < parts; ++from) {
        double sum = 0;
        for (std::size_t k = 0; k < quiet_parts; ++k)
            sum += volume[(from + k) % parts];
        if (sum < least)
            least = sum, at = from;
    }
    share = all > 0 ? least / all : 0;
    return at;
}

} // namespace

void ActivationLog::begin()
{
    *this = {};
}

void ActivationLog::activated(std::size_t place, float V_mV, double t_ms)
{
    const auto share =
        static_cast<double>((threshold_mV - before_[place]) / (V_mV - before_[place]));
    const double at = before_ms_ + std::clamp(share, 0.0, 1.0) * (t_ms - before_ms_);
    all_.push_back({static_cast<std::int32_t>(place), static_cast<float>(at)});
    ++counts_[place];
    armed_[place] = 0;
    last_ms_ = std::max(last_ms_, at);
}

void ActivationLog::sample(double t_ms, std::span<const double> V_mV)
{
    const bool first = before_.empty();
    if (first) {
        before_.assign(V_mV.begin(), V_mV.end());
        armed_.assign(V_mV.size(), 0);
        counts_.assign(V_mV.size(), 0);
    }
    // Most stretches of places cross nothing: they are done without a branch by place.
    constexpr std::size_t stretch = 64;
    std::array<float, stretch> now, highest;
    std::array<std::int32_t, stretch> up, crosses;
    now.fill(-1e6F), highest.fill(-1e6F), up.fill(0);
    for (std::size_t from = 0; from < V_mV.size(); from += stretch) {
        const auto n = std::min(stretch, V_mV.size() - from);
        std::copy_n(&V_mV[from], n, now.begin());
        std::copy_n(&armed_[from], n, up.begin());
        for (std::size_t k = 0; k < stretch; ++k) {
            highest[k] = now[k] > highest[k] ? now[k] : highest[k];
            up[k] |= static_cast<std::int32_t>(now[k] < rearmed_mV);
            crosses[k] = up[k] & static_cast<std::int32_t>(now[k] >= threshold_mV);
        }
        std::copy_n(up.begin(), n, &armed_[from]);
        if (!first && std::any_of(crosses.begin(), crosses.begin() + static_cast<std::ptrdiff_t>(n),
                                  [](auto c) { return c != 0; }))
            for (std::size_t k = 0; k < n; ++k)
                if (crosses[k] != 0)
                    activated(from + k, now[k], t_ms);
        std::copy_n(now.begin(), n, &before_[from]);
    }
    highest_mV_ = *std::max_element(highest.begin(), highest.end());
    before_ms_ = t_ms;
}

Reentry describe_reentry(const ActivatedPlaces& of, double from_ms, double to_ms)
{
    Reentry out;
    std::vector<Activation> events;
    for (const auto& a : of.activations)
        if (const double t = static_cast<double>(a.time_ms); t > from_ms && t <= to_ms)
            events.push_back(a);
    sort_by_place(events);
    const auto intervals = cycles(events);
    if (intervals.empty())
        return out;
    out.cycle_length_ms = quantile(intervals, 0.5);
    out.variability = (quantile(intervals, 0.9) - quantile(intervals, 0.1)) / out.cycle_length_ms;
    out.drift = drift(events, out.cycle_length_ms);
    out.periods = static_cast<int>((to_ms - from_ms) / out.cycle_length_ms + 1e-9);
    const Fold fold{to_ms, out.cycle_length_ms};
    std::array<double, parts> volume{};
    for (const auto& a : events)
        if (fold.period(static_cast<double>(a.time_ms)) < std::max(out.periods, 1))
            volume[fold.part(static_cast<double>(a.time_ms))] +=
                of.volume[static_cast<std::size_t>(a.place)];
    double share = 0;
    const auto quiet = quietest(volume, share), exit = (quiet + quiet_parts) % parts;
    std::vector<Gathered> exits(static_cast<std::size_t>(std::max(out.periods, 1)));
    Gathered channel;
    for (const auto& a : events) {
        const double t = static_cast<double>(a.time_ms);
        const auto period = static_cast<std::size_t>(fold.period(t)), part = fold.part(t);
        if (period >= exits.size())
            continue;
        if (within(part, exit, exit_parts))
            exits[period].add(of, a.place);
        else if (within(part, quiet, quiet_parts))
            channel.add(of, a.place);
    }
    out.slow_channel = share < channel_share && !channel.places.empty();
    if (out.slow_channel)
        out.channel_mm = channel.nearest(of);
    Vec3 mean{};
    std::vector<Vec3> places;
    for (const auto& e : exits)
        if (!e.places.empty()) {
            places.push_back(e.nearest(of));
            mean = mean + places.back();
        }
    if (!places.empty()) {
        mean = (1 / static_cast<double>(places.size())) * mean;
        out.exit_mm = places.front();
        for (const auto& p : places)
            out.exit_spread_mm = std::max(out.exit_spread_mm, norm(p - mean));
    }
    out.monomorphic =
        out.periods >= 2 && out.variability <= most_variability && out.drift <= most_drift;
    return out;
}

} // namespace tawara::analysis
