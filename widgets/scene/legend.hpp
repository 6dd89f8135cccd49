// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

class vtkRenderer;

namespace tawara::scene {

/// Names on their colours, one beneath the other at the right edge of the view, in place of a
/// colour bar.
class Legend
{
  public:
    using Entry = std::pair<std::string, std::array<std::uint8_t, 3>>;
    explicit Legend(vtkRenderer* renderer) : renderer_(renderer) {}
    void set_entries(const std::vector<Entry>& entries);
    void set_visible(bool on);
    /// Places everything for a view of that size [pixels]; `scale` is the screen's scale factor.
    void layout(int width, int height, double scale);
    /// Pixel from which on the names have the view to themselves; the view's width without any.
    double left() const;

  private:
    void place();

    vtkRenderer* renderer_;
    std::vector<Entry> entries_;
    std::vector<vtkSmartPointer<vtkTextActor>> labels_;
    int width_ = 0, height_ = 0;
    double scale_ = 1;
    bool visible_ = true;
    double widest_ = 0; ///< of the names [pixels]
};

} // namespace tawara::scene
