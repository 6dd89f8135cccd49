// SPDX-License-Identifier: GPL-3.0-or-later
// What lies under a pixel of HeartScene, and the markers.
#include "widgets/scene/heart_scene_impl.hpp"

#include <cmath>
#include <limits>
#include <vtkCamera.h>
#include <vtkGenericCell.h>
#include <vtkMatrix4x4.h>
#include <vtkPolyData.h>
#include <vtkStaticCellLocator.h>

namespace tawara::scene {

bool HeartScene::Impl::hidden(const Vec3& p) const
{
    if (!model)
        return false;
    Vec3 eye{};
    renderer->GetActiveCamera()->GetPosition(eye.data());
    // the point lies on the wall: end the ray short of it
    const Vec3 end = p + 0.01 * model->poly->GetLength() * normalized(eye - p);
    double t = 0, at[3], pcoords[3];
    int sub = 0;
    vtkIdType cell = -1;
    vtkNew<vtkGenericCell> scratch;
    return model->locator->IntersectWithLine(eye.data(), end.data(), 0, t, at, pcoords, sub, cell,
                                             scratch) != 0;
}

void HeartScene::set_markers(std::span<const Marker> markers)
{
    auto& s = *impl_;
    s.shown_markers.assign(markers.begin(), markers.end());
    if (s.model)
        for (Marker& m : s.shown_markers) {
            if (m.kind != Marker::Kind::site)
                continue;
            // a site within the wall shows on it
            double at[3], d2 = 0;
            vtkIdType cell = -1;
            int sub = 0;
            vtkNew<vtkGenericCell> scratch;
            s.model->locator->FindClosestPoint(m.position_mm.data(), at, scratch, cell, sub, d2);
            if (cell >= 0)
                m.position_mm = {at[0], at[1], at[2]};
        }
    s.markers->set(s.shown_markers, 0.009 * (s.model ? s.model->poly->GetLength() : 1));
}

std::optional<Marker> HeartScene::marker_at(double x, double y, double within) const
{
    const auto& s = *impl_;
    std::optional<Marker> found;
    double best = within;
    for (const auto& m : s.shown_markers) {
        const auto at = project(m.position_mm);
        const double d = std::hypot(at[0] - x, at[1] - y);
        if (m.kind != Marker::Kind::cell && d <= best && !s.hidden(m.position_mm)) {
            best = d;
            found = m;
        }
    }
    return found;
}

std::optional<Pick> HeartScene::pick(double x, double y) const
{
    const auto& s = *impl_;
    if (!s.model)
        return {};
    auto world = [&](double depth) {
        double p[4];
        s.renderer->SetDisplayPoint(x, y, depth);
        s.renderer->DisplayToWorld();
        s.renderer->GetWorldPoint(p);
        return Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]};
    };
    Vec3 from = world(0);
    const Vec3 to = world(1);
    if (s.clip) { // what was cut away is not in the way
        const double a = dot(from, s.clip->normal) - s.clip->offset_mm,
                     b = dot(to, s.clip->normal) - s.clip->offset_mm;
        if (a > 0 && b > 0)
            return {};
        if (a > 0)
            from = from + (a / (a - b)) * (to - from);
    }
    double t = 0, at[3], pcoords[3];
    int sub = 0;
    vtkIdType cell = -1;
    vtkNew<vtkGenericCell> scratch;
    if (s.model->locator->IntersectWithLine(from.data(), to.data(), 0, t, at, pcoords, sub, cell,
                                            scratch) == 0 ||
        cell < 0)
        return {};
    Pick p;
    p.position_mm = {at[0], at[1], at[2]};
    p.triangle = s.model->wall.triangle_source[static_cast<std::size_t>(cell)];
    double best = std::numeric_limits<double>::max();
    std::array<Vec3, 3> corner{};
    const auto& triangle = s.model->wall.triangles[static_cast<std::size_t>(cell)];
    for (std::size_t k = 0; k < 3; ++k) {
        s.model->poly->GetPoint(triangle[k], corner[k].data());
        if (const double d = norm(corner[k] - p.position_mm); d < best) {
            best = d;
            p.vertex = s.model->wall.source[static_cast<std::size_t>(triangle[k])];
        }
    }
    p.normal = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]));
    return p;
}

std::optional<std::int32_t> HeartScene::network_at(double x, double y, double within) const
{
    const auto& s = *impl_;
    const auto& model = s.network->model();
    if (!model || s.network->look() == NetworkLook::off)
        return {};
    const double aspect = s.renderer->GetTiledAspectRatio();
    const auto* to_view =
        s.renderer->GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1);
    const int* size = s.renderer->GetSize();
    std::vector<std::array<double, 2>> at;
    for (const Vec3& p : model->point_mm) {
        std::array<double, 4> q{};
        for (int row = 0; row < 4; ++row)
            q[static_cast<std::size_t>(row)] =
                to_view->GetElement(row, 0) * p[0] + to_view->GetElement(row, 1) * p[1] +
                to_view->GetElement(row, 2) * p[2] + to_view->GetElement(row, 3);
        at.push_back({(q[0] / q[3] + 1) / 2 * size[0], (q[1] / q[3] + 1) / 2 * size[1]});
    }
    std::vector<std::pair<double, std::int32_t>> near;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (model->parent[i] < 0)
            continue;
        const auto &b = at[i], &a = at[static_cast<std::size_t>(model->parent[i])];
        const double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
        const double along =
            length2 > 0 ? std::clamp(((x - a[0]) * dx + (y - a[1]) * dy) / length2, 0.0, 1.0) : 0;
        const double d = std::hypot(x - a[0] - along * dx, y - a[1] - along * dy);
        if (d <= within)
            near.emplace_back(d, static_cast<std::int32_t>(i));
    }
    std::sort(near.begin(), near.end());
    for (const auto& [d, i] : near) {
        const Vec3& p = model->point_mm[static_cast<std::size_t>(i)];
        const bool seen = s.network->look() == NetworkLook::top ||
                          (!s.hidden(p) && !(s.clip && dot(p, s.clip->normal) > s.clip->offset_mm));
        if (seen)
            return i;
    }
    return {};
}

std::array<double, 2> HeartScene::project(const Vec3& position_mm) const
{
    double p[3];
    impl_->renderer->SetWorldPoint(position_mm[0], position_mm[1], position_mm[2], 1);
    impl_->renderer->WorldToDisplay();
    impl_->renderer->GetDisplayPoint(p);
    return {p[0], p[1]};
}

} // namespace tawara::scene
