// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QEvent>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

namespace tawara {

/// Colours of plots, from the palette: they follow the theme.
struct PlotColors
{
    QColor ground, grid, zero, text, strong, accent;
    static PlotColors of(const QWidget* w);
};

/// Colours told apart by colour-blind eyes too, for curves; lighter on dark grounds.
QColor curveColor(int i, bool darkGround = true);
bool isDark(const QWidget* w);
/// Where the tissue was changed during a run.
QColor changeColor();

/// Round step for about `count` ticks over a span: 1, 2 or 5 times a power of ten.
double roundStep(double span, double count);
/// Where an axis has its ticks: round numbers from `low` to `high`, about `count` of them and never
/// fewer than two; none unless high > low. A logarithmic axis of less than a decade has those of a
/// linear one where it would have fewer than two.
/// @pre  low > 0 if `log`
std::vector<double> axisTicks(double low, double high, double count, bool log = false);
/// A number for people: a true minus sign, no needless digits.
QString numberText(double v, int digits = 6);

/// Shows a plot's tool tip above it, so that it does not hide what is read there. For event().
/// @return  whether this was such an event
bool tipAbove(QWidget* plot, QEvent* e);

/// A line for the moment that is shown elsewhere, with a knob at its upper end.
void paintMomentLine(QPainter& p, const PlotColors& c, double x, double top, double bottom);

/// Two axes with ticks, grid and titles around an area of pixels.
struct Axes
{
    QRectF area;
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1; ///< values of the area's edges
    bool logX = false, logY = false;

    double toX(double x) const;
    double toY(double y) const;
    void paint(QPainter& p, const PlotColors& c, const QString& xTitle,
               const QString& yTitle) const;
};

} // namespace tawara
