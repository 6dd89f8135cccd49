// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/network_tubes.hpp"

#include "widgets/scene/clip.hpp"

#include <GL/gl.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLPolyDataMapper.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

namespace tawara::scene {
namespace {

constexpr std::size_t sides = 5;
constexpr float cut_width = 0.45F;
constexpr double mark_size = 1.7; // of the usual radius
/// What is drawn over the wall lies in this part of the depth buffer, which the wall leaves free
/// but for what all but touches the viewer.
constexpr double front_depth = 2e-3;

/// Draws in front of everything, with its own order of depth.
template <class Mapper>
class FrontMapper : public Mapper
{
  public:
    static FrontMapper* New() { VTK_STANDARD_NEW_BODY(FrontMapper); }
    bool Front = true;
    void RenderPieceDraw(vtkRenderer* ren, vtkActor* act) override
    {
        if (Front)
            glDepthRange(0, front_depth);
        Mapper::RenderPieceDraw(ren, act);
        if (Front)
            glDepthRange(0, 1);
    }

  protected:
    FrontMapper() = default;
};

using FrontTubes = FrontMapper<LiveScalarMapper>;
using FrontMarks = FrontMapper<vtkOpenGLPolyDataMapper>;

/// Triangles with normals that are put together vertex by vertex.
struct Triangles
{
    std::vector<float> xyz, normals;
    std::vector<std::array<vtkIdType, 3>> triangles;

    vtkIdType add(const Vec3& p, const Vec3& n)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            xyz.push_back(static_cast<float>(p[k]));
            normals.push_back(static_cast<float>(n[k]));
        }
        return static_cast<vtkIdType>(xyz.size() / 3) - 1;
    }
    vtkSmartPointer<vtkPolyData> poly() const
    {
        const auto array = [](const std::vector<float>& from) {
            vtkNew<vtkFloatArray> a;
            a->SetNumberOfComponents(3);
            a->SetNumberOfTuples(static_cast<vtkIdType>(from.size() / 3));
            std::copy(from.begin(), from.end(), a->GetPointer(0));
            return vtkSmartPointer<vtkFloatArray>(a);
        };
        vtkNew<vtkPoints> points;
        points->SetData(array(xyz));
        vtkNew<vtkCellArray> cells;
        cells->AllocateEstimate(static_cast<vtkIdType>(triangles.size()), 3);
        for (const auto& t : triangles)
            cells->InsertNextCell({t[0], t[1], t[2]});
        auto out = vtkSmartPointer<vtkPolyData>::New();
        out->SetPoints(points);
        out->SetPolys(cells);
        out->GetPointData()->SetNormals(array(normals));
        return out;
    }
};

Vec3 direction(const Vec3& from, const Vec3& to)
{
    const double length = norm(to - from);
    return length > 0 ? (1 / length) * (to - from) : Vec3{0, 0, 1};
}

/// A unit vector across t, as near to `like` as there is one.
Vec3 across(const Vec3& t, const Vec3& like)
{
    const Vec3 u = like - dot(like, t) * t;
    if (norm(u) > 1e-3)
        return normalized(u);
    const Vec3 axis = std::abs(t[0]) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    return normalized(axis - dot(axis, t) * t);
}

/// Rings of vertices around a network's points, and the walls between them.
class TubeMaker
{
  public:
    /// @param only  of which branch; nothing: all
    TubeMaker(const NetworkModel& m, double radius_mm, std::optional<std::int32_t> only)
        : m_(m), radius_mm_(radius_mm), only_(only), end_(m.point_mm.size(), -1),
          up_(m.point_mm.size(), Vec3{1, 0, 0}), next_(m.point_mm.size(), -1)
    {
        for (std::size_t i = 0; i < m.point_mm.size(); ++i)
            if (m.parent[i] >= 0) {
                const auto p = static_cast<std::size_t>(m.parent[i]);
                if (m.branch[i] == m.branch[p] && next_[p] < 0)
                    next_[p] = static_cast<std::int32_t>(i);
            }
        for (std::size_t i = 0; i < m.point_mm.size(); ++i)
            if (m.parent[i] >= 0 && (!only || m.branch[i] == *only))
                piece(i);
    }
    Triangles mesh;
    std::vector<std::int32_t> source; ///< [vertices] the point; -1: of a piece that is cut

