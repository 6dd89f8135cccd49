// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue a part of which has cells with dyads.
#pragma once
#include "engine/calcium/cuda/reaction.hpp"
#include "engine/calcium/description.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "tests/device/tissue_problem.hpp"

namespace tawara::test {

inline constexpr calcium::Grid few_dyads{10, 5, 3}; ///< a last block that is not full

/// Types of cells with dyads: healthy ones whose RyR are held open for a while; with isoproterenol
/// and closed faces.
inline std::vector<cell::CellType> dyad_types(int count = 2)
{
    calcium::make_dyads_known();
    const std::pair<std::string, double> all[]{{"sums_over_all", 0.0}};
    const std::pair<std::string, double> closed[]{{"sums_over_all", 0.0}, {"closed", 1.0}};
    std::vector<cell::CellType> types{
        cell::make_cell_type(calcium::dyad_model, "healthy", all, {})};
    types[0].protocol = {4.5, 5.5, 6, 6.1};
    if (count > 1)
        types.push_back(cell::make_cell_type(calcium::dyad_model, "isoproterenol", closed, {}));
    return types;
}

/// Gives the unknowns with x below the bound cells with dyads, of these types in turn.
inline void put_dyads(device::TissueProblem& p, double below_x_mm,
                      std::vector<cell::CellType> types, const calcium::Grid& grid = few_dyads,
                      std::uint64_t seed = 7)
{
    std::vector<calcium::DyadType> rows;
    for (const auto& t : types)
        rows.push_back(calcium::dyad_type(t));
    const auto count = types.size();
    device::CellGroup g;
    g.reaction = calcium::cuda::tissue_model(std::move(rows), grid, seed);
    g.types = std::move(types);
    std::size_t others = 0;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u) && p.position_mm[u][0] < below_x_mm) {
            p.group[u] = static_cast<std::uint8_t>(p.groups.size());
            p.type[u] = static_cast<cell::TypeIndex>(u % count);
        } else {
            others += p.has_cells(u) ? 1 : 0;
        }
    if (others > 0) {
        p.groups.push_back(std::move(g));
        return;
    }
    p.groups = {std::move(g)}; // no other cells are left
    for (auto& group : p.group)
        group = group == device::no_cells ? group : 0;
}

} // namespace tawara::test
