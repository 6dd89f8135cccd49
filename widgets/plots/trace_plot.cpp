// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/trace_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara {
namespace {

constexpr double shortest_ms = 10, longest_ms = 20000;

/// Of a curve of an earlier run.
QPen keptPen(QColor color)
{
    color.setAlpha(170);
    return {color, 1.2, Qt::DashLine, Qt::FlatCap, Qt::RoundJoin};
}

} // namespace

TracePlot::TracePlot(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setToolTip(tr("Wheel: length of time shown. Drag: look back. Double click: follow the run.\n"
                  "Shift + click: cursors A and B, which show the time and V between them; a drag "
                  "moves one, right click takes them away."));
}

void TracePlot::addCurve(quint64 id, const QString& name, const QColor& color)
{
    m_curves.push_back({id, name, color, {}, {}});
    update();
}

void TracePlot::removeCurve(quint64 id)
{
    std::erase_if(m_curves, [id](const TraceCurve& c) { return c.id == id; });
    reread();
}

void TracePlot::removeCurves()
{
    m_curves.clear();
    m_marks.clear();
    m_end.reset();
    reread();
}

void TracePlot::clearSamples()
{
    for (auto& c : m_curves) {
        c.times.clear();
        c.values.clear();
    }
    m_end.reset();
    reread();
}

void TracePlot::append(quint64 id, std::span<const double> times, std::span<const float> values)
{
    for (auto& c : m_curves)
        if (c.id == id && times.size() == values.size() && !times.empty()) {
            c.times.insert(c.times.end(), times.begin(), times.end());
            c.values.insert(c.values.end(), values.begin(), values.end());
            update();
        }
}

bool TracePlot::keep(bool on)
{
    m_kept = on ? m_curves : std::vector<TraceCurve>();
    std::erase_if(m_kept, [](const TraceCurve& c) { return c.times.empty(); });
    update();
    return !m_kept.empty();
}

std::optional<double> TracePlot::keptAt(const QString& name, double timeMs) const
{
    for (const auto& c : m_kept)
        if (c.name == name)
            return c.at(timeMs);
    return {};
}

std::optional<std::size_t> TracePlot::sampleCount(quint64 id) const
{
    for (const auto& c : m_curves)
        if (c.id == id)
            return c.times.size();
    return {};
}

std::optional<double> TracePlot::valueAt(quint64 id, double timeMs) const
{
    for (const auto& c : m_curves)
        if (c.id == id)
            return c.at(timeMs);
    return {};
}

void TracePlot::setWindowMs(double ms)
{
    m_windowMs = std::clamp(ms, shortest_ms, longest_ms);
    reread();
}

void TracePlot::reread()
{
    update();
    Q_EMIT readingChanged();
}

void TracePlot::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    reread();
}

double TracePlot::newest() const
{
    double t = 0;
    for (const auto& c : m_curves)
        if (!c.times.empty())
            t = std::max(t, c.times.back());
    return t;
}

double TracePlot::windowEnd() const
{
    const double last = std::max(newest(), m_windowMs);
    if (!m_end && m_moment && *m_moment < last - m_windowMs)
        return std::max(m_windowMs, *m_moment + m_windowMs / 2);
    return m_end.value_or(last);
}

QRectF TracePlot::area() const
{
    return QRectF(rect()).adjusted(54, 12, -14, -34);
}

TraceFrame TracePlot::frame() const
{
    return {area(), windowEnd(), m_windowMs, m_low, m_high};
}

void TracePlot::paintAxes(QPainter& p) const
{
    const QRectF a = area();
    const PlotColors c = PlotColors::of(this);
    p.setFont(font());
    const QFontMetricsF metrics(font());
    const double from = windowEnd() - m_windowMs;
    for (const double t : axisTicks(from, windowEnd(), a.width() / 90)) {
        const double x = std::round(frame().toX(t)) + 0.5;
        p.setPen(c.grid);
        p.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
        p.setPen(c.text);
        p.drawText(QRectF(x - 40, a.bottom() + 2, 80, 15), Qt::AlignCenter,
                   QString::number(t, 'g', 6));
    }
    for (const double v : axisTicks(m_low, m_high, a.height() / 26)) {
        const double y = std::round(frame().toY(v)) + 0.5;
        p.setPen(v == 0 ? c.zero : c.grid);
        p.drawLine(QPointF(a.left(), y), QPointF(a.right(), y));
        p.setPen(c.text);
        p.drawText(QRectF(18, y - 8, 32, 16), Qt::AlignRight | Qt::AlignVCenter,
                   QString::number(v).replace('-', QChar(0x2212)));
    }
    p.drawText(QRectF(a.left(), a.bottom() + 16, a.width(), 16), Qt::AlignCenter, tr("t (ms)"));
    p.save();
    p.translate(12, a.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-60, -9, 120, 16), Qt::AlignCenter, tr("V (mV)"));
    p.restore();
}