  private:
    void piece(std::size_t i)
    {
        const auto p = static_cast<std::size_t>(m_.parent[i]);
        const Vec3 t = direction(m_.point_mm[p], m_.point_mm[i]);
        const bool goes_on = end_[p] >= 0 && m_.branch[i] == m_.branch[p];
        const bool cut = m_.cut[i] != 0 && !only_;
        const double r = radius_mm_ * static_cast<double>(cut ? cut_width : m_.width[i]);
        if (!goes_on)
            up_[p] = across(t, up_[p]);
        const auto from = goes_on ? end_[p] : ring(p, t, up_[p], r, cut);
        const Vec3 bend =
            next_[i] < 0
                ? t
                : direction({0, 0, 0},
                            t + direction(m_.point_mm[i],
                                          m_.point_mm[static_cast<std::size_t>(next_[i])]));
        up_[i] = across(bend, up_[p]);
        end_[i] = ring(i, bend, up_[i], r, cut);
        for (std::size_t k = 0; k < sides; ++k) {
            const auto a = from + static_cast<vtkIdType>(k),
                       b = from + static_cast<vtkIdType>((k + 1) % sides),
                       c = end_[i] + static_cast<vtkIdType>(k),
                       d = end_[i] + static_cast<vtkIdType>((k + 1) % sides);
            mesh.triangles.push_back({a, b, d});
            mesh.triangles.push_back({a, d, c});
        }
    }
    vtkIdType ring(std::size_t point, const Vec3& t, const Vec3& up, double r, bool cut)
    {
        const Vec3 side = cross(t, up);
        vtkIdType first = -1;
        for (std::size_t k = 0; k < sides; ++k) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(k) / sides;
            const Vec3 n = std::cos(angle) * up + std::sin(angle) * side;
            const auto v = mesh.add(m_.point_mm[point] + r * n, n);
            first = k == 0 ? v : first;
            source.push_back(cut ? -1 : static_cast<std::int32_t>(point));
        }
        return first;
    }

    const NetworkModel& m_;
    double radius_mm_;
    std::optional<std::int32_t> only_;
    std::vector<vtkIdType> end_; ///< [points] first vertex of the ring at its piece's end
    std::vector<Vec3> up_;
    std::vector<std::int32_t> next_; ///< [points] that goes on in the same branch; -1: none
};

} // namespace

NetworkTubes::NetworkTubes(vtkRenderer* renderer)
    : tube_mapper_(vtkSmartPointer<FrontTubes>::New()),
      mark_mapper_(vtkSmartPointer<FrontMarks>::New()),
      shown_mapper_(vtkSmartPointer<FrontMarks>::New())
{
    tubes_->SetMapper(tube_mapper_);
    marks_actor_->SetMapper(mark_mapper_);
    shown_actor_->SetMapper(shown_mapper_);
    shown_mapper_->ScalarVisibilityOff();
    shown_actor_->GetProperty()->SetColor(1, 1, 1);
    for (auto* a : {marks_actor_.Get(), shown_actor_.Get()}) {
        auto* p = a->GetProperty();
        p->SetAmbient(0.45);
        p->SetDiffuse(0.6);
        p->SetSpecular(0);
    }
    for (auto* a : {tubes_.Get(), marks_actor_.Get(), shown_actor_.Get()}) {
        a->VisibilityOff();
        renderer->AddActor(a);
    }
    apply_look();
}

void NetworkTubes::set_model(NetworkModelPtr model, double radius_mm)
{
    const bool same = model && model_ && model->point_mm == model_->point_mm;
    model_ = std::move(model);
    radius_mm_ = radius_mm;
    if (!same) {
        shown_.reset();
        marks_.clear();
        values_.clear();
    }
    make_tubes();
    make_marks();
    make_shown();
    apply_look();
}

void NetworkTubes::make_tubes()
{
    source_.clear();
    changed_ = true;
    if (!model_)
        return;
    const TubeMaker tubes(*model_, radius_mm_, {});
    tube_mapper_->SetInputData(tubes.mesh.poly());
    source_ = tubes.source;
}

void NetworkTubes::set_values(std::span<const float> values)
{
    values_.assign(values.begin(), values.end());
    changed_ = true;
}

