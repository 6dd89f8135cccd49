// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of HeartScene, for its own sources alone.
#pragma once
#include "widgets/scene/blending_renderer.hpp"
#include "widgets/scene/heart_scene.hpp"
#include "widgets/scene/marker_set.hpp"
#include "widgets/scene/network_tubes.hpp"
#include "widgets/scene/note_lines.hpp"
#include "widgets/scene/orientation_axes.hpp"
#include "widgets/scene/overlays.hpp"
#include "widgets/scene/scalar_bar.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>
#include <vtkActor.h>
#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>

namespace tawara::scene {

struct HeartScene::Impl
{
    vtkNew<BlendingRenderer> renderer;
    vtkNew<vtkActor> actor;
    vtkNew<LiveScalarMapper> mapper;
    HeartModelPtr model;
    std::vector<Marker> shown_markers;
    std::optional<Plane> clip;
    vtkNew<vtkTextActor> time_text, note;
    std::unique_ptr<ScalarBar> bar;
    std::unique_ptr<Legend> legend;
    std::unique_ptr<OrientationAxes> axes;
    std::unique_ptr<MarkerSet> markers;
    std::unique_ptr<Overlays> overlays;
    std::unique_ptr<NetworkTubes> network;
    std::vector<float> values; // one per display vertex
    ColorMap map = color_map({});
    double low = -90, high = 40;
    LiveScalarMapper::Style style;
    bool values_changed = false, annotations = true, with_bar = true, texts = true;
    std::unique_ptr<DisplaySource> source;
    bool live = false;               // the source writes, not `values`
    std::optional<double> live_time; // of what it wrote last
    std::uint64_t live_writes = 0;
    SceneTheme theme;
    std::string title, note_text;
    std::array<int, 2> picture_px{1, 1}; // its width and height
    std::array<double, 4> note_place{};  // size, scale, right end that its lines were broken for
    bool note_cut = false;
    std::vector<Legend::Entry> entries;
    struct Flash
    {
        Vec3 centre{};
        double radius_mm = 0, left_s = 0;
    };
    static constexpr double flash_s = 0.9;
    std::array<Flash, LiveScalarMapper::max_flashes> flashes;
    std::size_t next_flash = 0;
    bool axes_wanted = true;
    bool new_model = false; // the buffer is of another wall
    /// Lets the source write; the context is current.
    void write_live();
    /// Breaks the remark into lines where it has room.
    void break_note(int width, int height, double scale);
    double aspect = 0;                   ///< of the view, width over height; 0: not known yet
    Vec3 fitted_position{}, fitted_up{}; // of the camera after the last fit

    void show_flashes()
    {
        for (std::size_t i = 0; i < flashes.size(); ++i) {
            const auto& f = flashes[i];
            mapper->SetFlash(i, {static_cast<float>(f.centre[0]), static_cast<float>(f.centre[1]),
                                 static_cast<float>(f.centre[2]), static_cast<float>(f.radius_mm),
                                 static_cast<float>(std::max(0.0, f.left_s) / flash_s)});
        }
    }
    /// Puts the camera where the whole wall just fills the view, beside the colour bar.
    void fit(const Vec3& from, const Vec3& up);
    /// Fits again when the view has another shape and nobody moved the camera since the last fit.
    void refit(double shape);
    /// Whether the wall lies between a point on it and the viewer.
    bool hidden(const Vec3& p) const;
    void show_annotations()
    {
        const bool on = annotations && model != nullptr;
        bar->set_visible(on && with_bar && texts);
        legend->set_visible(on && texts);
        axes->set_visible(on && axes_wanted);
        time_text->SetVisibility(on && texts);
        note->SetVisibility(on && texts);
        markers->set_texts(texts);
        axes->set_texts(texts);
    }
};

} // namespace tawara::scene
