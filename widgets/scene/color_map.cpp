// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/color_map.hpp"

#include "engine/core/error.hpp"
#include "widgets/scene/embedded.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace tawara::scene {

ColorMap parse_color_map(std::string_view name, std::string_view text)
{
    std::vector<std::array<double, 4>> knots;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty() || line[0] == '#')
            continue;
        std::array<double, 4> k{};
        if (std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &k[0], &k[1], &k[2], &k[3]) != 4 ||
            (!knots.empty() && !(k[0] > knots.back()[0])))
            throw Error("colour map " + std::string(name) + ", line " + std::to_string(number) +
                        ": want position,red,green,blue with rising positions");
        knots.push_back(k);
    }
    if (knots.size() < 2)
        throw Error("colour map " + std::string(name) + " has fewer than two colours");
    ColorMap map;
    map.name = name;
    std::size_t at = 0;
    for (std::size_t i = 0; i < map.colors.size(); ++i) {
        const double t = knots.front()[0] +
                         (knots.back()[0] - knots.front()[0]) * static_cast<double>(i) / 255.0;
        while (at + 2 < knots.size() && t > knots[at + 1][0])
            ++at;
        const auto &a = knots[at], &b = knots[at + 1];
        const double u = (t - a[0]) / (b[0] - a[0]);
        for (std::size_t k = 0; k < 3; ++k)
            map.colors[i][k] = static_cast<std::uint8_t>(
                std::lround(255 * std::clamp(a[k + 1] + u * (b[k + 1] - a[k + 1]), 0.0, 1.0)));
    }
    return map;
}

const std::vector<std::string>& color_map_names()
{
    static const std::vector<std::string> names{"tissue",  "night", "viridis", "plasma",
                                                "inferno", "turbo", "grey",    "phase"};
    return names;
}

const ColorMap& color_map(std::string_view name)
{
    static const auto maps = [] {
        std::map<std::string, ColorMap, std::less<>> all;
        for (const auto& n : color_map_names())
            all.emplace(n, parse_color_map(n, embedded(n + ".csv")));
        return all;
    }();
    const auto found = maps.find(name);
    return found != maps.end() ? found->second : maps.at(color_map_names().front());
}

ColorMap make_color_map(std::string_view name, std::vector<std::array<double, 4>> knots)
{
    std::stable_sort(knots.begin(), knots.end(),
                     [](const auto& a, const auto& b) { return a[0] < b[0]; });
    std::string text;
    double last = -1;
    for (const auto& k : knots) {
        if (k[0] - last < 1e-6)
            continue;
        last = k[0];
        char line[128];
        std::snprintf(line, sizeof line, "%.6f,%.5f,%.5f,%.5f\n", k[0], k[1], k[2], k[3]);
        text += line;
    }
    return parse_color_map(name, text);
}

ColorMap reversed(const ColorMap& map)
{
    ColorMap r = map;
    std::reverse(r.colors.begin(), r.colors.end());
    return r;
}

ColorMap category_map(int count)
{
    // after Okabe and Ito, and lighter and darker ones of the same kind
    static constexpr std::array<std::array<std::uint8_t, 3>, 16> hues{{{0x56, 0xb4, 0xe9},
                                                                       {0xe6, 0x9f, 0x00},
                                                                       {0x00, 0x9e, 0x73},
                                                                       {0xf0, 0xe4, 0x42},
                                                                       {0x00, 0x72, 0xb2},
                                                                       {0xd5, 0x5e, 0x00},
                                                                       {0xcc, 0x79, 0xa7},
                                                                       {0x9a, 0xa5, 0xb8},
                                                                       {0x8d, 0xd3, 0xc7},
                                                                       {0xb3, 0x4d, 0x4d},
                                                                       {0x7d, 0x6b, 0xc4},
                                                                       {0xa6, 0xd8, 0x54},
                                                                       {0x3f, 0x6e, 0x5a},
                                                                       {0xe8, 0xc5, 0x9c},
                                                                       {0x5e, 0x4b, 0x3c},
                                                                       {0xf7, 0xb6, 0xd2}}};
    ColorMap map;
    map.name = "parts";
    const int n = std::max(1, count);
    for (std::size_t i = 0; i < map.colors.size(); ++i)
        map.colors[i] = hues[(i * static_cast<std::size_t>(n) / map.colors.size()) % hues.size()];
    return map;
}

std::vector<double> round_ticks(double low, double high, int count)
{
    std::vector<double> ticks;
    if (!(high > low) || count < 1)
        return ticks;
    const double raw = (high - low) / count;
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * decade;
    for (double f : {1.0, 2.0, 3.0, 5.0})
        if (f * decade >= raw * 0.999) {
            step = f * decade;
            break;
        }
    const double slack = 1e-9 * (high - low);
    for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k)
        ticks.push_back(k == 0 ? 0.0 : k * step);
    return ticks;
}

} // namespace tawara::scene
