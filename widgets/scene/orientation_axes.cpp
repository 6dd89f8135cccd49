// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/orientation_axes.hpp"

#include "engine/core/vec3.hpp"
#include "widgets/scene/blending_renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkBillboardTextActor3D.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkConeSource.h>
#include <vtkCylinderSource.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkTextProperty.h>
#include <vtkTransform.h>
#include <vtkTransformPolyDataFilter.h>

namespace tawara::scene {
namespace {

constexpr double side_px = 92;
constexpr double half_side = 1.55, letter_at = 1.28; // in lengths of an axis
constexpr std::array<std::array<double, 3>, 3> colors{
    {{0.89, 0.38, 0.36}, {0.47, 0.75, 0.42}, {0.40, 0.60, 0.93}}};
constexpr std::array<const char*, 3> names{"x", "y", "z"};

} // namespace

struct OrientationAxes::Impl
{
    vtkNew<BlendingRenderer> renderer;
    vtkRenderer* followed = nullptr;
    vtkNew<vtkCallbackCommand> follow;
    std::array<vtkNew<vtkActor>, 3> arrows;
    std::array<vtkNew<vtkBillboardTextActor3D>, 3> labels;
    double side = side_px; // of their corner [pixels]

    /// Looks at the axes from where the followed camera looks at the heart.
    void turn()
    {
        auto *of = followed->GetActiveCamera(), *own = renderer->GetActiveCamera();
        double n[3];
        of->GetViewPlaneNormal(n);
        own->SetFocalPoint(0, 0, 0);
        own->SetPosition(6 * n[0], 6 * n[1], 6 * n[2]);
        own->SetViewUp(of->GetViewUp());
        own->SetClippingRange(2, 12);
    }
};

OrientationAxes::OrientationAxes() : impl_(std::make_unique<Impl>())
{
    vtkNew<vtkCylinderSource> shaft; // along y, centred
    shaft->SetRadius(0.045);
    shaft->SetHeight(0.75);
    shaft->SetCenter(0, 0.375, 0);
    shaft->SetResolution(12);
    vtkNew<vtkConeSource> tip;
    tip->SetDirection(0, 1, 0);
    tip->SetCenter(0, 0.86, 0);
    tip->SetHeight(0.28);
    tip->SetRadius(0.12);
    tip->SetResolution(16);
    vtkNew<vtkAppendPolyData> arrow;
    arrow->AddInputConnection(shaft->GetOutputPort());
    arrow->AddInputConnection(tip->GetOutputPort());
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputConnection(arrow->GetOutputPort());
    for (std::size_t i = 0; i < 3; ++i) {
        auto& a = impl_->arrows[i];
        a->SetMapper(mapper);
        if (i == 0)
            a->RotateZ(-90);
        else if (i == 2)
            a->RotateX(90);
        a->GetProperty()->SetColor(colors[i][0], colors[i][1], colors[i][2]);
        a->GetProperty()->SetAmbient(0.3);
        a->GetProperty()->SetDiffuse(0.7);
        impl_->renderer->AddActor(a);
        auto& l = impl_->labels[i];
        l->SetInput(names[i]);
        std::array<double, 3> at{};
        at[i] = letter_at;
        l->SetPosition(at.data());
        l->GetTextProperty()->SetJustificationToCentered();
        l->GetTextProperty()->SetVerticalJustificationToCentered();
        l->GetTextProperty()->SetFontFamilyToArial();
        l->GetTextProperty()->SetFontSize(12);
        impl_->renderer->AddActor(l);
    }
    impl_->renderer->SetLayer(1);
    impl_->renderer->InteractiveOff();
    impl_->renderer->GetActiveCamera()->ParallelProjectionOn();
    impl_->renderer->GetActiveCamera()->SetParallelScale(half_side);
    impl_->follow->SetClientData(impl_.get());
    impl_->follow->SetCallback(
        [](vtkObject*, unsigned long, void* self, void*) { static_cast<Impl*>(self)->turn(); });
}

OrientationAxes::~OrientationAxes()
{
    if (impl_->followed != nullptr)
        impl_->followed->RemoveObserver(impl_->follow);
    impl_->renderer->RemoveAllViewProps();
}

void OrientationAxes::attach(vtkRenderWindow* window, vtkRenderer* followed)
{
    window->AddRenderer(impl_->renderer);
    impl_->followed = followed;
    followed->AddObserver(vtkCommand::StartEvent, impl_->follow);
}

void OrientationAxes::set_visible(bool on)
{
    impl_->renderer->SetDraw(on ? 1 : 0);
}

void OrientationAxes::set_text_color(double r, double g, double b)
{
    for (auto& l : impl_->labels)
        l->GetTextProperty()->SetColor(r, g, b);
}

void OrientationAxes::layout(int width, int height, double scale)
{
    const double side = impl_->side = side_px * scale;
    impl_->renderer->SetViewport(0, 0, std::min(1.0, side / std::max(width, 1)),
                                 std::min(1.0, side / std::max(height, 1)));
    for (auto& l : impl_->labels)
        l->GetTextProperty()->SetFontSize(static_cast<int>(std::lround(12 * scale)));
}

void OrientationAxes::set_texts(bool on)
{
    for (auto& l : impl_->labels)
        l->SetVisibility(on ? 1 : 0);
}

std::vector<std::pair<std::string, std::array<double, 2>>> OrientationAxes::letters() const
{
    if (impl_->followed == nullptr)
        return {};
    auto* camera = impl_->followed->GetActiveCamera();
    Vec3 near{}, up{};
    camera->GetViewPlaneNormal(near.data());
    camera->GetViewUp(up.data());
    up = up - dot(up, near) * near;
    up = (1 / std::max(norm(up), 1e-12)) * up;
    const Vec3 right = cross(up, near);
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return near[a] < near[b]; });
    std::vector<std::pair<std::string, std::array<double, 2>>> out;
    const double unit = letter_at / half_side * impl_->side / 2, middle = impl_->side / 2;
    for (const auto i : order)
        out.emplace_back(names[i], std::array{middle + unit * right[i], middle + unit * up[i]});
    return out;
}

} // namespace tawara::scene
