// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"
#include "engine/mesh/surface.hpp"
#include "widgets/scene/annotations.hpp"
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/display_source.hpp"
#include "widgets/scene/heart_model.hpp"
#include "widgets/scene/legend.hpp"
#include "widgets/scene/live_scalar_mapper.hpp"
#include "widgets/scene/section.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

class vtkRenderer;
class vtkRenderWindow;

namespace tawara::scene {

/// A place on the wall.
struct Pick
{
    Vec3 position_mm{};
    Vec3 normal{};             ///< outward
    std::int64_t triangle = 0; ///< of mesh::Surface
    std::int32_t vertex = 0;   ///< nearest vertex of that triangle, of mesh::Surface
};

/// A probe, pacing site, electrode, or the cell that is looked into; in its colour.
struct Marker
{
    enum class Kind { probe, site, electrode, cell };
    std::uint64_t id = 0; ///< of its kind
    std::string name;
    Vec3 position_mm{};
    std::array<double, 3> color{1, 1, 1};
    Kind kind = Kind::probe;
    bool chosen = false; ///< drawn larger
    bool operator==(const Marker&) const = default;
};

/// Colours of everything but the heart.
struct SceneTheme
{
    std::array<double, 3> background_low{0.035, 0.043, 0.062}, background_high{0.115, 0.135, 0.175};
    std::array<double, 3> text{0.84, 0.87, 0.91};
};

/// Where the camera stands and how it looks; linked views share it.
struct CameraPose
{
    Vec3 position{}, focal_point{}, up{0, 0, 1};
    bool fitted = false; ///< nobody moved it since it was fitted: it fits again in another size
    bool operator==(const CameraPose&) const = default;
};

class NetworkTubes;
class Overlays;

enum class View { anterior, posterior, left, right, superior, inferior, oblique };

/// The picture: a heart's wall in the colours of a live field, colour bar, time stamp, orientation
/// axes, probe markers, stimulus flashes. A VTK pipeline that knows neither Qt nor the engine.
///
/// @thread one thread; the members that say so need the render window's OpenGL context
class HeartScene
{
  public:
    HeartScene();
    ~HeartScene();
    HeartScene(const HeartScene&) = delete;
    HeartScene& operator=(const HeartScene&) = delete;

    /// Adds the scene's renderers to a window.
    void attach(vtkRenderWindow* window);
    vtkRenderer* renderer() const;

    /// Shows another wall, at rest, and looks at the whole of it. An empty surface shows nothing.
    void set_surface(const mesh::TetMesh& m, const mesh::Surface& s);
    /// The same with a wall that was made ready elsewhere; null shows nothing.
    /// @cost  next to nothing
    void set_model(HeartModelPtr model);
    const HeartModelPtr& model() const;
    void clear();
    bool empty() const;
    std::int64_t triangle_count() const;

    /// Values for the vertices of the surface, e.g. V [mV]; the next prepare() writes them.
    /// @pre  as many as mesh::Surface::vertices; values that are not finite show as "never"
    void set_values(std::span<const float> values);
    /// What set_live() takes values from; null for none.
    /// @pre  the context of the former one is current, if it has written
    void set_source(std::unique_ptr<DisplaySource> source);
    bool has_source() const;
    /// From now on each prepare() lets the source write the newest values, until set_values().
    /// Nothing without a source.
    void set_live();
    /// Time of the values that the source wrote last, as long as they are what is shown [ms].
    std::optional<double> live_time() const;
    /// Why the source could not write; empty while it can.
    std::string source_error() const;
    /// Fields that the source has written.
    std::uint64_t live_writes() const;
    /// Lets the source forget the buffer, before the context goes.
    /// @pre  the context is current
    void release_source();
    /// The field's colours.
    void set_color_map(std::string_view name);
    void set_color_map(const ColorMap& map);
    void set_style(const LiveScalarMapper::Style& style);
    void set_opacity(double opacity);
    /// Takes away what lies on the side of the plane to which its normal points.
    void set_clip(const std::optional<Plane>& plane);
    Overlays& overlays();
    /// The Purkinje network, in the same colours as the wall.
    NetworkTubes& network();
    void set_range(double low, double high);
    void set_title(const std::string& quantity);
    /// Text at the top left; empty for none.
    void set_time_text(const std::string& text);
    /// A remark below it, about what is not shown; empty for none.
    void set_note(const std::string& text);
    /// Whether the scene, where it writes itself, had no room for all of that in the last picture.
    bool note_cut() const;
    void set_theme(const SceneTheme& theme);
    void set_annotations(bool on);
    /// Whether the scene writes what it says itself (time, remark, bar, legend, names of markers);
    /// else who shows it does, written() says what. It does by default.
    void set_texts(bool on);
    bool texts() const;
    /// Whether the annotations hold the orientation axes; they do by default.
    void set_axes(bool on);
    /// What is to be written over the picture of the last prepare().
    Annotations written() const;
    /// Whether the colour bar is among the annotations.
    void set_bar(bool on);
    /// Names with their colours in place of the bar; none by default.
    void set_legend(const std::vector<Legend::Entry>& entries);
    /// Nothing behind the heart, for pictures with a transparent background.
    void set_background(bool on);

    /// Shows the same heart in the same way from the same place; takes no source, flash or brush.
    /// @pre  nothing of `other` is being drawn; the two may belong to different windows
    void look_like(const HeartScene& other);

    void set_markers(std::span<const Marker> markers);
    /// The marker nearest to a pixel, within that many pixels, that the wall does not hide; no
    /// cell.
    std::optional<Marker> marker_at(double x, double y, double within) const;
    /// Lights up a ball of tissue; it fades within a second of calls of advance_flashes().
    void flash(const Vec3& centre_mm, double radius_mm);
    /// Lets wall time pass for the flashes. True while one still glows.
    bool advance_flashes(double seconds);
    /// Where the next stimulus would act; nothing hides it.
    void set_brush(std::optional<Vec3> centre_mm, double radius_mm);

    /// What lies under a pixel (VTK display coordinates, origin at the bottom left): the wall's
    /// point nearest to the viewer, or nothing. Needs no context.
    /// @cost  some microseconds, logarithmic in the triangles
    std::optional<Pick> pick(double x, double y) const;
    /// The point of the network to whose piece a pixel is nearest, within that many pixels and
    /// where it is seen; nothing: there is none.
    /// @cost  linear in the network's points, some 50 us per 1000
    std::optional<std::int32_t> network_at(double x, double y, double within) const;
    /// The pixel that shows a point.
    std::array<double, 2> project(const Vec3& position_mm) const;

    CameraPose camera() const;
    void set_camera(const CameraPose& pose);
    /// Points the camera along a direction (from the heart to the viewer) and fits the wall.
    void look_from(const Vec3& from, const Vec3& up);
    void look(View view);
    void reset_camera() { look(View::oblique); }

    /// Writes what has changed to the GPU and places the annotations.
    /// @param width,height  of the picture [pixels]
    /// @param scale   pixels per unit of the sizes of texts and lines
    /// @param aspect  width over height that the wall is fitted to; 0: the picture's. A view that
    ///                draws with fewer pixels for a while gives its own: rounding moves no camera.
    /// @pre   the window's OpenGL context is current; called before each Render()
    void prepare(int width, int height, double scale, double aspect = 0);
    /// OpenGL buffer of the values, and the surface vertex that each of its floats shows.
    /// @pre   the context is current
    unsigned int gl_buffer();
    std::span<const std::int32_t> gl_buffer_sources() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::scene
