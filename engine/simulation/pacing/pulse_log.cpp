// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/pulse_log.hpp"

#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace tawara::simulation {
namespace {

constexpr double hair_ms = 1e-6;

std::int64_t key_of(double time_ms)
{
    return std::llround(1e3 * time_ms);
}

/// "S1", "S2", ...: each block of such a protocol is a run of S1 and one run for each extra pulse.
std::string kind_of(const Stimulus& s, std::size_t run)
{
    if (!s.protocol || s.protocol->kind != Protocol::Kind::s1s2)
        return {};
    return "S" + std::to_string(1 + run % (1 + s.protocol->extra_ms.size()));
}

/// Distance of x from the interval.
double outside(double x, double low, double high)
{
    return std::max({low - x, x - high, 0.0});
}

/// A stimulus's pulses from `from_ms` on and before `to_ms`, in order of time.
std::vector<Pulse> pulses_of(const Stimulus& s, double from_ms, double to_ms)
{
    std::vector<Pulse> out;
    const auto runs = pulse_runs(s);
    const auto protocol = protocol_text(s);
    const auto searched = searched_kind(s);
    const auto extent = extent_of(s.region);
    double before = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const auto& run = runs[r];
        for (std::int64_t k = 0; run.count == 0 || k < run.count; ++k) {
            const double at = run.start_ms + static_cast<double>(k) * run.period_ms;
            if (!(at < to_ms - hair_ms) || (k > 0 && !(run.period_ms > 0)))
                break;
            if (at >= from_ms - hair_ms) {
                out.push_back({false, s.name, kind_of(s, r), at,
                               std::isfinite(before) ? at - before : 0, s.amplitude_pA_per_pF,
                               s.duration_ms, protocol, std::nullopt});
                out.back().extent = extent;
                out.back().searches = !searched.empty() && out.back().kind == searched;
            }
            before = at;
        }
    }
    return out;
}

} // namespace

double PulseExtent::distance_mm(const Vec3& from) const
{
    const double d =
        std::hypot(outside(from[0], low[0], high[0]), outside(from[1], low[1], high[1]),
                   outside(from[2], low[2], high[2]));
    return std::max(0.0, d - radius);
}

std::optional<PulseExtent> extent_of(const StimulusRegion& region)
{
    if (const auto* box = std::get_if<Box>(&region))
        return PulseExtent{box->low, box->high, 0};
    if (const auto* ball = std::get_if<Sphere>(&region))
        return PulseExtent{ball->centre, ball->centre, ball->radius};
    return {};
}

void PulseLog::clear()
{
    std::lock_guard hold(mutex_);
    periods_.clear();
    series_.clear();
    at_once_.clear();
    listed_ = 0;
}

std::uint64_t PulseLog::set(std::span<const Stimulus> stimuli, double now_ms)
{
    std::lock_guard hold(mutex_);
    for (auto p = periods_.end() - static_cast<std::ptrdiff_t>(listed_); p != periods_.end(); ++p)
        p->to_ms = now_ms;
    std::erase_if(periods_, [](const Period& p) {
        return std::isfinite(p.to_ms) && pulses_of(p.stimulus, p.from_ms, p.to_ms).empty();
    });
    std::set<std::uint64_t> left;
    for (const auto& p : periods_)
        left.insert(p.series);
    std::erase_if(series_, [&](const auto& x) { return left.count(x.second) == 0; });
    const auto first = next_;
    for (const auto& s : stimuli) {
        const auto number = next_++;
        const auto key = search_key(s);
        const auto series = key.empty() ? number : series_.try_emplace(key, number).first->second;
        periods_.push_back(
            {number, series, s, now_ms, std::numeric_limits<double>::infinity(), {}});
    }
    listed_ = stimuli.size();
    return first;
}

void PulseLog::add(std::uint64_t command, const Stimulate& s, double now_ms)
{
    std::lock_guard hold(mutex_);
    Pulse p;
    const auto listed = std::span(periods_).last(listed_);
    const auto of = std::find_if(listed.begin(), listed.end(), [&](const Period& x) {
        return !s.site.empty() && x.stimulus.name == s.site;
    });
    p.click = of == listed.end();
    if (p.click) {
        p.protocol = number_text(s.amplitude_pA_per_pF, 4) + " pA/pF for " +
                     number_text(s.duration_ms, 4) + " ms";
    } else {
        p.site = s.site;
        p.kind = "Pace now";
        p.protocol = protocol_text(of->stimulus);
    }
    p.time_ms = now_ms;
    for (const auto& other : at_once_)
        if (other.pulse.click == p.click && other.pulse.site == p.site)
            p.coupling_ms = now_ms - other.pulse.time_ms;
    for (const auto& x : periods_) // also what it gave before it was changed
        if (!p.click && x.stimulus.name == p.site)
            for (const auto& pulse : pulses_of(x.stimulus, x.from_ms, std::min(x.to_ms, now_ms)))
                if (p.coupling_ms == 0 || now_ms - pulse.time_ms < p.coupling_ms)
                    p.coupling_ms = now_ms - pulse.time_ms;
    p.amplitude_pA_per_pF = s.amplitude_pA_per_pF;
    p.duration_ms = s.duration_ms;
    p.extent = PulseExtent{s.position_mm, s.position_mm, s.radius_mm};
    at_once_.push_back({command, std::move(p)});
}

std::string PulseLog::site_of(std::uint64_t command) const
{
    std::lock_guard hold(mutex_);
    for (const auto& x : at_once_)
        if (x.command == command)
            return x.pulse.site;
    return {};
}

