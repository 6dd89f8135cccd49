// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/lines.hpp"

#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/lines_raw.hpp"
#include "engine/mesh/io/text.hpp"

#include <cmath>

namespace tawara::mesh::io {
namespace {

constexpr std::int64_t line = 3, polyline = 4;

/// The pieces of all lines. @return how many cells are none
std::size_t add_edges(Lines& out, const VtkCells& c, const std::string& file)
{
    const auto n = count_of(c, file);
    const auto points = static_cast<std::int64_t>(out.point_mm.size());
    std::size_t others = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [from, to] = entries_of(c, i, file);
        if (c.types[i] != line && c.types[i] != polyline) {
            ++others;
            continue;
        }
        for (auto k = from; k < to; ++k) {
            const auto v = c.connectivity[static_cast<std::size_t>(k)];
            if (v < 0 || v >= points)
                throw MeshError(file, "line " + std::to_string(i) + " names point " +
                                          std::to_string(v) + ", but there are " +
                                          std::to_string(points) + ", counted from 0");
            if (k > from)
                out.edges.push_back({c.connectivity[static_cast<std::size_t>(k - 1)], v});
        }
    }
    return others;
}

} // namespace

Lines read_lines(const std::filesystem::path& file, std::optional<LengthUnit> unit,
                 const Progress& progress)
{
    const std::string name = file.string();
    const bool xml = content_of(file).find("<VTKFile") != std::string::npos;
    auto r = xml ? read_vtk_xml_lines(file, progress) : read_vtk_legacy_lines(file, progress);
    Lines out;
    out.format = r.raw.format;
    if (r.raw.mesh.vertex_count() == 0)
        throw MeshError(name, "has no points; a cable is points and lines between them");
    for (std::size_t i = 0; i < r.raw.mesh.vertex_count(); ++i) {
        const auto p = r.raw.mesh.vertex(i);
        for (const double x : p)
            if (!std::isfinite(x) || std::abs(x) > absurd_coordinate)
                throw MeshError(name, "point " + std::to_string(i) +
                                          " has a coordinate that is no length of a heart's");
        out.point_mm.push_back(p);
    }
    if (const auto others = add_edges(out, r.cells, name); others > 0)
        out.notices.push_back({Notice::Level::info, std::to_string(others) + " cells of " + name +
                                                        " are no lines; they are left out"});
    if (out.edges.empty())
        throw MeshError(name, "has no lines; a cable is points and lines between them");
    out.unit = choose_unit(r.raw, unit);
    out.notices.insert(out.notices.end(), r.raw.notices.begin(), r.raw.notices.end());
    for (auto& p : out.point_mm)
        p = millimetres(out.unit) * p;
    for (auto& a : r.arrays)
        if (a.values.size() == out.point_mm.size())
            out.arrays.push_back({a.name, std::move(a.values)});
    return out;
}

} // namespace tawara::mesh::io
