// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/legend.hpp"

#include "widgets/scene/scalar_bar.hpp"

#include <algorithm>
#include <vtkRenderer.h>
#include <vtkTextProperty.h>

namespace tawara::scene {
namespace {

constexpr double row_px = 23, edge_px = 14, text_points = 13;
constexpr double widest = 0.36, least_px = 70; // of the view
constexpr double ink[3] = {0.07, 0.08, 0.1}, light_ink[3] = {0.97, 0.98, 1};

/// Both ends of a text, about `kept` bytes of it: names often differ in their last word alone.
std::string without_middle(const std::string& text, std::size_t kept)
{
    const auto within = [&](std::size_t at) { // a letter
        return at < text.size() && (text[at] & 0xC0) == 0x80;
    };
    std::size_t head = (kept + 1) / 2, tail = text.size() - kept / 2;
    while (within(head))
        --head;
    while (within(tail))
        ++tail;
    return text.substr(0, head) + "…" + text.substr(tail);
}

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

double Legend::left() const
{
    return widest_ > 0 ? width_ - edge_px * scale_ - widest_ : width_;
}

void Legend::place()
{
    for (auto& l : labels_)
        renderer_->RemoveActor2D(l);
    labels_.clear();
    widest_ = 0;
    if (!visible_)
        return;
    const double tall = row_px * scale_ * static_cast<double>(entries_.size());
    double y = (height_ + tall) / 2;
    for (const auto& [name, color] : entries_) {
        const auto text = vtkSmartPointer<vtkTextActor>::New();
        const double r = color[0] / 255.0, g = color[1] / 255.0, b = color[2] / 255.0;
        const bool dark = 0.3 * r + 0.59 * g + 0.11 * b < 0.45;
        text->SetInput((" " + name + " ").c_str());
        style_text(text, text_points, scale_, dark ? light_ink : ink);
        const double room = std::max(widest * width_, least_px * scale_);
        double size[2] = {};
        text->GetSize(renderer_, size);
        for (std::size_t kept = name.size(); size[0] > room && kept > 4; --kept) {
            text->SetInput((" " + without_middle(name, kept) + " ").c_str());
            text->GetSize(renderer_, size);
        }
        widest_ = std::max(widest_, size[0]);
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
