// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/capture.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr float no_sample = 1e6F;

/// Mean V before a pulse; where nobody looked before, at its first sample.
double around(std::span<const float> before, std::span<const double> now)
{
    double sum = 0;
    for (std::size_t k = 0; k < before.size(); ++k)
        sum += before[k] < no_sample ? static_cast<double>(before[k]) : now[k];
    return sum / static_cast<double>(before.size());
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

} // namespace

std::vector<std::int32_t> ring_around(const Tissue& t, std::span<const std::int32_t> site,
                                      std::size_t most)
{
    const auto& rows = t.problem.system.alpha;
    std::vector<char> reached(t.problem.size(), 0);
    for (auto u : site)
        reached[static_cast<std::size_t>(u)] = 1;
    auto near = outwards(rows, site, reached);
    const auto far = outwards(rows, near, reached);
    const auto& from = far.empty() ? near : far;
    std::vector<std::int32_t> out;
    if (from.empty())
        return out;
    // Each next place is the one farthest from those chosen.
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

void CaptureWatch::add(Site site)
{
    if (site.ring.empty() || site.pulses.empty())
        return;
    Watched w;
    w.before.assign(site.ring.size(), no_sample); // nothing rises before there was one
    w.risen.assign(site.ring.size(), 0);
    w.site = std::move(site);
    watched_.push_back(std::move(w));
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
    for (const auto& w : watched_)
        out.insert(out.end(), w.site.ring.begin(), w.site.ring.end());
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
    event({w.site.stimulus, w.site.command, w.pulse++, w.began_ms, captured, w.around_mV});
}

void CaptureWatch::feed(double t_ms, std::span<const double> v,
                        const std::function<void(CaptureEvent)>& event)
{
    std::size_t column = 0;
    for (auto& w : watched_) {
        double start = 0;
        bool begins = false;
        while (next_pulse(w.site.pulses, t_ms, start)) {
            if (w.open)
                close(w, false, event);
            w.open = begins = true;
            w.began_ms = start;
            std::fill(w.risen.begin(), w.risen.end(), 0);
        }
        if (begins)
            w.around_mV = around(w.before, v.subspan(column, w.before.size()));
        for (std::size_t k = 0; k < w.before.size(); ++k) {
            const auto now = static_cast<float>(v[column++]);
            if (w.open && w.before[k] < threshold_mV && now >= threshold_mV)
                w.risen[k] = 1;
            w.before[k] = now;
        }
        if (!w.open)
            continue;
        const auto risen = std::count(w.risen.begin(), w.risen.end(), 1);
        if (3 * risen >= static_cast<std::ptrdiff_t>(w.risen.size()) && risen > 0)
            close(w, true, event);
        else if (t_ms > w.began_ms + window_ms)
            close(w, false, event);
    }
}

bool CaptureWatch::drop_ended()
{
    return std::erase_if(watched_, [](const Watched& w) {
               return w.site.stimulus < 0 && !w.open && w.site.pulses.empty();
           }) > 0;
}

} // namespace tawara::simulation
