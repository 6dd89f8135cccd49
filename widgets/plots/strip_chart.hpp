// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QWidget>

#include <deque>

namespace tawara {

/// The newest values of one quantity, sample after sample, from 0 upwards: title, value now, curve.
class StripChart : public QWidget
{
    Q_OBJECT
  public:
    StripChart(const QString& title, const QString& unit, const QColor& color,
               QWidget* parent = nullptr);
    void add(double value);
    void clear();
    double newest() const { return m_values.empty() ? 0 : m_values.back(); }
    /// A level that is drawn as a dashed line, e.g. a ceiling; 0 for none.
    void setLevel(double value);
    QSize sizeHint() const override { return {200, 62}; }
    QSize minimumSizeHint() const override { return {90, 48}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    QString m_title, m_unit;
    QColor m_color;
    std::deque<double> m_values;
    double m_level = 0;
};

} // namespace tawara
