// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/transient_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace tawara {
namespace {

constexpr double widest_px = 250, narrowest_px = 128; // of a chart, as far as that can be
constexpr double least_height_px = 44;
constexpr std::array spans_ms{100.0, 200.0, 500.0, 1000.0, 2000.0, 4000.0};

/// A value, no finer than its curve tells.
QString readingText(double value, const TransientPlot::Curve& of)
{
    return numberText(std::round(value / of.finest) * of.finest + 0.0, of.digits); // no -0
}

QString meaning(const TransientPlot::Curve& of)
{
    return of.unit.isEmpty() ? of.meaning : QStringLiteral("%1 (%2)").arg(of.meaning, of.unit);
}

} // namespace

TransientPlot::TransientPlot(std::vector<Curve> curves, QWidget* parent)
    : QWidget(parent), m_curves(std::move(curves)), m_values(m_curves.size())
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void TransientPlot::setSamples(std::vector<double> times, std::vector<std::vector<float>> values)
{
    m_times = std::move(times);
    m_values = std::move(values);
    m_values.resize(m_curves.size());
    for (auto& v : m_values)
        v.resize(m_times.size());
    update();
}

void TransientPlot::setSpan(double ms)
{
    m_span = std::clamp(ms, spans_ms.front(), spans_ms.back());
    update();
}

double TransientPlot::firstTime() const
{
    return m_times.empty() ? 0 : std::max(m_times.front(), m_times.back() - m_span);
}

std::size_t TransientPlot::sampleAt(double ms) const
{
    const auto next = std::lower_bound(m_times.begin(), m_times.end(), ms);
    return std::min(static_cast<std::size_t>(next - m_times.begin()), m_times.size() - 1);
}

std::optional<double> TransientPlot::reading(std::size_t curve) const
{
    if (m_times.empty() || curve >= m_values.size())
        return std::nullopt;
    return static_cast<double>(
        m_values[curve][m_pointer ? sampleAt(*m_pointer) : m_times.size() - 1]);
}

std::size_t TransientPlot::shown() const
{
    const auto rows =
        static_cast<std::size_t>(std::max(1.0, (height() - foot()) / least_height_px));
    const auto most = static_cast<std::size_t>(std::max(1.0, width() / narrowest_px));
    return std::min(m_curves.size(), rows * most);
}

int TransientPlot::columns() const
{
    const int count = static_cast<int>(shown());
    // few rows where they would be low
    const int rows = std::clamp(static_cast<int>((height() - foot()) / least_height_px), 1, count);
    const int least = (count + rows - 1) / rows;
    const int most = std::clamp(static_cast<int>(width() / narrowest_px), 1, count);
    return std::clamp(static_cast<int>(std::ceil(width() / widest_px)), std::min(least, most),
                      most);
}

double TransientPlot::foot() const
{
    return QFontMetricsF(font()).height() + 2;
}

QRectF TransientPlot::cell(std::size_t curve) const
{
    const int c = columns(), count = static_cast<int>(shown());
    const int rows = (count + c - 1) / c;
    const int row = static_cast<int>(curve) / c, column = static_cast<int>(curve) % c;
    const double w = static_cast<double>(width()) / c, h = (height() - foot()) / rows;
    return {column * w, row * h, w, h};
}

QRectF TransientPlot::area(std::size_t curve) const
{
    return cell(curve).adjusted(6, QFontMetricsF(font()).height() + 3, -6, -3);
}

void TransientPlot::paintRange(QPainter& p, const QRectF& at, const QString& low,
                               const QString& high) const
{
    QFont small = font();
    small.setPointSizeF(0.85 * QFontInfo(small).pointSizeF());
    const QFontMetricsF m(small);
    if (at.height() < 2.3 * m.height())
        return;
    p.save();
    p.setFont(small);
    p.setPen(PlotColors::of(this).text);
    const QRectF inside = at.adjusted(3, 0, -3, 0);
    p.drawText(inside, Qt::AlignLeft | Qt::AlignTop, high);
    p.drawText(inside, Qt::AlignLeft | Qt::AlignBottom, low);
    p.restore();
}

