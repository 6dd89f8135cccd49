// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_job.hpp"
#include "widgets/view3d/stand_in.hpp"

#include <vector>

namespace tawara {

class ViewGrid;

/// Draws recorded frames as all views of a grid show them when it is made, one view after the
/// other, beside the screen: what is on it goes on as it is.
///
/// @thread GUI thread
class GridPainter : public MoviePainter
{
  public:
    /// @param recorded  views that show what is recorded; the others stay as they are
    /// @param note      said by views whose cut face or depolarised tissue is not recorded
    GridPainter(ViewGrid& views, const std::vector<bool>& recorded, const QString& note,
                bool annotations);
    ~GridPainter() override;
    QString begin(const simulation::RecordedFrame& frame, const QSize& size) override;
    std::optional<QImage> take(QString* why) override;

  private:
    QString beginView();
    /// Of the view that is being drawn.
    StandIn::Options options() const;

    std::vector<std::unique_ptr<StandIn>> m_views;
    std::vector<bool> m_recorded;
    bool m_linked, m_annotations;
    QRgb m_gap;
    simulation::RecordedFrame m_frame;
    std::size_t m_at = 0;   // the view that is being drawn
    bool m_waiting = false; // its shaders are being prepared
    QImage m_whole;
};

} // namespace tawara
