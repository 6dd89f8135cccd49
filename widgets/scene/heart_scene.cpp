// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/clip.hpp"
#include "widgets/scene/heart_scene_impl.hpp"

#include <algorithm>
#include <cmath>
#include <vtkCamera.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkTextProperty.h>

namespace tawara::scene {
namespace {

constexpr float rest_mV = -85.23F; // a new wall is at rest until its first frame

} // namespace

HeartScene::HeartScene() : impl_(std::make_unique<Impl>())
{
    auto& s = *impl_;
    s.actor->SetMapper(s.mapper);
    s.actor->GetProperty()->BackfaceCullingOn(); // the boundary of a mesh is closed
    s.actor->VisibilityOff();
    s.renderer->GradientBackgroundOn();
    s.renderer->SetBackgroundAlpha(1);
    s.renderer->GetActiveCamera()->SetViewAngle(26);
    s.bar = std::make_unique<ScalarBar>(s.renderer);
    s.legend = std::make_unique<Legend>(s.renderer);
    s.axes = std::make_unique<OrientationAxes>();
    s.markers = std::make_unique<MarkerSet>(s.renderer);
    s.overlays = std::make_unique<Overlays>(s.renderer);
    s.network = std::make_unique<NetworkTubes>(s.renderer);
    s.renderer->AddActor(s.actor); // after what it may be blended over
    for (vtkTextActor* text : {s.time_text.Get(), s.note.Get()}) {
        text->GetTextProperty()->SetVerticalJustificationToTop();
        s.renderer->AddActor2D(text);
    }
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
    s.network->clear();
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
    s.network->clear();
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
    s.network->set_colors(map, s.low, s.high);
    s.bar->set_map(map);
}

void HeartScene::set_range(double low, double high)
{
    auto& s = *impl_;
    s.low = low, s.high = high;
    s.mapper->SetLiveRange(static_cast<float>(low), static_cast<float>(high));
    s.overlays->set_colors(s.map, low, high);
    s.network->set_colors(s.map, low, high);
    s.bar->set_range(low, high);
}

void HeartScene::set_style(const LiveScalarMapper::Style& style)
{
    impl_->style = style;
    impl_->mapper->SetStyle(style);
    auto face = style; // the cut face keeps its values
    face.plain = false;
    impl_->overlays->set_style(face);
    impl_->network->set_style(style);
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
    s.overlays->set_clip(plane);
    s.network->set_clip(plane);
    clip_by(*s.mapper, plane);
    // inside walls are seen from behind through the cut
    s.actor->GetProperty()->SetBackfaceCulling(plane ? 0 : 1);
}

Overlays& HeartScene::overlays()
{
    return *impl_->overlays;
}

NetworkTubes& HeartScene::network()
{
    return *impl_->network;
}

void HeartScene::set_title(const std::string& quantity)
{
    impl_->title = quantity;
    impl_->bar->set_title(quantity);
}
void HeartScene::set_time_text(const std::string& text)
{
    impl_->time_text->SetInput(text.c_str());
}

void HeartScene::set_note(const std::string& text)
{
    if (text == impl_->note_text)
        return;
    impl_->note_text = text;
    impl_->note_place = {}; // broken into lines anew
    impl_->note_cut = false;
    impl_->note->SetInput(text.c_str());
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

void HeartScene::set_texts(bool on)
{
    if (impl_->texts == on)
        return;
    impl_->texts = on;
    impl_->show_annotations();
}

void HeartScene::set_axes(bool on)
{
    if (impl_->axes_wanted == on)
        return;
    impl_->axes_wanted = on;
    impl_->show_annotations();
}

bool HeartScene::note_cut() const
{
    return impl_->note_cut;
}

bool HeartScene::texts() const
{
    return impl_->texts;
}

Annotations HeartScene::written() const
{
    const auto& s = *impl_;
    Annotations a;
    a.shown = s.annotations && s.model != nullptr;
    a.bar = s.with_bar;
    if (const char* time = s.time_text->GetInput())
        a.time = time;
    a.note = s.note_text;
    a.title = s.title;
    a.map = s.map;
    a.low = s.low, a.high = s.high;
    a.legend = s.entries;
    a.text = s.theme.text;
    for (const auto& [name, at] : s.markers->names())
        a.names.push_back({name, at[0] / s.picture_px[0], 1 - at[1] / s.picture_px[1]});
    if (a.shown && s.axes_wanted)
        for (const auto& [letter, at] : s.axes->letters())
            a.letters.push_back({letter, at[0] / s.picture_px[0], 1 - at[1] / s.picture_px[1]});
    return a;
}

void HeartScene::set_bar(bool on)
{
    impl_->with_bar = on;
    impl_->show_annotations();
}

void HeartScene::set_legend(const std::vector<Legend::Entry>& entries)
{
    impl_->entries = entries;
    impl_->legend->set_entries(entries);
}

void HeartScene::look_like(const HeartScene& other)
{
    const auto& o = *other.impl_;
    set_model(o.model);
    set_theme(o.theme);
    set_color_map(o.map);
    set_range(o.low, o.high);
    set_style(o.style);
    set_title(o.title);
    set_legend(o.entries);
    set_bar(o.with_bar);
    set_annotations(o.annotations);
    set_opacity(o.actor->GetProperty()->GetOpacity());
    set_clip(o.clip);
    set_markers(o.shown_markers);
    if (const char* text = o.time_text->GetInput())
        set_time_text(text);
    set_note(o.note_text);
    impl_->values = o.values;
    impl_->values_changed = true;
    impl_->overlays->look_like(*o.overlays);
    impl_->network->look_like(*o.network);
    impl_->aspect = o.aspect; // a fitted camera fits again in another shape
    impl_->fitted_position = o.fitted_position;
    impl_->fitted_up = o.fitted_up;
    set_camera(other.camera());
}

void HeartScene::set_background(bool on)
{
    impl_->renderer->SetGradientBackground(on);
    impl_->renderer->SetBackgroundAlpha(on ? 1 : 0);
}

void HeartScene::flash(const Vec3& centre_mm, double radius_mm)
{
    auto& s = *impl_;
    s.flashes[s.next_flash] = {centre_mm, radius_mm, Impl::flash_s};
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

void HeartScene::prepare(int width, int height, double scale, double aspect)
{
    auto& s = *impl_;
    s.picture_px = {width, height};
    s.bar->layout(width, height, scale);
    s.legend->layout(width, height, scale);
    s.axes->layout(width, height, scale);
    s.refit(aspect > 0 ? aspect : static_cast<double>(width) / height);
    s.markers->layout(
        scale, std::min(s.bar->left(), s.legend->left()),
        [this](const Vec3& p) { return project(p); }, [&s](const Vec3& p) { return s.hidden(p); },
        [&s](const Vec3& p) { return s.clip && dot(p, s.clip->normal) > s.clip->offset_mm; });
    style_text(s.time_text, 15, scale, s.theme.text.data());
    s.time_text->SetPosition(16 * scale, height - 14 * scale);
    style_text(s.note, 12, scale, s.theme.text.data());
    s.note->SetPosition(NoteRoom::left * scale, height - NoteRoom::top * scale);
    if (s.texts)
        s.break_note(width, height, scale);
    // a buffer that went with its context is written again
    s.overlays->prepare();
    s.network->prepare();
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

void HeartScene::Impl::break_note(int width, int height, double scale)
{
    const double right = std::min({bar->left(), bar->title_left(), legend->left()});
    const std::array<double, 4> place{static_cast<double>(width), static_cast<double>(height),
                                      scale, right};
    if (note_place == place)
        return;
    note_place = place;
    const auto size = [&](const std::string& text) {
        std::array<double, 2> s{};
        note->SetInput(text.c_str());
        note->GetSize(renderer, s.data());
        return s;
    };
    const double line = (size("Ag\nAg")[1] - size("Ag")[1]) / scale;
    const auto room = note_room(width / scale, height / scale, right / scale, line);
    const auto lines =
        note_lines(note_text, room, [&](const std::string& text) { return size(text)[0] / scale; });
    note_cut = lines.cut;
    note->SetInput(lines.text.c_str());
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
