// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/ecg_t_wave.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::analysis {
namespace {

constexpr double base_ms = 20; // before the onset
constexpr double t_half_ms = 8, mean_half_ms = 4;
constexpr double as_high = 0.5;    // of the highest peak: a peak of T
constexpr double come_down = 0.25; // of the peak: T is over
constexpr double least_t = 0.01;   // of QRS's M: lower ones are none
constexpr double t_over_noise = 3;

/// M of the samples from `from` up to `to`, and the noise n.
struct Magnitude
{
    Values m;
    double noise = 0;
};

Magnitude magnitude(const EcgRecord& r, double onset_ms, std::size_t from, std::size_t to)
{
    const auto index = [&](double t) {
        return static_cast<std::size_t>(std::lower_bound(r.t.begin(), r.t.end(), t) - r.t.begin());
    };
    const std::size_t b = std::max<std::size_t>(1, index(onset_ms)), a = index(onset_ms - base_ms);
    Values squares(to - from, 0.0);
    double noise = 0;
    for (const auto& v : r.leads) {
        double base = 0, spread = 0;
        const auto n = static_cast<double>(b - a);
        for (std::size_t i = a; i < b; ++i)
            base += static_cast<double>(v[i]) / n;
        for (std::size_t i = a; i < b; ++i)
            spread += std::pow(static_cast<double>(v[i]) - base, 2) / n;
        noise += spread / static_cast<double>(r.leads.size());
        const auto means = over_windows(r.t.subspan(from, to - from), mean_half_ms,
                                        [&, base](std::size_t first, std::size_t last) {
                                            double sum = 0;
                                            for (std::size_t i = first; i <= last; ++i)
                                                sum += static_cast<double>(v[from + i]) - base;
                                            return sum / static_cast<double>(last - first + 1);
                                        });
        for (std::size_t i = 0; i < means.size(); ++i)
            squares[i] += means[i] * means[i] / static_cast<double>(r.leads.size());
    }
    // means over so many samples have so much less of it
    const double left = noise / std::max(1.0, 2 * mean_half_ms / r.step + 1);
    for (double& x : squares)
        x = std::sqrt(std::max(0.0, x - left));
    return {std::move(squares), std::sqrt(left)};
}

} // namespace

void find_t_end(const EcgRecord& r, const QrsSamples& qrs, std::size_t to, bool another, EcgBeat& b)
{
    const auto from = qrs.last;
    const auto [all, noise] = magnitude(r, b.onset_ms, qrs.first, to);
    const double high = *std::max_element(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from - qrs.first + 1));
    const Values m(all.begin() + static_cast<std::ptrdiff_t>(from - qrs.first), all.end());
    const auto t = r.t.subspan(from, m.size());
    const auto slopes =
        over_windows(t, t_half_ms, [&](std::size_t x, std::size_t y) { return slope(t, m, x, y); });
    const double least = std::max(least_t * high, t_over_noise * noise);
    std::vector<std::size_t> peaks; // where the slope changes its sign
    for (std::size_t i = 1; i < m.size(); ++i)
        if (t[i] >= b.end_ms + t_after_ms && slopes[i - 1] > 0 && slopes[i] <= 0 && m[i] > least)
            peaks.push_back(i);
    const char* early = another ? "the next beat comes before T is over" : "T is not over yet";
    if (peaks.empty()) {
        b.no_qt = another ? "no T wave before the next beat" : "no repolarisation yet";
        return;
    }
    double highest = 0;
    for (const auto i : peaks)
        highest = std::max(highest, m[i]);
    std::erase_if(peaks, [&](std::size_t i) { return m[i] < as_high * highest; });
    const std::size_t peak = peaks.back();
    std::size_t low = peak; // down to a quarter
    while (low < m.size() && m[low] > come_down * m[peak])
        ++low;
    if (low == m.size()) {
        b.no_qt = early;
        return;
    }
    const auto steepest = static_cast<std::size_t>(
        std::min_element(slopes.begin() + static_cast<std::ptrdiff_t>(peak),
                         slopes.begin() + static_cast<std::ptrdiff_t>(low + 1)) -
        slopes.begin());
    const double end = t[steepest] - m[steepest] / slopes[steepest];
    if (!(slopes[steepest] < 0) || end > t.back()) {
        b.no_qt = early;
        return;
    }
    b.t_end_ms = end;
}

} // namespace tawara::analysis
