// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/strip_chart.hpp"

#include "widgets/plots/axes.hpp"

#include <algorithm>

namespace tawara {
namespace {

constexpr std::size_t length = 240;

}

StripChart::StripChart(const QString& title, const QString& unit, const QColor& color,
                       QWidget* parent)
    : QWidget(parent), m_title(title), m_unit(unit), m_color(color)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void StripChart::add(double value)
{
    m_values.push_back(value);
    if (m_values.size() > length)
        m_values.pop_front();
    update();
}

void StripChart::clear()
{
    m_values.clear();
    update();
}

void StripChart::setLevel(double value)
{
    m_level = value;
    update();
}

void StripChart::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    const QFontMetricsF m(font());
    const QRectF area = QRectF(rect()).adjusted(6, m.height() + 6, -6, -4);
    p.setPen(c.text);
    p.drawText(QPointF(8, m.ascent() + 3), m_title);
    if (!m_values.empty()) {
        p.setPen(c.strong);
        p.drawText(QRectF(0, 3, width() - 8, m.height()), Qt::AlignRight,
                   QStringLiteral("%1 %2").arg(numberText(newest(), 3), m_unit));
    }
    p.setPen(c.grid);
    p.drawRect(area);
    double top = std::max(1e-12, m_level * 1.05);
    for (double v : m_values)
        top = std::max(top, v * 1.1);
    p.setRenderHint(QPainter::Antialiasing);
    if (m_level > 0) {
        p.setPen(QPen(c.text, 1, Qt::DashLine));
        const double y = area.bottom() - m_level / top * area.height();
        p.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    QPolygonF line;
    double x =
        area.right() - area.width() * static_cast<double>(m_values.size() - 1) / (length - 1.0);
    for (double v : m_values) {
        line << QPointF(x, area.bottom() - v / top * area.height());
        x += area.width() / (length - 1.0);
    }
    if (line.size() < 2)
        return;
    QPolygonF fill = line;
    fill << QPointF(line.last().x(), area.bottom()) << QPointF(line.first().x(), area.bottom());
    QColor weak = m_color;
    weak.setAlphaF(0.18F);
    p.setPen(Qt::NoPen);
    p.setBrush(weak);
    p.drawPolygon(fill);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(m_color, 1.5));
    p.drawPolyline(line);
}

} // namespace tawara
