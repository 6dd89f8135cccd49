// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/trace_marks.hpp"

#include "widgets/plots/axes.hpp"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr double box_gap = 4; // between the box and the area's edges [px]
constexpr double grab_px = 4; // so near to a cursor a press takes it

const char* nameOf(std::size_t which)
{
    return which == 0 ? "A" : "B";
}

void paintBox(QPainter& p, const QWidget& plot, const QRectF& a, const QStringList& lines)
{
    const PlotColors look = PlotColors::of(&plot);
    const QFontMetricsF metrics(plot.font());
    // as many beside each other as do not fit below each other
    const auto rows = std::clamp<qsizetype>(
        static_cast<qsizetype>((a.height() - 2 * box_gap - 8) / metrics.height()), 1, lines.size());
    std::vector<double> widths;
    double width = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (i % rows == 0)
            widths.push_back(0);
        widths.back() = std::max(widths.back(), metrics.horizontalAdvance(lines[i]) + 14);
    }
    for (const double w : widths)
        width += w;
    const QRectF box(a.left() + 6, a.top() + box_gap, width,
                     metrics.height() * static_cast<double>(rows) + 8);
    p.setPen(look.zero);
    p.setBrush(look.ground);
    p.drawRoundedRect(box, 4, 4);
    p.setPen(look.strong);
    double x = box.left() + 7;
    for (std::size_t column = 0; column < widths.size(); x += widths[column++])
        p.drawText(QRectF(x, box.top() + 4, widths[column], box.height()), Qt::AlignLeft,
                   lines.mid(static_cast<qsizetype>(column) * rows, rows).join('\n'));
}

} // namespace

std::size_t TraceMarks::put(double time)
{
    std::size_t which = !m_times[0] ? 0 : 1;
    if (both() && std::abs(*m_times[0] - time) < std::abs(*m_times[1] - time))
        which = 0;
    m_times[which] = time;
    return which;
}

bool TraceMarks::seen(const TraceFrame& f) const
{
    return std::any_of(m_times.begin(), m_times.end(), [&](const Time& t) {
        return t && *t >= f.end_ms - f.length_ms && *t <= f.end_ms;
    });
}

std::optional<std::size_t> TraceMarks::near(double x, const TraceFrame& f) const
{
    std::optional<std::size_t> out;
    double nearest = grab_px;
    for (std::size_t k = 0; k < m_times.size(); ++k)
        if (const double off = m_times[k] ? std::abs(f.toX(*m_times[k]) - x) : 2 * grab_px;
            off <= nearest) {
            nearest = off;
            out = k;
        }
    return out;
}

QStringList TraceMarks::lines(const TraceFrame& f, std::span<const TraceCurve> curves) const
{
    QStringList lines;
    if (!seen(f))
        return lines;
    for (std::size_t k = 0; k < m_times.size(); ++k)
        if (m_times[k])
            lines << tr("%1  %2 ms").arg(QLatin1String(nameOf(k))).arg(*m_times[k], 0, 'f', 1);
    if (!both())
        return lines;
    lines << tr("B − A  %1 ms").arg(*m_times[1] - *m_times[0], 0, 'f', 1);
    for (const auto& c : curves) {
        const auto v = c.at(*m_times[0]), w = c.at(*m_times[1]);
        if (v && w)
            lines << tr("%1, B − A  %2 mV").arg(c.name).arg(*w - *v, 0, 'f', 1);
    }
    return lines;
}

void TraceMarks::paint(QPainter& p, const QWidget& plot, const TraceFrame& f,
                       const QStringList& said) const
{
    const QRectF& a = f.area;
    for (std::size_t k = 0; k < m_times.size(); ++k) {
        const double x = m_times[k] ? f.toX(*m_times[k]) : -1;
        if (x < a.left() || x > a.right())
            continue;
        p.setPen(QPen(PlotColors::of(&plot).accent, 1.2));
        p.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
        p.drawText(QPointF(x + 3, a.bottom() - 4), QLatin1String(nameOf(k)));
    }
    if (!said.isEmpty())
        paintBox(p, plot, a, said);
}

} // namespace tawara
