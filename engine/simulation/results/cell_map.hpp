// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <array>
#include <limits>
#include <span>

namespace tawara::simulation {

/// Cells of one kind: a region of the session, with the model that its cells have there.
struct RegionCells
{
    std::size_t region = 0; ///< of the session's that was laid last, from 0
    std::string name, kind, model, variant;

    /// ",region,model,variant" of a table.
    std::string csv_fields() const;
};

/// Which cells each unknown has.
struct CellMap
{
    std::vector<RegionCells> regions;
    std::vector<std::int32_t> of_unknown; ///< index into `regions`; -1: none
};
CellMap cell_map(const Session& s, const Tissue& t);

/// The names of the columns that csv_fields() has.
inline constexpr const char* cell_columns = ",region,model,variant";

/// An unknown's fields of those columns: of -1, and where nothing is known, all empty.
std::string cell_fields(const CellMap& cells, std::span<const std::int32_t> of, std::size_t u);

/// The cells of each vertex: its own, or where unknowns are on tetrahedra those of most of the
/// volume around.
std::vector<std::int32_t> cells_of_vertices(const CellMap& cells, const mesh::TetMesh& m,
                                            bool on_vertices);

/// How far values spread; NaN without any.
struct Spread
{
    std::int64_t count = 0;                            ///< finite values
    std::array<double, 5> at{nan, nan, nan, nan, nan}; ///< least, 5 %, median, 95 %, greatest

  private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};
/// @cost  sorting
Spread spread_of(std::vector<double> values);

/// The values at unknowns (or vertices) for which `chosen` is true of the index into
/// CellMap::regions.
template <class Chosen>
Spread spread_where(std::span<const double> values, std::span<const std::int32_t> of, Chosen chosen)
{
    std::vector<double> those;
    for (std::size_t u = 0; u < of.size(); ++u)
        if (chosen(of[u]))
            those.push_back(values[u]);
    return spread_of(std::move(those));
}

} // namespace tawara::simulation