void NetworkTubes::set_marks(std::vector<std::array<std::uint8_t, 3>> colors)
{
    if (marks_ == colors)
        return;
    marks_ = std::move(colors);
    make_marks();
    apply_look();
}

void NetworkTubes::make_marks()
{
    if (!model_)
        return;
    // octahedra
    constexpr std::array<std::array<vtkIdType, 3>, 8> faces{
        {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    Triangles t;
    vtkNew<vtkUnsignedCharArray> rgb;
    rgb->SetNumberOfComponents(3);
    const double r = mark_size * radius_mm_;
    for (std::size_t k = 0; k < std::min(marks_.size(), model_->marked.size()); ++k) {
        const Vec3& p = model_->point_mm[static_cast<std::size_t>(model_->marked[k])];
        const auto first = static_cast<vtkIdType>(t.xyz.size() / 3);
        for (std::size_t corner = 0; corner < 6; ++corner) {
            Vec3 n{};
            n[corner / 2] = corner % 2 == 0 ? 1 : -1;
            t.add(p + r * n, n);
            rgb->InsertNextTypedTuple(marks_[k].data());
        }
        for (const auto& f : faces)
            t.triangles.push_back({first + f[0], first + f[1], first + f[2]});
    }
    const auto poly = t.poly();
    poly->GetPointData()->SetScalars(rgb);
    mark_mapper_->SetInputData(poly);
}

void NetworkTubes::show_branch(std::optional<std::int32_t> branch)
{
    if (branch == shown_)
        return;
    shown_ = branch;
    make_shown();
    apply_look();
}

void NetworkTubes::make_shown()
{
    constexpr double wider = 1.6;
    if (model_ && shown_)
        shown_mapper_->SetInputData(TubeMaker(*model_, wider * radius_mm_, shown_).mesh.poly());
}

void NetworkTubes::set_look(NetworkLook look)
{
    look_ = look;
    apply_look();
}

void NetworkTubes::apply_look()
{
    const bool on = model_ && !model_->point_mm.empty() && look_ != NetworkLook::off;
    const bool front = look_ == NetworkLook::top;
    tubes_->SetVisibility(on);
    marks_actor_->SetVisibility(on && !marks_.empty() && !model_->marked.empty());
    shown_actor_->SetVisibility(on && shown_.has_value());
    static_cast<FrontTubes*>(tube_mapper_.Get())->Front = front;
    static_cast<FrontMarks*>(mark_mapper_.Get())->Front = front;
    static_cast<FrontMarks*>(shown_mapper_.Get())->Front = front;
    for (vtkMapper* m :
         {static_cast<vtkMapper*>(tube_mapper_.Get()), static_cast<vtkMapper*>(mark_mapper_.Get()),
          static_cast<vtkMapper*>(shown_mapper_.Get())})
        clip_by(*m, front ? std::nullopt : clip_);
}

void NetworkTubes::set_colors(const ColorMap& map, double low, double high)
{
    tube_mapper_->SetColorMap(map);
    tube_mapper_->SetLiveRange(static_cast<float>(low), static_cast<float>(high));
}

void NetworkTubes::set_style(const LiveScalarMapper::Style& style)
{
    auto own = style;
    own.isochrones = 0;
    own.plain = false;
    own.flat = false;
    tube_mapper_->SetStyle(own);
}

void NetworkTubes::set_clip(const std::optional<Plane>& plane)
{
    clip_ = plane;
    apply_look();
}

void NetworkTubes::look_like(const NetworkTubes& other)
{
    clip_ = other.clip_;
    look_ = other.look_;
    set_model(other.model_, other.radius_mm_);
    set_values(other.values_);
    set_marks(other.marks_);
}

void NetworkTubes::prepare()
{
    if (!tubes_->GetVisibility() || !(changed_ || tube_mapper_->LostValues()))
        return;
    const bool known = values_.size() == model_->point_mm.size();
    vertex_values_.assign(source_.size(), LiveScalarMapper::unset);
    for (std::size_t v = 0; known && v < source_.size(); ++v)
        if (source_[v] >= 0)
            if (const float x = values_[static_cast<std::size_t>(source_[v])]; std::isfinite(x))
                vertex_values_[v] = x;
    tube_mapper_->Upload(vertex_values_);
    changed_ = false;
}

} // namespace tawara::scene
