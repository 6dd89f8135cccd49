// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/silent_tissue.hpp"

#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <algorithm>
#include <array>

namespace tawara::simulation {
namespace {

std::array<double, 3> principal(const Region& r)
{
    const auto c = r.conductivity_scale * r.conductivity_S_per_m;
    return {c.fibre, c.sheet, c.normal};
}

double best(const Region& r)
{
    const auto c = principal(r);
    return *std::max_element(c.begin(), c.end());
}

} // namespace

SilentTissue silent_tissue(const Session& s, const Tissue& t)
{
    constexpr std::uint8_t enters = 0, silent = 1, weak = 2;
    double most = 0;
    for (const auto& r : t.patches.regions)
        most = std::max(most, best(r));
    SilentTissue out;
    std::vector<std::uint8_t> kind;
    std::vector<std::size_t> place; // in out.weak
    for (const auto& r : t.patches.regions) {
        kind.push_back(inexcitable(r) ? silent : best(r) < most ? weak : enters);
        place.push_back(out.weak.size());
        if (kind.back() != weak)
            continue;
        out.weak.push_back({r, {}});
        out.weak.back().region.where.reset();
    }
    out.vertices.assign(t.mesh->vertex_count(), 0);
    const auto add = [&](std::size_t vertex, std::size_t unknown) {
        const auto region = t.region_of_unknown[unknown];
        const auto at = static_cast<std::size_t>(std::max(region, 0));
        if (!t.problem.has_cells(unknown) || region < 0 || kind[at] == silent)
            out.vertices[vertex] = 1;
        else if (kind[at] == weak)
            out.weak[place[at]].vertices.push_back(static_cast<std::int32_t>(vertex));
    };
    for (std::size_t u = 0; u < t.problem.size(); ++u)
        if (t.on_vertices())
            add(u, u);
        else
            for (const auto v : t.mesh->corners(u))
                add(static_cast<std::size_t>(v), u);
    out.session = s;
    out.session.regions.clear();
    out.session.drugs.clear();
    if (!out.weak.empty())
        out.grain = mesh::grain(*t.mesh);
    return out;
}

std::vector<std::uint8_t> silent_vertices(const SilentTissue& t, const Progress& progress)
{
    auto out = t.vertices;
    for (const auto& w : t.weak) {
        if (has_dyads(w.region)) // no strip of them is run
            continue;
        const auto c = principal(w.region);
        const auto along = std::max_element(c.begin(), c.end()) - c.begin();
        if (velocity_on_mesh(t.session, w.region, static_cast<std::size_t>(along), t.grain,
                             progress) > 0)
            continue;
        for (const auto v : w.vertices)
            out[static_cast<std::size_t>(v)] = 1;
    }
    if (std::find(out.begin(), out.end(), 1) == out.end())
        out.clear();
    return out;
}

} // namespace tawara::simulation
