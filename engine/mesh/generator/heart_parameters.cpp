// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/mesh/generator/heart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tawara::mesh::generator {
namespace {

std::string text(double v)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", v);
    return buffer;
}

using P = HeartParameters;
constexpr P d{};

constexpr std::array table{
    HeartParameter{"edge_mm", "mm", d.edge_mm, 0.1, 5, "mean edge length of the tetrahedra, about",
                   &P::edge_mm},
    HeartParameter{"lv_short_axis_mm", "mm", d.lv_short_axis_mm, 1, 60,
                   "radius of the left cavity at its widest", &P::lv_short_axis_mm},
    HeartParameter{"lv_long_axis_mm", "mm", d.lv_long_axis_mm, 2, 120,
                   "depth of the left cavity below its widest level", &P::lv_long_axis_mm},
    HeartParameter{"lv_wall_mm", "mm", d.lv_wall_mm, 0.5, 30,
                   "thickness of the left free wall at its widest level", &P::lv_wall_mm},
    HeartParameter{"apex_wall_mm", "mm", d.apex_wall_mm, 0.5, 30,
                   "thickness of the left ventricle's wall at the apex", &P::apex_wall_mm},
    HeartParameter{"base_plane_mm", "mm", d.base_plane_mm, -60, 80,
                   "height of the base above the widest level of the left cavity",
                   &P::base_plane_mm},
    HeartParameter{"septum_mm", "mm", d.septum_mm, 0.5, 30,
                   "thickness of the septum at the widest level", &P::septum_mm, true},
    HeartParameter{"rv_wall_mm", "mm", d.rv_wall_mm, 0.5, 20, "thickness of the right free wall",
                   &P::rv_wall_mm, true},
    HeartParameter{"rv_offset_mm", "mm", d.rv_offset_mm, 0, 100,
                   "distance of the right ellipsoid's centre from the long axis", &P::rv_offset_mm,
                   true},
    HeartParameter{
        "rv_reach_mm", "mm", d.rv_reach_mm, 2, 150,
        "distance of the right free wall's endocardium from the long axis, at its widest",
        &P::rv_reach_mm, true},
    HeartParameter{"rv_span_mm", "mm", d.rv_span_mm, 1, 80,
                   "half width of the right ellipsoid from front to back", &P::rv_span_mm, true},
    HeartParameter{"rv_long_axis_mm", "mm", d.rv_long_axis_mm, 2, 120,
                   "depth of the right ellipsoid below the widest level", &P::rv_long_axis_mm,
                   true},
    HeartParameter{"rv_lean", "1", d.rv_lean, 0, 1,
                   "shift of the right ellipsoid's centre towards the long axis, per depth",
                   &P::rv_lean, true},
    HeartParameter{"blend_mm", "mm", d.blend_mm, 0.1, 20,
                   "width of the rounding where the ventricles join", &P::blend_mm, true},
    HeartParameter{"helix_endo_deg", "deg", d.helix_endo_deg, -90, 90,
                   "helix angle of fibres at the endocardium", &P::helix_endo_deg},
    HeartParameter{"helix_epi_deg", "deg", d.helix_epi_deg, -90, 90,
                   "helix angle of fibres at the epicardium", &P::helix_epi_deg},
    HeartParameter{"sheet_endo_deg", "deg", d.sheet_endo_deg, -90, 90,
                   "sheet angle at the endocardium", &P::sheet_endo_deg},
    HeartParameter{"sheet_epi_deg", "deg", d.sheet_epi_deg, -90, 90,
                   "sheet angle at the epicardium", &P::sheet_epi_deg},
    HeartParameter{"endo_fraction", "1", d.endo_fraction, 0, 1,
                   "share of the wall's depth that is endocardial", &P::endo_fraction},
    HeartParameter{"epi_fraction", "1", d.epi_fraction, 0, 1,
                   "share of the wall's depth that is epicardial", &P::epi_fraction},
};

[[noreturn]] void refuse(const std::string& file, std::string_view key, double value,
                         const std::string& should)
{
    throw InputError(file, "/" + std::string(key),
                     std::string(key) + " is " + text(value) + "; it should be " + should);
}

