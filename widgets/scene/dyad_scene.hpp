// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"

#include <array>
#include <memory>
#include <span>

class vtkRenderWindow;

namespace tawara::scene {

/// How a cell's dyads are drawn.
enum class DyadForm {
    volume, ///< in their places, seen through where little happens
    layers  ///< layer after layer of z, laid out side by side: none hides another
};

/// A cell's dyads as blocks in colours of a live field. Each is a texel of a stack of layers, so
/// that a picture costs the same however much happens in it. Knows neither Qt nor the engine.
///
/// Blocks are drawn 1 um long and 2.2 um wide and high: a cell of 100 um by 22 um by 22 um has 100
/// x 10 x 10 of them.
///
/// @thread one thread; of the render window's OpenGL context only what attach()ed windows draw
class DyadScene
{
  public:
    DyadScene();
    ~DyadScene();
    DyadScene(const DyadScene&) = delete;
    DyadScene& operator=(const DyadScene&) = delete;

    void attach(vtkRenderWindow* window);
    /// The other's blocks, colours, form, theme and camera as they are now; values come anew.
    void look_like(const DyadScene& other);
    /// Numbers of blocks along x, y, z; block (x, y, z) is number x + nx (y + ny z). The camera
    /// looks at all of them then.
    /// @pre each at least 1; no more than most_blocks in all
    void set_grid(const std::array<int, 3>& blocks);
    const std::array<int, 3>& grid() const;
    static constexpr std::int64_t most_blocks = 1 << 22;
    /// Where each block's value lies in the colour map, from 0 to 1; as many as there are blocks.
    void set_values(std::span<const float> shares);
    /// @param low_is_seen  in a volume low values hide what is behind, else high ones do
    void set_colors(const ColorMap& map, bool low_is_seen);
    void set_form(DyadForm form);
    DyadForm form() const;
    void set_theme(const std::array<double, 3>& ground, const std::array<double, 3>& line);

    /// Turns the camera about the cell [degrees]; volumes alone turn.
    void turn(double right, double up);
    void zoom(double factor);
    void reset_camera();
    /// Whether the camera is where reset_camera() brings it.
    bool fitted() const;
    /// Before each picture of that shape, width over height.
    void prepare(double aspect);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::scene
