// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QPointF>
#include <QWidget>

#include <deque>
#include <vector>

namespace tawara {

/// Throughput over arithmetic intensity, both logarithmic: the ceilings of memory and arithmetic,
/// and a point per kernel and device with a trail of where it was.
class RooflinePlot : public QWidget
{
    Q_OBJECT
  public:
    struct Point
    {
        QString name; ///< kernel and device
        double flop_per_byte = 0;
        double GFLOP_per_s = 0;
    };
    explicit RooflinePlot(QWidget* parent = nullptr);
    /// Ceilings of memory [GB/s] and arithmetic [GFLOP/s]; 0 where unknown.
    void setCeilings(double GB_per_s, double GFLOP_per_s);
    /// The points now; those of the same name before become its trail.
    void setPoints(const std::vector<Point>& points);
    void clear();
    std::size_t pointCount() const { return m_points.size(); }
    Point point(std::size_t i) const { return m_points.at(i).now; }
    double arithmetic() const { return m_arithmetic; } ///< the flat roof [G operations/s]
    QSize sizeHint() const override { return {300, 240}; }
    QSize minimumSizeHint() const override { return {220, 160}; }

  protected:
    void paintEvent(QPaintEvent* e) override;
    bool event(QEvent* e) override;

  private:
    struct Trail
    {
        Point now;
        QColor color;
        std::deque<QPointF> before; ///< intensity, throughput
        QPointF at;                 ///< pixel, for tool tips
    };
    double m_memory = 0, m_arithmetic = 0;
    std::vector<Trail> m_points;
};

} // namespace tawara
