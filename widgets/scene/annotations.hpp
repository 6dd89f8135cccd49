// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"
#include "widgets/scene/legend.hpp"

#include <array>
#include <string>
#include <vector>

namespace tawara::scene {

/// What is written over a picture, for who draws it in the scene's place (HeartScene::set_texts()).
struct Annotations
{
    bool shown = false, bar = false;
    std::string time, note, title;
    ColorMap map;
    double low = 0, high = 1;
    std::vector<Legend::Entry> legend;
    std::array<double, 3> text{1, 1, 1};
    /// A marker's name: where its lower left corner is, in parts of the picture from the top left.
    struct Name
    {
        std::string text;
        double x = 0, y = 0;
        bool operator==(const Name&) const = default;
    };
    std::vector<Name> names;
    std::vector<Name> letters; ///< of the axes: where their middles are, likewise
    bool operator==(const Annotations&) const = default;
};

} // namespace tawara::scene
