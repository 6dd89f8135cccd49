// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/bullseye_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QHelpEvent>
#include <QPainterPath>
#include <QToolTip>

#include <cmath>
#include <limits>
#include <numbers>

namespace tawara {
namespace {

struct Ring
{
    int first, count;
    double inner, outer, start_deg; ///< radii in parts of the whole; anticlockwise from 3 o'clock
};
// Cerqueira et al. 2002: segment 1 (anterior) at the top, then anticlockwise over the septum.
constexpr Ring rings[] = {
    {1, 6, 0.75, 1.0, 60}, {7, 6, 0.5, 0.75, 60}, {13, 4, 0.25, 0.5, 45}, {17, 1, 0, 0.25, 0}};

constexpr const char* names[] = {QT_TRANSLATE_NOOP("BullseyePlot", "basal anterior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "basal anteroseptal"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "basal inferoseptal"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "basal inferior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "basal inferolateral"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "basal anterolateral"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid anterior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid anteroseptal"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid inferoseptal"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid inferior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid inferolateral"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "mid anterolateral"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "apical anterior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "apical septal"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "apical inferior"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "apical lateral"),
                                 QT_TRANSLATE_NOOP("BullseyePlot", "apex")};

} // namespace

BullseyePlot::BullseyePlot(QWidget* parent) : QWidget(parent)
{
    m_values.fill(std::numeric_limits<double>::quiet_NaN());
    setAttribute(Qt::WA_OpaquePaintEvent);
}

QString BullseyePlot::segmentName(int segment)
{
    return segment >= 1 && segment <= 17 ? tr(names[segment - 1]) : QString();
}

void BullseyePlot::setValues(const Values& values, const QString& title, int decimals,
                             ToColor color)
{
    m_values = values;
    m_title = title;
    m_decimals = decimals;
    m_color = std::move(color);
    update();
}

QPointF BullseyePlot::centre() const
{
    return {width() / 2.0, (height() + QFontMetricsF(font()).height()) / 2.0};
}

double BullseyePlot::radius() const
{
    return std::max(
        20.0, (std::min<double>(width(), height() - QFontMetricsF(font()).height()) - 14) / 2);
}

int BullseyePlot::segmentAt(QPointF p) const
{
    const QPointF d = p - centre();
    const double r = std::hypot(d.x(), d.y()) / radius();
    double turn = std::atan2(-d.y(), d.x()) * 180 / std::numbers::pi;
    for (const Ring& g : rings) {
        if (r < g.inner || r >= g.outer)
            continue;
        double from = turn - g.start_deg;
        while (from < 0)
            from += 360;
        return g.first + static_cast<int>(from / (360.0 / g.count)) % g.count;
    }
    return 0;
}

void BullseyePlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(c.text);
    p.drawText(QRectF(0, 2, width(), QFontMetricsF(font()).height()), Qt::AlignCenter, m_title);
    const QPointF o = centre();
    const double whole = radius();
    const auto ringRect = [&](double r) {
        return QRectF(o.x() - r * whole, o.y() - r * whole, 2 * r * whole, 2 * r * whole);
    };
    for (const Ring& g : rings)
        for (int k = 0; k < g.count; ++k) {
            const double from = g.start_deg + k * 360.0 / g.count, span = 360.0 / g.count;
            QPainterPath path;
            if (g.count == 1) {
                path.addEllipse(ringRect(g.outer));
            } else {
                path.arcMoveTo(ringRect(g.outer), from);
                path.arcTo(ringRect(g.outer), from, span);
                path.arcTo(ringRect(g.inner), from + span, -span);
                path.closeSubpath();
            }
            const double v = m_values[static_cast<std::size_t>(g.first + k - 1)];
            const bool known = std::isfinite(v) && m_color;
            const QColor fill = known ? m_color(v) : c.grid;
            p.setPen(QPen(c.ground, 1.5));
            p.setBrush(fill);
            p.drawPath(path);
            const double middle = (from + span / 2) * std::numbers::pi / 180,
                         r = g.count == 1 ? 0 : (g.inner + g.outer) / 2 * whole;
            const QPointF at = o + QPointF(r * std::cos(middle), -r * std::sin(middle));
            const bool bright =
                0.299 * fill.red() + 0.587 * fill.green() + 0.114 * fill.blue() > 140;
            p.setPen(known ? (bright ? QColor(0x10, 0x13, 0x18) : QColor(Qt::white)) : c.text);
            p.drawText(QRectF(at.x() - 30, at.y() - 9, 60, 18), Qt::AlignCenter,
                       known ? QString::number(v, 'f', m_decimals) : QString::number(g.first + k));
        }
}

bool BullseyePlot::event(QEvent* e)
{
    if (e->type() == QEvent::ToolTip) {
        const auto* h = static_cast<QHelpEvent*>(e);
        if (const int s = segmentAt(h->pos()); s > 0) {
            const double v = m_values[static_cast<std::size_t>(s - 1)];
            QToolTip::showText(
                h->globalPos(),
                tr("%1, %2: %3")
                    .arg(s)
                    .arg(segmentName(s), std::isfinite(v) ? numberText(v, 4) : tr("no value yet")),
                this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(e);
}

} // namespace tawara
