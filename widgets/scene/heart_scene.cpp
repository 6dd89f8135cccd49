// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/heart_scene.hpp"

#include "widgets/scene/live_scalar_mapper.hpp"
#include "widgets/scene/marker_set.hpp"
#include "widgets/scene/orientation_axes.hpp"
#include "widgets/scene/scalar_bar.hpp"
#include "widgets/scene/wall_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkGenericCell.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkStaticCellLocator.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

namespace tawara::scene {
namespace {

constexpr float rest_mV = -85.23F; // a new wall is at rest until its first frame
constexpr double flash_s = 0.9;
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

vtkSmartPointer<vtkPolyData> poly_data(const WallGeometry& g)
{
    const auto n = static_cast<vtkIdType>(g.source.size());
    vtkNew<vtkFloatArray> xyz, normals;
    xyz->SetNumberOfComponents(3);
    xyz->SetNumberOfTuples(n);
    std::copy(g.points.begin(), g.points.end(), xyz->GetPointer(0));
    normals->SetName("Normals");
    normals->SetNumberOfComponents(3);
    normals->SetNumberOfTuples(n);
    std::copy(g.normals.begin(), g.normals.end(), normals->GetPointer(0));
    vtkNew<vtkPoints> points;
    points->SetData(xyz);
    vtkNew<vtkCellArray> cells;
    cells->AllocateEstimate(static_cast<vtkIdType>(g.triangles.size()), 3);
    for (const auto& t : g.triangles)
        cells->InsertNextCell({t[0], t[1], t[2]});
    auto poly = vtkSmartPointer<vtkPolyData>::New();
    poly->SetPoints(points);
    poly->SetPolys(cells);
    poly->GetPointData()->SetNormals(normals);
    return poly;
}

} // namespace

struct HeartScene::Impl
{
    vtkNew<vtkRenderer> renderer;
    vtkNew<vtkActor> actor;
    vtkNew<LiveScalarMapper> mapper;
    vtkSmartPointer<vtkPolyData> poly;
    mutable vtkNew<vtkStaticCellLocator> locator;
    vtkNew<vtkTextActor> time_text;
    std::unique_ptr<ScalarBar> bar;
    std::unique_ptr<OrientationAxes> axes;
    std::unique_ptr<MarkerSet> markers;
    WallGeometry wall;
    std::vector<float> values; // one per display vertex
    std::size_t surface_vertices = 0;
    bool values_changed = false, annotations = true;
    SceneTheme theme;
    struct Flash
    {
        Vec3 centre{};
        double radius_mm = 0, left_s = 0;
    };
    std::array<Flash, LiveScalarMapper::max_flashes> flashes;
    std::size_t next_flash = 0;
    int width = 0, height = 0;
    Vec3 fitted_position{}, fitted_up{}; // of the camera after the last fit

