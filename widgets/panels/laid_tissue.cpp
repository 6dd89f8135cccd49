// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/laid_tissue.hpp"

#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/scene/color_map.hpp"

#include <algorithm>

namespace tawara {
namespace {

constexpr int colors = 16; // that regions have in turn

float colorOf(std::int32_t region)
{
    return static_cast<float>(region % colors);
}

/// How a laid region is outlined: by what its cells do, whatever it is called.
std::uint8_t markOf(const simulation::Region& laid)
{
    if (simulation::inexcitable(laid))
        return scene::marked_core;
    return laid.kind == "border_zone" || laid.kind == "scar_core" ? scene::marked_zone
                                                                  : scene::unmarked;
}

} // namespace

bool waitsForTissue(const simulation::Region& r)
{
    const auto* t = r.where ? std::get_if<simulation::Tetrahedra>(&*r.where) : nullptr;
    return t != nullptr && t->tetrahedra.empty();
}

LaidTissue layTissue(const simulation::Session& s, const mesh::TetMesh& m, const mesh::Surface& on)
{
    LaidTissue out;
    out.names = regionTitles(s.regions);
    simulation::Session placed = s;
    placed.regions.clear();
    std::vector<std::size_t> number;
    std::vector<std::uint8_t> mark, scar; // each laid region; each tetrahedron
    for (std::size_t i = 0; i < s.regions.size(); ++i) {
        if (!waitsForTissue(s.regions[i])) {
            placed.regions.push_back(s.regions[i]);
            number.push_back(i);
        }
    }
    try {
        const auto laid = simulation::lay_regions(placed, m);
        for (const auto& r : laid.regions)
            mark.push_back(markOf(r));
        for (auto r : laid.of_tetrahedron) {
            const auto i = static_cast<std::size_t>(r);
            out.of.push_back(static_cast<std::int32_t>(number[laid.origin[i]]));
            scar.push_back(mark[i]);
        }
    } catch (const std::exception&) { // the engine says what is wrong when it gets the same
        out.of.clear();
        scar.clear();
    }
    out.wall = wallRegions(out.of, on);
    out.scar = scene::outline(m, on, scar);
    return out;
}

std::vector<float> wallRegions(std::span<const std::int32_t> of, const mesh::Surface& s)
{
    std::vector<float> out(s.vertices.size(), 0);
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[t]);
        if (tet >= of.size())
            continue;
        // colours are of the triangle's last vertex: the highest region around it shows
        for (auto v : s.triangles[t]) {
            auto& r = out[static_cast<std::size_t>(v)];
            r = std::max(r, colorOf(of[tet]));
        }
    }
    return out;
}

std::vector<float> insideRegions(std::span<const std::int32_t> of)
{
    std::vector<float> out(of.size());
    std::transform(of.begin(), of.end(), out.begin(), colorOf);
    return out;
}

std::vector<scene::Legend::Entry> regionLegend(const QStringList& names)
{
    std::vector<scene::Legend::Entry> out;
    const auto map = scene::category_map(colors);
    for (qsizetype k = 0; k < names.size(); ++k)
        out.emplace_back(names[k].toStdString(),
                         map.colors[static_cast<std::size_t>(k % colors) * colors]);
    return out;
}

} // namespace tawara
