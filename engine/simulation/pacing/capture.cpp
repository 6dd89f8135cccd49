// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/capture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr float no_sample = 1e6F;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t state_head = 9;  // numbers of a state before those of its places
constexpr std::size_t least_ahead = 2; // places: one alone sends out nothing
constexpr std::size_t most_inside = 4, most_of_site = 40, most_around = 20;
/// Beyond what a site that fires alone, without a wave, lifts through the threshold: some space
/// constants (about 0.5 mm in ventricular tissue).
constexpr double ring_mm = 2.5;

/// V before a pulse; where nobody looked before, at its first sample.
double earlier(float before, double now)
{
    return before < no_sample ? static_cast<double>(before) : now;
}

/// When V went through the threshold between two samples.
double crossing(double from_ms, double from_mV, double to_ms, double to_mV)
{
    const double share =
        (static_cast<double>(CaptureWatch::threshold_mV) - from_mV) / (to_mV - from_mV);
    return from_ms + share * (to_ms - from_ms);
}

/// The neighbours of `layer` that were not reached before.
std::vector<std::int32_t> outwards(const diffusion::Rows& rows, std::span<const std::int32_t> layer,
                                   std::vector<char>& reached)
{
    std::vector<std::int32_t> out;
    for (auto u : layer) {
        const auto i = static_cast<std::size_t>(u);
        for (auto k = rows.first[i]; k < rows.first[i + 1]; ++k) {
            const auto j = rows.column[static_cast<std::size_t>(k)];
            if (!reached[static_cast<std::size_t>(j)]) {
                reached[static_cast<std::size_t>(j)] = 1;
                out.push_back(j);
            }
        }
    }
    return out;
}

/// The unknowns around a site that are three neighbours and ring_mm away from it; where the tissue
/// ends before that, those farthest out, and `beyond` is false.
std::vector<std::int32_t> around(const Tissue& t, std::span<const std::int32_t> site, bool& beyond)
{
    const auto& rows = t.problem.system.alpha;
    const auto& position = t.problem.position_mm;
    std::vector<std::int32_t> origin(t.problem.size(), -1); // of the site
    for (auto u : site)
        origin[static_cast<std::size_t>(u)] = u;
    std::vector<std::int32_t> out, last, layer(site.begin(), site.end());
    beyond = false;
    bool outside = false; // there is tissue outside of the site
    for (int neighbours = 1; !layer.empty(); ++neighbours) {
        std::vector<std::int32_t> next;
        for (auto u : layer) {
            const auto i = static_cast<std::size_t>(u);
            for (auto k = rows.first[i]; k < rows.first[i + 1]; ++k) {
                const auto v = rows.column[static_cast<std::size_t>(k)];
                const auto j = static_cast<std::size_t>(v);
                if (origin[j] >= 0)
                    continue;
                origin[j] = origin[i];
                const double mm = norm(position[j] - position[static_cast<std::size_t>(origin[j])]);
                (neighbours >= 3 && mm >= ring_mm ? out : next).push_back(v);
            }
        }
        outside = outside || !next.empty();
        last = std::exchange(layer, std::move(next));
    }
    beyond = !out.empty();
    return out.empty() && outside ? last : out;
}

/// At most so many of them, the first and then always the one farthest from those chosen.
std::vector<std::int32_t> spread(const Tissue& t, std::span<const std::int32_t> from,
                                 std::size_t most)
{
    std::vector<std::int32_t> out;
    std::vector<double> distance(from.size(), 1e300);
    std::size_t next = 0;
    while (out.size() < std::min(most, from.size())) {
        out.push_back(from[next]);
        const Vec3 x = t.problem.position_mm[static_cast<std::size_t>(from[next])];
        for (std::size_t k = 0; k < from.size(); ++k)
            distance[k] = std::min(
                distance[k], norm(t.problem.position_mm[static_cast<std::size_t>(from[k])] - x));
        next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) -
                                        distance.begin());
        if (!(distance[next] > 0))
            break;
    }
    return out;
}

/// The unknowns of a site by how many neighbours they are inside of its edge, the edge first.
std::vector<std::vector<std::int32_t>> layers_inwards(const Tissue& t,
                                                      std::span<const std::int32_t> site)
{
    const auto& rows = t.problem.system.alpha;
    std::vector<char> reached(t.problem.size(), 1); // what is outside is not looked for
    for (auto u : site)
        reached[static_cast<std::size_t>(u)] = 0;
    std::vector<std::int32_t> edge;
    for (auto u : site) {
        const auto i = static_cast<std::size_t>(u);
        const auto first = rows.column.begin() + rows.first[i],
                   last = rows.column.begin() + rows.first[i + 1];
        if (std::any_of(first, last,
                        [&](std::int32_t j) { return reached[static_cast<std::size_t>(j)] != 0; }))
            edge.push_back(u);
    }
    for (auto u : edge)
        reached[static_cast<std::size_t>(u)] = 1;
    std::vector<std::vector<std::int32_t>> layers;
    for (auto layer = std::move(edge); !layer.empty();) {
        auto next = outwards(rows, layer, reached);
        layers.push_back(std::move(layer));
        layer = std::move(next);
    }
    return layers;
}

} // namespace

