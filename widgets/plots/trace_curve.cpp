// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/trace_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tawara {

double TraceFrame::toX(double time) const
{
    return area.right() + (time - end_ms) / length_ms * area.width();
}

double TraceFrame::toTime(double x) const
{
    return end_ms + (x - area.right()) / area.width() * length_ms;
}

double TraceFrame::toY(double value) const
{
    return area.bottom() - (value - low) / (high - low) * area.height();
}

std::optional<double> TraceCurve::at(double time) const
{
    if (times.empty() || time < times.front() || time > times.back())
        return {};
    const auto next = std::lower_bound(times.begin(), times.end(), time);
    const auto i = static_cast<std::size_t>(next - times.begin());
    if (i == 0)
        return values[0];
    const double u = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return static_cast<double>(values[i - 1]) + u * static_cast<double>(values[i] - values[i - 1]);
}

QPolygonF TraceCurve::line(const TraceFrame& f) const
{
    const double from = f.end_ms - f.length_ms;
    auto first = std::lower_bound(times.begin(), times.end(), from) - times.begin();
    auto last = std::upper_bound(times.begin(), times.end(), f.end_ms) - times.begin();
    first = std::max<std::ptrdiff_t>(0, first - 1);
    last = std::min<std::ptrdiff_t>(std::ssize(times), last + 1);
    QPolygonF out;
    const auto time = [this](std::ptrdiff_t i) { return times[static_cast<std::size_t>(i)]; };
    const auto value = [this](std::ptrdiff_t i) { return values[static_cast<std::size_t>(i)]; };
    const auto point = [&](std::ptrdiff_t i) {
        return QPointF(f.toX(time(i)), f.toY(static_cast<double>(value(i))));
    };
    if (last - first < 2 * f.area.width()) {
        for (auto i = first; i < last; ++i)
            out << point(i);
        return out;
    }
    // One column of pixels at a time: its first, lowest, highest and last sample.
    for (auto i = first; i < last;) {
        const double column = std::floor(point(i).x());
        auto low = i, high = i, end = i;
        while (end < last && std::floor(f.toX(time(end))) <= column) {
            if (value(end) < value(low))
                low = end;
            if (value(end) > value(high))
                high = end;
            ++end;
        }
        out << point(i) << point(std::min(low, high)) << point(std::max(low, high))
            << point(end - 1);
        i = end;
    }
    return out;
}

} // namespace tawara
