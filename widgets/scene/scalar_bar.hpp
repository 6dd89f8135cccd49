// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"

#include <string>
#include <vector>
#include <vtkActor2D.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

class vtkRenderer;

namespace tawara::scene {

/// A vertical colour bar at the right edge of the view: title, colours, round ticks.
class ScalarBar
{
  public:
    explicit ScalarBar(vtkRenderer* renderer);
    void set_title(const std::string& title);
    void set_map(const ColorMap& map);
    void set_range(double low, double high);
    void set_text_color(double r, double g, double b);
    void set_visible(bool on);
    /// Places everything for a view of that size [pixels]; `scale` is the screen's scale factor.
    void layout(int width, int height, double scale);
    /// Pixel from which on the bar has the view to itself; the view's width where there is none.
    double left() const;
    /// Where its title begins; the width where it is not shown.
    double title_left() const;

  private:
    void place();
    bool room() const;

    vtkRenderer* renderer_;
    ColorMap map_;
    double low_ = -90, high_ = 40;
    int width_ = 0, height_ = 0;
    double scale_ = 1;
    double edge_ = 0; ///< distance of the bar from the right edge [pixels]: its numbers have room
    bool visible_ = true;
    double text_[3] = {0.85, 0.87, 0.9};
    vtkNew<vtkPolyData> colors_, lines_;
    vtkNew<vtkActor2D> color_actor_, line_actor_;
    vtkNew<vtkTextActor> title_;
    std::vector<vtkSmartPointer<vtkTextActor>> labels_;
};

/// A number beside the bar: plain below ten million, with as many digits as tell it from the next
/// one, which is `step` away.
std::string tick_text(double value, double step = 0);
/// Of all ticks of round_ticks().
std::vector<std::string> tick_texts(const std::vector<double>& ticks);

/// A text of the scene in its one style: sans, no shadow.
void style_text(vtkTextActor* text, double points, double scale, const double color[3]);

} // namespace tawara::scene