CapturePlaces capture_places(const Tissue& t, std::span<const std::int32_t> site)
{
    const auto& rows = t.problem.system.alpha;
    std::vector<char> reached(t.problem.size(), 0);
    for (auto u : site)
        reached[static_cast<std::size_t>(u)] = 1;
    const auto first = outwards(rows, site, reached);
    const auto second = outwards(rows, first, reached);
    const auto layers = layers_inwards(t, site);
    if (first.empty() || layers.empty())
        return {};
    std::vector<std::int32_t> inside;
    for (std::size_t k = layers.size(); k-- > 2 * layers.size() / 3;)
        inside.insert(inside.end(), layers[k].begin(), layers[k].end());
    CapturePlaces out;
    out.site = spread(t, inside, most_inside);
    out.inside = out.site.size();
    std::vector<std::int32_t> others;
    for (auto u : site)
        if (std::find(out.site.begin(), out.site.end(), u) == out.site.end())
            others.push_back(u);
    const auto chosen = spread(t, others, most_of_site);
    out.site.insert(out.site.end(), chosen.begin(), chosen.end());
    out.ring = spread(t, second.empty() ? first : second, most_around);
    const auto far = around(t, site, out.beyond);
    out.far = spread(t, far, most_around);
    return out;
}

void CaptureWatch::add(Site site, std::span<const double> state)
{
    const auto& p = site.places;
    if (p.site.empty() || p.ring.empty())
        return;
    Watched w;
    const auto outside = p.ring.size() + p.far.size();
    w.before.assign(p.site.size() + outside, no_sample); // nothing rises before there was one
    w.up.assign(p.site.size(), left_out);
    w.rose_ms.assign(outside, never);
    w.site = std::move(site);
    restore(w, state);
    if (w.open || !w.site.pulses.empty())
        watched_.push_back(std::move(w));
}

std::map<std::uint64_t, std::vector<double>> CaptureWatch::states() const
{
    std::map<std::uint64_t, std::vector<double>> out;
    for (const auto& w : watched_)
        if (w.site.stimulus >= 0) {
            const auto [at, fresh] = out.try_emplace(w.site.command);
            // after its last pulse it is watched no more where a run goes on from its checkpoint
            if (fresh && (w.open || !w.site.pulses.empty()))
                at->second = state_of(w);
        }
    return out;
}

std::vector<double> CaptureWatch::state_of(const Watched& w)
{
    std::vector<double> out{w.open ? 1.0 : 0.0,
                            w.began_ms,
                            w.around_mV,
                            w.before_ms,
                            w.fired_ms,
                            w.overtaken ? 1.0 : 0.0,
                            static_cast<double>(w.pulse),
                            w.refractory ? 1.0 : 0.0,
                            w.rested ? 1.0 : 0.0};
    out.insert(out.end(), w.before.begin(), w.before.end());
    out.insert(out.end(), w.up.begin(), w.up.end());
    out.insert(out.end(), w.rose_ms.begin(), w.rose_ms.end());
    return out;
}

bool CaptureWatch::restore(Watched& w, std::span<const double> state)
{
    if (state.size() != state_head + w.before.size() + w.up.size() + w.rose_ms.size())
        return false;
    w.open = state[0] > 0;
    w.began_ms = state[1];
    w.around_mV = state[2];
    w.before_ms = state[3];
    w.fired_ms = state[4];
    w.overtaken = state[5] > 0;
    w.pulse = static_cast<int>(state[6]);
    w.refractory = state[7] > 0;
    w.rested = state[8] > 0;
    auto at = state.begin() + state_head;
    for (float& v : w.before)
        v = static_cast<float>(*at++);
    for (char& up : w.up)
        up = static_cast<char>(*at++);
    for (double& ms : w.rose_ms)
        ms = *at++;
    return true;
}

double CaptureWatch::followed_ms(std::span<const double> state)
{
    return state.size() > state_head && state[0] > 0 ? state[1] : -1;
}

void CaptureWatch::clear_listed()
{
    std::erase_if(watched_, [](const Watched& w) { return w.site.stimulus >= 0 && !w.open; });
    for (auto& w : watched_)
        if (w.site.stimulus >= 0) {
            w.site.stimulus = former;
            w.site.pulses.clear();
        }
}