void validate_right_ventricle(const P& p, const std::string& file)
{
    const double face = p.lv_short_axis_mm + p.septum_mm;
    if (p.rv_offset_mm >= p.rv_reach_mm)
        refuse(file, "rv_offset_mm", p.rv_offset_mm,
               "less than rv_reach_mm (" + text(p.rv_reach_mm) + ")");
    if (p.rv_reach_mm < face + 2 * p.rv_wall_mm)
        refuse(file, "rv_reach_mm", p.rv_reach_mm,
               "at least lv_short_axis_mm + septum_mm + 2 rv_wall_mm (" +
                   text(face + 2 * p.rv_wall_mm) + "), so that the right ventricle has a cavity");
    if (p.rv_reach_mm - 2 * p.rv_offset_mm >= p.lv_short_axis_mm)
        refuse(file, "rv_offset_mm", p.rv_offset_mm,
               "more than " + text((p.rv_reach_mm - p.lv_short_axis_mm) / 2) +
                   ", half of rv_reach_mm - lv_short_axis_mm, so that the right ventricle stays on "
                   "its side");
    if (p.rv_lean * p.rv_long_axis_mm > p.rv_offset_mm)
        refuse(file, "rv_lean", p.rv_lean,
               "at most rv_offset_mm / rv_long_axis_mm (" +
                   text(p.rv_offset_mm / p.rv_long_axis_mm) + ")");
    if (p.base_plane_mm > 0.9 * p.rv_long_axis_mm)
        refuse(file, "rv_long_axis_mm", p.rv_long_axis_mm,
               "at least base_plane_mm / 0.9 (" + text(p.base_plane_mm / 0.9) + ")");
    if (p.rv_long_axis_mm + p.base_plane_mm < 4 * p.rv_wall_mm)
        refuse(file, "rv_long_axis_mm", p.rv_long_axis_mm,
               "more than 4 rv_wall_mm - base_plane_mm (" +
                   text(4 * p.rv_wall_mm - p.base_plane_mm) + ")");
    const double thin = std::min(p.rv_wall_mm, p.septum_mm);
    if (p.edge_mm > 1.2 * thin)
        refuse(file, "edge_mm", p.edge_mm,
               "at most 1.2 times the thinnest wall (" + text(1.2 * thin) + ")");
    if (p.blend_mm > p.rv_reach_mm - face)
        refuse(file, "blend_mm", p.blend_mm,
               "at most the depth of the right cavity (" + text(p.rv_reach_mm - face) + ")");
}

} // namespace

std::string_view name(HeartShape s)
{
    return s == HeartShape::lv ? "lv" : "biventricular";
}

std::optional<HeartShape> heart_shape(std::string_view t)
{
    for (auto s : {HeartShape::lv, HeartShape::biventricular})
        if (name(s) == t)
            return s;
    return std::nullopt;
}

std::string_view name(RegionLabel label)
{
    constexpr std::array<std::string_view, 9> names{
        "LV endocardial layer", "LV mid-myocardium",      "LV epicardial layer",
        "RV endocardial layer", "RV mid-myocardium",      "RV epicardial layer",
        "septum, left layer",   "septum, mid-myocardium", "septum, right layer"};
    return label >= 1 && label <= 9 ? names[static_cast<std::size_t>(label - 1)] : "unknown";
}

std::span<const HeartParameter> parameter_table()
{
    return table;
}

bool of_parameters(const InputError& e)
{
    return e.file == no_heart_file;
}

void validate(const HeartParameters& p, const std::string& file)
{
    const bool right = p.shape == HeartShape::biventricular;
    for (const auto& row : table) {
        const double v = p.*row.value;
        if (row.biventricular_only && !right)
            continue;
        if (!(v >= row.min && v <= row.max)) // refuses NaN too
            refuse(file, row.name, v,
                   "from " + text(row.min) + " to " + text(row.max) +
                       (row.unit == "1" ? std::string() : " " + std::string(row.unit)));
    }
    if (p.endo_fraction + p.epi_fraction > 1)
        refuse(file, "epi_fraction", p.epi_fraction,
               "at most 1 - endo_fraction (" + text(1 - p.endo_fraction) + ")");
    if (p.lv_long_axis_mm < p.lv_short_axis_mm)
        refuse(file, "lv_long_axis_mm", p.lv_long_axis_mm,
               "at least lv_short_axis_mm (" + text(p.lv_short_axis_mm) + ")");
    const double top = 0.9 * p.lv_long_axis_mm;
    if (std::abs(p.base_plane_mm) > top)
        refuse(file, "base_plane_mm", p.base_plane_mm,
               "within 0.9 lv_long_axis_mm (" + text(top) + ") of the widest level");
    const double thin = std::min(p.lv_wall_mm, p.apex_wall_mm);
    if (p.edge_mm > 1.2 * thin)
        refuse(file, "edge_mm", p.edge_mm,
               "at most 1.2 times the thinnest wall (" + text(1.2 * thin) + ")");
    if (right)
        validate_right_ventricle(p, file);
}

} // namespace tawara::mesh::generator
