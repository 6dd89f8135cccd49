// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes.hpp"

#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace tawara {
namespace {

QColor mixed(const QColor& a, const QColor& b, double t)
{
    const auto m = [t](double x, double y) { return x + t * (y - x); };
    return QColor::fromRgbF(static_cast<float>(m(a.redF(), b.redF())),
                            static_cast<float>(m(a.greenF(), b.greenF())),
                            static_cast<float>(m(a.blueF(), b.blueF())));
}

} // namespace

PlotColors PlotColors::of(const QWidget* w)
{
    const QColor ground = w->palette().color(QPalette::Base),
                 text = w->palette().color(QPalette::Text);
    return {ground, mixed(ground, text, 0.10), mixed(ground, text, 0.22), mixed(ground, text, 0.62),
            text,   QColor(0xe2, 0x67, 0x4a)};
}

bool isDark(const QWidget* w)
{
    return w->palette().color(QPalette::Base).lightness() < 128;
}

QColor changeColor()
{
    return {0xc7, 0x7d, 0x0a};
}

QColor curveColor(int i, bool darkGround)
{
    // Okabe and Ito's, lightened for dark grounds and darkened for light ones
    static constexpr std::array<QRgb, 8> dark{0xff56b4e9, 0xffe69f00, 0xff2fc79a, 0xfff0e442,
                                              0xffe57fb6, 0xffff7a45, 0xff7d9bff, 0xffd9dee8};
    static constexpr std::array<QRgb, 8> light{0xff0072b2, 0xffc77f00, 0xff009e73, 0xff9a8f00,
                                               0xffb84d8a, 0xffd55e00, 0xff4a5fc9, 0xff4a5260};
    const auto& of = darkGround ? dark : light;
    return QColor::fromRgb(of[static_cast<std::size_t>(i) % of.size()]);
}

double roundStep(double span, double count)
{
    const double raw = span / std::max(1.0, count);
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    for (double f : {1.0, 2.0, 5.0})
        if (f * decade >= raw * 0.999)
            return f * decade;
    return 10 * decade;
}

std::vector<double> axisTicks(double low, double high, double count, bool log)
{
    std::vector<double> out;
    if (!(high > low) || !std::isfinite(high - low))
        return out;
    if (log) {
        const double decades = std::log10(high / low);
        for (double d = std::floor(std::log10(low)); d <= std::log10(high); ++d)
            for (double f : {1.0, 2.0, 5.0})
                if (const double v = f * std::pow(10.0, d);
                    v >= low * 0.999 && v <= high * 1.001 && (f == 1 || decades < 2.5))
                    out.push_back(v);
        if (out.size() >= 2)
            return out;
    }
    for (const double n : {count, 2.0, 3.0, 4.0, 5.0}) { // a fifth, rounded up: half at most
        out.clear();
        const double step = roundStep(high - low, n);
        const double first = std::ceil(low / step - 1e-9);
        for (int i = 0; (first + i) * step <= high + 1e-9 * step && i <= 2 * count + 5; ++i)
            out.push_back((first + i) * step + 0.0); // no -0
        if (out.size() >= 2)
            break;
    }
    return out;
}

QString numberText(double v, int digits)
{
    return QString::number(v, 'g', digits).replace('-', QChar(0x2212));
}

double Axes::toX(double x) const
{
    const double t = logX ? std::log(x / x0) / std::log(x1 / x0) : (x - x0) / (x1 - x0);
    return area.left() + t * area.width();
}

double Axes::toY(double y) const
{
    const double t = logY ? std::log(y / y0) / std::log(y1 / y0) : (y - y0) / (y1 - y0);
    return area.bottom() - t * area.height();
}

bool tipAbove(QWidget* plot, QEvent* e)
{
    if (e->type() != QEvent::ToolTip)
        return false;
    // Qt lets it begin some pixels below the point that it is given
    constexpr int frame = 16, offset = 20;
    const int height =
        plot->fontMetrics().height() * (static_cast<int>(plot->toolTip().count('\n')) + 1) + frame;
    QToolTip::showText(plot->mapToGlobal(QPoint(0, -height - offset)), plot->toolTip(), plot);
    return true;
}

void paintMomentLine(QPainter& p, const PlotColors& c, double x, double top, double bottom)
{
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(c.accent, 1.6));
    p.drawLine(QPointF(x, top), QPointF(x, bottom));
    p.setPen(Qt::NoPen);
    p.setBrush(c.accent);
    p.drawEllipse(QPointF(x, top + 4), 4, 4);
    p.restore();
}

void Axes::paint(QPainter& p, const PlotColors& c, const QString& xTitle,
                 const QString& yTitle) const
{
    const QFontMetricsF m(p.font());
    for (double x : axisTicks(x0, x1, area.width() / 70, logX)) {
        const double at = std::round(toX(x)) + 0.5;
        p.setPen(x == 0 ? c.zero : c.grid);
        p.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        p.setPen(c.text);
        p.drawText(QRectF(at - 40, area.bottom() + 2, 80, m.height()), Qt::AlignCenter,
                   numberText(x));
    }
    for (double y : axisTicks(y0, y1, area.height() / 26, logY)) {
        const double at = std::round(toY(y)) + 0.5;
        p.setPen(y == 0 ? c.zero : c.grid);
        p.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        p.setPen(c.text);
        p.drawText(QRectF(area.left() - 52, at - m.height() / 2, 48, m.height()),
                   Qt::AlignRight | Qt::AlignVCenter, numberText(y));
    }
    p.setPen(c.text);
    p.drawText(QRectF(area.left(), area.bottom() + m.height() + 1, area.width(), m.height()),
               Qt::AlignCenter, xTitle);
    p.save();
    p.translate(m.height() * 0.55, area.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-100, -m.height() / 2, 200, m.height()), Qt::AlignCenter, yTitle);
    p.restore();
}

} // namespace tawara
