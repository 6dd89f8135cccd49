// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/overlays.hpp"

#include "widgets/scene/clip.hpp"

#include <GL/gl.h>
#include <algorithm>
#include <cmath>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLPolyDataMapper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkPlaneCollection.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

namespace tawara::scene {
namespace {

vtkSmartPointer<vtkPolyData> poly_data(const Section& s, const Vec3* flat_normal)
{
    const auto n = static_cast<vtkIdType>(s.at.size());
    std::vector<Vec3> normal(s.at.size(), flat_normal != nullptr ? *flat_normal : Vec3{});
    const auto place = [&](std::int32_t v) {
        const auto i = 3 * static_cast<std::size_t>(v);
        return Vec3{s.points[i], s.points[i + 1], s.points[i + 2]};
    };
    vtkNew<vtkCellArray> cells;
    cells->AllocateEstimate(static_cast<vtkIdType>(s.triangles.size()), 3);
    for (const auto& t : s.triangles) {
        cells->InsertNextCell({t[0], t[1], t[2]});
        if (flat_normal != nullptr)
            continue;
        const Vec3 c = cross(place(t[1]) - place(t[0]), place(t[2]) - place(t[0]));
        for (auto v : t) {
            auto& sum = normal[static_cast<std::size_t>(v)];
            sum = sum + c;
        }
    }
    vtkNew<vtkFloatArray> xyz, normals;
    for (auto* a : {xyz.Get(), normals.Get()}) {
        a->SetNumberOfComponents(3);
        a->SetNumberOfTuples(n);
    }
    std::copy(s.points.begin(), s.points.end(), xyz->GetPointer(0));
    for (std::size_t i = 0; i < normal.size(); ++i) {
        const Vec3 u = norm(normal[i]) > 0 ? normalized(normal[i]) : Vec3{0, 0, 1};
        for (std::size_t k = 0; k < 3; ++k)
            normals->GetPointer(0)[3 * i + k] = static_cast<float>(u[k]);
    }
    vtkNew<vtkPoints> points;
    points->SetData(xyz);
    auto poly = vtkSmartPointer<vtkPolyData>::New();
    poly->SetPoints(points);
    poly->SetPolys(cells);
    poly->GetPointData()->SetNormals(normals);
    return poly;
}

/// Draws the nearest layer of a surface alone, blended over what is there with the actor's opacity.
/// What is drawn later is hidden behind it.
class NearestLayerMapper : public vtkOpenGLPolyDataMapper
{
  public:
    static NearestLayerMapper* New();
    vtkTypeMacro(NearestLayerMapper, vtkOpenGLPolyDataMapper) // with no semicolon: -Wpedantic
        void RenderPieceDraw(vtkRenderer* ren, vtkActor* act) override
    {
        auto* state = vtkOpenGLRenderWindow::SafeDownCast(ren->GetRenderWindow())->GetState();
        const vtkOpenGLState::ScopedglDepthMask depth_mask(state);
        const vtkOpenGLState::ScopedglDepthFunc depth_func(state);
        const vtkOpenGLState::ScopedglColorMask color_mask(state);
        state->vtkglDepthMask(GL_TRUE);
        state->vtkglDepthFunc(GL_LEQUAL); // the second time its depth is that of the first
        state->vtkglColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        Superclass::RenderPieceDraw(ren, act);
        state->vtkglColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        Superclass::RenderPieceDraw(ren, act);
    }