    void show_flashes()
    {
        for (std::size_t i = 0; i < flashes.size(); ++i) {
            const auto& f = flashes[i];
            mapper->SetFlash(i, {static_cast<float>(f.centre[0]), static_cast<float>(f.centre[1]),
                                 static_cast<float>(f.centre[2]), static_cast<float>(f.radius_mm),
                                 static_cast<float>(std::max(0.0, f.left_s) / flash_s)});
        }
    }
    /// Puts the camera where the whole wall just fills the view, beside the colour bar.
    void fit(const Vec3& from, const Vec3& up);
    /// Fits again when the view has another size and nobody moved the camera since the last fit.
    void refit(int width, int height);
    /// Whether the wall lies between a point on it and the viewer.
    bool hidden(const Vec3& p) const;
    void show_annotations()
    {
        const bool on = annotations && poly != nullptr;
        bar->set_visible(on);
        axes->set_visible(on);
        time_text->SetVisibility(on);
    }
};

void HeartScene::Impl::fit(const Vec3& from, const Vec3& up)
{
    auto* camera = renderer->GetActiveCamera();
    const Vec3 right = normalized(cross(up, from)), above = cross(from, right);
    double c[3];
    poly->GetCenter(c);
    const Vec3 centre{c[0], c[1], c[2]};
    const double aspect = width > 0 && height > 0 ? static_cast<double>(width) / height : 1.5;
    const double half = std::tan(camera->GetViewAngle() / 2 * std::numbers::pi / 180);
    const double half_y = fill * half, half_x = fill * half * std::max(0.3, aspect - bar_room);
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

void HeartScene::Impl::refit(int w, int h)
{
    if (w == width && h == height)
        return;
    width = w, height = h;
    auto* camera = renderer->GetActiveCamera();
    Vec3 position{}, up{}, normal{};
    camera->GetPosition(position.data());
    camera->GetViewUp(up.data());
    camera->GetDirectionOfProjection(normal.data());
    if (poly && position == fitted_position && up == fitted_up)
        fit(-1.0 * normal, up);
}

bool HeartScene::Impl::hidden(const Vec3& p) const
{
    if (!poly)
        return false;
    Vec3 eye{};
    renderer->GetActiveCamera()->GetPosition(eye.data());
    // the point lies on the wall: end the ray short of it
    const Vec3 end = p + 0.01 * poly->GetLength() * normalized(eye - p);
    double t = 0, at[3], pcoords[3];
    int sub = 0;
    return locator->IntersectWithLine(eye.data(), end.data(), 0, t, at, pcoords, sub) != 0;
}

HeartScene::HeartScene() : impl_(std::make_unique<Impl>())
{
    auto& s = *impl_;
    s.actor->SetMapper(s.mapper);
    s.actor->GetProperty()->BackfaceCullingOn(); // the boundary of a mesh is closed
    s.actor->VisibilityOff();
    s.renderer->AddActor(s.actor);
    s.renderer->GradientBackgroundOn();
    s.renderer->SetBackgroundAlpha(1);
    s.renderer->SetUseDepthPeeling(0);
    s.renderer->GetActiveCamera()->SetViewAngle(26);
    s.bar = std::make_unique<ScalarBar>(s.renderer);
    s.axes = std::make_unique<OrientationAxes>();
    s.markers = std::make_unique<MarkerSet>(s.renderer);
    s.time_text->GetTextProperty()->SetVerticalJustificationToTop();
    s.renderer->AddActor2D(s.time_text);
    set_theme({});
    s.show_annotations();
}

HeartScene::~HeartScene()
{
    impl_->renderer->RemoveAllViewProps();
}

void HeartScene::attach(vtkRenderWindow* window)
{
    window->SetNumberOfLayers(2);
    window->AddRenderer(impl_->renderer);
    impl_->axes->attach(window, impl_->renderer);
}

vtkRenderer* HeartScene::renderer() const
{
    return impl_->renderer;
}

void HeartScene::set_surface(const mesh::TetMesh& m, const mesh::Surface& surface)
{
    auto& s = *impl_;
    if (surface.triangles.empty())
        return clear();
    s.wall = wall_geometry(m, surface);
    s.surface_vertices = surface.vertices.size();
    s.poly = poly_data(s.wall);
    s.mapper->SetInputData(s.poly);
    s.actor->VisibilityOn();
    s.locator->SetDataSet(s.poly);
    s.locator->CacheCellBoundsOn();
    s.locator->BuildLocator();
    s.values.assign(s.wall.source.size(), rest_mV);
    s.values_changed = true;
    s.flashes = {};
    s.show_flashes();
    set_brush({}, 1);
    s.markers->set({}, 1);
    s.show_annotations();
    reset_camera();
}

void HeartScene::clear()
{
    auto& s = *impl_;
    s.poly = nullptr;
    s.wall = {};
    s.values.clear();
    s.surface_vertices = 0;
    s.actor->VisibilityOff();
    s.markers->set({}, 1);
    s.show_annotations();
}

bool HeartScene::empty() const
{
    return impl_->poly == nullptr;
}

std::int64_t HeartScene::triangle_count() const
{
    return static_cast<std::int64_t>(impl_->wall.triangles.size());
}

void HeartScene::set_values(std::span<const float> values)
{
    auto& s = *impl_;
    if (values.size() != s.surface_vertices)
        return;
    std::copy(values.begin(), values.end(), s.values.begin());
    for (std::size_t i = s.surface_vertices; i < s.wall.source.size(); ++i)
        s.values[i] = values[static_cast<std::size_t>(s.wall.source[i])];
    s.values_changed = true;
}

void HeartScene::set_color_map(std::string_view name)
{
    impl_->mapper->SetColorMap(color_map(name));
    impl_->bar->set_map(color_map(name));
}

void HeartScene::set_range(double low, double high)
{
    impl_->mapper->SetLiveRange(static_cast<float>(low), static_cast<float>(high));
    impl_->bar->set_range(low, high);
}

void HeartScene::set_title(const std::string& quantity)
{
    impl_->bar->set_title(quantity);
}
void HeartScene::set_time_text(const std::string& text)
{
    impl_->time_text->SetInput(text.c_str());
}

void HeartScene::set_theme(const SceneTheme& theme)
{
    auto& s = *impl_;
    s.theme = theme;
    const auto &low = theme.background_low, &high = theme.background_high;
    s.renderer->SetBackground(low[0], low[1], low[2]);
    s.renderer->SetBackground2(high[0], high[1], high[2]);
    s.bar->set_text_color(theme.text[0], theme.text[1], theme.text[2]);
    s.axes->set_text_color(theme.text[0], theme.text[1], theme.text[2]);
}

void HeartScene::set_annotations(bool on)
{
    impl_->annotations = on;
    impl_->show_annotations();
}

void HeartScene::set_markers(std::span<const Marker> markers)
{
    double size = 1;
    if (impl_->poly)
        size = impl_->poly->GetLength();
    impl_->markers->set(markers, 0.009 * size);
}

void HeartScene::flash(const Vec3& centre_mm, double radius_mm)
{
    auto& s = *impl_;
    s.flashes[s.next_flash] = {centre_mm, radius_mm, flash_s};
    s.next_flash = (s.next_flash + 1) % s.flashes.size();
    s.show_flashes();
}

bool HeartScene::advance_flashes(double seconds)
{
    bool any = false;
    for (auto& f : impl_->flashes) {
        any = any || f.left_s > 0;
        f.left_s = std::max(0.0, f.left_s - seconds);
    }
    if (any)
        impl_->show_flashes();
    return any;
}

void HeartScene::set_brush(std::optional<Vec3> centre_mm, double radius_mm)
{
    LiveScalarMapper::Spot spot;
    if (centre_mm)
        spot = {static_cast<float>((*centre_mm)[0]), static_cast<float>((*centre_mm)[1]),
                static_cast<float>((*centre_mm)[2]), static_cast<float>(radius_mm), 1};
    impl_->mapper->SetBrush(spot);
}

std::optional<Pick> HeartScene::pick(double x, double y) const
{
    const auto& s = *impl_;
    if (!s.poly)
        return {};
    auto world = [&](double depth) {
        double p[4];
        s.renderer->SetDisplayPoint(x, y, depth);
        s.renderer->DisplayToWorld();
        s.renderer->GetWorldPoint(p);
        return Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]};
    };
    const Vec3 from = world(0), to = world(1);
    double t = 0, at[3], pcoords[3];
    int sub = 0;
    vtkIdType cell = -1;
    vtkNew<vtkGenericCell> scratch;
    if (s.locator->IntersectWithLine(from.data(), to.data(), 0, t, at, pcoords, sub, cell,
                                     scratch) == 0 ||
        cell < 0)
        return {};
    Pick p;
    p.position_mm = {at[0], at[1], at[2]};
    p.triangle = s.wall.triangle_source[static_cast<std::size_t>(cell)];
    double best = std::numeric_limits<double>::max();
    std::array<Vec3, 3> corner{};
    const auto& triangle = s.wall.triangles[static_cast<std::size_t>(cell)];
    for (std::size_t k = 0; k < 3; ++k) {
        s.poly->GetPoint(triangle[k], corner[k].data());
        if (const double d = norm(corner[k] - p.position_mm); d < best) {
            best = d;
            p.vertex = s.wall.source[static_cast<std::size_t>(triangle[k])];
        }
    }
    p.normal = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]));
    return p;
}

