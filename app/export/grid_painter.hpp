// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_job.hpp"
#include "widgets/panels/laid_tissue.hpp"
#include "widgets/scene/section.hpp"
#include "widgets/view3d/stand_in.hpp"

#include <functional>
#include <memory>
#include <optional>
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
    /// The tissue of the moments that are drawn, where it is not the same in all of them.
    struct Tissue
    {
        /// Null while it is being laid: then it is asked for again.
        std::function<std::shared_ptr<const LaidTissue>(double ms)> of;
        std::vector<bool> regions;        ///< views that show them
        bool scar = true;                 ///< its outline is drawn in recorded views
        std::optional<scene::Plane> clip; ///< in front of which nothing of it is
    };
    /// @param recorded  views that show what is recorded; the others stay as they are
    /// @param note      said by views whose cut face or depolarised tissue is not recorded
    GridPainter(ViewGrid& views, const std::vector<bool>& recorded, const QString& note,
                bool annotations);
    ~GridPainter() override;
    /// From now on regions and scar are those of each frame's moment.
    void setTissue(Tissue tissue) { m_tissue = std::move(tissue); }
    QString begin(const simulation::RecordedFrame& frame, const QSize& size) override;
    std::optional<QImage> take(QString* why) override;

  private:
    QString beginView();
    /// Dresses the views in the tissue of the frame; false while that is being laid.
    bool dress();
    /// Of the view that is being drawn.
    StandIn::Options options() const;

    std::vector<std::unique_ptr<StandIn>> m_views;
    std::vector<bool> m_recorded;
    bool m_linked, m_annotations;
    QRgb m_gap;
    QString m_note;
    Tissue m_tissue;
    std::shared_ptr<const LaidTissue> m_shown; // null: what the views showed
    simulation::RecordedFrame m_frame;
    std::size_t m_at = 0;   // the view that is being drawn
    bool m_waiting = false; // its shaders or the tissue are being prepared
    QImage m_whole;
};

} // namespace tawara