void TracePlot::paintCurve(QPainter& p, const TraceCurve& c, const QPen& pen) const
{
    const QPolygonF line = c.line(frame());
    if (line.isEmpty())
        return;
    p.setPen(pen);
    p.drawPolyline(line);
}

void TracePlot::paintLegend(QPainter& p) const
{
    const QRectF a = area();
    const QFontMetricsF metrics(font());
    double x = a.right();
    for (auto c = m_curves.rbegin(); c != m_curves.rend(); ++c) {
        const double width = metrics.horizontalAdvance(c->name);
        x -= width + 4;
        if (x < a.left() + 40)
            break;
        p.setPen(PlotColors::of(this).strong);
        p.drawText(QPointF(x, a.top() + 12), c->name);
        p.setPen(QPen(c->color, 3));
        p.drawLine(QPointF(x - 18, a.top() + 8), QPointF(x - 5, a.top() + 8));
        x -= 32;
    }
    const QString text = tr("kept");
    const double width = metrics.horizontalAdvance(text);
    if (m_kept.empty() || x - width - 26 < a.left())
        return;
    p.setPen(PlotColors::of(this).text);
    p.drawText(QPointF(x - width - 4, a.top() + 12), text);
    p.setPen(keptPen(PlotColors::of(this).text));
    p.drawLine(QPointF(x - width - 26, a.top() + 8), QPointF(x - width - 8, a.top() + 8));
}

std::optional<double> TracePlot::reading() const
{
    const QRectF a = area();
    if (!m_mouse || m_mouse->x() < a.left() || m_mouse->x() > a.right() || m_curves.empty())
        return {};
    return frame().toTime(m_mouse->x());
}

std::vector<TracePlot::ReadingLine> TracePlot::readingTexts() const
{
    const auto time = reading();
    if (!time)
        return {};
    std::vector<ReadingLine> lines;
    double nearest = std::numeric_limits<double>::infinity(); // to the mouse [px]
    for (const auto& c : m_curves) {
        const auto v = c.at(*time);
        if (!v)
            continue;
        const auto kept = keptAt(c.name, *time);
        const ReadingLine line{tr("%1  %2 mV").arg(c.name).arg(*v, 0, 'f', 1) +
                                   (kept ? tr(", kept %1 mV").arg(*kept, 0, 'f', 1) : QString()),
                               c.color};
        const double off = std::abs(frame().toY(*v) - m_mouse->y());
        if (m_curves.size() <= boxed_curves || lines.empty())
            lines.push_back(line);
        else if (off < nearest)
            lines.back() = line;
        nearest = std::min(nearest, off);
    }
    lines.insert(lines.begin(), {tr("%1 ms").arg(*time, 0, 'f', 1), PlotColors::of(this).text});
    return lines;
}

QStringList TracePlot::readingLines() const
{
    QStringList all;
    for (const auto& line : readingTexts())
        all << line.text;
    return all;
}

void TracePlot::paintCursor(QPainter& p) const
{
    const auto time = reading();
    if (!time)
        return;
    const QRectF a = area();
    const double x = m_mouse->x();
    const PlotColors look = PlotColors::of(this);
    p.setPen(QPen(look.text, 1, Qt::DashLine));
    p.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
    p.setPen(Qt::NoPen);
    for (const auto& c : m_curves)
        if (const auto v = c.at(*time)) {
            p.setBrush(c.color);
            p.drawEllipse(QPointF(x, frame().toY(*v)), 3, 3);
        }
    const auto lines = readingTexts();
    const QFontMetricsF metrics(font());
    double width = 0;
    for (const auto& l : lines)
        width = std::max(width, metrics.horizontalAdvance(l.text));
    const double height = metrics.height() * static_cast<double>(lines.size());
    QRectF box(x + 10, a.top() + 6, width + 14, height + 8);
    if (box.right() > a.right())
        box.moveRight(x - 10);
    p.setPen(look.zero);
    p.setBrush(look.ground);
    p.drawRoundedRect(box, 4, 4);
    double y = box.top() + 4 + metrics.ascent();
    for (const auto& l : lines) {
        p.setPen(l.color);
        p.drawText(QPointF(box.left() + 7, y), l.text);
        y += metrics.height();
    }
}

std::optional<std::array<double, 2>> TracePlot::bothMarks() const
{
    if (!m_marks.both() || !m_marks.seen(frame()) || m_curves.size() <= boxed_curves)
        return {};
    return std::array{*m_marks[0], *m_marks[1]};
}

QStringList TracePlot::markLines() const
{
    return m_marks.lines(frame(), m_curves.size() > boxed_curves ? std::span<const TraceCurve>()
                                                                 : std::span(m_curves));
}

void TracePlot::setMoment(std::optional<double> timeMs)
{
    if (timeMs == m_moment)
        return;
    m_moment = timeMs;
    update();
}

