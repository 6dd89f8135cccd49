// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/bullseye_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <QFontInfo>
#include <QHelpEvent>
#include <QMouseEvent>
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
constexpr double least_share = 0.1, whole_share = 0.95;
constexpr int least_font_px = 8;
constexpr int stretches[] = {100, 85, 75}; // of letters in percent: times of late beats are long
constexpr double edge_px = 3;

const Ring& ringOf(int segment)
{
    for (const Ring& g : rings)
        if (segment >= g.first && segment < g.first + g.count)
            return g;
    return rings[0];
}

/// Relative luminance of sRGB, 0 to 1, as the contrast of WCAG 2 has it.
double luminance(const QColor& color)
{
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

/// Whichever of black and white has more contrast there.
QColor inkOn(const QColor& fill)
{
    const QColor black(0x10, 0x13, 0x18);
    const double l = luminance(fill) + 0.05;
    return l / (luminance(black) + 0.05) > 1.05 / l ? black : QColor(Qt::white);
}

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
    m_valueShares.fill(0);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

QString BullseyePlot::segmentName(int segment)
{
    return segment >= 1 && segment <= 17 ? tr(names[segment - 1]) : QString();
}

void BullseyePlot::setValues(const Values& values, const QString& title, int decimals,
                             ToColor color)
{
    Values whole;
    whole.fill(1);
    setValues(values, title, decimals, std::move(color), whole);
}

void BullseyePlot::setValues(const Values& values, const QString& title, int decimals,
                             ToColor color, const Values& shares)
{
    m_values = values;
    m_valueShares = shares;
    for (std::size_t k = 0; k < m_values.size(); ++k)
        if (!(shares[k] >= least_share))
            m_values[k] = std::numeric_limits<double>::quiet_NaN();
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

void BullseyePlot::setNumbered(bool on)
{
    m_numbersOnParts = on;
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
    return std::max(20.0, std::min<double>(width(), tall) / 2 - edge_px);
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
    const bool numbers = m_parts.empty() && numbered();
    p.drawText(QRectF(0, 2, width(), QFontMetricsF(font()).height()), Qt::AlignCenter,
               numbers ? tr("%1: none here; segments").arg(m_title) : m_title);
    const auto written =
        m_parts.empty() || m_numbersOnParts ? allNumbers() : std::array<Number, 17>();
    for (int segment = 1; segment <= 17; ++segment)
        paintSegment(p, segment, written[static_cast<std::size_t>(segment - 1)]);
    paintLegend(p);
}

QPainterPath BullseyePlot::slice(int segment, double begin, double end) const
{
    const Ring& g = ringOf(segment);
    const QPointF o = centre();
    const auto ringRect = [&, whole = radius()](double r) {
        return QRectF(o.x() - r * whole, o.y() - r * whole, 2 * r * whole, 2 * r * whole);
    };
    const double span = 360.0 / g.count;
    const double start = g.start_deg + (segment - g.first + begin) * span,
                 width = (end - begin) * span;
    QPainterPath path;
    if (width >= 360) {
        path.addEllipse(ringRect(g.outer));
        return path;
    }
    path.arcMoveTo(ringRect(g.outer), start);
    path.arcTo(ringRect(g.outer), start, width);
    if (g.inner > 0)
        path.arcTo(ringRect(g.inner), start + width, -width);
    else
        path.lineTo(o);
    path.closeSubpath();
    return path;
}

QPainterPath BullseyePlot::outline(int segment) const
{
    return slice(segment, 0, 1);
}

bool BullseyePlot::partial(std::size_t k) const
{
    return m_parts.empty() && std::isfinite(m_values[k]) && m_valueShares[k] < whole_share;
}

bool BullseyePlot::anyPartial() const
{
    for (std::size_t k = 0; k < m_values.size(); ++k)
        if (partial(k))
            return true;
    return false;
}

bool BullseyePlot::numbered() const
{
    return std::none_of(m_values.begin(), m_values.end(),
                        [](double x) { return std::isfinite(x); });
}

QString BullseyePlot::fullNumber(int segment, int decimals) const
{
    const auto k = static_cast<std::size_t>(segment - 1);
    // the segments' numbers where no value can be mistaken for one
    if (!std::isfinite(m_values[k]) || !m_color)
        return numbered() ? QString::number(segment) : QStringLiteral("–");
    QString text = QString::number(m_values[k], 'f', decimals);
    if (text.startsWith('-') && text.toDouble() == 0)
        text.remove(0, 1);
    return partial(k) ? QStringLiteral("~") + text : text;
}

QStringList BullseyePlot::numbersToTry(int segment) const
{
    constexpr double most_lost = 0.1; // of a value
    const auto v = m_values[static_cast<std::size_t>(segment - 1)];
    QStringList out;
    for (int decimals = m_decimals; decimals >= 0; --decimals) {
        const double shown = QString::number(v, 'f', decimals).toDouble();
        if (decimals < m_decimals && std::abs(shown - v) > most_lost * std::abs(v))
            break;
        out << fullNumber(segment, decimals);
    }
    for (const QString& text : QStringList(out)) // the hatching says that it is of a part
        if (text.startsWith('~'))
            out << text.mid(1);
    return out;
}

BullseyePlot::Number BullseyePlot::number(int segment, int most_px) const
{
    const Ring& g = ringOf(segment);
    const double span = 2 * std::numbers::pi / g.count,
                 middle = g.start_deg * std::numbers::pi / 180 + (segment - g.first + 0.5) * span,
                 r = g.inner > 0 ? (g.inner + g.outer) / 2 * radius() : 0;
    const QPointF at = centre() + QPointF(r * std::cos(middle), -r * std::sin(middle));
    const QPainterPath path = outline(segment);
    const QStringList texts = numbersToTry(segment);
    Number n;
    for (const int stretch : stretches)
        for (const QString& text : texts)
            for (int size = most_px; size >= least_font_px; --size) {
                n.text = text;
                n.font = font();
                n.font.setPixelSize(size);
                n.font.setStretch(stretch);
                // of the letters, not of the line
                const QRectF letters = QFontMetricsF(n.font).tightBoundingRect(n.text);
                n.area = QRectF(at.x() - letters.width() / 2 - 1, at.y() - letters.height() / 2 - 1,
                                letters.width() + 2, letters.height() + 2);
                if (path.contains(n.area))
                    return n;
            }
    n.text = QStringLiteral("…"); // all of it is in the tool tip
    n.area = QRectF(at.x() - 3, at.y() - 3, 6, 6);
    return n;
}

std::array<BullseyePlot::Number, 17> BullseyePlot::allNumbers() const
{
    constexpr int most_apart_px = 2;
    const int usual = QFontInfo(font()).pixelSize();
    std::array<Number, 17> all;
    int smallest = usual;
    for (int k = 0; k < 17; ++k) {
        all[static_cast<std::size_t>(k)] = number(k + 1, usual);
        smallest = std::min(smallest, all[static_cast<std::size_t>(k)].font.pixelSize());
    }
    for (int k = 0; k < 17; ++k)
        if (all[static_cast<std::size_t>(k)].font.pixelSize() > smallest + most_apart_px)
            all[static_cast<std::size_t>(k)] = number(k + 1, smallest + most_apart_px);
    return all;
}

QRectF BullseyePlot::numberArea(int segment) const
{
    return allNumbers()[static_cast<std::size_t>(segment - 1)].area;
}

QString BullseyePlot::numberOf(int segment) const
{
    return allNumbers()[static_cast<std::size_t>(segment - 1)].text;
}

void BullseyePlot::paintSegment(QPainter& p, int segment, const Number& n) const
{
    const PlotColors c = PlotColors::of(this);
    const auto index = static_cast<std::size_t>(segment - 1);
    const double v = m_values[index];
    const bool known = m_parts.empty() && std::isfinite(v) && m_color;
    const QColor fill = known ? m_color(v) : c.grid;
    p.setPen(Qt::NoPen);
    if (!m_parts.empty()) {
        double start = 0;
        for (std::size_t r = 0; r < std::min(m_shares[index].size(), m_parts.size()); ++r) {
            const double width = m_shares[index][r];
            if (width <= 0)
                continue;
            p.setBrush(m_parts[r].color);
            p.drawPath(slice(segment, start, start + width));
            start += width;
        }
    }
    const QPainterPath path = outline(segment);
    p.setPen(QPen(c.ground, 1.5));
    p.setBrush(m_parts.empty() || m_shares[index].empty() ? QBrush(fill) : QBrush(Qt::NoBrush));
    p.drawPath(path);
    if (!m_parts.empty()) {
        const auto& s = m_shares[index];
        const auto most = std::max_element(s.begin(), s.end());
        const auto part = static_cast<std::size_t>(most - s.begin());
        if (m_numbersOnParts)
            paintNumber(p, n,
                        part < std::min(s.size(), m_parts.size()) && *most > 0
                            ? inkOn(m_parts[part].color)
                            : c.text);
        return;
    }
    const QColor ink = known ? inkOn(fill) : c.text;
    if (partial(index)) { // hatched, but where the number stands
        QColor weak = ink;
        weak.setAlphaF(0.45F);
        QPainterPath hole;
        hole.addRoundedRect(n.area.adjusted(-3, -3, 3, 3), 3, 3);
        p.fillPath(path.subtracted(hole), QBrush(weak, Qt::BDiagPattern));
    }
    paintNumber(p, n, ink);
}

void BullseyePlot::paintNumber(QPainter& p, const Number& n, const QColor& ink) const
{
    p.setPen(ink);
    p.setFont(n.font);
    const QRectF letters = QFontMetricsF(n.font).tightBoundingRect(n.text);
    p.drawText(QPointF(n.area.center().x() - letters.center().x(),
                       n.area.center().y() - letters.center().y()),
               n.text);
    p.setFont(font());
}

bool BullseyePlot::anyOf(std::size_t part) const
{
    return std::any_of(m_shares.begin(), m_shares.end(), [&](const auto& shares) {
        return part < shares.size() && shares[part] > 0;
    });
}

std::size_t BullseyePlot::legendColumns() const
{
    const QFontMetricsF m(font());
    const double room = width() / 2.0 - 24 - swatch_px;
    return m_numbersOnParts &&
                   std::all_of(m_parts.begin(), m_parts.end(),
                               [&](const Part& p) { return m.horizontalAdvance(p.name) <= room; })
               ? 2
               : 1;
}

double BullseyePlot::legendHeight() const
{
    std::size_t rows = 0;
    for (std::size_t r = 0; r < m_parts.size(); ++r)
        rows += anyOf(r) ? 1 : 0;
    rows += anyPartial() ? 1 : 0;
    rows = (rows + legendColumns() - 1) / legendColumns();
    return static_cast<double>(std::min(rows, most_rows)) * QFontMetricsF(font()).height();
}

void BullseyePlot::paintLegend(QPainter& p) const
{
    const QFontMetricsF m(font());
    double y = height() - legendHeight() - 2;
    std::size_t rows = 0;
    if (anyPartial()) {
        const QString text = tr("~ hatched: known in part");
        const QRectF line(16 + swatch_px, y, width() - 24 - swatch_px, m.height());
        const QRectF box(10, y + m.height() / 2 - swatch_px / 2, swatch_px, swatch_px);
        const QColor ink = PlotColors::of(this).text;
        p.setPen(ink);
        p.setBrush(QBrush(ink, Qt::BDiagPattern));
        p.drawRect(box);
        p.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   m.elidedText(text, Qt::ElideRight, line.width()));
    }
    for (std::size_t r = 0; r < m_parts.size() && rows < most_rows; ++r) {
        if (!anyOf(r))
            continue;
        p.setPen(Qt::NoPen);
        p.setBrush(m_parts[r].color);
        const double wide = width() / static_cast<double>(legendColumns());
        const double x = wide * static_cast<double>(rows % legendColumns());
        p.drawRoundedRect(QRectF(x + 10, y + m.height() / 2 - swatch_px / 2, swatch_px, swatch_px),
                          2, 2);
        p.setPen(PlotColors::of(this).text);
        p.drawText(QRectF(x + 16 + swatch_px, y, wide - 24 - swatch_px, m.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   m.elidedText(m_parts[r].name, Qt::ElideMiddle, wide - 24 - swatch_px));
        if (++rows % legendColumns() == 0)
            y += m.height();
    }
}

QString BullseyePlot::textOf(int segment) const
{
    const auto k = static_cast<std::size_t>(segment - 1);
    if (m_parts.empty()) {
        const double percent = 100 * m_valueShares[k];
        if (!std::isfinite(m_values[k]))
            return percent > 0 ? tr("values in less than %1 % of it").arg(100 * least_share)
                               : tr("no value yet");
        const QString text = numberText(m_values[k], 4);
        return partial(k) ? tr("%1, of %2 % of it").arg(text).arg(percent, 0, 'f', 0) : text;
    }
    QStringList parts;
    for (std::size_t r = 0; r < std::min(m_shares[k].size(), m_parts.size()); ++r)
        if (m_shares[k][r] > 0)
            parts << tr("%1 % %2").arg(100 * m_shares[k][r], 0, 'f', 0).arg(m_parts[r].name);
    return parts.isEmpty() ? tr("unknown") : parts.join(QStringLiteral(", "));
}

void BullseyePlot::mousePressEvent(QMouseEvent* e)
{
    if (const int s = segmentAt(e->position()); s > 0 && e->button() == Qt::LeftButton)
        Q_EMIT segmentClicked(s);
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
