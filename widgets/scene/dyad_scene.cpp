// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/dyad_scene.hpp"

#include "engine/core/vec3.hpp"
#include "widgets/scene/blending_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkTexture.h>
#include <vtkUnsignedCharArray.h>

namespace tawara::scene {
namespace {

constexpr Vec3 block_um{1, 2.2, 2.2};
constexpr double gap_um = 5;                       // between layers that lie side by side
constexpr double uneven_worth = 0.8;               // of columns, of which the last are shorter
constexpr double margin = 1.08;                    // of what fills the view
constexpr double first_right = -16, first_up = 14; // where the camera looks from [degrees]
// Opacity of a block from where nothing happens to where most does.
constexpr double least_opacity = 0.06, most_opacity = 0.92;

} // namespace

struct DyadScene::Impl
{
    vtkNew<BlendingRenderer> renderer;
    vtkNew<vtkActor> layers, frame;
    vtkNew<vtkPolyData> quads, lines;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkImageData> image;
    std::array<int, 3> n{1, 1, 1};
    std::vector<float> shares;
    std::array<std::array<std::uint8_t, 4>, 256> palette{};
    ColorMap map = color_map("inferno");
    bool low_is_seen = false, changed = true;
    DyadForm form = DyadForm::volume;
    int axis = -1;             // that layers are stacked along; -1: not known
    bool high_is_near = false; // to the viewer: the layer of the highest number
    int columns = 0;           // of layers side by side
    double aspect = 2;
    struct Pose
    {
        Vec3 position{}, up{}, focus{};
        double scale = 0;
        bool operator==(const Pose&) const = default;
    } fit;

    int count(int k) const { return n[static_cast<std::size_t>(k)]; }
    double extent(int k) const { return count(k) * block_um[static_cast<std::size_t>(k)]; }
    /// Axes that a layer lies in: along its rows, and from row to row.
    static std::array<int, 2> across(int stacked)
    {
        return stacked == 0 ? std::array{1, 2} : stacked == 1 ? std::array{0, 2} : std::array{0, 1};
    }
    /// Layers are parts of one picture, in so many columns that neither side grows long.
    int picture_columns(int stacked) const
    {
        const auto a = across(stacked);
        const double tall = static_cast<double>(count(a[1])) / count(a[0]) * count(stacked);
        return std::clamp(static_cast<int>(std::lround(std::sqrt(tall))), 1, count(stacked));
    }
    Pose pose() const
    {
        auto* c = const_cast<BlendingRenderer*>(renderer.Get())->GetActiveCamera();
        Pose p;
        c->GetPosition(p.position.data());
        c->GetFocalPoint(p.focus.data());
        c->GetViewUp(p.up.data());
        p.scale = c->GetParallelScale();
        return p;
    }

    void make_palette();
    void stack_for(const Vec3& towards);
    void lay_out();
    void add_quads(int stacked, bool reversed, int side_by_side);
    void draw_frame();
    void write_texels();
    void fit_camera();
    std::array<double, 2> sheet_um() const;
};

void DyadScene::Impl::make_palette()
{
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const double t = static_cast<double>(i) / 255, seen = low_is_seen ? 1 - t : t;
        const double opacity = form == DyadForm::layers
                                   ? 1
                                   : least_opacity + (most_opacity - least_opacity) * seen * seen;
        const auto& c = map.colors[i];
        palette[i] = {c[0], c[1], c[2], static_cast<std::uint8_t>(std::lround(255 * opacity))};
    }
    changed = true;
}

/// Size of all layers side by side.
std::array<double, 2> DyadScene::Impl::sheet_um() const
{
    const int rows = (count(2) + columns - 1) / columns;
    return {columns * extent(0) + (columns - 1) * gap_um, rows * extent(1) + (rows - 1) * gap_um};
}

