// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/roofline_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr std::size_t trail_length = 40;

/// Below the roof, wherever its ridge is.
QRectF hintArea(const QRectF& area)
{
    return {area.left() + 0.42 * area.width(), area.top() + 0.55 * area.height(),
            0.56 * area.width(), 0.43 * area.height()};
}

} // namespace

RooflinePlot::RooflinePlot(QWidget* parent) : QWidget(parent)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void RooflinePlot::setCeilings(double GB_per_s, double GFLOP_per_s)
{
    m_memory = GB_per_s;
    m_arithmetic = GFLOP_per_s;
    update();
}

void RooflinePlot::setPoints(const std::vector<Point>& points)
{
    std::vector<Trail> next;
    for (const Point& q : points) {
        if (!(q.flop_per_byte > 0) || !(q.GFLOP_per_s > 0))
            continue;
        const auto old = std::find_if(m_points.begin(), m_points.end(),
                                      [&](const Trail& t) { return t.now.name == q.name; });
        Trail t;
        if (old != m_points.end()) {
            t = std::move(*old);
            t.before.emplace_back(t.now.flop_per_byte, t.now.GFLOP_per_s);
            if (t.before.size() > trail_length)
                t.before.pop_front();
        }
        t.now = q;
        t.color = curveColor(static_cast<int>(next.size()), isDark(this));
        next.push_back(std::move(t));
    }
    m_points = std::move(next);
    update();
}

void RooflinePlot::clear()
{
    m_points.clear();
    update();
}

void RooflinePlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    double x0 = 0.02, x1 = 20, y0 = 0.5, y1 = 100;
    for (const auto& t : m_points) {
        x0 = std::min(x0, t.now.flop_per_byte / 2), x1 = std::max(x1, t.now.flop_per_byte * 3);
        y0 = std::min(y0, t.now.GFLOP_per_s / 2), y1 = std::max(y1, t.now.GFLOP_per_s * 3);
    }
    if (m_memory > 0 && m_arithmetic > 0) {
        x1 = std::max(x1, 4 * m_arithmetic / m_memory);
        y1 = std::max(y1, 2 * m_arithmetic);
        y0 = std::min(y0, std::max(0.1, m_memory * x0));
    }
    Axes a{QRectF(rect()).adjusted(60, 10, -12, -36), x0, x1, y0, y1, true, true};
    a.paint(p, c, tr("operations per byte"), tr("G operations/s"));
    p.setRenderHint(QPainter::Antialiasing);
    p.save();
    p.setClipRect(a.area);
    if (m_memory > 0 && m_arithmetic > 0) {
        const double ridge = m_arithmetic / m_memory;
        QPolygonF roof;
        roof << QPointF(a.toX(x0), a.toY(m_memory * x0))
             << QPointF(a.toX(ridge), a.toY(m_arithmetic))
             << QPointF(a.toX(x1), a.toY(m_arithmetic));
        QPolygonF beyond = roof;
        beyond << a.area.topRight() << a.area.topLeft();
        p.setPen(Qt::NoPen);
        QColor shade = c.text;
        shade.setAlphaF(0.10F);
        p.setBrush(shade);
        p.drawPolygon(beyond);
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(c.strong, 1.8));
        p.drawPolyline(roof);
        p.setPen(c.text);
        const QFontMetricsF m(font());
        p.drawText(
            QPointF(a.toX(x1) - m.horizontalAdvance(tr("%1 G/s").arg(m_arithmetic, 0, 'f', 0)) - 6,
                    a.toY(m_arithmetic) - 4),
            tr("%1 G/s").arg(m_arithmetic, 0, 'f', 0));
        p.save();
        const double lx = std::sqrt(x0 * ridge);
        p.translate(a.toX(lx), a.toY(m_memory * lx));
        p.rotate(-std::atan2(a.toY(m_memory * x0) - a.toY(m_arithmetic), a.toX(ridge) - a.toX(x0)) *
                 180 / 3.14159265);
        p.drawText(QPointF(-34, -5), tr("%1 GB/s").arg(m_memory, 0, 'f', m_memory < 100 ? 1 : 0));
        p.restore();
    }
    for (auto& t : m_points) {
        QColor weak = t.color;
        for (std::size_t k = 0; k < t.before.size(); ++k) {
            weak.setAlphaF(0.5F * static_cast<float>(k + 1) / static_cast<float>(t.before.size()));
            p.setPen(Qt::NoPen);
            p.setBrush(weak);
            p.drawEllipse(QPointF(a.toX(t.before[k].x()), a.toY(t.before[k].y())), 2, 2);
        }
        t.at = QPointF(a.toX(t.now.flop_per_byte), a.toY(t.now.GFLOP_per_s));
        p.setPen(QPen(c.ground, 1.5));
        p.setBrush(t.color);
        p.drawEllipse(t.at, 5, 5);
        p.setPen(c.strong);
        const double wide = QFontMetricsF(font()).horizontalAdvance(t.now.name);
        const bool left = t.at.x() + 9 + wide > a.area.right();
        const double from = t.at.x() + (left ? -9 - wide : 9);
        p.drawText(QPointF(std::max(from, a.area.left() + 3), t.at.y() + 4), t.now.name);
    }
    p.restore();
    if (m_points.empty()) {
        p.setPen(c.text);
        p.drawText(hintArea(a.area), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("Play (Space): each kernel appears here as a point."));
    }
}

bool RooflinePlot::event(QEvent* e)
{
    if (e->type() == QEvent::ToolTip) {
        const auto* h = static_cast<QHelpEvent*>(e);
        for (const auto& t : m_points)
            if (QLineF(t.at, h->pos()).length() < 10) {
                QToolTip::showText(h->globalPos(),
                                   tr("%1: %2 operations per byte, %3 G operations/s")
                                       .arg(t.now.name, numberText(t.now.flop_per_byte, 3),
                                            numberText(t.now.GFLOP_per_s, 3)),
                                   this);
                return true;
            }
        QToolTip::showText(
            h->globalPos(),
            tr("Under the slope a kernel waits for memory, under the flat roof for "
               "arithmetic; the nearer to the line, the better. A point is the mean of the "
               "run so far. A multiply-add is one operation."),
            this);
        return true;
    }
    return QWidget::event(e);
}

} // namespace tawara