void TracePlot::paintMoment(QPainter& p) const
{
    if (!m_moment)
        return;
    const QRectF a = area();
    const double x = frame().toX(*m_moment);
    if (x >= a.left() && x <= a.right())
        paintMomentLine(p, PlotColors::of(this), x, a.top(), a.bottom());
}

void TracePlot::setChanges(std::vector<double> timesMs)
{
    if (timesMs == m_changes)
        return;
    m_changes = std::move(timesMs);
    update();
}

void TracePlot::paintChanges(QPainter& p) const
{
    const QRectF a = area();
    const PlotColors look = PlotColors::of(this);
    const QFontMetricsF metrics(font());
    const QString text = tr("tissue changed");
    const double width = metrics.horizontalAdvance(text) + 4;
    double taken = a.left(); // up to where texts stand
    for (const double t : m_changes) {
        const double x = std::round(frame().toX(t)) + 0.5;
        if (x < a.left() || x > a.right())
            continue;
        p.setPen(QPen(changeColor(), 1, Qt::DashLine));
        p.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
        // beside the line, where there is room; of lines close to each other once
        const double left = x + width + 3 <= a.right() ? x + 3 : x - 3 - width;
        if (left < taken)
            continue;
        // between plateau and rest, where curves lie least
        const QRectF box(left, a.center().y() - metrics.height() / 2, width, metrics.height());
        p.fillRect(box, look.ground);
        p.setPen(look.text);
        p.drawText(box, Qt::AlignCenter, text);
        taken = std::max(x, box.right());
    }
}

void TracePlot::setMark(int which, std::optional<double> timeMs)
{
    m_marks.set(static_cast<std::size_t>(which), timeMs);
    reread();
}

void TracePlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors look = PlotColors::of(this);
    p.fillRect(rect(), look.ground);
    paintAxes(p);
    if (m_curves.empty()) {
        const QString text =
            tr("No probes yet. Choose Probe (P) and click on the heart: its action "
               "potential appears here.");
        const QRectF box =
            QFontMetricsF(font()).boundingRect(area(), Qt::AlignCenter | Qt::TextWordWrap, text);
        p.fillRect(box.adjusted(-8, -4, 8, 4), look.ground);
        p.setPen(look.text);
        p.drawText(area(), Qt::AlignCenter | Qt::TextWordWrap, text);
        return;
    }
    p.setRenderHint(QPainter::Antialiasing);
    p.save();
    p.setClipRect(area());
    paintChanges(p); // beneath the curves
    for (const auto& c : m_kept)
        paintCurve(p, c, keptPen(c.color));
    for (const auto& c : m_curves)
        paintCurve(p, c, QPen(c.color, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.restore();
    paintLegend(p);
    m_marks.paint(p, *this, frame(), markLines());
    paintMoment(p);
    paintCursor(p);
}

bool TracePlot::event(QEvent* e)
{
    return tipAbove(this, e) || QWidget::event(e);
}

void TracePlot::mouseMoveEvent(QMouseEvent* e)
{
    m_mouse = e->position();
    if ((e->buttons() & Qt::LeftButton) && m_pressMark) {
        m_marks.set(*m_pressMark, frame().toTime(e->position().x()));
    } else if (e->buttons() & Qt::LeftButton) {
        const double end =
            m_pressEnd - (e->position().x() - m_pressX) / area().width() * m_windowMs;
        const double last = std::max(newest(), m_windowMs);
        if (end < last)
            m_end = std::max(end, m_windowMs);
        else
            m_end.reset();
    }
    setCursor(m_pressMark || m_marks.near(e->position().x(), frame()) ? Qt::SplitHCursor
                                                                      : Qt::ArrowCursor);
    reread();
}

void TracePlot::mousePressEvent(QMouseEvent* e)
{
    if (e->button() == Qt::RightButton) {
        m_marks.clear();
        reread();
        return;
    }
    if (e->modifiers().testFlag(Qt::ShiftModifier)) {
        m_pressMark = m_marks.put(frame().toTime(e->position().x()));
        reread();
        return;
    }
    m_pressMark = m_marks.near(e->position().x(), frame());
    m_pressX = e->position().x();
    m_pressEnd = windowEnd();
}

void TracePlot::mouseReleaseEvent(QMouseEvent*)
{
    m_pressMark.reset();
}

void TracePlot::mouseDoubleClickEvent(QMouseEvent*)
{
    m_end.reset();
    reread();
}

void TracePlot::wheelEvent(QWheelEvent* e)
{
    setWindowMs(m_windowMs * std::pow(0.8, e->angleDelta().y() / 120.0));
    if (m_end)
        m_end = std::max(*m_end, m_windowMs);
    reread();
    e->accept();
}

void TracePlot::leaveEvent(QEvent*)
{
    m_mouse.reset();
    reread();
}

} // namespace tawara
