// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/scatter_plot.hpp"

#include "widgets/plots/axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara {

namespace {

constexpr double legend_edge_px = 8, legend_dot_px = 12, legend_gap_px = 12;

} // namespace

ScatterPlot::ScatterPlot(const QString& xTitle, const QString& yTitle, const QString& whenEmpty,
                         QWidget* parent)
    : QWidget(parent), m_x(xTitle), m_y(yTitle), m_empty(whenEmpty), m_shortX(xTitle),
      m_shortY(yTitle)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void ScatterPlot::setSeries(std::vector<Series> series)
{
    m_series = std::move(series);
    update();
}

void ScatterPlot::setShortTitles(const QString& x, const QString& y)
{
    m_shortX = x;
    m_shortY = y;
    update();
}

QString ScatterPlot::shownXTitle() const
{
    return fontMetrics().horizontalAdvance(m_x) <= area().width() ? m_x : m_shortX;
}

QString ScatterPlot::shownYTitle() const
{
    return fontMetrics().horizontalAdvance(m_y) <= area().height() ? m_y : m_shortY;
}

QStringList ScatterPlot::legend() const
{
    QStringList out;
    for (const Named& n : named())
        out << n.text;
    return out;
}

std::vector<ScatterPlot::Named> ScatterPlot::named() const
{
    std::vector<Named> out;
    for (const auto& s : m_series)
        if (!s.points.empty() &&
            std::none_of(out.begin(), out.end(), [&s](const Named& n) { return n.text == s.name; }))
            out.push_back({s.name, s.color, {}});
    if (out.size() < 2)
        return {};
    place(out);
    return out;
}

void ScatterPlot::place(std::vector<Named>& names) const
{
    constexpr double most_part = 0.3; // of the height
    const auto wide = [this](const QString& text) {
        return static_cast<double>(fontMetrics().horizontalAdvance(text));
    };
    const int lines = std::max(1, static_cast<int>(most_part * height() / lineHeight()));
    const double end = width() - legend_edge_px, more = wide(QStringLiteral("+888"));
    const double longest = end - legend_edge_px - legend_dot_px - more;
    QPointF at(legend_edge_px, legend_edge_px / 2);
    int line = 1;
    for (std::size_t k = 0; k < names.size(); ++k) {
        Named& n = names[k];
        n.text = fontMetrics().elidedText(n.text, Qt::ElideMiddle, static_cast<int>(longest));
        const double needs = legend_dot_px + wide(n.text);
        // in the last line a number has room behind all but the last name
        const bool counts = line == lines && k + 1 < names.size();
        if (at.x() > legend_edge_px && at.x() + needs + (counts ? more : 0) > end) {
            if (line == lines) {
                const QString left = QStringLiteral("+%1").arg(names.size() - k);
                names.resize(k);
                return names.push_back({left, {}, at});
            }
            ++line;
            at = {legend_edge_px, at.y() + lineHeight()};
        }
        n.at = at;
        at.rx() += needs + legend_gap_px;
    }
}

bool ScatterPlot::hasOpen() const
{
    return std::any_of(m_series.begin(), m_series.end(),
                       [](const Series& s) { return s.open && !s.points.empty(); });
}

double ScatterPlot::lineHeight() const
{
    return fontMetrics().height() + 2;
}

double ScatterPlot::legendHeight() const
{
    const auto names = named();
    const double below = names.empty() ? legend_edge_px / 2 : names.back().at.y() + lineHeight();
    if (hasOpen())
        return below + lineHeight();
    return names.empty() ? 0 : below;
}

QRectF ScatterPlot::area() const
{
    return QRectF(rect()).adjusted(58, 10 + legendHeight(), -12, -36);
}

void ScatterPlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    constexpr double inf = std::numeric_limits<double>::infinity();
    double x0 = inf, x1 = -inf, y0 = inf, y1 = -inf;
    for (const auto& s : m_series)
        for (const QPointF& q : s.points) {
            x0 = std::min(x0, q.x()), x1 = std::max(x1, q.x());
            y0 = std::min(y0, q.y()), y1 = std::max(y1, q.y());
        }
    if (!(x1 >= x0)) {
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
                   m_empty);
        return;
    }
    const double dx = std::max(10.0, 0.12 * (x1 - x0)), dy = std::max(10.0, 0.12 * (y1 - y0));
    Axes a{area(), x0 - dx, x1 + dx, y0 - dy, y1 + dy};
    a.paint(p, c, shownXTitle(), shownYTitle());
    p.setRenderHint(QPainter::Antialiasing);
    for (const auto& s : m_series) {
        QPolygonF line;
        for (const QPointF& q : s.points)
            line << QPointF(a.toX(q.x()), a.toY(q.y()));
        QColor weak = s.color;
        weak.setAlphaF(0.35F);
        p.setPen(QPen(weak, 1));
        p.drawPolyline(line);
        p.setPen(s.open ? QPen(s.color, 1.6) : QPen(c.ground, 1));
        p.setBrush(s.open ? c.ground : s.color);
        for (const QPointF& q : line)
            p.drawEllipse(q, s.open ? 3.0 : 3.6, s.open ? 3.0 : 3.6);
    }
    paintLegend(p, c.text);
}

void ScatterPlot::paintLegend(QPainter& p, const QColor& text) const
{
    const double line = lineHeight(), radius = 3.6;
    const auto names = named();
    for (const Named& n : names) {
        const bool series = n.color.isValid();
        if (series) {
            p.setPen(Qt::NoPen);
            p.setBrush(n.color);
            p.drawEllipse(n.at + QPointF(radius, line / 2), radius, radius);
        }
        p.setPen(text);
        p.drawText(QRectF(n.at.x() + (series ? legend_dot_px : 0), n.at.y(), width(), line),
                   Qt::AlignLeft | Qt::AlignVCenter, n.text);
    }
    if (!hasOpen())
        return;
    p.setPen(text);
    const double most = width() - 2 * legend_edge_px;
    p.drawText(QRectF(legend_edge_px, legendHeight() - line, most, line),
               Qt::AlignRight | Qt::AlignVCenter,
               p.fontMetrics().elidedText(QStringLiteral("○ ") + m_openMeaning, Qt::ElideRight,
                                          static_cast<int>(most)));
}

} // namespace tawara
