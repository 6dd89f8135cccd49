// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/plots/trace_curve.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <array>
#include <span>

class QPainter;
class QWidget;

namespace tawara {

/// The cursors A and B of a plot over time: where they stand, how the mouse takes them, and what is
/// said of the time and the curves between them.
class TraceMarks
{
    Q_DECLARE_TR_FUNCTIONS(TraceMarks)
  public:
    using Time = std::optional<double>; ///< [ms]

    const Time& operator[](std::size_t which) const { return m_times[which]; }
    void set(std::size_t which, Time time) { m_times[which] = time; }
    void clear() { m_times = {}; }
    /// A time that was chosen: A gets it, then B, then the nearer of the two.
    /// @return  which has it
    std::size_t put(double time);
    bool both() const { return m_times[0] && m_times[1]; }
    /// Whether one of them is in the window of time.
    bool seen(const TraceFrame& f) const;
    /// The one that a press there takes.
    std::optional<std::size_t> near(double x, const TraceFrame& f) const;
    /// A, B, and B − A of the time and of each curve; empty where neither is in the window.
    QStringList lines(const TraceFrame& f, std::span<const TraceCurve> curves) const;
    /// Their lines, and the box of what is said.
    void paint(QPainter& p, const QWidget& plot, const TraceFrame& f,
               const QStringList& said) const;

  private:
    std::array<Time, 2> m_times;
};

} // namespace tawara
