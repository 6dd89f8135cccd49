// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/heart_scene.hpp"

#include <vector>
#include <vtkActor.h>
#include <vtkBillboardTextActor3D.h>
#include <vtkSmartPointer.h>

namespace tawara::scene {

/// Small labelled spheres on the wall.
class MarkerSet
{
  public:
    explicit MarkerSet(vtkRenderer* renderer) : renderer_(renderer) {}
    void set(std::span<const Marker> markers, double radius_mm);
    void set_text_color(const std::array<double, 3>& color);
    void set_scale(double scale);

  private:
    void style();

    vtkRenderer* renderer_;
    std::vector<vtkSmartPointer<vtkActor>> spheres_;
    std::vector<vtkSmartPointer<vtkBillboardTextActor3D>> labels_;
    std::array<double, 3> text_{1, 1, 1};
    double scale_ = 1;
};

} // namespace tawara::scene