/// The layers' quads in the order in which they are drawn.
/// @param side_by_side  in so many columns; 0: in their places
void DyadScene::Impl::add_quads(int stacked, bool reversed, int side_by_side)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> cells;
    vtkNew<vtkFloatArray> places;
    places->SetNumberOfComponents(2);
    const auto a = across(stacked);
    const int in_row = picture_columns(stacked);
    const int rows = (count(stacked) + in_row - 1) / in_row;
    const auto sheet = side_by_side > 0 ? sheet_um() : std::array{0.0, 0.0};
    for (int k = 0; k < count(stacked); ++k) {
        const int layer = reversed ? count(stacked) - 1 - k : k;
        const int column = layer % in_row, row = layer / in_row; // of the texels
        const float left = static_cast<float>(column) / static_cast<float>(in_row),
                    low = static_cast<float>(row) / static_cast<float>(rows);
        const vtkIdType first = points->GetNumberOfPoints();
        for (int corner = 0; corner < 4; ++corner) {
            const int right = corner == 1 || corner == 2, top = corner / 2;
            Vec3 p{};
            if (side_by_side > 0) {
                const int along = layer % side_by_side, below = layer / side_by_side;
                p[0] = along * (extent(0) + gap_um) + right * extent(0) - sheet[0] / 2;
                p[1] = sheet[1] / 2 - below * (extent(1) + gap_um) - (1 - top) * extent(1);
            } else {
                const auto u = static_cast<std::size_t>(a[0]), v = static_cast<std::size_t>(a[1]),
                           w = static_cast<std::size_t>(stacked);
                p[u] = (right - 0.5) * extent(a[0]);
                p[v] = (top - 0.5) * extent(a[1]);
                p[w] = (layer + 0.5) * block_um[w] - extent(stacked) / 2;
            }
            points->InsertNextPoint(p.data());
            const float at[] = {left + static_cast<float>(right) / static_cast<float>(in_row),
                                low + static_cast<float>(top) / static_cast<float>(rows)};
            places->InsertNextTypedTuple(at);
        }
        cells->InsertNextCell({first, first + 1, first + 2, first + 3});
    }
    quads->SetPoints(points);
    quads->SetPolys(cells);
    quads->GetPointData()->SetTCoords(places);
}

void DyadScene::Impl::draw_frame()
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> cells;
    const auto line = [&](const Vec3& p, const Vec3& q) {
        const auto a = points->InsertNextPoint(p.data());
        const auto b = points->InsertNextPoint(q.data());
        cells->InsertNextCell({a, b});
    };
    const Vec3 half{extent(0) / 2, extent(1) / 2, extent(2) / 2};
    if (form == DyadForm::volume)
        for (std::size_t k = 0; k < 3; ++k)
            for (const double s : {-1.0, 1.0})
                for (const double t : {-1.0, 1.0}) {
                    Vec3 p{};
                    p[k] = -half[k];
                    p[(k + 1) % 3] = s * half[(k + 1) % 3];
                    p[(k + 2) % 3] = t * half[(k + 2) % 3];
                    Vec3 q = p;
                    q[k] = half[k];
                    line(p, q);
                }
    lines->SetPoints(points);
    lines->SetLines(cells);
}

/// The layers that are seen most from that side, the farthest first.
void DyadScene::Impl::stack_for(const Vec3& towards)
{
    int most = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(towards[static_cast<std::size_t>(k)]) >
            std::abs(towards[static_cast<std::size_t>(most)]))
            most = k;
    const bool last = towards[static_cast<std::size_t>(most)] > 0;
    if (most == axis && last == high_is_near)
        return;
    changed = changed || most != axis;
    axis = most;
    high_is_near = last;
    add_quads(axis, !high_is_near, 0);
}

void DyadScene::Impl::lay_out()
{
    if (form == DyadForm::volume) {
        const auto p = pose();
        return stack_for(p.position - p.focus);
    }
    // so that the sheet fills the view best
    int best = 1;
    double largest = 0;
    for (int c = 1; c <= count(2); ++c) {
        columns = c;
        const auto s = sheet_um();
        const double even = count(2) % c == 0 ? 1 : uneven_worth;
        const double size = even * std::min(aspect / s[0], 1 / s[1]);
        if (size > largest * (1 + 1e-9)) {
            largest = size;
            best = c;
        }
    }
    columns = best;
    changed = changed || axis != 2;
    axis = 2;
    add_quads(2, false, columns);
}

