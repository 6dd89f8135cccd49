// SPDX-License-Identifier: GPL-3.0-or-later
// From regions to groups and types of cells.
#include "engine/simulation/tissue/cell_table.hpp"

#include "engine/calcium/cuda/reaction.hpp"
#include "engine/cell/normal.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace tawara::simulation {
namespace {

/// The reaction of cells with dyads of these types.
std::shared_ptr<const cell::ReactionModel> dyad_reaction(const Dyads& d,
                                                         std::span<const cell::CellType> types)
{
    std::vector<calcium::DyadType> rows;
    for (const auto& t : types)
        rows.push_back(calcium::dyad_type(t));
    return calcium::cuda::tissue_model(std::move(rows), calcium::Grid{d.nx, d.ny, d.nz},
                                       static_cast<std::uint64_t>(d.seed));
}

/// A group of this one type.
device::CellGroup group_of(const Session& s, const Region& r, cell::CellType type)
{
    device::CellGroup g{s.reaction, {std::move(type)}};
    if (cell::is_own(g.types.front())) {
        g.scheme = {};
        g.reaction = dyad_reaction(r.dyads, g.types);
    }
    return g;
}

cell::CellType type_of(const Session& s, const Region& r, std::size_t origin)
{
    auto type = cell::make_cell_type(r.model, r.variant, r.parameters, r.initial, s.name,
                                     "/tissue/regions/" + std::to_string(origin));
    if (r.forced_opening_ms)
        for (const auto& f : *r.forced_opening_ms) {
            type.protocol.push_back(f.from_ms);
            type.protocol.push_back(f.until_ms);
        }
    return type;
}

bool same_group(const device::CellGroup& a, const device::CellGroup& b)
{
    if (a.reaction || b.reaction)
        return device::same_cells(a, b);
    return cell::same_equations(a.types.front(), b.types.front());
}

} // namespace

CellTable cell_table(const Session& s, const RegionMap& patches, const std::vector<char>& used)
{
    const auto& regions = patches.regions;
    CellTable out;
    out.group_of.assign(regions.size(), 0);
    out.type_of.assign(regions.size(), 0);
    std::vector<Dyads> dyads; // of each group
    for (std::size_t i = 0; i < regions.size(); ++i) {
        if (!used[i])
            continue;
        const Region& r = regions[i];
        if (r.insulating) {
            out.group_of[i] = device::no_cells;
            continue;
        }
        auto fresh = group_of(s, r, type_of(s, r, patches.origin[i]));
        const auto at = std::find_if(out.groups.begin(), out.groups.end(),
                                     [&](const auto& g) { return same_group(g, fresh); });
        const auto g = static_cast<std::size_t>(at - out.groups.begin());
        std::size_t k = 0;
        if (at == out.groups.end()) {
            out.groups.push_back(std::move(fresh));
            dyads.push_back(r.dyads);
        } else {
            auto& type = fresh.types.front();
            const auto same = std::find_if(at->types.begin(), at->types.end(), [&](const auto& t) {
                return !at->reaction && t.parameters == type.parameters &&
                       t.initial == type.initial;
            });
            k = static_cast<std::size_t>(same - at->types.begin());
            if (same == at->types.end())
                at->types.push_back(std::move(type));
        }
        if (g >= device::no_cells || k >= cell::most_types)
            throw InputError(
                s.name, "/tissue/regions",
                "more than 255 cell models, or 65536 cell types of one; merge regions");
        out.group_of[i] = static_cast<std::uint8_t>(g);
        out.type_of[i] = static_cast<cell::TypeIndex>(k);
    }
    for (std::size_t g = 0; g < out.groups.size(); ++g)
        if (out.groups[g].reaction)
            out.groups[g].reaction = dyad_reaction(dyads[g], out.groups[g].types);
    return out;
}

std::vector<char> used_regions(const Tissue& t)
{
    std::vector<char> used(t.patches.regions.size(), 0);
    for (auto r : t.region_of_unknown)
        used[static_cast<std::size_t>(r)] = 1;
    return used;
}

void assign_cells(const Session& s, Tissue& t)
{
    t.cells = cell_table(s, t.patches, used_regions(t));
    auto& p = t.problem;
    p.groups = t.cells.groups;
    p.group.resize(t.region_of_unknown.size());
    p.type.resize(t.region_of_unknown.size());
    for (std::size_t u = 0; u < p.group.size(); ++u) {
        const auto r = static_cast<std::size_t>(t.region_of_unknown[u]);
        p.group[u] = t.cells.group_of[r];
        p.type[u] = t.cells.type_of[r];
    }
    const auto left = p.with_cells();
    if (left == 0)
        throw InputError(s.name, "/tissue/regions",
                         "all tissue of this mesh is insulating; at least one region needs a "
                         "model and a conductivity above 0");
    if (left < p.size())
        t.notices.push_back(
            {Notice::Level::info, "insulating tissue: " + std::to_string(p.size() - left) + " of " +
                                      std::to_string(p.size()) + " unknowns carry no cells"});
}

bool update_types(const Session& s, Tissue& t)
{
    if (!still_tuned(s, t.patches.tuned))
        return false;
    RegionMap next = t.patches;
    lay_again(s, next);
    const auto sigma = [](const Region& r) {
        const auto& c = r.conductivity_S_per_m;
        return std::array{c.fibre, c.sheet, c.normal};
    };
    for (std::size_t k = 0; k < next.regions.size(); ++k)
        if (sigma(next.regions[k]) != sigma(t.patches.regions[k]))
            return false;
    auto cells = cell_table(s, next, used_regions(t));
    if (cells.group_of != t.cells.group_of || cells.type_of != t.cells.type_of ||
        cells.groups.size() != t.cells.groups.size())
        return false;
    for (std::size_t g = 0; g < cells.groups.size(); ++g)
        if (cells.groups[g].types.size() != t.cells.groups[g].types.size() ||
            !same_group(cells.groups[g], t.cells.groups[g]))
            return false;
    need_steps_of_dyads(s, cells);
    t.problem.groups = cells.groups;
    t.cells = std::move(cells);
    t.patches = std::move(next);
    return true;
}

} // namespace tawara::simulation
