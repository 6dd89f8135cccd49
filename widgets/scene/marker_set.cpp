// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/marker_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vtkAppendPolyData.h>
#include <vtkCubeSource.h>
#include <vtkCylinderSource.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSphereSource.h>
#include <vtkTextProperty.h>

namespace tawara::scene {
namespace {

constexpr double beside_px = 10;        // a name's distance from its marker
constexpr double widest_letter_px = 12; // measuring a text takes longer than counting

} // namespace

void MarkerSet::set(std::span<const Marker> markers, double radius_mm)
{
    for (auto& a : spheres_)
        renderer_->RemoveActor(a);
    for (auto& l : labels_)
        renderer_->RemoveActor2D(l);
    spheres_.clear();
    labels_.clear();
    places_.clear();
    kinds_.clear();
    at_.clear();
    if (markers.empty())
        return;
    vtkNew<vtkSphereSource> ball;
    ball->SetRadius(radius_mm);
    ball->SetThetaResolution(20);
    ball->SetPhiResolution(14);
    // a site: a ball with a belt
    vtkNew<vtkSphereSource> core;
    core->SetRadius(1.15 * radius_mm);
    core->SetThetaResolution(20);
    core->SetPhiResolution(14);
    vtkNew<vtkCylinderSource> belt;
    belt->SetRadius(1.75 * radius_mm);
    belt->SetHeight(0.35 * radius_mm);
    belt->SetResolution(28);
    vtkNew<vtkAppendPolyData> pin;
    pin->AddInputConnection(core->GetOutputPort());
    pin->AddInputConnection(belt->GetOutputPort());
    vtkNew<vtkCubeSource> cube;
    cube->SetXLength(1.8 * radius_mm);
    cube->SetYLength(1.8 * radius_mm);
    cube->SetZLength(1.8 * radius_mm);
    vtkNew<vtkCubeSource> block;
    block->SetXLength(2.6 * radius_mm);
    block->SetYLength(1.1 * radius_mm);
    block->SetZLength(1.1 * radius_mm);
    std::array<vtkNew<vtkPolyDataMapper>, 4> mappers; // of each Marker::Kind
    mappers[0]->SetInputConnection(ball->GetOutputPort());
    mappers[1]->SetInputConnection(pin->GetOutputPort());
    mappers[2]->SetInputConnection(cube->GetOutputPort());
    mappers[3]->SetInputConnection(block->GetOutputPort());
    for (const auto& m : markers) {
        auto sphere = vtkSmartPointer<vtkActor>::New();
        sphere->SetMapper(mappers[static_cast<std::size_t>(m.kind)]);
        sphere->SetScale(m.chosen ? 1.35 : 1.0);
        sphere->SetPosition(m.position_mm[0], m.position_mm[1], m.position_mm[2]);
        auto* p = sphere->GetProperty();
        p->SetColor(m.color[0], m.color[1], m.color[2]);
        p->SetAmbient(0.35);
        p->SetDiffuse(0.75);
        p->SetSpecular(0.3);
        p->SetSpecularPower(30);
        renderer_->AddActor(sphere);
        spheres_.push_back(sphere);
        places_.push_back(m.position_mm);
        kinds_.push_back(m.kind);
        auto label = vtkSmartPointer<vtkTextActor>::New();
        label->SetInput(m.name.c_str());
        label->SetVisibility(0);
        renderer_->AddActor2D(label);
        labels_.push_back(label);
    }
    style();
}

void MarkerSet::layout(double scale, double right,
                       const std::function<std::array<double, 2>(const Vec3&)>& project,
                       const std::function<bool(const Vec3&)>& hidden,
                       const std::function<bool(const Vec3&)>& cut)
{
    if (scale != scale_) {
        scale_ = scale;
        style();
    }
    at_.assign(labels_.size(), std::nullopt);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        const bool there = kinds_[i] == Marker::Kind::electrode || !cut(places_[i]);
        spheres_[i]->SetVisibility(there);
        const bool on = there && !hidden(places_[i]);
        labels_[i]->SetVisibility(on && texts_);
        if (!on)
            continue;
        const auto at = project(places_[i]);
        at_[i] = {std::round(at[0] + beside_px * scale), std::round(at[1] + 5 * scale)};
        // who writes the names in the scene's place has fonts of its own
        if (texts_ && (*at_[i])[0] + widest_letter_px * scale *
                                         static_cast<double>(std::strlen(labels_[i]->GetInput())) >
                          right) {
            double size[2] = {};
            labels_[i]->GetSize(renderer_, size);
            if ((*at_[i])[0] + size[0] > right)
                (*at_[i])[0] =
                    std::max(0.0, std::round(std::min(at[0] - beside_px * scale, right) - size[0]));
        }
        labels_[i]->SetPosition((*at_[i])[0], (*at_[i])[1]);
    }
}

void MarkerSet::set_texts(bool on)
{
    texts_ = on;
    for (std::size_t i = 0; i < labels_.size(); ++i)
        labels_[i]->SetVisibility(on && i < at_.size() && at_[i]);
}

std::vector<std::pair<std::string, std::array<double, 2>>> MarkerSet::names() const
{
    std::vector<std::pair<std::string, std::array<double, 2>>> out;
    for (std::size_t i = 0; i < at_.size() && i < labels_.size(); ++i)
        if (const char* name = labels_[i]->GetInput(); at_[i] && name != nullptr && *name != 0)
            out.emplace_back(name, *at_[i]);
    return out;
}

void MarkerSet::style()
{
    for (auto& l : labels_) {
        auto* p = l->GetTextProperty();
        p->SetFontFamilyToArial();
        p->BoldOn();
        p->SetFontSize(static_cast<int>(std::lround(12 * scale_)));
        p->SetColor(1, 1, 1);
        p->SetBackgroundColor(0.05, 0.06, 0.08);
        p->SetBackgroundOpacity(0.55);
    }
}

} // namespace tawara::scene
