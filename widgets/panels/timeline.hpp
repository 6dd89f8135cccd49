// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include <optional>

namespace tawara {

/// Simulated time from left to right: how far the run is, which part was recorded, and the moment
/// that is shown. A press or drag within what was recorded shows that moment; a double click, or a
/// press at the right end, follows the run again.
class Timeline : public QWidget
{
    Q_OBJECT
  public:
    explicit Timeline(QWidget* parent = nullptr);
    void setRun(double nowMs, double endMs);
    /// First and last recorded moment; nothing where none is.
    /// @param ofBefore  they are of the run before it was set back, and may lie ahead of now
    void setRecorded(std::optional<std::pair<double, double>> fromTo, bool ofBefore = false);
    /// The moment that is shown while looking back; nothing while following.
    void setShown(std::optional<double> ms);
    std::optional<double> shown() const { return m_shown; }
    double now() const { return m_now; } ///< how far the run is [ms]
    QSize sizeHint() const override { return {240, 30}; }
    QSize minimumSizeHint() const override { return {100, 30}; }

  Q_SIGNALS:
    void scrubbed(double ms);
    void followRequested();

  protected:
    void paintEvent(QPaintEvent* e) override;
    void mousePressEvent(QMouseEvent* e) override;
    void mouseMoveEvent(QMouseEvent* e) override;
    void mouseDoubleClickEvent(QMouseEvent* e) override;

  private:
    double span() const;
    void scrub(double x);
    void paintRecorded(QPainter& p, const QRectF& where, const QColor& color) const;
    void sayWhatIsRecorded();
    bool m_ofBefore = false;
    double m_now = 0, m_end = 0;
    std::optional<std::pair<double, double>> m_recorded;
    std::optional<double> m_shown;
};

} // namespace tawara