void TransientPlot::paintCurve(QPainter& p, std::size_t curve) const
{
    const PlotColors c = PlotColors::of(this);
    const QFontMetricsF m(font());
    const QRectF all = cell(curve).adjusted(6, 2, -6, 0), at = area(curve);
    const Curve& of = m_curves[curve];
    const auto value = reading(curve);
    QString number;
    if (value) {
        number = readingText(*value, of);
        const QString whole = QStringLiteral("%1 %2").arg(number, of.unit);
        constexpr double between = 6;
        // the name goes before the unit, which the tool tip has too
        if (m.horizontalAdvance(of.title) + between + m.horizontalAdvance(whole) <= all.width())
            number = whole;
    }
    p.setPen(c.strong);
    p.drawText(all, Qt::AlignRight | Qt::AlignTop, number);
    p.setPen(c.text);
    p.drawText(
        all, Qt::AlignLeft | Qt::AlignTop,
        m.elidedText(of.title, Qt::ElideRight, all.width() - m.horizontalAdvance(number) - 6));
    p.setPen(c.grid);
    p.drawRect(at);
    if (m_times.size() < 2)
        return;
    const std::size_t first = sampleAt(firstTime());
    const auto& y = m_values[curve];
    const auto [low, high] =
        std::minmax_element(y.begin() + static_cast<std::ptrdiff_t>(first), y.end());
    double y0 = static_cast<double>(*low), y1 = static_cast<double>(*high);
    if (y1 - y0 < of.least_span) {
        const double middle = (y0 + y1) / 2;
        const bool positive = y0 >= 0;
        y0 = middle - of.least_span / 2;
        y1 = middle + of.least_span / 2;
        if (positive && y0 < 0)
            y1 -= y0, y0 = 0;
    }
    const double air = 0.06 * (y1 - y0);
    const Axes axes{at, firstTime(), std::max(m_times.back(), firstTime() + 1e-3), y0 - air,
                    y1 + air};
    paintRange(p, at, readingText(y0, of), readingText(y1, of));
    if (axes.y0 < 0 && axes.y1 > 0) {
        p.setPen(c.zero);
        const double zero = std::round(axes.toY(0)) + 0.5;
        p.drawLine(QPointF(at.left(), zero), QPointF(at.right(), zero));
    }
    QPolygonF line;
    for (std::size_t i = first; i < m_times.size(); ++i)
        line << QPointF(axes.toX(m_times[i]), axes.toY(static_cast<double>(y[i])));
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(curveColor(static_cast<int>(curve), isDark(this)), 1.5));
    p.drawPolyline(line);
    p.setRenderHint(QPainter::Antialiasing, false);
    if (m_pointer) {
        p.setPen(c.zero);
        const double x = std::round(axes.toX(m_times[sampleAt(*m_pointer)])) + 0.5;
        p.drawLine(QPointF(x, at.top()), QPointF(x, at.bottom()));
    }
}

void TransientPlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    for (std::size_t k = 0; k < shown(); ++k)
        paintCurve(p, k);
    if (m_times.empty())
        return;
    // times under the lowest charts
    const QFontMetricsF m(font());
    const double top = height() - m.height() - 1;
    const auto time = [](double ms) { return numberText(std::round(ms), 7); };
    for (int k = 0; k < columns(); ++k) {
        const QRectF line(cell(static_cast<std::size_t>(k)).left() + 6, top,
                          cell(static_cast<std::size_t>(k)).width() - 12, m.height());
        p.setPen(c.text);
        p.drawText(line, Qt::AlignLeft, time(firstTime()));
        p.drawText(line, Qt::AlignRight, tr("%1 ms").arg(time(m_times.back())));
        if (m_pointer && k == 0) {
            p.setPen(c.strong);
            p.drawText(line, Qt::AlignHCenter,
                       tr("at %1 ms").arg(time(m_times[sampleAt(*m_pointer)])));
        }
    }
}

void TransientPlot::mouseMoveEvent(QMouseEvent* e)
{
    m_pointer.reset();
    for (std::size_t k = 0; k < shown() && !m_times.empty(); ++k)
        if (const QRectF at = area(k); cell(k).contains(e->position())) {
            const double t = std::clamp((e->position().x() - at.left()) / at.width(), 0.0, 1.0);
            m_pointer = firstTime() + t * (m_times.back() - firstTime());
        }
    update();
}

void TransientPlot::leaveEvent(QEvent* e)
{
    m_pointer.reset();
    update();
    QWidget::leaveEvent(e);
}

void TransientPlot::zoom(int steps)
{
    auto at = std::lower_bound(spans_ms.begin(), spans_ms.end(), m_span) - spans_ms.begin();
    at = std::clamp<std::ptrdiff_t>(at - steps, 0, std::ssize(spans_ms) - 1);
    setSpan(spans_ms[static_cast<std::size_t>(at)]);
}

void TransientPlot::wheelEvent(QWheelEvent* e)
{
    if (e->angleDelta().y() == 0) // a wheel that turns sideways
        return e->ignore();
    zoom(e->angleDelta().y() > 0 ? 1 : -1);
    e->accept();
}

void TransientPlot::keyPressEvent(QKeyEvent* e)
{
    if (e->key() == Qt::Key_Plus || e->key() == Qt::Key_Equal)
        return zoom(1);
    if (e->key() == Qt::Key_Minus)
        return zoom(-1);
    QWidget::keyPressEvent(e);
}

bool TransientPlot::event(QEvent* e)
{
    if (e->type() != QEvent::ToolTip)
        return QWidget::event(e);
    const auto* h = static_cast<QHelpEvent*>(e);
    for (std::size_t k = 0; k < shown(); ++k)
        if (cell(k).contains(h->pos()))
            QToolTip::showText(
                h->globalPos(),
                meaning(m_curves[k]) + QLatin1Char('\n') + tr("Wheel: more or less time"), this);
    return true;
}

} // namespace tawara
