// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/color_map_editor.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr double knot_px = 7;

QColor colorOf(const std::array<double, 4>& k)
{
    return QColor::fromRgbF(static_cast<float>(std::clamp(k[1], 0.0, 1.0)),
                            static_cast<float>(std::clamp(k[2], 0.0, 1.0)),
                            static_cast<float>(std::clamp(k[3], 0.0, 1.0)));
}

} // namespace

scene::ColorMap mapOf(const QuantityStyle& style, const QMap<QString, ColorKnots>& custom)
{
    scene::ColorMap map;
    if (style.map == QLatin1String("parts"))
        map = scene::category_map(16);
    else if (const auto own = custom.find(style.map); own != custom.end() && own->size() >= 2)
        map = scene::make_color_map(style.map.toStdString(), *own);
    else
        map = scene::color_map(style.map.toStdString());
    return style.reversed ? scene::reversed(map) : map;
}

QPixmap mapSwatch(const scene::ColorMap& map, int width, int height)
{
    QImage strip(width, height, QImage::Format_RGB32);
    for (int x = 0; x < width; ++x) {
        const auto& c = map.colors[static_cast<std::size_t>(x * 255 / std::max(1, width - 1))];
        for (int y = 0; y < height; ++y)
            strip.setPixel(x, y, qRgb(c[0], c[1], c[2]));
    }
    return QPixmap::fromImage(strip);
}

ColorKnots knotsOf(const scene::ColorMap& map, int count)
{
    ColorKnots knots;
    for (int k = 0; k < count; ++k) {
        const double t = static_cast<double>(k) / (count - 1);
        const auto& c = map.colors[static_cast<std::size_t>(std::lround(255 * t))];
        knots.push_back({t, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0});
    }
    return knots;
}

ColorMapEditor::ColorMapEditor(QWidget* parent) : QWidget(parent)
{
    setMinimumHeight(44);
    setToolTip(
        tr("Click: a new knot. Drag: move it. Double click: its colour. Right click: remove it."));
}

void ColorMapEditor::setKnots(const ColorKnots& knots)
{
    if (m_held >= 0)
        return;
    m_knots = knots;
    update();
}

QRectF ColorMapEditor::bar() const
{
    return QRectF(rect()).adjusted(knot_px, 2, -knot_px, -2 * knot_px - 2);
}

int ColorMapEditor::knotAt(QPointF p) const
{
    const QRectF b = bar();
    for (std::size_t i = 0; i < m_knots.size(); ++i)
        if (std::abs(b.left() + m_knots[i][0] * b.width() - p.x()) <= knot_px)
            return static_cast<int>(i);
    return -1;
}

void ColorMapEditor::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    if (m_knots.size() < 2)
        return;
    const QRectF b = bar();
    p.drawPixmap(b.toRect(), mapSwatch(scene::make_color_map("edited", m_knots),
                                       static_cast<int>(b.width()), static_cast<int>(b.height())));
    p.setRenderHint(QPainter::Antialiasing);
    for (const auto& k : m_knots) {
        const double x = b.left() + k[0] * b.width();
        p.setPen(QPen(palette().color(QPalette::Text), 1.2));
        p.setBrush(colorOf(k));
        p.drawPolygon(
            QPolygonF({QPointF(x, b.bottom() + 2), QPointF(x + knot_px - 1, b.bottom() + knot_px),
                       QPointF(x + knot_px - 1, b.bottom() + 2 * knot_px),
                       QPointF(x - knot_px + 1, b.bottom() + 2 * knot_px),
                       QPointF(x - knot_px + 1, b.bottom() + knot_px)}));
    }
}

void ColorMapEditor::mousePressEvent(QMouseEvent* e)
{
    const int hit = knotAt(e->position());
    const QRectF b = bar();
    if (e->button() == Qt::RightButton) {
        if (hit > 0 && hit + 1 < static_cast<int>(m_knots.size())) {
            m_knots.erase(m_knots.begin() + hit);
            Q_EMIT changed(m_knots);
            update();
        }
        return;
    }
    m_held = hit;
    if (hit >= 0 || m_knots.size() < 2)
        return;
    const double t = std::clamp((e->position().x() - b.left()) / b.width(), 0.0, 1.0);
    const auto map = scene::make_color_map("edited", m_knots);
    const auto& c = map.colors[static_cast<std::size_t>(std::lround(255 * t))];
    const auto after =
        std::find_if(m_knots.begin(), m_knots.end(), [t](const auto& k) { return k[0] > t; });
    const auto at = m_knots.insert(after, {t, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0});
    m_held = static_cast<int>(at - m_knots.begin());
    Q_EMIT changed(m_knots);
    update();
}

void ColorMapEditor::mouseMoveEvent(QMouseEvent* e)
{
    // the ends stay where they are
    if (m_held <= 0 || m_held + 1 >= static_cast<int>(m_knots.size()))
        return;
    const auto i = static_cast<std::size_t>(m_held);
    const QRectF b = bar();
    m_knots[i][0] = std::clamp((e->position().x() - b.left()) / b.width(),
                               m_knots[i - 1][0] + 0.005, m_knots[i + 1][0] - 0.005);
    Q_EMIT changed(m_knots);
    update();
}

void ColorMapEditor::mouseReleaseEvent(QMouseEvent*)
{
    m_held = -1;
}

void ColorMapEditor::mouseDoubleClickEvent(QMouseEvent* e)
{
    m_held = -1;
    if (const int hit = knotAt(e->position()); hit >= 0)
        Q_EMIT colorWanted(hit);
}

void ColorMapEditor::setColor(int knot, const QColor& color)
{
    if (knot < 0 || knot >= static_cast<int>(m_knots.size()) || !color.isValid())
        return;
    auto& k = m_knots[static_cast<std::size_t>(knot)];
    k = {k[0], color.redF(), color.greenF(), color.blueF()};
    Q_EMIT changed(m_knots);
    update();
}

} // namespace tawara
