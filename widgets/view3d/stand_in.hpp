// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/view3d/off_screen.hpp"

#include <deque>
#include <span>

class vtkProp;

namespace tawara {

class HeartView;
namespace scene {
class HeartScene;
}

/// Draws what a view shows, with other values, in an OpenGL context of its own: the view on screen
/// goes on as it is. Where software draws, nobody waits for it: begin() hands the picture to the
/// rasteriser's threads, take() fetches it when it is there.
///
/// @thread GUI thread
class StandIn
{
  public:
    /// Looks as the view does now; what the view shows later does not count.
    explicit StandIn(HeartView& like);
    ~StandIn();
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

    struct Options
    {
        QSize size{1280, 720};
        double scale = 1; ///< of texts and lines
        bool annotations = true;
        bool keep = false; ///< the camera stays where it is, as that of one of several linked views
    };
    /// Prepares what a first picture needs and takes long, a context and its shaders, in steps of
    /// some tens of milliseconds: call it with an event each until it says that all is there. What
    /// was not prepared begin() does at once.
    bool prepare(const Options& o);
    /// Begins a picture; values that are empty leave those of the view.
    /// @return why it cannot; empty when it has begun
    QString begin(const Options& o, std::span<const float> values, double timeMs);
    /// What it draws; changes show with the next begin().
    scene::HeartScene& scene() { return *m_scene; }
    /// The picture, once it is there; null when it was lost.
    std::optional<QImage> take() { return m_screen.take(); }

  private:
    void showAll();
    std::unique_ptr<scene::HeartScene> m_scene;
    OffScreen m_screen; // goes before the scene, whose OpenGL resources it frees
    bool m_prepared = false;
    std::deque<vtkProp*> m_hidden; // whose shaders are not there yet, while they are prepared
    double m_shape = 1;            // of the view: width over height
};

} // namespace tawara
