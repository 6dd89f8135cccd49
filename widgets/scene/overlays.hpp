// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/live_scalar_mapper.hpp"
#include "widgets/scene/section.hpp"
#include "widgets/scene/streamlines.hpp"

#include <memory>
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
    /// @pre  one value per vertex of the mesh
    void set_face_values(std::span<const float> vertex_values);
    void set_colors(const ColorMap& map, double low, double high);

    void set_depolarised(std::shared_ptr<const Section> surface, double opacity);
    /// Lines coloured by their values through a map.
    enum class Kind { fibres, arrows, filaments };
    void set_lines(Kind kind, const Lines& lines, const ColorMap& map, double low, double high,
                   double width);
    void clear();

    /// Writes the face's values.
    void prepare();

  private:
    vtkActor* lines_actor(Kind kind) { return line_actors_[static_cast<std::size_t>(kind)]; }

    std::shared_ptr<const Section> face_;
    std::vector<float> face_values_;
    bool face_changed_ = false;
    vtkNew<LiveScalarMapper> face_mapper_;
    vtkNew<vtkActor> face_actor_, depolarised_;
    std::array<vtkNew<vtkActor>, 3> line_actors_;
};

} // namespace tawara::scene
