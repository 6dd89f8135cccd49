// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/charts.hpp"

#include "engine/analysis/lead_sheet.hpp"
#include "engine/simulation/observe/calcium_rows.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

namespace tawara::simulation {
namespace {

constexpr double newest_ms = 2000, before_beat_ms = 200; // of an electrocardiogram

/// From values to pixels of a chart's field.
struct Field2
{
    double x0, y0, width, height; // pixels, y0 above
    double from, to, low, high;   // values
    double x(double v) const { return x0 + width * (v - from) / (to - from); }
    double y(double v) const { return y0 + height * (high - v) / (high - low); }
};

/// Path of a curve between the frame's times; where a column has many samples, its extremes.
std::string path_of(const Field2& f, std::span<const double> t, std::span<const float> v)
{
    std::string d;
    const auto add = [&](double time, float value) {
        if (!std::isfinite(value))
            return;
        d += (d.empty() ? "M" : "L") + num(f.x(time)) + " " + num(f.y(static_cast<double>(value)));
    };
    const auto all = static_cast<std::ptrdiff_t>(std::min(t.size(), v.size()));
    const auto begin =
        static_cast<std::size_t>(std::lower_bound(t.begin(), t.begin() + all, f.from) - t.begin());
    const auto n =
        static_cast<std::size_t>(std::upper_bound(t.begin(), t.begin() + all, f.to) - t.begin());
    const auto columns = static_cast<std::size_t>(2 * f.width);
    const std::size_t stride = std::max<std::size_t>(1, (n - begin) / columns);
    for (std::size_t k = begin; k < n; k += stride) {
        const std::size_t end = std::min(n, k + stride);
        std::size_t least = k, most = k;
        for (std::size_t i = k; i < end; ++i) {
            least = v[i] < v[least] ? i : least;
            most = v[i] > v[most] ? i : most;
        }
        add(t[std::min(least, most)], v[std::min(least, most)]);
        if (least != most)
            add(t[std::max(least, most)], v[std::max(least, most)]);
    }
    return d;
}

/// What leads that are drawn alike share: a line every step, and the largest value on show.
struct EcgScale
{
    double step_mV, half_mV;
    explicit EcgScale(std::span<const std::vector<float>> leads)
    {
        double largest = 0.25;
        for (const auto& lead : leads)
            for (float v : lead)
                if (std::isfinite(v))
                    largest = std::max(largest, std::fabs(static_cast<double>(v)));
        step_mV = largest > 30    ? 20.0
                  : largest > 15  ? 10.0
                  : largest > 4   ? 2.0
                  : largest > 1.5 ? 1.0
                                  : 0.5;
        half_mV = std::max(step_mV, std::ceil(1.05 * largest / step_mV) * step_mV);
    }
};

} // namespace

std::string trace_chart(std::span<const Trace> traces, std::span<const double> changes_ms,
                        int width, int height)
{
    double from = std::numeric_limits<double>::infinity(), to = -from;
    double low = -90, high = 50;
    for (const auto& t : traces) {
        if (t.time_ms.size() < 2)
            continue;
        from = std::min(from, t.time_ms.front());
        to = std::max(to, t.time_ms.back());
        for (float v : t.V_mV)
            if (std::isfinite(v)) {
                low = std::min(low, static_cast<double>(v));
                high = std::max(high, static_cast<double>(v));
            }
    }
    if (!(to > from))
        return {};
    const double names = 110, left = 40, below = 30;
    const Field2 f{left, 8, width - left - names, height - 8 - below, from, to, low, high};
    Drawing d(width, height);
    const double step_V = round_step(high - low, 5), step_t = round_step(to - from, 10);
    for (double v = std::ceil(low / step_V) * step_V; v <= high; v += step_V) {
        d.line(left, f.y(v), left + f.width, f.y(v), pale, 1);
        d.text(left - 5, f.y(v) + 3.5, num(v), "end", grey);
    }
    for (double t = std::ceil(from / step_t) * step_t; t <= to + 1e-9; t += step_t) {
        d.line(f.x(t), f.y0, f.x(t), f.y0 + f.height, pale, 1);
        d.text(f.x(t), f.y0 + f.height + 13, num(t), "middle", grey);
    }
    for (double t : changes_ms)
        if (t >= from && t <= to)
            d.line(f.x(t), f.y0, f.x(t), f.y0 + f.height, "#8c2c1e", 1.2, "4 2");
    d.text(left + f.width / 2, height - 4, "time [ms]", "middle", grey);
    d.text(0, 14, "mV", "start", grey);
    const double row = std::min(14.0, (height - 12.0) / static_cast<double>(traces.size()));
    for (std::size_t p = 0; p < traces.size(); ++p) {
        const char* ink = inks[p % inks.size()];
        d.path(path_of(f, traces[p].time_ms, traces[p].V_mV), ink, 1.4);
        const double y = 16 + row * static_cast<double>(p), x = left + f.width + 12;
        d.line(x, y - 3.5, x + 14, y - 3.5, ink, 2);
        d.text(x + 19, y, traces[p].name, "start", black);
    }
    return d.done();
}

std::string calcium_chart(const ProbeTable& t, int width, int height)
{
    constexpr std::size_t n = std::size(calcium_columns);
    struct Panel
    {
        std::size_t column;
        const char* title;
    };
    constexpr Panel panels[] = {
        {0, "V [mV]"}, {1, "c_myo [uM]"}, {4, "c_jsr [mM]"}, {7, "I_CaL [uA/uF]"}};
    const std::size_t probes = t.names.size() / n, rows = t.time_ms.size();
    if (probes == 0 || rows < 2 || !(t.time_ms.back() > t.time_ms.front()))
        return {};
    const double left = 46, right = 14, above = 18, below = 20, names = 16, gap = 14;
    const double w = (width - gap) / 2.0, h = (height - names) / 2.0;
    Drawing d(width, height);
    for (std::size_t k = 0; k < std::size(panels); ++k) {
        std::vector<std::vector<float>> curves(probes, std::vector<float>(rows));
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t p = 0; p < probes; ++p)
            for (std::size_t r = 0; r < rows; ++r) {
                const double v = t.V_mV[r * t.names.size() + p * n + panels[k].column];
                curves[p][r] = static_cast<float>(v);
                low = std::min(low, v);
                high = std::max(high, v);
            }
        const double spare = std::max(0.05 * (high - low), 1e-3 * std::abs(high) + 1e-12);
        const std::size_t row = k / 2;
        const Field2 f{(w + gap) * static_cast<double>(k % 2) + left,
                       h * static_cast<double>(row) + above,
                       w - left - right,
                       h - above - below,
                       t.time_ms.front(),
                       t.time_ms.back(),
                       low - spare,
                       high + spare};
        const double step_V = round_step(f.high - f.low, 4), step_t = round_step(f.to - f.from, 6);
        for (double v = std::ceil(f.low / step_V) * step_V; v <= f.high; v += step_V) {
            d.line(f.x0, f.y(v), f.x0 + f.width, f.y(v), pale, 1);
            d.text(f.x0 - 5, f.y(v) + 3.5, num(v == 0 ? 0 : v), "end", grey); // no -0
        }
        for (double x = std::ceil(f.from / step_t) * step_t; x <= f.to + 1e-9; x += step_t) {
            d.line(f.x(x), f.y0, f.x(x), f.y0 + f.height, pale, 1);
            d.text(f.x(x), f.y0 + f.height + 13, num(x), "middle", grey);
        }
        d.text(f.x0, f.y0 - 5, panels[k].title, "start", black);
        for (std::size_t p = 0; p < probes; ++p)
            d.path(path_of(f, t.time_ms, curves[p]), inks[p % inks.size()], 1.4);
    }
    double x = left;
    for (std::size_t p = 0; p < probes; ++p) {
        constexpr double letter = 6.5, mark = 19;
        const auto& column = t.names[p * n];
        const auto name = column.substr(0, column.rfind('.'));
        d.line(x, height - 6, x + 14, height - 6, inks[p % inks.size()], 2);
        d.text(x + mark, height - 2, name, "start", black);
        x += mark + gap + letter * static_cast<double>(name.size());
    }
    d.text(width, height - 2, "time [ms]", "end", grey);
    return d.done();
}

