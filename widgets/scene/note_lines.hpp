// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

namespace tawara::scene {

/// Where a remark has room in a view: below the time, above the orientation axes, left of the bar.
struct NoteRoom
{
    static constexpr double left = 16, top = 36; ///< its corner, in units of the texts' sizes
    static constexpr double axes = 96;           ///< what the axes take at the foot, likewise
    /// The part of the view's width beside the heart, but no less than some words need.
    static constexpr double part = 0.24, least = 130;
    double beside = 0; ///< width beside the heart
    double most = 0;   ///< width up to what stands at the right
    int lines = 1;     ///< that fit above the axes
};

/// @param width,height  of the view, in units of the texts' sizes
/// @param right         where the bar, its title or the legend begins
/// @param line          height of a line
NoteRoom note_room(double width, double height, double right, double line);

struct NoteLines
{
    std::string text; ///< lines, parted by line feeds
    bool cut = false; ///< the end is left out for want of room, and an ellipsis says so
};

/// Breaks a remark between words: beside the heart where a few lines do, else as wide as there is
/// room, and at most as many lines as there is room for.
/// @param wide  width of a line of text in the unit of `room`
NoteLines note_lines(const std::string& note, const NoteRoom& room,
                     const std::function<double(const std::string&)>& wide);

} // namespace tawara::scene
