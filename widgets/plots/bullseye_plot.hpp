// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QWidget>

#include <array>
#include <functional>

namespace tawara {

/// The American Heart Association's bull's-eye: 17 segments of the left ventricle, base outside,
/// apex in the middle, anterior up, in the colours of a map. A segment without a value stays grey.
class BullseyePlot : public QWidget
{
    Q_OBJECT
  public:
    using Values = std::array<double, 17>; ///< NaN: none
    using ToColor = std::function<QColor(double)>;
    explicit BullseyePlot(QWidget* parent = nullptr);
    void setValues(const Values& values, const QString& title, int decimals, ToColor color);
    const Values& values() const { return m_values; }
    static QString segmentName(int segment); ///< 1 to 17
    QSize sizeHint() const override { return {240, 240}; }
    QSize minimumSizeHint() const override { return {150, 150}; }

  protected:
    void paintEvent(QPaintEvent* e) override;
    bool event(QEvent* e) override;

  private:
    int segmentAt(QPointF p) const;
    QPointF centre() const;
    double radius() const;

    Values m_values;
    QString m_title;
    int m_decimals = 0;
    ToColor m_color;
};

} // namespace tawara
