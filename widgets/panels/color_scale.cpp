// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/color_scale.hpp"

#include "widgets/plots/axes.hpp"

#include <QPainter>

#include <algorithm>

namespace tawara {
namespace {

constexpr double edge_px = 10, bar_px = 9, mark_px = 3;

} // namespace

ColorScale::ColorScale(QWidget* parent) : QWidget(parent), m_map(scene::color_map({}))
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ColorScale::set(const QString& title, const scene::ColorMap& map, double low, double high,
                     bool log)
{
    m_title = title;
    m_map = map;
    m_low = low, m_high = high, m_log = log;
    update();
}

QSize ColorScale::sizeHint() const
{
    return {240, static_cast<int>(bar_px + mark_px + fontMetrics().height() + 6)};
}

QSize ColorScale::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void ColorScale::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    const QFontMetricsF m(font());
    const double title = m.horizontalAdvance(m_title) + 10;
    const QRectF bar(edge_px + title, 3, std::max(20.0, width() - 2.5 * edge_px - title), bar_px);
    p.setPen(c.text);
    p.drawText(QRectF(edge_px, 3 + bar_px / 2 - m.height() / 2, title, m.height() + 2),
               Qt::AlignLeft | Qt::AlignVCenter, m_title);
    constexpr int bands = 128;
    for (int i = 0; i < bands; ++i) {
        const auto& rgb = m_map.colors[static_cast<std::size_t>((i + 0.5) * 256 / bands)];
        p.fillRect(QRectF(bar.left() + bar.width() * i / bands, bar.top(), bar.width() / bands + 1,
                          bar.height()),
                   QColor(rgb[0], rgb[1], rgb[2]));
    }
    p.setPen(c.zero);
    p.drawRect(bar);
    const Axes axes{bar, m_low, m_high, 0, 1, m_log, false};
    p.setPen(c.text);
    double free = 0; // from there on nothing is written
    for (const double x : axisTicks(m_low, m_high, bar.width() / 60, m_log)) {
        const double at = axes.toX(x);
        p.drawLine(QPointF(at, bar.bottom() + 1), QPointF(at, bar.bottom() + mark_px));
        const QString text = numberText(x);
        const double w = m.horizontalAdvance(text);
        const double left = std::min(at - w / 2, width() - w - 2);
        if (left < free)
            continue;
        p.drawText(QPointF(left, bar.bottom() + mark_px + m.ascent() + 1), text);
        free = left + w + 6;
    }
}

} // namespace tawara
