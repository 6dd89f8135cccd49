// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/outline.hpp"
#include "widgets/view3d/stand_in.hpp"

#include <QImage>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace tawara {

class HeartView;
/// Draws the heart for print, from where a view looks at it: whole, on white, with its colour bar,
/// one picture after the other. The view on screen goes on as it is, and between two turns of the
/// event loop nobody waits.
///
/// @thread GUI thread
class ReportPainter : public QObject
{
    Q_OBJECT
  public:
    struct Shot
    {
        std::vector<float> values; ///< per vertex of the surface; not finite: never
        scene::ColorMap colors;
        double low = 0, high = 1;
        double isochrones = 0; ///< distance of lines; 0: none
        QString title;         ///< of the colour bar
        QString caption;       ///< in the picture's corner
        scene::Outline scar;
    };
    /// @param like  a view that shows the heart; must outlive the drawing
    ReportPainter(HeartView& like, std::vector<Shot> shots, const QSize& pixels, double scale,
                  QObject* parent = nullptr);
    ~ReportPainter() override;
    void start();
    std::size_t done() const { return m_pictures.size(); }

  Q_SIGNALS:
    /// One picture per shot; `error` is empty unless they could not be drawn.
    void drawn(const std::vector<QImage>& pictures, const QString& error);

  private:
    void turn();
    QString begin();
    StandIn::Options options() const;

    std::vector<Shot> m_shots;
    std::vector<QImage> m_pictures;
    std::unique_ptr<StandIn> m_stand;
    QSize m_pixels;
    double m_scale;
    bool m_drawing = false;
    QTimer m_turn;
};

/// A round range for colours: all but one in a hundred values at each end lie within.
std::pair<double, double> roundRange(std::vector<float> values);

} // namespace tawara
