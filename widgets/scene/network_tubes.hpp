// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/live_scalar_mapper.hpp"
#include "widgets/scene/section.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>
#include <vtkActor.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>
#include <vtkSmartPointer.h>

class vtkRenderer;

namespace tawara::scene {

/// Tubes in space that branch, and marks on some of their points. Immutable.
struct NetworkModel
{
    std::vector<Vec3> point_mm;
    std::vector<std::int32_t> parent; ///< [points] -1: a root, else a point before
    std::vector<std::int32_t> branch; ///< [points] of the piece from the parent
    std::vector<float> width;         ///< [points] of that piece: factor on the usual radius
    std::vector<char> cut;            ///< [points] whether that piece is cut
    std::vector<std::int32_t> marked; ///< points with a mark (junctions)
};
using NetworkModelPtr = std::shared_ptr<const NetworkModel>;

/// How the network is drawn: not at all; where it lies, hidden by the wall before it; over the
/// wall.
enum class NetworkLook { off, inside, top };

/// A Purkinje network as tubes in the colours of a live field, with its junctions as small marks.
/// What is cut is thin and grey.
///
/// @thread that of the scene; prepare() needs the OpenGL context
class NetworkTubes
{
  public:
    explicit NetworkTubes(vtkRenderer* renderer);

    /// Another network, or null. Values, marks and the shown branch are gone then, unless it has
    /// the same points.
    /// @param radius_mm  the usual one
    /// @cost  linear, about 1 ms per 1000 points
    void set_model(NetworkModelPtr model, double radius_mm);
    const NetworkModelPtr& model() const { return model_; }
    /// One value per point; what is not finite is grey, and so is all of another number.
    void set_values(std::span<const float> values);
    std::span<const float> values() const { return values_; }
    /// sRGB of each mark; marks without one are not drawn.
    void set_marks(std::vector<std::array<std::uint8_t, 3>> colors);
    const std::vector<std::array<std::uint8_t, 3>>& marks() const { return marks_; }
    void set_look(NetworkLook look);
    NetworkLook look() const { return look_; }
    void set_colors(const ColorMap& map, double low, double high);
    /// Isochrones are not drawn on it.
    void set_style(const LiveScalarMapper::Style& style);
    /// What lies in front is not drawn, unless the network is drawn over the wall.
    void set_clip(const std::optional<Plane>& plane);
    /// A branch that stands out, because the mouse is over it; nothing: none.
    void show_branch(std::optional<std::int32_t> branch);
    std::optional<std::int32_t> shown_branch() const { return shown_; }
    void clear() { set_model(nullptr, 1); }
    /// Shows the same, for another window.
    void look_like(const NetworkTubes& other);

    /// Writes the values.
    void prepare();

  private:
    void make_tubes();
    void make_marks();
    void make_shown();
    void apply_look();

    NetworkModelPtr model_;
    double radius_mm_ = 1;
    NetworkLook look_ = NetworkLook::top;
    std::optional<Plane> clip_;
    std::optional<std::int32_t> shown_;
    std::vector<float> values_;        ///< [points]
    std::vector<std::int32_t> source_; ///< [vertices of the tubes] point; -1: grey
    std::vector<float> vertex_values_;
    std::vector<std::array<std::uint8_t, 3>> marks_;
    bool changed_ = false;
    vtkSmartPointer<LiveScalarMapper> tube_mapper_;
    vtkSmartPointer<vtkPolyDataMapper> mark_mapper_, shown_mapper_;
    vtkNew<vtkActor> tubes_, marks_actor_, shown_actor_;
};

} // namespace tawara::scene