void PulseLog::decided(const CaptureEvent& e)
{
    std::lock_guard hold(mutex_);
    if (e.stimulus == -1) {
        for (auto& c : at_once_)
            if (c.command == e.command)
                c.pulse.captured = e.captured, c.pulse.around_mV = e.around_mV,
                c.pulse.overtaken = e.overtaken;
        return;
    }
    if (const auto at = place_of(e.command); at < periods_.size())
        periods_[at].decided[key_of(e.time_ms)] = e;
}

std::vector<CaptureEvent> PulseLog::verdicts(std::uint64_t number) const
{
    std::lock_guard hold(mutex_);
    std::vector<CaptureEvent> out;
    if (const auto at = place_of(number); at < periods_.size())
        for (const auto& [time, e] : periods_[at].decided)
            out.push_back(e);
    return out;
}

std::size_t PulseLog::place_of(std::uint64_t number) const
{
    const auto at = std::partition_point(periods_.begin(), periods_.end(),
                                         [&](const Period& p) { return p.number < number; });
    return at != periods_.end() && at->number == number
               ? static_cast<std::size_t>(at - periods_.begin())
               : periods_.size();
}

std::vector<Pulse> PulseLog::until(double now_ms) const
{
    std::lock_guard hold(mutex_);
    std::vector<Pulse> out;
    const auto add = [&](const Period& p) {
        for (auto& pulse : pulses_of(p.stimulus, p.from_ms, std::min(p.to_ms, now_ms))) {
            const auto known = p.decided.find(key_of(pulse.time_ms));
            if (known != p.decided.end()) {
                pulse.captured = known->second.captured;
                pulse.around_mV = known->second.around_mV;
                pulse.overtaken = known->second.overtaken;
            }
            pulse.series = p.series;
            out.push_back(std::move(pulse));
        }
    };
    const auto former = periods_.size() - listed_;
    for (std::size_t k = former; k < periods_.size(); ++k)
        add(periods_[k]);
    for (std::size_t k = 0; k < former; ++k)
        add(periods_[k]);
    for (const auto& c : at_once_)
        out.push_back(c.pulse);
    return out;
}

std::vector<double> PulseLog::times(double from_ms, double now_ms) const
{
    std::lock_guard hold(mutex_);
    std::vector<double> out;
    for (const auto& p : periods_)
        for (const auto& run : pulses_from(p.stimulus, std::max(from_ms, p.from_ms)))
            for (std::int64_t k = 0; run.count == 0 || k < run.count; ++k) {
                const double at = run.start_ms + static_cast<double>(k) * run.period_ms;
                if (!(at < std::min(now_ms, p.to_ms) - hair_ms) || (k > 0 && !(run.period_ms > 0)))
                    break;
                out.push_back(at);
            }
    for (const auto& c : at_once_)
        if (c.pulse.time_ms >= from_ms - hair_ms && c.pulse.time_ms < now_ms - hair_ms)
            out.push_back(c.pulse.time_ms);
    std::sort(out.begin(), out.end());
    return out;
}

std::string protocol_text(const Stimulus& s)
{
    if (!s.on)
        return "off";
    std::string out = number_text(s.amplitude_pA_per_pF, 4) + " pA/pF for " +
                      number_text(s.duration_ms, 4) + " ms from " + number_text(s.start_ms, 6) +
                      " ms";
    if (!s.protocol)
        return s.period_ms > 0 ? out + ", every " + number_text(s.period_ms, 5) + " ms" : out;
    const auto& p = *s.protocol;
    switch (p.kind) {
    case Protocol::Kind::single:
        break;
    case Protocol::Kind::train:
        out += ", train every " + number_text(p.cycle_ms, 5) + " ms";
        break;
    case Protocol::Kind::s1s2:
        out += ", S1 every " + number_text(p.cycle_ms, 5) + " ms";
        for (std::size_t k = 0; k < p.extra_ms.size(); ++k)
            out +=
                ", S" + std::to_string(k + 2) + " after " + number_text(p.extra_ms[k], 5) + " ms";
        if (p.decrement_ms != 0 && p.repeats > 1 && !p.extra_ms.empty())
            out += ", " + number_text(p.decrement_ms, 4) + " ms less each time";
        break;
    case Protocol::Kind::burst:
        out += ", burst every " + number_text(p.cycle_ms, 5) + " ms";
        break;
    }
    return out;
}

std::vector<PulseCount> counted(std::span<const Pulse> pulses)
{
    std::vector<PulseCount> out;
    std::map<std::tuple<bool, std::string, std::string>, std::size_t> place_of;
    for (const auto& p : pulses) {
        const auto [at, fresh] = place_of.try_emplace({p.click, p.site, p.protocol}, out.size());
        if (fresh)
            out.push_back({p.click, p.site, p.protocol, {}, {}});
        auto* of = &out[at->second];
        auto kind = std::find_if(of->kinds.begin(), of->kinds.end(),
                                 [&](const auto& k) { return k.kind == p.kind; });
        if (kind == of->kinds.end())
            kind = of->kinds.insert(of->kinds.end(), {p.kind, 0, 0, 0});
        ++kind->given;
        kind->captured += p.captured.value_or(false) ? 1 : 0;
        kind->not_known += p.captured ? 0 : 1;
        if (p.captured && !*p.captured)
            of->failed.push_back(p);
    }
    return out;
}

} // namespace tawara::simulation
