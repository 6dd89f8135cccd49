// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/marker_set.hpp"

#include <cmath>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSphereSource.h>
#include <vtkTextProperty.h>

namespace tawara::scene {

void MarkerSet::set(std::span<const Marker> markers, double radius_mm)
{
    for (auto& a : spheres_)
        renderer_->RemoveActor(a);
    for (auto& l : labels_)
        renderer_->RemoveActor(l);
    spheres_.clear();
    labels_.clear();
    if (markers.empty())
        return;
    vtkNew<vtkSphereSource> ball;
    ball->SetRadius(radius_mm);
    ball->SetThetaResolution(20);
    ball->SetPhiResolution(14);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputConnection(ball->GetOutputPort());
    for (const auto& m : markers) {
        auto sphere = vtkSmartPointer<vtkActor>::New();
        sphere->SetMapper(mapper);
        sphere->SetPosition(m.position_mm[0], m.position_mm[1], m.position_mm[2]);
        auto* p = sphere->GetProperty();
        p->SetColor(m.color[0], m.color[1], m.color[2]);
        p->SetAmbient(0.35);
        p->SetDiffuse(0.75);
        p->SetSpecular(0.3);
        p->SetSpecularPower(30);
        renderer_->AddActor(sphere);
        spheres_.push_back(sphere);
        if (m.name.empty())
            continue;
        auto label = vtkSmartPointer<vtkBillboardTextActor3D>::New();
        label->SetInput(m.name.c_str());
        label->SetPosition(m.position_mm[0], m.position_mm[1], m.position_mm[2]);
        renderer_->AddActor(label);
        labels_.push_back(label);
    }
    style();
}

void MarkerSet::set_text_color(const std::array<double, 3>& color)
{
    text_ = color;
    style();
}

void MarkerSet::set_scale(double scale)
{
    if (scale == scale_)
        return;
    scale_ = scale;
    style();
}

void MarkerSet::style()
{
    for (auto& l : labels_) {
        const int away = static_cast<int>(std::lround(9 * scale_));
        l->SetDisplayOffset(away, away / 2);
        auto* p = l->GetTextProperty();
        p->SetFontFamilyToArial();
        p->BoldOn();
        p->SetFontSize(static_cast<int>(std::lround(13 * scale_)));
        p->SetColor(1, 1, 1);
        p->SetBackgroundColor(0.05, 0.06, 0.08);
        p->SetBackgroundOpacity(0.6);
    }
}

} // namespace tawara::scene