  protected:
    NearestLayerMapper() = default;
};

vtkStandardNewMacro(NearestLayerMapper);

} // namespace

Overlays::Overlays(vtkRenderer* renderer)
{
    face_actor_->SetMapper(face_mapper_);
    face_actor_->VisibilityOff();
    renderer->AddActor(face_actor_);
    depolarised_->VisibilityOff();
    auto* p = depolarised_->GetProperty();
    // lighter than any wall that it is seen through, mostly by light of its own
    p->SetColor(1.0, 0.97, 0.74);
    p->SetAmbient(0.7);
    p->SetDiffuse(0.3);
    p->SetSpecular(0);
    renderer->AddActor(depolarised_);
    for (auto& a : line_actors_) {
        a->VisibilityOff();
        a->GetProperty()->LightingOff();
        renderer->AddActor(a);
    }
    scar_[0]->GetProperty()->SetColor(0.10, 0.11, 0.13);
    scar_[1]->GetProperty()->SetColor(0.93, 0.94, 0.95);
    for (auto& a : scar_) {
        a->VisibilityOff();
        a->GetProperty()->LightingOff();
        renderer->AddActor(a);
    }
}

void Overlays::set_face(std::shared_ptr<const Section> face, const Vec3& normal)
{
    if (face && face == face_)
        return;
    face_ = std::move(face);
    face_normal_ = normal;
    const bool on = face_ && !face_->triangles.empty();
    face_actor_->SetVisibility(on);
    if (!on)
        return;
    // each triangle has corners of its own: parts may change from one to the next
    Section apart;
    for (const auto& t : face_->triangles) {
        const auto n = static_cast<std::int32_t>(apart.at.size());
        apart.triangles.push_back({n, n + 1, n + 2});
        for (auto v : t) {
            const auto* p = &face_->points[3 * static_cast<std::size_t>(v)];
            apart.points.insert(apart.points.end(), p, p + 3);
            apart.at.push_back(0);
        }
    }
    face_mapper_->SetInputData(poly_data(apart, &normal));
    set_face_values({});
}

void Overlays::set_face_values(std::span<const float> vertex_values, bool cyclic)
{
    if (!face_ || face_->at.empty())
        return;
    face_values_.assign(3 * face_->triangles.size(), LiveScalarMapper::unset);
    face_changed_ = true;
    const auto last = *std::max_element(face_->to.begin(), face_->to.end());
    if (static_cast<std::size_t>(last) >= vertex_values.size())
        return;
    face_->carry(vertex_values, carried_, cyclic);
    for (std::size_t k = 0; k < face_->triangles.size(); ++k)
        for (std::size_t c = 0; c < 3; ++c)
            if (const float v = carried_[static_cast<std::size_t>(face_->triangles[k][c])];
                std::isfinite(v))
                face_values_[3 * k + c] = v;
}

void Overlays::set_face_parts(std::span<const float> tetrahedron_values)
{
    set_face_values({});
    if (!face_)
        return;
    for (std::size_t k = 0; k < face_->triangles.size(); ++k)
        if (const auto t = static_cast<std::size_t>(face_->tetrahedron[k]);
            t < tetrahedron_values.size())
            std::fill_n(&face_values_[3 * k], 3, tetrahedron_values[t]);
}

void Overlays::set_colors(const ColorMap& map, double low, double high)
{
    face_mapper_->SetColorMap(map);
    face_mapper_->SetLiveRange(static_cast<float>(low), static_cast<float>(high));
}

void Overlays::set_depolarised(std::shared_ptr<const Section> surface, double opacity)
{
    const bool on = surface && !surface->triangles.empty();
    depolarised_->SetVisibility(on);
    if (!on)
        return;
    vtkNew<NearestLayerMapper> mapper;
    mapper->ScalarVisibilityOff();
    mapper->SetInputData(poly_data(*surface, nullptr));
    clip_by(*mapper, clip_);
    depolarised_->SetMapper(mapper);
    depolarised_->GetProperty()->SetOpacity(opacity);
}

void Overlays::set_clip(const std::optional<Plane>& plane)
{
    clip_ = plane;
    const auto apply = [&plane](vtkActor* actor) {
        if (auto* mapper = actor->GetMapper())
            clip_by(*mapper, plane);
    };
    apply(depolarised_);
    for (auto& a : line_actors_)
        apply(a);
}

void Overlays::set_lines(Kind kind, const Lines& lines, const ColorMap& map, double low,
                         double high, double width)
{
    auto* actor = lines_actor(kind);
    actor->SetVisibility(lines.count() > 0);
    if (lines.count() == 0)
        return;
    vtkNew<vtkFloatArray> xyz;
    xyz->SetNumberOfComponents(3);
    xyz->SetNumberOfTuples(static_cast<vtkIdType>(lines.values.size()));
    std::copy(lines.points.begin(), lines.points.end(), xyz->GetPointer(0));
    vtkNew<vtkUnsignedCharArray> rgb;
    rgb->SetNumberOfComponents(3);
    for (float v : lines.values) {
        const double t = std::clamp((static_cast<double>(v) - low) / (high - low), 0.0, 1.0);
        rgb->InsertNextTypedTuple(map.colors[static_cast<std::size_t>(t * 255)].data());
    }
    vtkNew<vtkCellArray> cells;
    for (std::size_t k = 0; k + 1 < lines.starts.size(); ++k) {
        cells->InsertNextCell(lines.starts[k + 1] - lines.starts[k]);
        for (auto i = lines.starts[k]; i < lines.starts[k + 1]; ++i)
            cells->InsertCellPoint(i);
    }
    vtkNew<vtkPoints> points;
    points->SetData(xyz);
    vtkNew<vtkPolyData> poly;
    poly->SetPoints(points);
    poly->SetLines(cells);
    poly->GetPointData()->SetScalars(rgb);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(poly);
    // in front of the wall that they lie on
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(0, -4);
    clip_by(*mapper, clip_);
    actor->SetMapper(mapper);
    actor->GetProperty()->SetLineWidth(static_cast<float>(width));
}

void Overlays::set_scar(const Outline& outline, const std::optional<Plane>& clip)
{
    for (std::size_t k = 0; k < scar_.size(); ++k) {
        const auto& corners = k == 0 ? outline.dark : outline.light;
        scar_[k]->SetVisibility(!corners.empty());
        if (corners.empty())
            continue;
        const auto n = static_cast<vtkIdType>(corners.size() / 3);
        vtkNew<vtkFloatArray> xyz;
        xyz->SetNumberOfComponents(3);
        xyz->SetNumberOfTuples(n);
        std::copy(corners.begin(), corners.end(), xyz->GetPointer(0));
        vtkNew<vtkPoints> points;
        points->SetData(xyz);
        vtkNew<vtkCellArray> quads;
        for (vtkIdType i = 0; i < n; i += 4)
            quads->InsertNextCell({i, i + 1, i + 2, i + 3});
        vtkNew<vtkPolyData> poly;
        poly->SetPoints(points);
        poly->SetPolys(quads);
        vtkNew<vtkPolyDataMapper> mapper;
        mapper->SetInputData(poly);
        clip_by(*mapper, clip);
        scar_[k]->SetMapper(mapper);
    }
}

void Overlays::share(vtkActor* to, vtkActor* from)
{
    to->SetVisibility(from->GetVisibility());
    auto* drawn = vtkPolyDataMapper::SafeDownCast(from->GetMapper());
    if (drawn == nullptr || !from->GetVisibility())
        return;
    // with buffers of its own
    const auto mapper = vtkSmartPointer<vtkPolyDataMapper>::Take(drawn->NewInstance());
    // what mappers of this class are told, and no more: VTK's own copy asks for shader code by
    // ways that it warns of
    mapper->SetScalarVisibility(drawn->GetScalarVisibility());
    double factor = 0, units = 0;
    drawn->GetRelativeCoincidentTopologyLineOffsetParameters(factor, units);
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(factor, units);
    if (auto* planes = drawn->GetClippingPlanes())
        for (int k = 0; k < planes->GetNumberOfItems(); ++k)
            mapper->AddClippingPlane(planes->GetItem(k)); // the collection is each one's own
    mapper->SetInputData(drawn->GetInput());
    to->SetMapper(mapper);
    to->GetProperty()->DeepCopy(from->GetProperty());
}

void Overlays::look_like(const Overlays& other)
{
    set_face(other.face_, other.face_normal_);
    face_values_ = other.face_values_;
    face_changed_ = true;
    face_actor_->SetVisibility(other.face_actor_->GetVisibility());
    share(depolarised_, other.depolarised_);
    for (std::size_t k = 0; k < line_actors_.size(); ++k)
        share(line_actors_[k], other.line_actors_[k]);
    for (std::size_t k = 0; k < scar_.size(); ++k)
        share(scar_[k], other.scar_[k]);
}

void Overlays::clear()
{
    set_face({}, {0, 0, 1});
    depolarised_->VisibilityOff();
    for (auto& a : line_actors_)
        a->VisibilityOff();
    set_scar({}, {});
}

void Overlays::prepare()
{
    if (!face_actor_->GetVisibility() || !(face_changed_ || face_mapper_->LostValues()))
        return;
    face_mapper_->Upload(face_values_);
    face_changed_ = false;
}

} // namespace tawara::scene
