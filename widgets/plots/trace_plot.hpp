// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/plots/trace_marks.hpp"

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace tawara {

/// Live curves over time: action potentials at probes, V [mV] over t [ms]. The window of time
/// follows the newest sample; the wheel changes its length, a drag looks back, a double click
/// follows again. The mouse shows each curve's value; of more than `boxed_curves` the nearest
/// one's, for a box of all would hide them: a list beside the plot has the others (reading(),
/// bothMarks()).
///
/// @thread GUI thread
/// @cost   a paint is linear in the samples of the window, at most two points per pixel are drawn
class TracePlot : public QWidget
{
    Q_OBJECT
  public:
    /// Curves that the boxes at the mouse and of the cursors name at most.
    static constexpr std::size_t boxed_curves = 3;
    explicit TracePlot(QWidget* parent = nullptr);

    void addCurve(quint64 id, const QString& name, const QColor& color);
    void removeCurve(quint64 id);
    void removeCurves();
    /// Drops the samples, keeps the curves.
    void clearSamples();
    /// @pre  times rise over all calls; as many values as times
    void append(quint64 id, std::span<const double> times, std::span<const float> values);

    /// Keeps the curves as they are to compare with, dashed beneath those of the runs that follow;
    /// off: lets them go. What was kept before is replaced.
    /// @return whether there is something to compare with
    bool keep(bool on);
    /// The kept curve of that name at a time, linear between samples.
    std::optional<double> keptAt(const QString& name, double timeMs) const;
    int curveCount() const { return static_cast<int>(m_curves.size()); }
    /// How many samples a curve has; nothing where there is no such curve.
    std::optional<std::size_t> sampleCount(quint64 id) const;
    /// The curve's value at a time, linear between samples.
    std::optional<double> valueAt(quint64 id, double timeMs) const;
    double windowMs() const { return m_windowMs; }
    void setWindowMs(double ms);
    /// Cursors A (0) and B (1): what lies between them is shown.
    void setMark(int which, std::optional<double> timeMs);
    std::optional<double> mark(int which) const { return m_marks[static_cast<std::size_t>(which)]; }
    /// Both cursors, where they are set, one is in the window of time, and there are too many
    /// curves for their box; else nothing.
    std::optional<std::array<double, 2>> bothMarks() const;
    /// What is said of the cursors: A, B, and B − A of the time and, of `boxed_curves` at most, of
    /// each curve; empty where neither is in the window of time.
    QStringList markLines() const;
    /// The time beneath the mouse, while it is over the curves.
    std::optional<double> reading() const;
    /// What is said of it: the time, and V of each curve or of the one that is nearest to the
    /// mouse.
    QStringList readingLines() const;
    /// The moment that is shown elsewhere: a cursor stands there, and the window of time holds it
    /// unless the user looks back himself; nothing: none.
    void setMoment(std::optional<double> timeMs);
    std::optional<double> moment() const { return m_moment; }
    /// When the tissue was changed: a dashed line at each of these times, and what it says.
    /// @pre  in order of time
    void setChanges(std::vector<double> timesMs);
    const std::vector<double>& changes() const { return m_changes; }
    /// Ends of the window of time [ms].
    std::array<double, 2> window() const { return {windowEnd() - m_windowMs, windowEnd()}; }
    bool following() const { return !m_end; }
    QSize sizeHint() const override { return {600, 190}; }
    QSize minimumSizeHint() const override { return {150, 110}; }

  Q_SIGNALS:
    /// reading() or bothMarks() may be another, or what the curves have there; not sent by
    /// append(), which moves the window of time while it follows.
    void readingChanged();

  protected:
    bool event(QEvent* e) override;
    void paintEvent(QPaintEvent* e) override;
    void mouseMoveEvent(QMouseEvent* e) override;
    void mousePressEvent(QMouseEvent* e) override;
    void mouseReleaseEvent(QMouseEvent* e) override;
    void mouseDoubleClickEvent(QMouseEvent* e) override;
    void resizeEvent(QResizeEvent* e) override;
    void wheelEvent(QWheelEvent* e) override;
    void leaveEvent(QEvent* e) override;

  private:
    double newest() const;
    double windowEnd() const;
    QRectF area() const;
    TraceFrame frame() const;
    struct ReadingLine
    {
        QString text;
        QColor color;
    };
    std::vector<ReadingLine> readingTexts() const;
    void reread();
    void paintAxes(QPainter& p) const;
    void paintCurve(QPainter& p, const TraceCurve& c, const QPen& pen) const;
    void paintLegend(QPainter& p) const;
    void paintCursor(QPainter& p) const;
    void paintMoment(QPainter& p) const;
    void paintChanges(QPainter& p) const;

    std::vector<TraceCurve> m_curves, m_kept;
    double m_windowMs = 500;
    double m_low = -100, m_high = 60; // [mV]
    std::optional<double> m_end;      // right end of the window while not following [ms]
    std::optional<QPointF> m_mouse;
    std::optional<double> m_moment;
    TraceMarks m_marks;
    std::vector<double> m_changes; // [ms]
    std::optional<std::size_t> m_pressMark;
    double m_pressX = 0, m_pressEnd = 0;
};

} // namespace tawara
