// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/scatter_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara {

ScatterPlot::ScatterPlot(const QString& xTitle, const QString& yTitle, const QString& whenEmpty,
                         QWidget* parent)
    : QWidget(parent), m_x(xTitle), m_y(yTitle), m_empty(whenEmpty)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void ScatterPlot::setSeries(std::vector<Series> series)
{
    m_series = std::move(series);
    update();
}

void ScatterPlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    constexpr double inf = std::numeric_limits<double>::infinity();
    double x0 = inf, x1 = -inf, y0 = inf, y1 = -inf;
    for (const auto& s : m_series)
        for (const QPointF& q : s.points) {
            x0 = std::min(x0, q.x()), x1 = std::max(x1, q.x());
            y0 = std::min(y0, q.y()), y1 = std::max(y1, q.y());
        }
    if (!(x1 >= x0)) {
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
                   m_empty);
        return;
    }
    const double dx = std::max(10.0, 0.12 * (x1 - x0)), dy = std::max(10.0, 0.12 * (y1 - y0));
    const bool open = std::any_of(m_series.begin(), m_series.end(),
                                  [](const Series& s) { return s.open && !s.points.empty(); });
    const int above = open ? fontMetrics().height() + 4 : 0; // what open points are
    Axes a{QRectF(rect()).adjusted(58, 10 + above, -12, -36), x0 - dx, x1 + dx, y0 - dy, y1 + dy};
    a.paint(p, c, m_x, m_y);
    p.setRenderHint(QPainter::Antialiasing);
    for (const auto& s : m_series) {
        QPolygonF line;
        for (const QPointF& q : s.points)
            line << QPointF(a.toX(q.x()), a.toY(q.y()));
        QColor weak = s.color;
        weak.setAlphaF(0.35F);
        p.setPen(QPen(weak, 1));
        p.drawPolyline(line);
        p.setPen(s.open ? QPen(s.color, 1.6) : QPen(c.ground, 1));
        p.setBrush(s.open ? c.ground : s.color);
        for (const QPointF& q : line)
            p.drawEllipse(q, s.open ? 3.0 : 3.6, s.open ? 3.0 : 3.6);
    }
    if (open) {
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(4, 4, -12, 0), Qt::AlignRight | Qt::AlignTop,
                   QStringLiteral("○ ") + m_openMeaning);
    }
}

} // namespace tawara
