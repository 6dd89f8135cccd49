// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/heart_scene.hpp"

#include "widgets/scene/marker_set.hpp"
#include "widgets/scene/orientation_axes.hpp"
#include "widgets/scene/overlays.hpp"
#include "widgets/scene/scalar_bar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkGenericCell.h>
#include <vtkPlane.h>
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

} // namespace

struct HeartScene::Impl
{
    vtkNew<vtkRenderer> renderer;
    vtkNew<vtkActor> actor;
    vtkNew<LiveScalarMapper> mapper;
    HeartModelPtr model;
    std::vector<Marker> shown_markers;
    std::optional<Plane> clip;
    vtkNew<vtkTextActor> time_text;
    std::unique_ptr<ScalarBar> bar;
    std::unique_ptr<Legend> legend;
    std::unique_ptr<OrientationAxes> axes;
    std::unique_ptr<MarkerSet> markers;
    std::unique_ptr<Overlays> overlays;
    std::vector<float> values; // one per display vertex
    ColorMap map = color_map({});
    double low = -90, high = 40;
    LiveScalarMapper::Style style;
    bool values_changed = false, annotations = true, with_bar = true;
    std::unique_ptr<DisplaySource> source;
    bool live = false;               // the source writes, not `values`
    std::optional<double> live_time; // of what it wrote last
    std::uint64_t live_writes = 0;
    SceneTheme theme;
    struct Flash
    {
        Vec3 centre{};
        double radius_mm = 0, left_s = 0;
    };
    std::array<Flash, LiveScalarMapper::max_flashes> flashes;
    std::size_t next_flash = 0;
    bool new_model = false; // the buffer is of another wall
    /// Lets the source write; the context is current.
    void write_live();
    double aspect = 0;                   ///< of the view, width over height; 0: not known yet
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
    /// Fits again when the view has another shape and nobody moved the camera since the last fit.
    void refit(double shape);
    /// Whether the wall lies between a point on it and the viewer.
    bool hidden(const Vec3& p) const;
    void show_annotations()
    {
        const bool on = annotations && model != nullptr;
        bar->set_visible(on && with_bar);
        legend->set_visible(on);
        axes->set_visible(on);
        time_text->SetVisibility(on);
    }
};

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
    s.legend = std::make_unique<Legend>(s.renderer);
    s.axes = std::make_unique<OrientationAxes>();
    s.markers = std::make_unique<MarkerSet>(s.renderer);
    s.overlays = std::make_unique<Overlays>(s.renderer);
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
    set_model(heart_model(m, surface));
}

void HeartScene::set_model(HeartModelPtr model)
{
    auto& s = *impl_;
    if (!model)
        return clear();
    s.model = std::move(model);
    s.mapper->SetInputData(s.model->poly);
    s.actor->VisibilityOn();
    s.values.assign(s.model->wall.source.size(), rest_mV);
    s.values_changed = true;
    s.live = false;
    s.live_time.reset();
    s.new_model = true;
    s.flashes = {};
    s.show_flashes();
    set_brush({}, 1);
    set_markers({});
    set_clip({});
    s.overlays->clear();
    s.show_annotations();
    reset_camera();
}

const HeartModelPtr& HeartScene::model() const
{
    return impl_->model;
}

void HeartScene::clear()
{
    auto& s = *impl_;
    s.model = nullptr;
    s.values.clear();
    s.actor->VisibilityOff();
    set_markers({});
    s.overlays->clear();
    s.show_annotations();
}

bool HeartScene::empty() const
{
    return impl_->model == nullptr;
}

std::int64_t HeartScene::triangle_count() const
{
    return empty() ? 0 : static_cast<std::int64_t>(impl_->model->wall.triangles.size());
}

void HeartScene::set_values(std::span<const float> values)
{
    auto& s = *impl_;
    if (!s.model || values.size() != s.model->surface_vertices)
        return;
    const auto shown = [](float v) { return std::isfinite(v) ? v : LiveScalarMapper::unset; };
    const auto& source = s.model->wall.source;
    std::transform(values.begin(), values.end(), s.values.begin(), shown);
    for (std::size_t i = values.size(); i < source.size(); ++i)
        s.values[i] = s.values[static_cast<std::size_t>(source[i])];
    s.values_changed = true;
    s.live = false;
    s.live_time.reset();
}

void HeartScene::set_source(std::unique_ptr<DisplaySource> source)
{
    auto& s = *impl_;
    release_source();
    s.source = std::move(source);
    s.live = false;
    s.live_time.reset();
}

