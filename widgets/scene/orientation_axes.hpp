// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class vtkRenderer;
class vtkRenderWindow;

namespace tawara::scene {

/// Axes in the lower left corner that turn with the camera of another renderer. Layer 1 of the
/// window.
class OrientationAxes
{
  public:
    OrientationAxes();
    ~OrientationAxes();
    void attach(vtkRenderWindow* window, vtkRenderer* followed);
    void set_visible(bool on);
    void set_text_color(double r, double g, double b);
    void layout(int width, int height, double scale);
    /// Whether the letters are drawn.
    void set_texts(bool on);
    /// The letters with their middles [pixels, from the bottom left], nearest last, for the camera
    /// as it is; none before attach().
    std::vector<std::pair<std::string, std::array<double, 2>>> letters() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::scene
