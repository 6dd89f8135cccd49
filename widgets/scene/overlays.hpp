// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/live_scalar_mapper.hpp"
#include "widgets/scene/outline.hpp"
#include "widgets/scene/section.hpp"
#include "widgets/scene/streamlines.hpp"

#include <memory>
#include <optional>
#include <vtkActor.h>
#include <vtkNew.h>
#include <vtkPlane.h>

class vtkRenderer;

namespace tawara::scene {

/// What is shown besides the wall: the cut face of a clip plane or a slice, the boundary of
/// depolarised tissue, fibres, arrows, filaments.
///
/// @thread that of the scene; prepare() needs the OpenGL context
class Overlays
{
  public:
    explicit Overlays(vtkRenderer* renderer);

    /// A face inside the mesh in the colours of a field of the mesh's vertices; null takes it away.
    void set_face(std::shared_ptr<const Section> face, const Vec3& normal);
    const Section* face() const { return face_.get(); }
    /// What the face shows: one value per vertex of the mesh. Where there is none, and everywhere
    /// when there are none at all, it has the colour of `never`.
    void set_face_values(std::span<const float> vertex_values, bool cyclic = false);
    /// The same with one value per tetrahedron, which is not smoothed: numbers of parts.
    void set_face_parts(std::span<const float> tetrahedron_values);
    /// What the corners of the face's triangles show, three each.
    std::span<const float> face_values() const { return face_values_; }
    void set_colors(const ColorMap& map, double low, double high);
    void set_style(const LiveScalarMapper::Style& style) { face_mapper_->SetStyle(style); }

    /// Takes of the boundary of depolarised tissue and of lines what lies on the side that the
    /// plane's normal points to.
    void set_clip(const std::optional<Plane>& plane);
    void set_depolarised(std::shared_ptr<const Section> surface, double opacity);
    /// Lines coloured by their values through a map.
    enum class Kind { fibres, arrows, filaments };
    void set_lines(Kind kind, const Lines& lines, const ColorMap& map, double low, double high,
                   double width);
    /// The outline of scar on the wall, without what a clip plane takes away; none of it: nothing.
    void set_scar(const Outline& outline, const std::optional<Plane>& clip);
    void clear();
    /// Shows the same, for another window; the face's colours are set apart.
    void look_like(const Overlays& other);

    /// Writes the face's values.
    void prepare();

  private:
    static void share(vtkActor* to, vtkActor* from);
    vtkActor* lines_actor(Kind kind) { return line_actors_[static_cast<std::size_t>(kind)]; }

    std::optional<Plane> clip_;
    std::shared_ptr<const Section> face_;
    Vec3 face_normal_{0, 0, 1};
    std::vector<float> face_values_, carried_;
    bool face_changed_ = false;
    vtkNew<LiveScalarMapper> face_mapper_;
    vtkNew<vtkActor> face_actor_, depolarised_;
    std::array<vtkNew<vtkActor>, 3> line_actors_;
    std::array<vtkNew<vtkActor>, 2> scar_; // dark, light
};

} // namespace tawara::scene
