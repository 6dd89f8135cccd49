// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

/// What the intervals of an electrocardiogram are measured with; not for others.
namespace tawara::analysis {

using Values = std::vector<double>;

/// Part of a record without gaps.
struct EcgRecord
{
    std::span<const double> t;
    std::vector<std::span<const float>> leads;
    double step = 1;
    bool at_rest = false;           ///< before its first sample
    std::span<const double> pulses; ///< when some were given [ms]
    std::size_t size() const { return t.size(); }
    double value(std::size_t lead, std::size_t i) const
    {
        return static_cast<double>(leads[lead][i]);
    }
};

/// f(first, last) of the samples within half_ms of each, at least its neighbours.
template <class F>
Values over_windows(std::span<const double> t, double half_ms, F f)
{
    Values out(t.size(), 0.0);
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        while (t[a] < t[i] - half_ms - 1e-9)
            ++a;
        while (b + 1 < t.size() && t[b + 1] <= t[i] + half_ms + 1e-9)
            ++b;
        out[i] = f(std::min(a, i > 0 ? i - 1 : 0), std::max(b, std::min(i + 1, t.size() - 1)));
    }
    return out;
}

/// The line through samples: its slope, the sum of the squares about it, and that of the times
/// about their mean.
struct Line
{
    double slope = 0, about_it = 0, times = 0;
};
template <class V>
Line line(std::span<const double> t, const V& v, std::size_t a, std::size_t b)
{
    const auto n = static_cast<double>(b - a + 1);
    double mt = 0, mv = 0, up = 0, all = 0;
    Line out;
    for (std::size_t i = a; i <= b; ++i) {
        mt += t[i] / n;
        mv += static_cast<double>(v[i]) / n;
    }
    for (std::size_t i = a; i <= b; ++i) {
        const double dt = t[i] - mt, dv = static_cast<double>(v[i]) - mv;
        up += dt * dv;
        out.times += dt * dt;
        all += dv * dv;
    }
    out.slope = out.times > 0 ? up / out.times : 0;
    out.about_it = std::max(0.0, all - out.slope * up);
    return out;
}
template <class V>
double slope(std::span<const double> t, const V& v, std::size_t a, std::size_t b)
{
    return line(t, v, a, b).slope;
}

/// S(t), the root of the sum of the leads' squared slopes [mV/ms].
Values spatial_velocity(const EcgRecord& r, double half_ms);

/// What the lower quartile of S would be if nothing but the samples' scatter about straight lines
/// of that length were there: white noise. The lower quartile of the scatter over the record, so
/// that curved parts do not count.
double quartile_by_scatter(const EcgRecord& r, double half_ms);

double lower_quartile(Values v);

/// The distance of the leads at a sample from what they were at another [mV], over all leads.
double distance(const EcgRecord& r, std::size_t i, std::size_t from);

/// Where a rhythm without rests, a re-entry as a rule, is at the same place of its cycle: the
/// leads' pattern of one cycle repeats. Times ascend; empty where nothing does so.
///
/// The cycle is the shortest lag L of at least 100 ms with a local minimum of
///
///     D(L) = sum |x(t) - x(t - L)|^2 / sum (|x(t) - m|^2 + |x(t - L) - m|^2)
///
/// over the last two cycles (a third must be there), at most 0.1 above the least and 0.2 at all; m:
/// mean of the leads' vector x. From the steepest sample of the last cycle each one before is found
/// by the lag within 30 % of the cycle after it that has the least D over a cycle around it, until
/// that is above 0.4 (another rhythm). Lags are refined by a parabola.
/// @param first, last  samples of the part that does not rest
/// @cost  about 10 ms for 2 s of 12 leads
std::vector<double> recurrences(const EcgRecord& r, const Values& s, std::size_t first,
                                std::size_t last);

} // namespace tawara::analysis
