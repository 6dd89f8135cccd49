// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/ecg_record.hpp"

#include <cmath>
#include <limits>

namespace tawara::analysis {
namespace {

constexpr double shortest_ms = 100;
constexpr double search_step_ms = 4;  // of the lags that are tried first
constexpr double like_at_all = 0.2;   // D of a cycle
constexpr double like_the_best = 0.1; // D above the least: not twice the cycle
constexpr double like_the_next = 0.4; // D of the cycle before
constexpr double vary = 0.3;          // cycle from cycle

/// Leads at even times, as one vector a sample.
struct Even
{
    std::vector<double> x; ///< [sample][lead]
    std::size_t leads = 0;
    std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(x.size() / leads); }
    const double* at(std::ptrdiff_t i) const
    {
        return x.data() + static_cast<std::size_t>(i) * leads;
    }
};

/// D of a lag over the samples [from, to); infinite where the lag leaves them.
double unlikeness(const Even& e, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t lag,
                  std::ptrdiff_t stride)
{
    if (from - lag < 0 || to > e.size() || to - from < 2 * stride)
        return std::numeric_limits<double>::infinity();
    double apart = 0, spread = 0;
    for (std::size_t k = 0; k < e.leads; ++k) {
        double mean = 0, n = 0;
        for (auto i = from; i < to; i += stride, ++n)
            mean += e.at(i)[k] + e.at(i - lag)[k];
        mean /= 2 * n;
        for (auto i = from; i < to; i += stride) {
            const double a = e.at(i)[k] - mean, b = e.at(i - lag)[k] - mean;
            apart += (a - b) * (a - b);
            spread += a * a + b * b;
        }
    }
    return spread > 0 ? apart / spread : std::numeric_limits<double>::infinity();
}

/// The lag of the cycle over the last two of three cycles; 0 where there is none.
std::ptrdiff_t last_cycle(const Even& e, double step)
{
    const auto stride = std::max<std::ptrdiff_t>(1, std::llround(search_step_ms / step));
    const auto shortest = static_cast<std::ptrdiff_t>(std::ceil(shortest_ms / step));
    std::vector<double> d;
    const auto lag_of = [&](std::size_t k) {
        return shortest + static_cast<std::ptrdiff_t>(k) * stride;
    };
    for (auto lag = shortest; 3 * lag <= e.size(); lag += stride)
        d.push_back(unlikeness(e, e.size() - 2 * lag, e.size(), lag, stride));
    if (d.empty())
        return 0;
    const double limit =
        std::min(like_at_all, *std::min_element(d.begin(), d.end()) + like_the_best);
    for (std::size_t k = 1; k + 1 < d.size(); ++k)
        if (d[k] <= limit && d[k] <= d[k - 1] && d[k] <= d[k + 1])
            return lag_of(k);
    return 0;
}

/// Where a parabola through the values at the least one and beside it is least: an offset from it.
double parabola(double before, double at, double after)
{
    const double bend = before - 2 * at + after;
    return std::isfinite(bend) && bend > 0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5)
                                           : 0;
}

} // namespace

std::vector<double> recurrences(const EcgRecord& r, const Values& s, std::size_t first,
                                std::size_t last)
{
    Even e{{}, r.leads.size()};
    for (std::size_t i = first; i <= last; ++i)
        for (std::size_t k = 0; k < e.leads; ++k)
            e.x.push_back(r.value(k, i));
    auto cycle = last_cycle(e, r.step);
    std::vector<double> out;
    if (cycle == 0)
        return out;
    const auto begin = s.begin() + static_cast<std::ptrdiff_t>(last + 1);
    auto anchor =
        std::max_element(begin - cycle, begin) - s.begin() - static_cast<std::ptrdiff_t>(first);
    double place = static_cast<double>(anchor); // between samples
    const auto time_at = [&](double x) {
        const double whole = std::clamp(std::floor(x), 0.0, static_cast<double>(e.size() - 2));
        const auto i = first + static_cast<std::size_t>(whole);
        return r.t[i] + (x - whole) * (r.t[i + 1] - r.t[i]);
    };
    out.push_back(time_at(place));
    for (;;) {
        const auto from = anchor - cycle / 2, to = std::min(anchor + cycle / 2, e.size());
        const auto d = [&](std::ptrdiff_t lag) { return unlikeness(e, from, to, lag, 1); };
        const auto near = static_cast<std::ptrdiff_t>(vary * static_cast<double>(cycle));
        std::ptrdiff_t best = cycle;
        double least = std::numeric_limits<double>::infinity();
        for (auto lag = cycle - near; lag <= cycle + near; ++lag)
            if (const double here = d(lag); here < least)
                least = here, best = lag;
        if (!(least <= like_the_next) || !std::isfinite(d(best + 1))) // or the record's start
            break;
        place -= static_cast<double>(best) + parabola(d(best - 1), least, d(best + 1));
        anchor -= best;
        cycle = best;
        out.push_back(time_at(place));
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace tawara::analysis
