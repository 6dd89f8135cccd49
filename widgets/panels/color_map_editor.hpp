// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/view_settings.hpp"
#include "widgets/scene/color_map.hpp"

#include <QPixmap>
#include <QWidget>

namespace tawara {

/// A colour map by name, among the built-in and the session's own ones; reversed where the style
/// says.
scene::ColorMap mapOf(const QuantityStyle& style, const QMap<QString, ColorKnots>& custom);
/// A small picture of a map, for menus and lists.
QPixmap mapSwatch(const scene::ColorMap& map, int width, int height);
/// Knots that trace a map, as a start for an own one.
ColorKnots knotsOf(const scene::ColorMap& map, int count = 6);

/// A colour map's knots: a click on the bar adds one, a drag moves it, a double click changes its
/// colour, a right click removes it.
class ColorMapEditor : public QWidget
{
    Q_OBJECT
  public:
    explicit ColorMapEditor(QWidget* parent = nullptr);
    void setKnots(const ColorKnots& knots);
    const ColorKnots& knots() const { return m_knots; }
    QSize sizeHint() const override { return {200, 44}; }

  Q_SIGNALS:
    void changed(const tawara::ColorKnots& knots);
    void colorWanted(int knot); ///< a double click: ask for a colour, then setColor()

  public Q_SLOTS:
    void setColor(int knot, const QColor& color);

  protected:
    void paintEvent(QPaintEvent* e) override;
    void mousePressEvent(QMouseEvent* e) override;
    void mouseMoveEvent(QMouseEvent* e) override;
    void mouseReleaseEvent(QMouseEvent* e) override;
    void mouseDoubleClickEvent(QMouseEvent* e) override;

  private:
    QRectF bar() const;
    int knotAt(QPointF p) const;

    ColorKnots m_knots;
    int m_held = -1;
};

} // namespace tawara