std::vector<std::int32_t> CaptureWatch::columns() const
{
    std::vector<std::int32_t> out;
    for (const auto& w : watched_) {
        const auto& p = w.site.places;
        out.insert(out.end(), p.site.begin(), p.site.end());
        out.insert(out.end(), p.ring.begin(), p.ring.end());
        out.insert(out.end(), p.far.begin(), p.far.end());
    }
    return out;
}

bool CaptureWatch::next_pulse(std::vector<PulseRun>& runs, double t_ms, double& start_ms)
{
    if (runs.empty() || runs.front().start_ms > t_ms + 1e-9)
        return false;
    auto& run = runs.front();
    start_ms = run.start_ms;
    if (run.count == 1 || !(run.period_ms > 0)) {
        runs.erase(runs.begin());
    } else {
        run.start_ms += run.period_ms;
        if (run.count > 1)
            --run.count;
    }
    return true;
}

void CaptureWatch::close(Watched& w, bool captured, const std::function<void(CaptureEvent)>& event)
{
    w.open = false;
    event({w.site.stimulus, w.site.command, w.pulse++, w.began_ms, captured, w.around_mV,
           !captured && w.overtaken});
}

void CaptureWatch::choose(Watched& w, double t_ms, std::span<const double> now)
{
    // a first sample may come after the pulse's start: its current has lifted the site by then
    const double lifted_mV =
        w.site.amplitude_pA_per_pF * std::min(t_ms - w.began_ms, w.site.duration_ms);
    const auto v = [&](std::size_t k) {
        return earlier(w.before[k], k < w.up.size() ? now[k] - lifted_mV : now[k]);
    };
    double lowest = never; // around the site
    for (std::size_t k = w.up.size(); k < w.before.size(); ++k)
        lowest = std::min(lowest, v(k));
    w.refractory = w.rested = true;
    for (std::size_t k = 0; k < w.site.places.inside; ++k) {
        w.refractory = w.refractory && v(k) >= static_cast<double>(threshold_mV);
        w.rested = w.rested && v(k) < static_cast<double>(rest_mV);
    }
    for (std::size_t k = 0; k < w.up.size(); ++k)
        w.up[k] = k < w.site.places.inside ? 0 : left_out;
    const double ahead_mV =
        std::min(static_cast<double>(rest_mV), lowest + static_cast<double>(foot_mV));
    const auto ahead = [&](std::size_t k) { return v(k) < ahead_mV; };
    std::size_t count = 0; // of a wave which has reached the others
    for (std::size_t k = 0; k < w.up.size(); ++k)
        count += ahead(k) ? 1 : 0;
    if (w.rested || count < least_ahead ||
        w.site.amplitude_pA_per_pF * w.site.duration_ms < drive_mV)
        return;
    for (std::size_t k = 0; k < w.up.size(); ++k)
        w.up[k] = ahead(k) ? 0 : left_out;
    w.rested = true;
    w.refractory = false;
}

void CaptureWatch::begin(Watched& w, double start_ms, double t_ms, std::span<const double> now)
{
    w.open = true;
    w.began_ms = start_ms;
    w.fired_ms = never;
    choose(w, t_ms, now);
    std::fill(w.rose_ms.begin(), w.rose_ms.end(), never);
    w.overtaken = false;
    bool rests = false; // somewhere near: what is up beside it is a wave that comes
    double sum = 0;
    const std::size_t ring_ends = w.up.size() + w.site.places.ring.size();
    for (std::size_t k = 0; k < ring_ends; ++k) {
        const double v = earlier(w.before[k], now[k]);
        rests = rests || v < static_cast<double>(rest_mV);
        if (k >= w.up.size())
            sum += v;
    }
    for (std::size_t k = w.up.size(); k < w.before.size() && rests; ++k)
        if (earlier(w.before[k], now[k]) >= static_cast<double>(threshold_mV))
            w.rose_ms[k - w.up.size()] = start_ms - (k < ring_ends ? 2 : 4) * together_ms;
    w.around_mV = sum / static_cast<double>(w.site.places.ring.size());
}

