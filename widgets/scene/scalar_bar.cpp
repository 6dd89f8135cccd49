// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/scalar_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkPoints.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkProperty2D.h>
#include <vtkRenderer.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>

namespace tawara::scene {
namespace {

constexpr int bands = 64;           // enough that no step shows
constexpr double bar_px = 14;       // width of the colours
constexpr double bar_edge_px = 64;  // least distance of the bar from the right edge
constexpr double after_px = 4;      // right of the numbers that is left free
constexpr double bar_beside_px = 6; // left of the bar that nothing is written on
constexpr double most_px = 300;     // height at most
constexpr double tick_px = 4;
constexpr int tick_count = 6;

} // namespace

std::string tick_text(double value, double step)
{
    constexpr int least = 4, most = 12;
    constexpr double plain = 1e7; // below it no number is a power of ten
    int digits = least;
    if (const double size = std::abs(value); size >= 1 && size < plain) {
        const int before = 1 + static_cast<int>(std::floor(std::log10(size)));
        const int after =
            step > 0 ? std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))) : 0;
        digits = std::clamp(before + after, least, most);
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    // a true minus sign, as wide as a digit
    return text[0] == '-' ? "\u2212" + std::string(text + 1) : text;
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks)
{
    std::vector<std::string> texts;
    for (double value : ticks)
        texts.push_back(tick_text(value, ticks.size() > 1 ? ticks[1] - ticks[0] : 0));
    return texts;
}

void style_text(vtkTextActor* text, double points, double scale, const double color[3])
{
    auto* p = text->GetTextProperty();
    p->SetFontFamilyToArial();
    p->SetFontSize(static_cast<int>(std::lround(points * scale)));
    p->SetColor(color[0], color[1], color[2]);
    text->SetTextScaleModeToNone();
}

ScalarBar::ScalarBar(vtkRenderer* renderer) : renderer_(renderer), map_(color_map({}))
{
    vtkNew<vtkPolyDataMapper2D> colors, lines;
    colors->SetInputData(colors_);
    colors->SetScalarModeToUseCellData();
    lines->SetInputData(lines_);
    color_actor_->SetMapper(colors);
    line_actor_->SetMapper(lines);
    title_->SetInput("V (mV)");
    title_->GetTextProperty()->SetJustificationToCentered();
    renderer_->AddActor2D(color_actor_);
    renderer_->AddActor2D(line_actor_);
    renderer_->AddActor2D(title_);
}

void ScalarBar::set_title(const std::string& title)
{
    title_->SetInput(title.c_str());
    place();
}

void ScalarBar::set_map(const ColorMap& map)
{
    map_ = map;
    place();
}

void ScalarBar::set_range(double low, double high)
{
    low_ = low;
    high_ = high;
    place();
}

void ScalarBar::set_text_color(double r, double g, double b)
{
    text_[0] = r, text_[1] = g, text_[2] = b;
    place();
}

void ScalarBar::set_visible(bool on)
{
    visible_ = on;
    place();
}

void ScalarBar::layout(int width, int height, double scale)
{
    if (width == width_ && height == height_ && scale == scale_)
        return;
    width_ = width, height_ = height, scale_ = scale;
    place();
}

bool ScalarBar::room() const
{
    return visible_ && width_ > 260 * scale_ && height_ > 180 * scale_;
}

double ScalarBar::left() const
{
    return room() ? width_ - edge_ - bar_beside_px * scale_ : width_;
}

double ScalarBar::title_left() const
{
    if (!room())
        return width_;
    double size[2] = {};
    title_->GetSize(renderer_, size);
    return title_->GetPosition()[0] - size[0] / 2;
}

void ScalarBar::place()
{
    const bool room = this->room();
    for (vtkProp* p : std::initializer_list<vtkProp*>{color_actor_, line_actor_, title_})
        p->SetVisibility(room);
    for (auto& l : labels_)
        renderer_->RemoveActor2D(l);
    labels_.clear();
    if (!room)
        return;
    const auto ticks = round_ticks(low_, high_, tick_count);
    edge_ = bar_edge_px * scale_;
    for (const std::string& text : tick_texts(ticks)) {
        auto label = vtkSmartPointer<vtkTextActor>::New();
        label->SetInput(text.c_str());
        style_text(label, 12, scale_, text_);
        label->GetTextProperty()->SetVerticalJustificationToCentered();
        double size[2] = {};
        label->GetSize(renderer_, size);
        edge_ = std::max(edge_, (bar_px + 4 + tick_px + after_px) * scale_ + size[0]);
        labels_.push_back(label);
    }
    const double tall = std::min(most_px * scale_, 0.55 * height_);
    const double x0 = std::round(width_ - edge_), x1 = x0 + bar_px * scale_;
    const double y0 = std::round((height_ - tall) / 2);
    vtkNew<vtkPoints> points, ends;
    vtkNew<vtkCellArray> quads, segments;
    vtkNew<vtkUnsignedCharArray> rgb;
    rgb->SetNumberOfComponents(3);
    for (int i = 0; i <= bands; ++i) {
        const double y = y0 + tall * i / bands;
        points->InsertNextPoint(x0, y, 0);
        points->InsertNextPoint(x1, y, 0);
        if (i == bands)
            break;
        quads->InsertNextCell({2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2});
        const auto& c = map_.colors[static_cast<std::size_t>((i + 0.5) * 256 / bands)];
        rgb->InsertNextTypedTuple(c.data());
    }
    colors_->SetPoints(points);
    colors_->SetPolys(quads);
    colors_->GetCellData()->SetScalars(rgb);
    for (std::size_t k = 0; k < ticks.size(); ++k) {
        const double y = y0 + tall * (ticks[k] - low_) / (high_ - low_);
        const auto a = ends->InsertNextPoint(x1 + scale_, y, 0);
        const auto b = ends->InsertNextPoint(x1 + (1 + tick_px) * scale_, y, 0);
        segments->InsertNextCell({a, b});
        labels_[k]->SetPosition(x1 + (4 + tick_px) * scale_, y);
        renderer_->AddActor2D(labels_[k]);
    }
    lines_->SetPoints(ends);
    lines_->SetLines(segments);
    line_actor_->GetProperty()->SetColor(text_[0], text_[1], text_[2]);
    style_text(title_, 13, scale_, text_);
    // a long title stays within the view
    double size[2] = {};
    title_->GetSize(renderer_, size);
    title_->SetPosition(std::min((x0 + x1) / 2 + 8 * scale_, width_ - size[0] / 2 - 8 * scale_),
                        y0 + tall + 12 * scale_);
}

} // namespace tawara::scene
