// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QPointF>
#include <QStringList>
#include <QWidget>

#include <vector>

class QPainter;

namespace tawara {

/// Points of several series, e.g. APD over diastolic interval. Says so when there are none. A
/// legend names the series where there are several of different names.
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
    /// The titles where the usual ones do not fit.
    void setShortTitles(const QString& x, const QString& y);
    /// The titles that fit beside the plot as it is.
    QString shownXTitle() const;
    QString shownYTitle() const;
    /// The legend's names as they are drawn; "+3" where three more have no room.
    QStringList legend() const;
    QSize sizeHint() const override { return {220, 170}; }
    QSize minimumSizeHint() const override { return {150, 110}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    /// A series in the legend.
    struct Named
    {
        QString text;
        QColor color; ///< invalid: it is no series
        QPointF at;   ///< upper left [px]
    };
    std::vector<Named> named() const;
    /// Puts these into lines; those without room are counted instead.
    void place(std::vector<Named>& names) const;
    bool hasOpen() const;
    double lineHeight() const;
    double legendHeight() const; ///< with the line about open points
    QRectF area() const;         ///< within the axes
    void paintLegend(QPainter& p, const QColor& text) const;

    QString m_x, m_y, m_empty, m_openMeaning, m_shortX, m_shortY;
    std::vector<Series> m_series;
};

} // namespace tawara
