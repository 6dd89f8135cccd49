// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/cell_map.hpp"

#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

std::string RegionCells::csv_fields() const
{
    return "," + std::to_string(region) + "," + csv_field(model) + "," + csv_field(variant);
}

CellMap cell_map(const Session& s, const Tissue& t)
{
    CellMap out;
    for (std::size_t k = 0; k < t.patches.regions.size(); ++k) {
        const Region& r = t.patches.regions[k];
        const auto origin = t.patches.origin[k];
        const Region& own = origin < s.regions.size() ? s.regions[origin] : r;
        const bool cells = !r.insulating;
        out.regions.push_back({origin, own.name, own.kind, cells ? r.model : std::string(),
                               cells ? r.variant : std::string()});
    }
    out.of_unknown = t.region_of_unknown;
    return out;
}

std::string cell_fields(const CellMap& cells, std::span<const std::int32_t> of, std::size_t u)
{
    if (u >= of.size() || of[u] < 0)
        return ",,,";
    return cells.regions[static_cast<std::size_t>(of[u])].csv_fields();
}

std::vector<std::int32_t> cells_of_vertices(const CellMap& cells, const mesh::TetMesh& m,
                                            bool on_vertices)
{
    if (on_vertices || cells.of_unknown.empty())
        return cells.of_unknown;
    const auto stars = mesh::vertex_stars(m);
    std::vector<std::int32_t> out(m.vertex_count(), -1);
    std::vector<double> volume(cells.regions.size(), 0);
    for (std::size_t v = 0; v < out.size(); ++v) {
        const auto around =
            std::span(stars.tets)
                .subspan(static_cast<std::size_t>(stars.first[v]),
                         static_cast<std::size_t>(stars.first[v + 1] - stars.first[v]));
        double most = 0;
        for (auto t : around)
            if (const auto r = cells.of_unknown[static_cast<std::size_t>(t)]; r >= 0)
                volume[static_cast<std::size_t>(r)] += m.volume(static_cast<std::size_t>(t));
        for (auto t : around)
            if (const auto r = cells.of_unknown[static_cast<std::size_t>(t)];
                r >= 0 && volume[static_cast<std::size_t>(r)] > most)
                most = volume[static_cast<std::size_t>(r)], out[v] = r;
        for (auto t : around)
            if (const auto r = cells.of_unknown[static_cast<std::size_t>(t)]; r >= 0)
                volume[static_cast<std::size_t>(r)] = 0;
    }
    return out;
}

Spread spread_of(std::vector<double> values)
{
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    Spread s;
    s.count = static_cast<std::int64_t>(values.size());
    if (values.empty())
        return s;
    std::sort(values.begin(), values.end());
    constexpr double parts[] = {0, 0.05, 0.5, 0.95, 1};
    for (std::size_t k = 0; k < 5; ++k)
        s.at[k] =
            values[static_cast<std::size_t>(parts[k] * static_cast<double>(values.size() - 1))];
    return s;
}

} // namespace tawara::simulation