void CaptureWatch::follow(Watched& w, double t_ms, std::span<const double> now)
{
    const auto rise = [&](std::size_t k) {
        return w.before[k] < threshold_mV && now[k] >= static_cast<double>(threshold_mV)
                   ? crossing(w.before_ms, static_cast<double>(w.before[k]), t_ms, now[k])
                   : never;
    };
    const std::size_t inside = w.up.size();
    for (std::size_t k = 0; k < inside; ++k)
        if (w.up[k] == left_out) {
            continue;
        } else if (const double at = rise(k); at < never) {
            w.up[k] = 1;
            w.fired_ms = std::min(w.fired_ms, at);
        } else if (now[k] < static_cast<double>(fallen_mV)) {
            w.up[k] = 0;
        }
    if (w.fired_ms < never && std::count(w.up.begin(), w.up.end(), 1) == 0)
        w.fired_ms = never; // the current alone had lifted it
    for (std::size_t k = 0; k < w.rose_ms.size(); ++k)
        w.rose_ms[k] = now[inside + k] < static_cast<double>(fallen_mV)
                           ? never
                           : std::min(w.rose_ms[k], rise(inside + k));
    w.overtaken = w.overtaken || from_elsewhere(w, t_ms);
}

bool CaptureWatch::from_elsewhere(Watched& w, double t_ms)
{
    const double seen_ms = std::min(w.fired_ms, t_ms), ended_ms = w.began_ms + w.site.duration_ms;
    const auto ring = static_cast<std::ptrdiff_t>(w.site.places.ring.size());
    const auto first_far = w.rose_ms.begin() + ring;
    const auto early = std::count_if(w.rose_ms.begin(), first_far,
                                     [&](double at) { return at + together_ms < seen_ms; });
    const bool driven = w.site.amplitude_pA_per_pF * w.site.duration_ms >= drive_mV &&
                        seen_ms <= ended_ms + prompt_ms;
    if (driven) {
        // where the pulse's response stayed at the site, what comes much later comes from elsewhere
        const double ring_ms = *std::min_element(w.rose_ms.begin(), first_far);
        const bool late = std::any_of(first_far, w.rose_ms.end(), [&](double at) {
            return at < never && at > ended_ms + latency_ms && at + together_ms < ring_ms;
        });
        return (!w.rested && early > ring / 4) || (w.site.places.beyond && late);
    }
    if (w.refractory && w.fired_ms == never)
        return false; // what rises around it is the wave that made it so
    if (!w.site.places.beyond)
        return early > 0 || (w.fired_ms < never && w.fired_ms > ended_ms + latency_ms);
    const double near_ms = std::min(w.fired_ms, *std::min_element(w.rose_ms.begin(), first_far));
    if (near_ms == never)
        return false;
    if (*std::min_element(first_far, w.rose_ms.end()) + together_ms < near_ms)
        return true;
    w.fired_ms = near_ms; // the wave left from beside the site
    return false;
}

bool CaptureWatch::over(const Watched& w, double t_ms, std::span<const double> now)
{
    if (t_ms > w.began_ms + window_ms)
        return true;
    const double ended_ms = w.began_ms + w.site.duration_ms;
    if (w.fired_ms < never)
        return false;
    if (w.refractory)
        return t_ms > ended_ms + prompt_ms;
    const auto near = now.first(w.up.size() + w.site.places.ring.size());
    return t_ms > ended_ms + latency_ms && std::all_of(near.begin(), near.end(), [](double v) {
               return v < static_cast<double>(quiet_mV);
           });
}

void CaptureWatch::feed(double t_ms, std::span<const double> v,
                        const std::function<void(CaptureEvent)>& event)
{
    std::size_t column = 0;
    for (const auto& w : watched_)
        column += w.before.size();
    if (v.size() != column)
        return; // of sites that were there before
    column = 0;
    for (auto& w : watched_) {
        const auto now = v.subspan(column, w.before.size());
        column += now.size();
        double start = 0;
        while (next_pulse(w.site.pulses, t_ms, start)) {
            if (w.open)
                close(w, false, event);
            begin(w, start, t_ms, now);
        }
        if (w.open)
            follow(w, t_ms, now);
        for (std::size_t k = 0; k < now.size(); ++k)
            w.before[k] = static_cast<float>(now[k]);
        w.before_ms = t_ms;
        if (!w.open)
            continue;
        const auto far = w.rose_ms.begin() + static_cast<std::ptrdiff_t>(w.site.places.ring.size());
        const auto reached = std::count_if(far, w.rose_ms.end(), [&](double at) {
            return at < never && at + together_ms >= w.fired_ms;
        });
        const auto left =
            std::count_if(far, w.rose_ms.end(), [&](double at) { return at >= w.began_ms; });
        if (w.overtaken || over(w, t_ms, now))
            close(w, false, event);
        else if (reached > 0 && 3 * reached >= left)
            close(w, true, event);
    }
}

bool CaptureWatch::drop_ended()
{
    return std::erase_if(watched_, [](const Watched& w) {
               return w.site.stimulus < 0 && !w.open && w.site.pulses.empty();
           }) > 0;
}

} // namespace tawara::simulation
