// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace tawara {

/// Where a window of time and a range of values lie on a plot.
struct TraceFrame
{
    QRectF area;                      ///< [px]
    double end_ms = 1, length_ms = 1; ///< of the window of time
    double low = 0, high = 1;         ///< values

    double toX(double time) const;
    double toTime(double x) const;
    double toY(double value) const;
};

/// A named curve over time.
struct TraceCurve
{
    quint64 id;
    QString name;
    QColor color;
    std::vector<double> times; ///< [ms], rising
    std::vector<float> values; ///< as many

    /// Its value at a time, linear between samples.
    std::optional<double> at(double time) const;
    /// What of it lies in a frame, with a sample more at each end; empty where nothing does.
    /// @cost  linear in the samples there; at most four points per pixel come out
    QPolygonF line(const TraceFrame& f) const;
};

} // namespace tawara
