// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/timeline.hpp"

#include "widgets/plots/axes.hpp"

#include <QMouseEvent>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {
namespace {

constexpr double side_px = 8, tick_px = 56, label_gap_px = 14;
constexpr double stripe_px = 3, stripes_px = 7; // of what is of the run before: wide, and apart

/// Distance of ticks on so many pixels with labels that wide: a round number, twice in the span
/// where the labels have room for it, else once.
double tickStep(double span, double pixels, double label_px)
{
    for (double room : {tick_px, label_px + label_gap_px})
        if (const double step = roundStep(span, pixels / room); 2 * step <= span)
            return step;
    const double decade = std::pow(10.0, std::floor(std::log10(span)));
    for (double f : {5.0, 2.0})
        if (f * decade <= span)
            return f * decade;
    return decade;
}

} // namespace

Timeline::Timeline(QWidget* parent) : QWidget(parent)
{
    setObjectName("timeline");
    setMinimumHeight(30);
    setFocusPolicy(Qt::TabFocus);
    sayWhatIsRecorded();
}

void Timeline::sayWhatIsRecorded()
{
    setToolTip(m_ofBefore
                   ? tr("The striped part was recorded in the run before, which was set back to "
                        "the start: drag over it to look at that run; double click: follow the "
                        "run again")
                   : tr("Drag over the recorded part (coloured) to look back, also while it runs; "
                        "double click: follow the run again"));
}

void Timeline::setRun(double nowMs, double endMs)
{
    m_now = nowMs, m_end = endMs;
    update();
}

void Timeline::setRecorded(std::optional<std::pair<double, double>> fromTo, bool ofBefore)
{
    m_recorded = fromTo;
    if (std::exchange(m_ofBefore, fromTo && ofBefore) != (fromTo && ofBefore))
        sayWhatIsRecorded();
    update();
}

void Timeline::setShown(std::optional<double> ms)
{
    m_shown = ms;
    update();
}

double Timeline::span() const
{
    const double before = m_ofBefore ? m_recorded->second * 1.05 : 0; // may lie ahead of now
    return std::max({1.0, m_end < 1e5 ? m_end : 0, m_now * 1.02, before});
}

void Timeline::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF m(font());
    const double w = width() - 2 * side_px, y = 9;
    const auto x = [&](double t) { return side_px + t / span() * w; };
    p.setPen(Qt::NoPen);
    p.setBrush(c.grid);
    p.drawRoundedRect(QRectF(side_px, y - 3, w, 6), 3, 3);
    if (!isEnabled())
        return; // no run, no times
    p.setBrush(c.zero);
    p.drawRoundedRect(QRectF(side_px, y - 3, x(m_now) - side_px, 6), 3, 3);
    if (m_recorded)
        paintRecorded(p,
                      QRectF(x(m_recorded->first), y - 3,
                             std::max(2.0, x(m_recorded->second) - x(m_recorded->first)), 6),
                      c.accent);
    p.setPen(c.text);
    const double step = tickStep(span(), w, m.horizontalAdvance(numberText(span(), 3)));
    for (double t = 0; t <= span() + 1e-9; t += step) {
        p.drawLine(QPointF(x(t), y + 5), QPointF(x(t), y + 8));
        const QString text = numberText(t);
        const double half = m.horizontalAdvance(text) / 2 + 1; // the last label stays inside
        p.drawText(QRectF(std::min(x(t), width() - half) - half, y + 8, 2 * half, m.height()),
                   Qt::AlignCenter, text);
    }
    p.setPen(QPen(c.ground, 1.5));
    p.setBrush(m_shown ? c.accent : c.strong);
    p.drawEllipse(QPointF(x(m_shown.value_or(m_now)), y), 6, 6);
}

void Timeline::paintRecorded(QPainter& p, const QRectF& where, const QColor& color) const
{
    QPainterPath shape;
    shape.addRoundedRect(where, 3, 3);
    if (!m_ofBefore)
        return p.fillPath(shape, color);
    QPainterPath stripes;
    const double slant = where.height();
    for (double x = where.left() - slant; x < where.right(); x += stripes_px)
        stripes.addPolygon(QPolygonF({{x, where.bottom()},
                                      {x + stripe_px, where.bottom()},
                                      {x + stripe_px + slant, where.top()},
                                      {x + slant, where.top()},
                                      {x, where.bottom()}}));
    p.fillPath(stripes.intersected(shape), color);
}

void Timeline::scrub(double at)
{
    if (!m_recorded)
        return;
    const double t = (at - side_px) / std::max(1.0, width() - 2 * side_px) * span();
    if (t > m_recorded->second + 0.02 * span())
        Q_EMIT followRequested();
    else
        Q_EMIT scrubbed(std::clamp(t, m_recorded->first, m_recorded->second));
}

void Timeline::mousePressEvent(QMouseEvent* e)
{
    scrub(e->position().x());
}

void Timeline::mouseMoveEvent(QMouseEvent* e)
{
    if (e->buttons() & Qt::LeftButton)
        scrub(e->position().x());
}

void Timeline::mouseDoubleClickEvent(QMouseEvent*)
{
    Q_EMIT followRequested();
}

} // namespace tawara
