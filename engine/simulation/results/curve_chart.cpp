// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/curve_chart.hpp"

#include "engine/simulation/results/drawing.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

constexpr int chart_left = 70, chart_right = 20, chart_top = 18, chart_tall = 190, chart_foot = 34,
              chart_line = 14;
constexpr int chart_bottom = chart_top + chart_tall;

/// To five digits.
std::string tick_text(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.5g", x);
    return text;
}

/// Round values within a span, parts + 1 of them at most.
std::vector<double> ticks(double low, double high, int parts)
{
    constexpr double hair = 1e-9;
    const double step = round_step(high - low, parts);
    const double first = std::ceil(low / step - hair), last = std::floor(high / step + hair);
    std::vector<double> out; // counted: far from 0 a step may be less than a number's last digit
    for (int k = 0; k <= parts && first + k <= last; ++k)
        out.push_back((first + k) * step);
    return out;
}

/// The span of a chart, and where its values are drawn.
struct ChartFrame
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;

    void take(double x, double y)
    {
        x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    double px(double x) const
    {
        return chart_left + (ReportPage::width - chart_left - chart_right) * (x - x0) / (x1 - x0);
    }
    double py(double y) const
    {
        constexpr int air = 8;
        return chart_bottom - (chart_tall - air) * (y - y0) / (y1 - y0) - air / 2.0;
    }
    void draw(Drawing& d, const std::string& x_title, const std::string& y_title) const
    {
        constexpr double right = ReportPage::width - chart_right;
        for (const double x : ticks(x0, x1, 8)) {
            d.line(px(x), chart_top, px(x), chart_bottom, pale, 1);
            d.text(px(x), chart_bottom + 13, tick_text(x), "middle", grey);
        }
        for (const double y : ticks(y0, y1, 8)) {
            d.line(chart_left, py(y), right, py(y), pale, 1);
            d.text(chart_left - 6, py(y) + 3.5, tick_text(y), "end", grey);
        }
        d.text((chart_left + right) / 2.0, chart_bottom + 28, x_title, "middle", grey);
        d.text(chart_left - 6, chart_top - 6, y_title, "start", grey);
    }
};

} // namespace

std::string curve_chart(const NamedCurves& curves, const std::string& x_title,
                        const std::string& y_title)
{
    constexpr std::size_t most_names = 12;
    ChartFrame f;
    for (const auto& [name, curve] : curves)
        for (const auto& [x, y] : curve)
            f.take(x, y);
    if (!(f.x0 < f.x1) || !std::isfinite(f.x1 - f.x0) || !std::isfinite(f.y1 - f.y0))
        return {};
    if (f.y1 - f.y0 < 1e-9 * std::max(1.0, std::abs(f.y1)))
        f.y0 -= 0.5 * std::max(1.0, std::abs(f.y1)), f.y1 += 0.5 * std::max(1.0, std::abs(f.y1));
    const bool many = curves.size() > most_names, named = curves.size() > 1 && !many;
    Drawing d(ReportPage::width, chart_bottom + chart_foot +
                                     (named ? chart_line * static_cast<int>(curves.size()) : 0));
    f.draw(d, x_title, y_title);
    std::size_t k = 0;
    for (const auto& [name, points] : curves) {
        auto curve = points;
        std::sort(curve.begin(), curve.end());
        const char* ink = inks[k % inks.size()];
        std::string path;
        for (const auto& [x, y] : curve) {
            path += (path.empty() ? "M" : " L") + num(f.px(x)) + " " + num(f.py(y));
            if (!many)
                d.dot(f.px(x), f.py(y), 3, ink, true);
        }
        d.path(path, ink, many ? 0.7 : 1.2);
        if (named) {
            const double at = chart_bottom + chart_foot + chart_line * static_cast<double>(k) + 6;
            d.dot(chart_left, at, 3.5, ink, true);
            d.text(chart_left + 8, at + 3.5, name, "start", black);
        }
        ++k;
    }
    return d.done();
}

std::string histogram(std::span<const double> counted, std::span<const double> others,
                      const std::string& x_title)
{
    constexpr int most_bars = 24;
    ChartFrame f;
    for (const auto values : {counted, others})
        for (const double x : values)
            if (std::isfinite(x))
                f.take(x, 0);
    if (!(f.x0 <= f.x1))
        return {};
    constexpr double alike = 1e-12, half = 1e-9; // of the values, far from 0
    if (const double largest = std::max(std::abs(f.x0), std::abs(f.x1));
        f.x1 == f.x0 || f.x1 - f.x0 < alike * largest)
        f.x0 -= std::max(0.5, half * largest), f.x1 += std::max(0.5, half * largest);
    const double width = round_step(f.x1 - f.x0, most_bars);
    if (!std::isnormal(width))
        return {};
    f.x0 = std::floor(f.x0 / width) * width;
    const auto bars = static_cast<std::size_t>(std::floor((f.x1 - f.x0) / width)) + 1;
    f.x1 = f.x0 + width * static_cast<double>(bars);
    std::array<std::vector<double>, 2> high{std::vector<double>(bars), std::vector<double>(bars)};
    for (std::size_t k = 0; k < 2; ++k)
        for (const double x : k == 0 ? counted : others)
            if (std::isfinite(x))
                ++high[k][std::min(bars - 1, static_cast<std::size_t>((x - f.x0) / width))];
    f.y0 = 0, f.y1 = 1;
    for (std::size_t b = 0; b < bars; ++b)
        f.y1 = std::max(f.y1, high[0][b] + high[1][b]);
    Drawing d(ReportPage::width, chart_bottom + chart_foot);
    f.draw(d, x_title, "runs");
    for (std::size_t b = 0; b < bars; ++b) {
        const double x = f.x0 + width * static_cast<double>(b);
        double from = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            if (high[k][b] > 0)
                d.box(f.px(x) + 1, f.py(from + high[k][b]), f.px(x + width) - f.px(x) - 2,
                      f.py(from) - f.py(from + high[k][b]), k == 0 ? inks[0] : "#c3cad4");
            from += high[k][b];
        }
    }
    return d.done();
}

} // namespace tawara::simulation
