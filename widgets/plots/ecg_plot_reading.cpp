// SPDX-License-Identifier: GPL-3.0-or-later
// What is measured on the electrocardiogram by hand: times of places, cursors, mouse and keys.
#include "widgets/plots/axes.hpp"
#include "widgets/plots/ecg_plot.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr double shortest_ms = 50, longest_ms = 20000, usual_strip_ms = 2500, usual_sheet_ms = 1200;
constexpr double per_notch = 0.8;                           // of the length of time
constexpr double speeds[] = {6.25, 12.5, 25, 50, 100, 200}; // of paper, as recorders have [mm/s]
constexpr double end_px = 6; // of the marks of QRS and T, to each side of the trace
constexpr double grab_px = 4, far_px = 10, ms_per_minute = 60000;

QString letter(std::size_t mark)
{
    return QLatin1String(mark == 0 ? "A" : "B");
}

} // namespace

std::array<double, 2> EcgPlot::range() const
{
    const double to = std::max(newest(), windowMs());
    return {to - windowMs(), to};
}

double EcgPlot::toX(const QRectF& trace, double timeMs) const
{
    const double span = windowMs();
    const double t = sweeps() ? std::fmod(timeMs, span) : timeMs - range()[0];
    return trace.left() + t / span * trace.width();
}

int EcgPlot::leadAt(const QPointF& at) const
{
    const Cells c = cells();
    for (std::size_t k = 0; k < c.shown.size(); ++k)
        if (cell(c, k).adjusted(c.names, 0, 0, 0).contains(at))
            return static_cast<int>(c.shown[k]);
    return -1;
}

std::optional<double> EcgPlot::timeAt(const QPointF& at) const
{
    const int lead = leadAt(at);
    if (lead < 0)
        return {};
    const QRectF r = traceArea(lead);
    const auto [from, to] = range();
    const double span = windowMs(), within = (at.x() - r.left()) / r.width() * span;
    if (!sweeps())
        return from + within;
    // this turn of the sweep where its beam was already, else the turn before
    const double beam = std::min(to, m_times.empty() ? to : m_times.back());
    const double now = std::floor(to / span) * span + within;
    return now > beam && now - span >= from ? now - span : now;
}

