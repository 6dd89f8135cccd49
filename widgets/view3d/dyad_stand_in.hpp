// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/dyad_scene.hpp"
#include "widgets/view3d/off_screen.hpp"

#include <span>

namespace tawara {

class DyadView;

/// Draws a cell's dyads as a view shows them, with other values, beside the screen.
///
/// @thread GUI thread
class DyadStandIn
{
  public:
    /// Looks as the view does now; what the view shows later does not count.
    /// @param blocks  as DyadScene::set_grid()
    DyadStandIn(DyadView& like, const std::array<int, 3>& blocks);
    /// Begins a picture. @param shares  as DyadScene::set_values()
    /// @return why it cannot; empty when it has begun
    QString begin(std::span<const float> shares, const QSize& size);
    /// The picture, once it is there; null when it was lost.
    std::optional<QImage> take() { return m_screen.take(); }

  private:
    scene::DyadScene m_scene;
    OffScreen m_screen; // goes before the scene, whose OpenGL resources it frees
};

} // namespace tawara
