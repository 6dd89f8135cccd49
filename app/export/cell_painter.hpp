// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_job.hpp"
#include "engine/simulation/observe/dyad_recording.hpp"
#include "widgets/panels/calcium_words.hpp"
#include "widgets/panels/color_scale.hpp"
#include "widgets/view3d/dyad_stand_in.hpp"

namespace tawara {

/// Draws a recorded cell's dyads as the Calcium panel's view shows them when it is made, with time,
/// counts and colours, beside the screen.
///
/// @thread GUI thread
class CellPainter : public MoviePainter
{
  public:
    CellPainter(std::shared_ptr<const simulation::DyadRecording> cell, DyadView& like,
                DyadQuantity quantity);
    /// @param frame  of that recording's frames
    QString begin(const simulation::RecordedFrame& frame, const QSize& size) override;
    std::optional<QImage> take(QString* why) override;

  private:
    /// Of texts.
    double scale() const;
    int headHeight() const;
    int footHeight() const;

    std::shared_ptr<const simulation::DyadRecording> m_cell;
    DyadQuantity m_quantity;
    DyadStandIn m_dyads;
    ColorScale m_colors;
    QFont m_font;
    QString m_time, m_counts;
    QSize m_size;
};

} // namespace tawara