std::optional<double> EcgPlot::valueAt(int lead, double timeMs) const
{
    if (lead < 0 || static_cast<std::size_t>(lead) >= m_values.size() || m_times.empty() ||
        timeMs < m_times.front() || timeMs > m_times.back())
        return {};
    const auto& v = m_values[static_cast<std::size_t>(lead)];
    const auto i = static_cast<std::size_t>(
        std::lower_bound(m_times.begin(), m_times.end(), timeMs) - m_times.begin());
    double value = static_cast<double>(v[i]);
    if (i > 0) {
        const double u = (timeMs - m_times[i - 1]) / (m_times[i] - m_times[i - 1]);
        value = static_cast<double>(v[i - 1]) + u * static_cast<double>(v[i] - v[i - 1]);
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt; // the lead came later
}

double EcgPlot::paperSpeed() const
{
    const Cells on = cells();
    if (on.shown.empty())
        return 0;
    const Scale s = scale(isOwn(on.shown.front()));
    const double mm_px = s.pixelsPerMm * squareStep(5 * s.pixelsPerMm); // a drawn square is 5 mm
    return (cell(on, 0).width() - on.names) / mm_px / (windowMs() / 1e3);
}

void EcgPlot::setMark(int which, std::optional<double> timeMs)
{
    m_marks[static_cast<std::size_t>(which)] = timeMs;
    update();
}

QString EcgPlot::differenceText(int lead) const
{
    if (!m_marks[0] || !m_marks[1])
        return {};
    const auto a = valueAt(lead, *m_marks[0]), b = valueAt(lead, *m_marks[1]);
    return a && b ? tr("B − A  %1 mV").arg(*b - *a, 0, 'f', 3) : QString();
}

QStringList EcgPlot::markLines() const
{
    const auto [from, to] = range();
    const auto seen = [from, to](const std::optional<double>& t) {
        return t && *t >= from && *t <= to;
    };
    QStringList lines;
    if (!seen(m_marks[0]) && !seen(m_marks[1]))
        return lines;
    for (std::size_t k = 0; k < m_marks.size(); ++k)
        if (m_marks[k])
            lines << tr("%1  %2 ms").arg(letter(k)).arg(*m_marks[k], 0, 'f', 1);
    if (!m_marks[0] || !m_marks[1])
        return lines;
    const double interval = *m_marks[1] - *m_marks[0];
    lines << tr("B − A  %1 ms").arg(interval, 0, 'f', 1);
    if (interval != 0)
        lines << tr("%1 /min").arg(ms_per_minute / std::abs(interval), 0, 'f', 1);
    for (const std::size_t lead : cells().shown)
        if (const QString by = differenceText(static_cast<int>(lead)); !by.isEmpty())
            lines << QStringLiteral("%1, %2").arg(m_leads[static_cast<qsizetype>(lead)], by);
    return lines;
}

QStringList EcgPlot::reading() const
{
    const int lead = m_pointer ? leadAt(*m_pointer) : -1;
    const auto time = lead < 0 ? std::nullopt : timeAt(*m_pointer);
    if (!time)
        return {};
    QStringList lines{tr("%1 ms").arg(*time, 0, 'f', 1)};
    if (const auto v = valueAt(lead, *time))
        lines << tr("%1  %2 mV").arg(m_leads[lead]).arg(*v, 0, 'f', 3);
    return lines;
}

void EcgPlot::setEnds(std::vector<std::array<double, 3>> ends)
{
    m_ends = std::move(ends);
    update();
}

void EcgPlot::paintEnds(QPainter& p) const
{
    const auto [from, to] = range();
    const Cells on = cells();
    p.setPen(QPen(curveColor(0, isDark(this)), 1.6));
    for (std::size_t k = 0; k < on.shown.size(); ++k) {
        if (isOwn(on.shown[k]))
            continue;
        const QRectF r = cell(on, k).adjusted(on.names, 0, 0, 0);
        const Scale s = scale();
        for (const auto& beat : m_ends)
            for (const double t : beat) {
                const auto v =
                    t >= from && t <= to ? valueAt(static_cast<int>(on.shown[k]), t) : std::nullopt;
                if (!v)
                    continue;
                const double x = toX(r, t), y = r.center().y() - *v * s.gain * s.pixelsPerMm;
                p.drawLine(QPointF(x, std::max(r.top(), y - end_px)),
                           QPointF(x, std::min(r.bottom(), y + end_px)));
            }
    }
}

void EcgPlot::paintMarks(QPainter& p) const
{
    const auto [from, to] = range();
    const PlotColors look = PlotColors::of(this);
    const QFontMetricsF metrics(font());
    const Cells on = cells();
    const bool both = !markLines().isEmpty();
    for (std::size_t k = 0; k < on.shown.size(); ++k) {
        const QRectF r = cell(on, k).adjusted(on.names, 0, 0, 0);
        for (std::size_t m = 0; m < m_marks.size(); ++m) {
            if (!m_marks[m] || *m_marks[m] < from || *m_marks[m] > to)
                continue;
            const double x = toX(r, *m_marks[m]);
            p.setPen(QPen(look.accent, 1.2));
            p.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
            if (r.height() > 2 * metrics.height())
                p.drawText(QPointF(x + 3, r.bottom() - 4), letter(m));
        }
        const QString text = both ? differenceText(static_cast<int>(on.shown[k])) : QString();
        const double wide = metrics.horizontalAdvance(text) + 8;
        if (text.isEmpty() || wide > r.width() || metrics.height() > r.height())
            continue;
        const QRectF box(r.right() - wide, r.top(), wide, metrics.height());
        QColor ground = look.ground;
        ground.setAlphaF(0.8F);
        p.fillRect(box, ground);
        p.setPen(look.strong);
        p.drawText(box, Qt::AlignCenter, text);
    }
}

void EcgPlot::paintFoot(QPainter& p) const
{
    const PlotColors look = PlotColors::of(this);
    const QFontMetricsF metrics(font());
    QStringList times = markLines();
    times = times.first(std::min<qsizetype>(times.size(), 4)); // those of leads stand beside them
    QRectF left = captionArea().adjusted(8, 0, 0, 0), right = left;
    const QString marks =
        metrics.elidedText(times.join(QStringLiteral("  ·  ")), Qt::ElideRight, left.width());
    if (!marks.isEmpty())
        right.setLeft(left.left() + metrics.horizontalAdvance(marks) + 24);
    p.setPen(look.accent);
    p.drawText(left, Qt::AlignLeft | Qt::AlignVCenter, marks);
    p.setPen(look.text);
    if (right.width() > metrics.height())
        p.drawText(right, Qt::AlignRight | Qt::AlignVCenter,
                   metrics.elidedText(caption(), Qt::ElideRight, right.width()));
    if (hasFocus()) {
        p.setBrush(Qt::NoBrush);
        p.setPen(look.accent);
        p.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void EcgPlot::paintReading(QPainter& p) const
{
    const QStringList lines = reading();
    if (lines.isEmpty())
        return;
    const double time = *timeAt(*m_pointer), x = m_pointer->x();
    const PlotColors look = PlotColors::of(this);
    const Cells on = cells();
    const int under = leadAt(*m_pointer);
    const QRectF own = traceArea(under);
    for (std::size_t k = 0; k < on.shown.size(); ++k) { // the same moment in each lead
        const auto lead = static_cast<int>(on.shown[k]);
        const QRectF r = traceArea(lead);
        const double at = r.left() + x - own.left();
        p.setPen(QPen(look.text, 1, Qt::DashLine));
        p.drawLine(QPointF(at, r.top()), QPointF(at, r.bottom()));
        const auto v = valueAt(lead, time);
        if (!v || lead != under)
            continue;
        const Scale s = scale(isOwn(on.shown[k]));
        p.setPen(Qt::NoPen);
        p.setBrush(look.accent);
        p.drawEllipse(QPointF(at, std::clamp(r.center().y() - *v * s.gain * s.pixelsPerMm, r.top(),
                                             r.bottom())),
                      3, 3);
    }
    const QFontMetricsF metrics(font());
    double width = 0;
    for (const auto& l : lines)
        width = std::max(width, metrics.horizontalAdvance(l));
    QRectF box(x + 10, own.top() + 4, width + 14,
               metrics.height() * static_cast<double>(lines.size()) + 8);
    if (box.right() > this->width())
        box.moveRight(x - 10);
    if (box.bottom() > height())
        box.moveBottom(height());
    p.setPen(look.zero);
    p.setBrush(look.ground);
    p.drawRoundedRect(box, 4, 4);
    p.setPen(look.strong);
    p.drawText(box.adjusted(7, 4, 0, 0), Qt::AlignLeft, lines.join('\n'));
}

std::optional<std::size_t> EcgPlot::markNear(const QPointF& at) const
{
    const int lead = leadAt(at);
    const auto [from, to] = range();
    std::optional<std::size_t> out;
    double nearest = grab_px;
    for (std::size_t k = 0; lead >= 0 && k < m_marks.size(); ++k)
        if (m_marks[k] && *m_marks[k] >= from && *m_marks[k] <= to)
            if (const double off = std::abs(toX(traceArea(lead), *m_marks[k]) - at.x());
                off <= nearest) {
                nearest = off;
                out = k;
            }
    return out;
}

void EcgPlot::putMark(double timeMs)
{
    std::size_t k = !m_marks[0] ? 0 : 1;
    if (m_marks[0] && m_marks[1] && std::abs(*m_marks[0] - timeMs) < std::abs(*m_marks[1] - timeMs))
        k = 0;
    m_marks[k] = timeMs;
    m_pressMark = k;
    say();
}

void EcgPlot::say()
{
    const QStringList lines = reading() + markLines();
    setAccessibleDescription(
        lines.isEmpty()
            ? tr("Arrows read, Enter sets a cursor, Backspace takes them away, %1Page Up "
                 "and Page Down look back, Home follows the run.")
                  .arg(m_paper ? QString() : tr("+ and − change the length of time, "))
            : lines.join(QStringLiteral("; ")));
    update();
}

void EcgPlot::lookBackTo(double endMs)
{
    const double last = std::max(m_times.empty() ? 0 : m_times.back(), windowMs());
    if (endMs < last)
        m_end = std::max(endMs, windowMs());
    else
        m_end.reset();
    say();
    Q_EMIT changed();
}

void EcgPlot::goOn()
{
    if (m_end)
        m_end.reset();
    else if (!m_paper) // whose length of time is given
        m_windows[m_layout == Layout::sheet ? 1 : 0] =
            m_layout == Layout::sheet ? usual_sheet_ms : usual_strip_ms;
    say();
    Q_EMIT changed();
}

void EcgPlot::zoom(double notches)
{
    if (m_paper)
        return; // its speed is given
    const double before = windowMs(), speed = paperSpeed();
    double after = before * std::pow(per_notch, notches);
    for (const double s : speeds) { // it stops where it would pass by
        const double there = s > 0 && speed > 0 ? before * speed / s : after;
        if ((there - before) * (there - after) < 0 && std::abs(there / before - 1) > 1e-3)
            after = there;
    }
    m_windows[m_layout == Layout::sheet ? 1 : 0] = std::clamp(after, shortest_ms, longest_ms);
    if (m_end)
        m_end = std::max(*m_end, windowMs());
    say();
    Q_EMIT changed();
}

bool EcgPlot::event(QEvent* e)
{
    return tipAbove(this, e) || QWidget::event(e);
}

void EcgPlot::mouseMoveEvent(QMouseEvent* e)
{
    m_pointer = e->position();
    const auto time = timeAt(*m_pointer);
    const int lead = leadAt(*m_pointer);
    if ((e->buttons() & Qt::LeftButton) && m_pressMark) {
        if (time)
            m_marks[*m_pressMark] = *time;
    } else if (e->buttons() & Qt::LeftButton) {
        const double by = e->position().x() - m_pressX;
        m_pulled = m_pulled || std::abs(by) >= QApplication::startDragDistance();
        if (m_pulled && lead >= 0)
            lookBackTo(m_pressEnd - by / traceArea(lead).width() * windowMs());
    }
    setCursor(m_pressMark || markNear(*m_pointer) ? Qt::SplitHCursor : Qt::ArrowCursor);
    say();
}

void EcgPlot::mousePressEvent(QMouseEvent* e)
{
    m_pressMark.reset();
    m_pulled = false;
    if (e->button() == Qt::RightButton) {
        m_marks = {};
        return say();
    }
    const auto time = timeAt(e->position());
    if (e->modifiers().testFlag(Qt::ShiftModifier)) {
        if (time)
            putMark(*time);
        return;
    }
    m_pressMark = markNear(e->position());
    m_pressX = e->position().x();
    m_pressEnd = range()[1];
}

void EcgPlot::mouseReleaseEvent(QMouseEvent*)
{
    m_pressMark.reset();
}

void EcgPlot::mouseDoubleClickEvent(QMouseEvent*)
{
    m_pressMark.reset();
    goOn();
}

void EcgPlot::wheelEvent(QWheelEvent* e)
{
    zoom(e->angleDelta().y() / 120.0);
    e->accept();
}

void EcgPlot::leaveEvent(QEvent*)
{
    m_pointer.reset();
    unsetCursor();
    say();
}

bool EcgPlot::moveReading(int key, bool far)
{
    const Cells on = cells();
    if (on.shown.empty())
        return false;
    const int lead = m_pointer ? leadAt(*m_pointer) : -1;
    if (lead < 0) { // the first key shows it
        m_pointer = traceArea(static_cast<int>(on.shown.front())).center();
        return true;
    }
    const QRectF r = traceArea(lead);
    const auto at = std::find(on.shown.begin(), on.shown.end(), static_cast<std::size_t>(lead));
    const double within = m_pointer->x() - r.left(), step = far ? far_px : 1;
    if (key == Qt::Key_Left || key == Qt::Key_Right)
        m_pointer->setX(std::clamp(m_pointer->x() + (key == Qt::Key_Left ? -step : step), r.left(),
                                   r.right() - 1));
    else if (key == Qt::Key_Up && at != on.shown.begin())
        m_pointer = traceArea(static_cast<int>(*(at - 1))).center();
    else if (key == Qt::Key_Down && at + 1 != on.shown.end())
        m_pointer = traceArea(static_cast<int>(*(at + 1))).center();
    if (const int now = leadAt(*m_pointer); now != lead && now >= 0)
        m_pointer->setX(traceArea(now).left() + within);
    return true;
}

void EcgPlot::keyPressEvent(QKeyEvent* e)
{
    const bool far = e->modifiers().testFlag(Qt::ControlModifier);
    const auto time = m_pointer ? timeAt(*m_pointer) : std::nullopt;
    switch (e->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (!moveReading(e->key(), far))
            return e->ignore();
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (time)
            putMark(*time);
        m_pressMark.reset();
        break;
    case Qt::Key_Backspace:
        m_marks = {};
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: // the same key without Shift
        zoom(1);
        break;
    case Qt::Key_Minus:
        zoom(-1);
        break;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        lookBackTo(range()[1] + (e->key() == Qt::Key_PageUp ? -0.5 : 0.5) * windowMs());
        break;
    case Qt::Key_Home:
        goOn();
        break;
    default:
        return QWidget::keyPressEvent(e);
    }
    say();
}

} // namespace tawara