std::array<double, 2> HeartScene::project(const Vec3& position_mm) const
{
    double p[3];
    impl_->renderer->SetWorldPoint(position_mm[0], position_mm[1], position_mm[2], 1);
    impl_->renderer->WorldToDisplay();
    impl_->renderer->GetDisplayPoint(p);
    return {p[0], p[1]};
}

void HeartScene::look(View view)
{
    auto& s = *impl_;
    if (!s.poly)
        return;
    const auto& d = *std::find_if(std::begin(directions), std::end(directions),
                                  [&](const Direction& e) { return e.view == view; });
    s.fit(normalized(d.from), d.up);
}

void HeartScene::prepare(int width, int height, double scale)
{
    auto& s = *impl_;
    s.bar->layout(width, height, scale);
    s.axes->layout(width, height, scale);
    s.refit(width, height);
    s.markers->layout(
        scale, [this](const Vec3& p) { return project(p); },
        [&s](const Vec3& p) { return s.hidden(p); });
    style_text(s.time_text, 15, scale, s.theme.text.data());
    s.time_text->SetPosition(16 * scale, height - 14 * scale);
    // a buffer that went with its context is written again
    if (s.poly && (s.values_changed || s.mapper->LostValues())) {
        s.mapper->Upload(s.values);
        s.values_changed = false;
    }
}

unsigned int HeartScene::gl_buffer()
{
    return impl_->mapper->GlBuffer(impl_->values.size(), rest_mV);
}

std::span<const std::int32_t> HeartScene::gl_buffer_sources() const
{
    return impl_->wall.source;
}

} // namespace tawara::scene
