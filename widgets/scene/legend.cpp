// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/legend.hpp"

#include "widgets/scene/scalar_bar.hpp"

#include <algorithm>
#include <vtkRenderer.h>
#include <vtkTextProperty.h>

namespace tawara::scene {
namespace {

constexpr double row_px = 23, edge_px = 14, points = 13;
constexpr double widest = 0.36, least_px = 70; // of the view
constexpr double ink[3] = {0.07, 0.08, 0.1}, light_ink[3] = {0.97, 0.98, 1};

} // namespace

void Legend::set_entries(const std::vector<Entry>& entries)
{
    if (entries == entries_)
        return;
    entries_ = entries;
    place();
}

void Legend::set_visible(bool on)
{
    if (on != visible_) {
        visible_ = on;
        place();
    }
}

void Legend::layout(int width, int height, double scale)
{
    if (width == width_ && height == height_ && scale == scale_)
        return;
    width_ = width, height_ = height, scale_ = scale;
    place();
}

void Legend::place()
{
    for (auto& l : labels_)
        renderer_->RemoveActor2D(l);
    labels_.clear();
    if (!visible_)
        return;
    const double tall = row_px * scale_ * static_cast<double>(entries_.size());
    double y = (height_ + tall) / 2;
    for (const auto& [name, color] : entries_) {
        const auto text = vtkSmartPointer<vtkTextActor>::New();
        const double r = color[0] / 255.0, g = color[1] / 255.0, b = color[2] / 255.0;
        const bool dark = 0.3 * r + 0.59 * g + 0.11 * b < 0.45;
        text->SetInput((" " + name + " ").c_str());
        style_text(text, points, scale_, dark ? light_ink : ink);
        const double room = std::max(widest * width_, least_px * scale_);
        double size[2] = {};
        text->GetSize(renderer_, size);
        for (std::string shown = name; size[0] > room && shown.size() > 3;) {
            while (shown.size() > 1 && (shown.back() & 0xC0) == 0x80) // the whole of a letter
                shown.pop_back();
            shown.pop_back();
            text->SetInput((" " + shown + "… ").c_str());
            text->GetSize(renderer_, size);
        }
        auto* p = text->GetTextProperty();
        p->SetBackgroundColor(r, g, b);
        p->SetBackgroundOpacity(1);
        p->SetJustificationToRight();
        p->SetVerticalJustificationToTop();
        text->SetPosition(width_ - edge_px * scale_, y);
        y -= row_px * scale_;
        renderer_->AddActor2D(text);
        labels_.push_back(text);
    }
}

} // namespace tawara::scene
