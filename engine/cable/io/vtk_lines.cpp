// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/io/graph.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/lines.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace tawara::cable::io {
namespace {

std::string lower(std::string s)
{
    std::transform(s.begin(), s.end(), s.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

Unit unit_of(LengthUnit u)
{
    return unit_by_name(name(u));
}

/// Radii and kinds of arrays that are called so.
void take_arrays(const mesh::io::Lines& lines, Graph& g)
{
    const double um = 1000 * millimetres(lines.unit);
    for (const auto& a : lines.arrays) {
        const auto called = lower(a.name);
        const double factor = called == "radius" ? um : called == "diameter" ? um / 2 : 0;
        for (std::size_t i = 0; i < g.points.size() && factor > 0; ++i) {
            if (!std::isfinite(a.values[i]) || a.values[i] < 0)
                throw InputError(g.file, "array " + a.name + " has " + std::to_string(a.values[i]) +
                                             " at point " + std::to_string(i) +
                                             "; a number above 0 is due");
            g.points[i].radius_um = factor * a.values[i];
        }
        for (std::size_t i = 0; i < g.points.size() && (called == "kind" || called == "type"); ++i)
            g.points[i].kind = static_cast<std::int32_t>(std::clamp(a.values[i], 0.0, 1e6));
    }
}

/// Points at one place become the first of them; those without lines are left out.
void merge_points(const mesh::io::Lines& lines, Graph& g, Notices& notices)
{
    const auto n = g.points.size();
    std::map<Vec3, std::int64_t> first;
    std::vector<std::int64_t> same(n), place(n, -1);
    std::vector<std::int64_t> merged;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [it, fresh] = first.emplace(g.points[i].place_mm, static_cast<std::int64_t>(i));
        same[i] = it->second;
        if (!fresh)
            merged.push_back(static_cast<std::int64_t>(i));
    }
    std::vector<Graph::Point> kept;
    const auto keep = [&](std::int64_t i) {
        auto& at = place[static_cast<std::size_t>(same[static_cast<std::size_t>(i)])];
        if (at < 0) {
            at = static_cast<std::int64_t>(kept.size());
            kept.push_back(g.points[static_cast<std::size_t>(same[static_cast<std::size_t>(i)])]);
        }
        return at;
    };
    for (const auto& e : lines.edges)
        g.pieces.push_back({keep(e[0]), keep(e[1])});
    if (const auto unused = n - merged.size() - kept.size(); unused > 0)
        notices.push_back({Notice::Level::info,
                           std::to_string(unused) + " points are on no line; they are left out"});
    if (!merged.empty())
        notices.push_back(
            {Notice::Level::info,
             "points at the place of another one are taken as one: " + listed(merged)});
    g.points = std::move(kept);
}

} // namespace

Loaded read_vtk_lines(const std::filesystem::path& file, const ReadOptions& options,
                      const Progress& progress)
{
    std::optional<LengthUnit> unit;
    if (options.unit) {
        unit = length_unit(name(*options.unit));
        if (!unit)
            throw InputError("--unit", std::string(name(*options.unit)) +
                                           " is no unit of VTK files here; um, mm, cm or m is due");
    }
    auto lines = mesh::io::read_lines(file, unit, progress);
    Loaded out;
    out.format = lines.format;
    out.unit = unit_of(lines.unit);
    out.notices = std::move(lines.notices);
    Graph g;
    g.file = file.string();
    for (const auto& p : lines.point_mm) {
        Graph::Point q;
        q.place_mm = p;
        q.number = static_cast<std::int64_t>(g.points.size());
        g.points.push_back(q);
    }
    take_arrays(lines, g);
    merge_points(lines, g, out.notices);
    give_radii(g, options, out.notices);
    make_trees(std::move(g), options, out);
    return out;
}

} // namespace tawara::cable::io