void DyadScene::Impl::write_texels()
{
    const auto a = across(axis);
    const int in_row = picture_columns(axis), rows = (count(axis) + in_row - 1) / in_row;
    const int w = in_row * count(a[0]), h = rows * count(a[1]);
    const int* now = image->GetDimensions();
    if (now[0] != w || now[1] != h || image->GetNumberOfScalarComponents() != 4) {
        image->SetDimensions(w, h, 1);
        image->AllocateScalars(VTK_UNSIGNED_CHAR, 4);
        std::memset(image->GetScalarPointer(), 0, static_cast<std::size_t>(w) * h * 4);
    }
    auto* to = static_cast<std::uint8_t*>(image->GetScalarPointer());
    const std::array<std::size_t, 3> stride{1, static_cast<std::size_t>(n[0]),
                                            static_cast<std::size_t>(n[0]) *
                                                static_cast<std::size_t>(n[1])};
    const auto su = stride[static_cast<std::size_t>(a[0])],
               sv = stride[static_cast<std::size_t>(a[1])],
               sw = stride[static_cast<std::size_t>(axis)];
    for (int layer = 0; layer < count(axis); ++layer)
        for (int v = 0; v < count(a[1]); ++v) {
            const int x = layer % in_row * count(a[0]), y = layer / in_row * count(a[1]) + v;
            auto* texel = to + 4 * (static_cast<std::size_t>(y) * w + x);
            const float* from = shares.data() + static_cast<std::size_t>(layer) * sw +
                                static_cast<std::size_t>(v) * sv;
            for (int u = 0; u < count(a[0]); ++u, texel += 4) {
                const float s = std::clamp(from[static_cast<std::size_t>(u) * su], 0.0F, 1.0F);
                std::memcpy(texel, palette[static_cast<std::size_t>(std::lround(255 * s))].data(),
                            4);
            }
        }
    image->Modified();
    changed = false;
}

/// What is drawn fills a view of that shape, from where the camera looks.
void DyadScene::Impl::fit_camera()
{
    auto* c = renderer->GetActiveCamera();
    Vec3 half{extent(0) / 2, extent(1) / 2, extent(2) / 2};
    if (form == DyadForm::layers) {
        const auto s = sheet_um();
        half = {s[0] / 2, s[1] / 2, 0};
    }
    const double far = 4 * norm(half) + 1;
    const double turn = form == DyadForm::volume ? first_right * M_PI / 180 : 0,
                 lift = form == DyadForm::volume ? first_up * M_PI / 180 : 0;
    // the cell's length runs from left to right
    const Vec3 from{std::sin(turn) * std::cos(lift), std::sin(lift),
                    std::cos(turn) * std::cos(lift)};
    const Vec3 right{std::cos(turn), 0, -std::sin(turn)}, up = cross(from, right);
    const auto seen = [&](const Vec3& along) {
        return std::abs(along[0]) * half[0] + std::abs(along[1]) * half[1] +
               std::abs(along[2]) * half[2];
    };
    c->ParallelProjectionOn();
    c->SetFocalPoint(0, 0, 0);
    c->SetPosition((far * from).data());
    c->SetViewUp(up.data());
    c->SetParallelScale(margin * std::max(seen(up), seen(right) / aspect));
    renderer->ResetCameraClippingRange();
    fit = pose();
}

DyadScene::DyadScene() : impl_(std::make_unique<Impl>())
{
    auto& s = *impl_;
    vtkNew<vtkPolyDataMapper> quads, lines;
    quads->SetInputData(s.quads);
    lines->SetInputData(s.lines);
    s.texture->SetInputData(s.image);
    s.texture->InterpolateOff();
    s.texture->RepeatOff();
    s.texture->EdgeClampOn();
    s.texture->SetColorModeToDirectScalars();
    s.layers->SetMapper(quads);
    s.layers->SetTexture(s.texture);
    s.layers->GetProperty()->LightingOff();
    s.layers->ForceTranslucentOn();
    s.frame->SetMapper(lines);
    s.frame->GetProperty()->LightingOff();
    s.renderer->AddActor(s.frame);
    s.renderer->AddActor(s.layers);
    s.renderer->SetBackgroundAlpha(1);
    s.make_palette();
    set_grid({1, 1, 1});
}

