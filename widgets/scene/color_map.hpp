// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::scene {

/// 256 colours, sRGB, from the low end of a range to the high one.
struct ColorMap
{
    std::string name;
    std::array<std::array<std::uint8_t, 3>, 256> colors{};
    bool operator==(const ColorMap&) const = default;
};

/// Names of the built-in maps, the default one ("tissue") first.
const std::vector<std::string>& color_map_names();

/// A built-in map, from resources/colormaps; the default one where the name is unknown.
const ColorMap& color_map(std::string_view name);

/// Reads a map: lines "position,red,green,blue" in [0, 1], positions rising, linear between; lines
/// that begin with '#' are comments.
/// @throws Error naming the line
ColorMap parse_color_map(std::string_view name, std::string_view text);

/// A map from knots: position in [0, 1] (sorted here), red, green, blue in [0, 1], linear between.
/// @throws Error for fewer than two positions
ColorMap make_color_map(std::string_view name, std::vector<std::array<double, 4>> knots);

/// The same colours from the other end.
ColorMap reversed(const ColorMap& map);

/// `count` colours that are told apart well, as bands of equal width: for numbers of parts, with
/// the range [-0.5, count - 0.5].
ColorMap category_map(int count);

/// About `count` round numbers that lie within [low, high], both inclusive: multiples of 1, 2, 3
/// or 5 times a power of ten.
std::vector<double> round_ticks(double low, double high, int count);

} // namespace tawara::scene