std::string ecg_chart(const Ecg& ecg, int width, int height, const std::string& reading,
                      double beat_ms)
{
    const std::size_t leads = std::min(ecg.leads.size(), ecg.mV.size());
    if (leads == 0 || ecg.time_ms.size() < 2)
        return {};
    constexpr double after_beat_ms = 1500;
    const double newest = ecg.time_ms.back();
    const double to = beat_ms < newest - newest_ms + before_beat_ms
                          ? std::min(newest, beat_ms + after_beat_ms)
                          : newest;
    const double from = std::max(ecg.time_ms.front(), to - newest_ms);
    if (!(to > from))
        return {};
    const LeadSheet sheet(leads);
    const double foot = 16, gap = 6;
    const double w = width / static_cast<double>(sheet.columns),
                 h = (height - foot) / static_cast<double>(sheet.rows);
    const double step_t = std::min(200.0, round_step(to - from, 5));
    const std::size_t upper = leads - own_leads(ecg.leads);
    const std::span<const std::vector<float>> all(ecg.mV.data(), leads);
    const EcgScale shared(all.first(upper)), of_own(all.subspan(upper));
    Drawing d(width, height);
    for (std::size_t l = 0; l < leads; ++l) {
        const auto place = sheet.at(l);
        const auto& [step_V, half] = l < upper ? shared : of_own;
        const Field2 f{w * static_cast<double>(place.column),
                       h * static_cast<double>(place.row) + 2,
                       w - gap,
                       h - 4,
                       from,
                       to,
                       -half,
                       half};
        for (double t = std::ceil(from / step_t) * step_t; t <= to + 1e-9; t += step_t)
            d.line(f.x(t), f.y0, f.x(t), f.y0 + f.height, "#f3cfcb", 0.8);
        for (double v = -half; v <= half + 1e-9; v += step_V)
            d.line(f.x0, f.y(v), f.x0 + f.width, f.y(v), v == 0 ? "#e3a29b" : "#f3cfcb", 0.8);
        d.path(path_of(f, ecg.time_ms, ecg.mV[l]), black, 1.2);
        d.text(f.x0 + 4, f.y0 + 11, ecg.leads[l], "start", "#8c2c1e");
    }
    d.text(0, height - 3,
           num(from) + " to " + num(to) + " ms; a square is " + num(step_t) + " ms by " +
               num(shared.step_mV) + " mV" +
               (upper < leads ? ", of own electrodes by " + num(of_own.step_mV) + " mV" : ""),
           "start", grey);
    d.text(width - gap, height - 3, reading, "end", black);
    return d.done();
}

} // namespace tawara::simulation