DyadScene::~DyadScene()
{
    impl_->renderer->RemoveAllViewProps();
}

void DyadScene::attach(vtkRenderWindow* window)
{
    window->AddRenderer(impl_->renderer);
}

void DyadScene::look_like(const DyadScene& other)
{
    auto& s = *impl_;
    const auto& o = *other.impl_;
    s.form = o.form;
    set_colors(o.map, o.low_is_seen);
    std::array<double, 3> ground{}, line{};
    o.renderer->GetBackground(ground.data());
    o.frame->GetProperty()->GetColor(line.data());
    set_theme(ground, line);
    s.aspect = o.aspect;
    set_grid(o.n);
    if (other.fitted())
        return;
    const auto pose = o.pose();
    auto* c = s.renderer->GetActiveCamera();
    c->SetPosition(pose.position.data());
    c->SetFocalPoint(pose.focus.data());
    c->SetViewUp(pose.up.data());
    c->SetParallelScale(pose.scale);
    s.renderer->ResetCameraClippingRange();
}

void DyadScene::set_grid(const std::array<int, 3>& blocks)
{
    auto& s = *impl_;
    s.n = blocks;
    s.shares.assign(static_cast<std::size_t>(blocks[0]) * static_cast<std::size_t>(blocks[1]) *
                        static_cast<std::size_t>(blocks[2]),
                    0.0F);
    s.changed = true;
    reset_camera();
}

const std::array<int, 3>& DyadScene::grid() const
{
    return impl_->n;
}

void DyadScene::set_values(std::span<const float> shares)
{
    if (shares.size() != impl_->shares.size())
        return;
    std::copy(shares.begin(), shares.end(), impl_->shares.begin());
    impl_->changed = true;
}

void DyadScene::set_colors(const ColorMap& map, bool low_is_seen)
{
    impl_->map = map;
    impl_->low_is_seen = low_is_seen;
    impl_->make_palette();
}

void DyadScene::set_form(DyadForm form)
{
    if (form == impl_->form)
        return;
    impl_->form = form;
    impl_->make_palette();
    reset_camera();
}

DyadForm DyadScene::form() const
{
    return impl_->form;
}

void DyadScene::set_theme(const std::array<double, 3>& ground, const std::array<double, 3>& line)
{
    impl_->renderer->SetBackground(ground[0], ground[1], ground[2]);
    impl_->frame->GetProperty()->SetColor(line[0], line[1], line[2]);
}

void DyadScene::turn(double right, double up)
{
    if (impl_->form == DyadForm::layers)
        return;
    auto* c = impl_->renderer->GetActiveCamera();
    c->Azimuth(-right);
    c->Elevation(up);
    c->OrthogonalizeViewUp();
    impl_->renderer->ResetCameraClippingRange();
}

void DyadScene::zoom(double factor)
{
    impl_->renderer->GetActiveCamera()->Zoom(factor);
}

void DyadScene::reset_camera()
{
    auto& s = *impl_;
    s.axis = -1;
    if (s.form == DyadForm::layers)
        s.lay_out(); // the camera fits the sheet
    s.fit_camera();
    s.lay_out();
    s.draw_frame();
}

bool DyadScene::fitted() const
{
    return impl_->pose() == impl_->fit;
}

void DyadScene::prepare(double aspect)
{
    auto& s = *impl_;
    if (aspect != s.aspect) {
        const bool before = fitted();
        s.aspect = aspect;
        if (before)
            reset_camera();
    }
    if (s.form == DyadForm::volume)
        s.lay_out();
    if (s.changed)
        s.write_texels();
}

} // namespace tawara::scene
