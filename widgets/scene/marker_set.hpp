// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/heart_scene.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <vtkActor.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

namespace tawara::scene {

/// Probes as small spheres on the wall, pacing sites as pins, electrodes as cubes, a cell as a
/// small block, with labels
/// beside them; a label goes when the wall hides its marker.
class MarkerSet
{
  public:
    explicit MarkerSet(vtkRenderer* renderer) : renderer_(renderer) {}
    void set(std::span<const Marker> markers, double radius_mm);
    /// Places the labels for the camera as it is: right of their markers, or left where they would
    /// reach too far.
    /// @param right    pixel that no label reaches beyond
    /// @param project  pixel of a point
    /// @param hidden   whether the wall lies between a point and the viewer
    /// @param cut      whether the wall at a point was cut away: its sites and probes are not shown
    ///                 then, electrodes are
    void layout(double scale, double right,
                const std::function<std::array<double, 2>(const Vec3&)>& project,
                const std::function<bool(const Vec3&)>& hidden,
                const std::function<bool(const Vec3&)>& cut);

    /// Whether the names are drawn.
    void set_texts(bool on);
    /// Names of markers that are seen, with their lower left corners [pixels, from the bottom
    /// left], as of the last layout().
    std::vector<std::pair<std::string, std::array<double, 2>>> names() const;

  private:
    void style();

    vtkRenderer* renderer_;
    std::vector<vtkSmartPointer<vtkActor>> spheres_;
    std::vector<vtkSmartPointer<vtkTextActor>> labels_; // null where there is no name
    std::vector<Vec3> places_;
    std::vector<Marker::Kind> kinds_;
    std::vector<std::optional<std::array<double, 2>>> at_; // of the names; nothing: not seen
    bool texts_ = true;
    double scale_ = 1;
};

} // namespace tawara::scene
