// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace tawara {

/// Small charts of several quantities over one time, side by side, the last ones left out where
/// there is no room: title, value now (or under the pointer), curve. Each has a scale of its own.
/// The wheel, plus and minus change how much time is shown.
class TransientPlot : public QWidget
{
    Q_OBJECT
  public:
    struct Curve
    {
        QString title, unit, meaning;
        int digits = 3;
        double least_span = 1; ///< of its values: noise does not fill the chart
        double finest = 1e-3;  ///< that its readings tell
    };
    explicit TransientPlot(std::vector<Curve> curves, QWidget* parent = nullptr);
    /// @param times   [ms], in their order
    /// @param values  of each curve, as many as there are times
    void setSamples(std::vector<double> times, std::vector<std::vector<float>> values);
    void clear() { setSamples({}, std::vector<std::vector<float>>(m_curves.size())); }
    /// How much time is shown at most, up to the newest sample [ms].
    double span() const { return m_span; }
    void setSpan(double ms);
    /// A curve's value at the pointer, else the newest; nothing before the first sample.
    std::optional<double> reading(std::size_t curve) const;
    QSize sizeHint() const override { return {480, 150}; }
    QSize minimumSizeHint() const override { return {150, 80}; }

  protected:
    void paintEvent(QPaintEvent* e) override;
    void mouseMoveEvent(QMouseEvent* e) override;
    void leaveEvent(QEvent* e) override;
    void wheelEvent(QWheelEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;
    bool event(QEvent* e) override;

  private:
    /// How many curves have room, from the first.
    std::size_t shown() const;
    int columns() const;
    double foot() const; ///< height of the line of times [px]
    /// A chart with its title.
    QRectF cell(std::size_t curve) const;
    QRectF area(std::size_t curve) const;
    double firstTime() const;
    std::size_t sampleAt(double ms) const;
    /// The ends of a chart's scale within it, where it is high enough.
    void paintRange(QPainter& p, const QRectF& at, const QString& low, const QString& high) const;
    void paintCurve(QPainter& p, std::size_t curve) const;
    void zoom(int steps);

    std::vector<Curve> m_curves;
    std::vector<double> m_times;
    std::vector<std::vector<float>> m_values;
    double m_span = 1000;
    std::optional<double> m_pointer; ///< time there
};

} // namespace tawara
