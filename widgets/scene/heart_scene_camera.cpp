// SPDX-License-Identifier: GPL-3.0-or-later
// Where HeartScene's camera stands.
#include "widgets/scene/heart_scene_impl.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vtkCamera.h>
#include <vtkPolyData.h>

namespace tawara::scene {
namespace {

constexpr double fill = 0.88;     // part of the view's height that the heart takes
constexpr double bar_room = 0.36; // of the view's height, left free for the colour bar, in all

struct Direction
{
    View view;
    Vec3 from, up; // direction from the heart to the viewer
};
// Frame of the heart generator: x to the left of the body, y to the back, z from apex to base.
constexpr Direction directions[] = {
    {View::anterior, {0, -1, 0}, {0, 0, 1}},     {View::posterior, {0, 1, 0}, {0, 0, 1}},
    {View::left, {1, 0, 0}, {0, 0, 1}},          {View::right, {-1, 0, 0}, {0, 0, 1}},
    {View::superior, {0, 0, 1}, {0, 1, 0}},      {View::inferior, {0, 0, -1}, {0, 1, 0}},
    {View::oblique, {0.42, -1, 0.34}, {0, 0, 1}}};

} // namespace

void HeartScene::Impl::fit(const Vec3& from, const Vec3& up)
{
    auto* camera = renderer->GetActiveCamera();
    const Vec3 right = normalized(cross(up, from)), above = cross(from, right);
    double c[3];
    model->poly->GetCenter(c);
    const WallGeometry& wall = model->wall;
    const Vec3 centre{c[0], c[1], c[2]};
    const double half = std::tan(camera->GetViewAngle() / 2 * std::numbers::pi / 180);
    const double half_y = fill * half,
                 half_x = fill * half * std::max(0.3, (aspect > 0 ? aspect : 1.5) - bar_room);
    std::vector<Vec3> p(wall.source.size()); // along right, above, towards the viewer
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3 q =
            Vec3{wall.points[3 * i], wall.points[3 * i + 1], wall.points[3 * i + 2]} - centre;
        p[i] = {dot(q, right), dot(q, above), dot(q, from)};
    }
    // The nearest place of the camera from which every point lies within the four planes of the
    // view: per pair of planes, x + z half <= x0 + d half on one side and the same mirrored on the
    // other.
    auto planes = [&](std::size_t k, double h) {
        double plus = -std::numeric_limits<double>::max(), minus = plus;
        for (const Vec3& q : p) {
            plus = std::max(plus, q[k] + q[2] * h);
            minus = std::max(minus, -q[k] + q[2] * h);
        }
        return std::pair{(plus - minus) / 2, (plus + minus) / (2 * h)}; // offset, distance
    };
    const auto [x, dx] = planes(0, half_x);
    const auto [y, dy] = planes(1, half_y);
    const double distance = std::max(dx, dy);
    const Vec3 focal = centre + x * right + y * above;
    fitted_position = focal + distance * from;
    camera->SetFocalPoint(focal.data());
    camera->SetPosition(fitted_position.data());
    camera->SetViewUp(above.data());
    camera->GetViewUp(fitted_up.data());
    renderer->ResetCameraClippingRange();
}

void HeartScene::Impl::refit(double shape)
{
    if (shape == aspect)
        return;
    aspect = shape;
    auto* camera = renderer->GetActiveCamera();
    Vec3 position{}, up{}, normal{};
    camera->GetPosition(position.data());
    camera->GetViewUp(up.data());
    camera->GetDirectionOfProjection(normal.data());
    if (model && position == fitted_position && up == fitted_up)
        fit(-1.0 * normal, up);
}

void HeartScene::look(View view)
{
    const auto& d = *std::find_if(std::begin(directions), std::end(directions),
                                  [&](const Direction& e) { return e.view == view; });
    look_from(d.from, d.up);
}

void HeartScene::look_from(const Vec3& from, const Vec3& up)
{
    if (impl_->model)
        impl_->fit(normalized(from), up);
}

CameraPose HeartScene::camera() const
{
    auto* c = impl_->renderer->GetActiveCamera();
    CameraPose p;
    c->GetPosition(p.position.data());
    c->GetFocalPoint(p.focal_point.data());
    c->GetViewUp(p.up.data());
    p.fitted = p.position == impl_->fitted_position && p.up == impl_->fitted_up;
    return p;
}

void HeartScene::set_camera(const CameraPose& p)
{
    auto* c = impl_->renderer->GetActiveCamera();
    c->SetPosition(p.position.data());
    c->SetFocalPoint(p.focal_point.data());
    c->SetViewUp(p.up.data());
    if (p.fitted && impl_->model && impl_->aspect > 0)
        look_from(p.position - p.focal_point, p.up);
    else
        impl_->renderer->ResetCameraClippingRange();
    if (p.fitted) { // fits again when its own size is known
        c->GetPosition(impl_->fitted_position.data());
        c->GetViewUp(impl_->fitted_up.data());
    }
}

} // namespace tawara::scene
