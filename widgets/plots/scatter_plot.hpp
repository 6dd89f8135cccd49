// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QPointF>
#include <QWidget>

#include <vector>

namespace tawara {

/// Points of several series, e.g. APD over diastolic interval. Says so when there are none.
class ScatterPlot : public QWidget
{
    Q_OBJECT
  public:
    struct Series
    {
        QString name;
        QColor color;
        std::vector<QPointF> points;
        bool open = false; ///< rings, for what was under other conditions
    };
    ScatterPlot(const QString& xTitle, const QString& yTitle, const QString& whenEmpty,
                QWidget* parent = nullptr);
    void setSeries(std::vector<Series> series);
    /// What open points are, e.g. "earlier tissue"; shown while there are any.
    void setOpenMeaning(const QString& text) { m_openMeaning = text; }
    const std::vector<Series>& series() const { return m_series; }
    QSize sizeHint() const override { return {220, 170}; }
    QSize minimumSizeHint() const override { return {150, 110}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    QString m_x, m_y, m_empty, m_openMeaning;
    std::vector<Series> m_series;
};

} // namespace tawara
