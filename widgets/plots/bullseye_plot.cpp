// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/bullseye_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QHelpEvent>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
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

constexpr std::size_t most_rows = 5; // of the legend
constexpr double swatch_px = 9;

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
    m_parts.clear();
    update();
}

void BullseyePlot::setParts(const Shares& shares, const QString& title,
                            const std::vector<Part>& parts)
{
    if (m_parts == parts && m_shares == shares && m_title == title)
        return;
    m_shares = shares;
    m_title = title;
    m_parts = parts;
    m_values.fill(std::numeric_limits<double>::quiet_NaN());
    update();
}

void BullseyePlot::setReason(const QString& reason)
{
    if (reason == m_reason)
        return;
    m_reason = reason;
    update();
}

QPointF BullseyePlot::centre() const
{
    return {width() / 2.0, (height() - legendHeight() + QFontMetricsF(font()).height()) / 2.0};
}

double BullseyePlot::radius() const
{
    const double tall = height() - legendHeight() - QFontMetricsF(font()).height();
    return std::max(20.0, (std::min<double>(width(), tall) - 14) / 2);
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
    if (!m_reason.isEmpty()) {
        p.drawText(QRectF(rect()).adjusted(14, 8, -14, -8),
                   static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_reason);
        return;
    }
    p.drawText(QRectF(0, 2, width(), QFontMetricsF(font()).height()), Qt::AlignCenter, m_title);
    for (const Ring& g : rings)
        for (int k = 0; k < g.count; ++k) {
            const double span = 360.0 / g.count;
            paintSegment(p, g.first + k, g.start_deg + k * span, span, g.inner, g.outer);
        }
    paintLegend(p);
}

void BullseyePlot::paintSegment(QPainter& p, int segment, double from, double span, double inner,
                                double outer) const
{
    const PlotColors c = PlotColors::of(this);
    const QPointF o = centre();
    const double whole = radius();
    const auto ringRect = [&](double r) {
        return QRectF(o.x() - r * whole, o.y() - r * whole, 2 * r * whole, 2 * r * whole);
    };
    const auto slice = [&](double start, double width) {
        QPainterPath path;
        if (width >= 360) {
            path.addEllipse(ringRect(outer));
            return path;
        }
        path.arcMoveTo(ringRect(outer), start);
        path.arcTo(ringRect(outer), start, width);
        if (inner > 0)
            path.arcTo(ringRect(inner), start + width, -width);
        else
            path.lineTo(o);
        path.closeSubpath();
        return path;
    };
    const auto index = static_cast<std::size_t>(segment - 1);
    const double v = m_values[index];
    const bool known = m_parts.empty() && std::isfinite(v) && m_color;
    const QColor fill = known ? m_color(v) : c.grid;
    p.setPen(Qt::NoPen);
    if (!m_parts.empty()) {
        double start = from;
        for (std::size_t r = 0; r < std::min(m_shares[index].size(), m_parts.size()); ++r) {
            const double width = m_shares[index][r] * span;
            if (width <= 0)
                continue;
            p.setBrush(m_parts[r].color);
            p.drawPath(slice(start, width));
            start += width;
        }
    }
    p.setPen(QPen(c.ground, 1.5));
    p.setBrush(m_parts.empty() || m_shares[index].empty() ? QBrush(fill) : QBrush(Qt::NoBrush));
    p.drawPath(slice(from, span));
    if (!m_parts.empty())
        return;
    const double middle = (from + span / 2) * std::numbers::pi / 180,
                 r = inner > 0 ? (inner + outer) / 2 * whole : 0;
    const QPointF at = o + QPointF(r * std::cos(middle), -r * std::sin(middle));
    const bool bright = 0.299 * fill.red() + 0.587 * fill.green() + 0.114 * fill.blue() > 140;
    p.setPen(known ? (bright ? QColor(0x10, 0x13, 0x18) : QColor(Qt::white)) : c.text);
    // the segments' numbers where no value can be mistaken for one
    const bool numbered =
        std::none_of(m_values.begin(), m_values.end(), [](double x) { return std::isfinite(x); });
    QString text = known      ? QString::number(v, 'f', m_decimals)
                   : numbered ? QString::number(segment)
                              : QStringLiteral("–");
    if (text.startsWith('-') && text.toDouble() == 0)
        text.remove(0, 1);
    p.drawText(QRectF(at.x() - 30, at.y() - 9, 60, 18), Qt::AlignCenter | Qt::TextDontClip, text);
}

bool BullseyePlot::anyOf(std::size_t part) const
{
    return std::any_of(m_shares.begin(), m_shares.end(), [&](const auto& shares) {
        return part < shares.size() && shares[part] > 0;
    });
}

double BullseyePlot::legendHeight() const
{
    std::size_t rows = 0;
    for (std::size_t r = 0; r < m_parts.size(); ++r)
        rows += anyOf(r) ? 1 : 0;
    return static_cast<double>(std::min(rows, most_rows)) * QFontMetricsF(font()).height();
}

void BullseyePlot::paintLegend(QPainter& p) const
{
    const QFontMetricsF m(font());
    double y = height() - legendHeight() - 2;
    std::size_t rows = 0;
    for (std::size_t r = 0; r < m_parts.size() && rows < most_rows; ++r) {
        if (!anyOf(r))
            continue;
        p.setPen(Qt::NoPen);
        p.setBrush(m_parts[r].color);
        p.drawRoundedRect(QRectF(10, y + m.height() / 2 - swatch_px / 2, swatch_px, swatch_px), 2,
                          2);
        p.setPen(PlotColors::of(this).text);
        p.drawText(QRectF(16 + swatch_px, y, width() - 24 - swatch_px, m.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   m.elidedText(m_parts[r].name, Qt::ElideRight, width() - 24 - swatch_px));
        y += m.height();
        ++rows;
    }
}

QString BullseyePlot::textOf(int segment) const
{
    const auto k = static_cast<std::size_t>(segment - 1);
    if (m_parts.empty())
        return std::isfinite(m_values[k]) ? numberText(m_values[k], 4) : tr("no value yet");
    QStringList parts;
    for (std::size_t r = 0; r < std::min(m_shares[k].size(), m_parts.size()); ++r)
        if (m_shares[k][r] > 0)
            parts << tr("%1 % %2").arg(100 * m_shares[k][r], 0, 'f', 0).arg(m_parts[r].name);
    return parts.isEmpty() ? tr("unknown") : parts.join(QStringLiteral(", "));
}

bool BullseyePlot::event(QEvent* e)
{
    if (e->type() == QEvent::ToolTip) {
        const auto* h = static_cast<QHelpEvent*>(e);
        if (const int s = segmentAt(h->pos()); s > 0) {
            QToolTip::showText(h->globalPos(),
                               tr("%1, %2: %3").arg(s).arg(segmentName(s), textOf(s)), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(e);
}

} // namespace tawara