bool HeartScene::has_source() const
{
    return impl_->source != nullptr;
}

void HeartScene::set_live()
{
    impl_->live = impl_->source != nullptr && impl_->model != nullptr;
}

std::optional<double> HeartScene::live_time() const
{
    return impl_->live_time;
}

std::string HeartScene::source_error() const
{
    return impl_->source ? impl_->source->error() : std::string();
}

std::uint64_t HeartScene::live_writes() const
{
    return impl_->live_writes;
}

void HeartScene::release_source()
{
    if (impl_->source)
        impl_->source->release();
}

void HeartScene::set_color_map(std::string_view name)
{
    set_color_map(color_map(name));
}

void HeartScene::set_color_map(const ColorMap& map)
{
    auto& s = *impl_;
    s.map = map;
    s.mapper->SetColorMap(map);
    s.overlays->set_colors(map, s.low, s.high);
    s.bar->set_map(map);
}

void HeartScene::set_range(double low, double high)
{
    auto& s = *impl_;
    s.low = low, s.high = high;
    s.mapper->SetLiveRange(static_cast<float>(low), static_cast<float>(high));
    s.overlays->set_colors(s.map, low, high);
    s.bar->set_range(low, high);
}

void HeartScene::set_style(const LiveScalarMapper::Style& style)
{
    impl_->style = style;
    impl_->mapper->SetStyle(style);
}

void HeartScene::set_opacity(double opacity)
{
    impl_->actor->GetProperty()->SetOpacity(std::clamp(opacity, 0.02, 1.0));
}

void HeartScene::set_clip(const std::optional<Plane>& plane)
{
    auto& s = *impl_;
    if (s.clip == plane)
        return;
    s.clip = plane;
    s.mapper->RemoveAllClippingPlanes();
    // inside walls are seen from behind through the cut
    s.actor->GetProperty()->SetBackfaceCulling(plane ? 0 : 1);
    if (!plane)
        return;
    vtkNew<vtkPlane> p;
    const Vec3 n = -1.0 * plane->normal, o = plane->offset_mm * plane->normal;
    p->SetNormal(n[0], n[1], n[2]);
    p->SetOrigin(o[0], o[1], o[2]);
    s.mapper->AddClippingPlane(p);
}

Overlays& HeartScene::overlays()
{
    return *impl_->overlays;
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

void HeartScene::set_bar(bool on)
{
    impl_->with_bar = on;
    impl_->show_annotations();
}

void HeartScene::set_legend(const std::vector<Legend::Entry>& entries)
{
    impl_->legend->set_entries(entries);
}

void HeartScene::set_background(bool on)
{
    impl_->renderer->SetGradientBackground(on);
    impl_->renderer->SetBackgroundAlpha(on ? 1 : 0);
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
        if (d <= best && !s.hidden(m.position_mm)) {
            best = d;
            found = m;
        }
    }
    return found;
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

void HeartScene::prepare(int width, int height, double scale, double aspect)
{
    auto& s = *impl_;
    s.bar->layout(width, height, scale);
    s.legend->layout(width, height, scale);
    s.axes->layout(width, height, scale);
    s.refit(aspect > 0 ? aspect : static_cast<double>(width) / height);
    s.markers->layout(
        scale, [this](const Vec3& p) { return project(p); },
        [&s](const Vec3& p) { return s.hidden(p); });
    style_text(s.time_text, 15, scale, s.theme.text.data());
    s.time_text->SetPosition(16 * scale, height - 14 * scale);
    // a buffer that went with its context is written again
    s.overlays->prepare();
    if (!s.model)
        return;
    if (s.live) {
        s.write_live();
    } else if (s.values_changed || s.mapper->LostValues()) {
        release_source(); // the buffer may get other storage
        s.mapper->Upload(s.values);
        s.values_changed = s.new_model = false;
    }
}

void HeartScene::Impl::write_live()
{
    if (new_model || mapper->LostValues())
        source->release();
    new_model = false;
    const auto buffer = mapper->GlBuffer(values.size(), rest_mV);
    const auto before = live_time;
    if (const auto time = source->write(buffer, model->wall.source, LiveScalarMapper::unset))
        live_time = time;
    live_writes += live_time != before;
}

unsigned int HeartScene::gl_buffer()
{
    return impl_->mapper->GlBuffer(impl_->values.size(), rest_mV);
}

std::span<const std::int32_t> HeartScene::gl_buffer_sources() const
{
    return impl_->model->wall.source;
}

} // namespace tawara::scene
