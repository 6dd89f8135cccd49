// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <vector>

namespace tawara::simulation {

/// Groups and cell types of the regions that are used. Cells with dyads have a reaction, and a type
/// for each of their regions, so that changes of parameters and forced openings group nothing
/// anew.
/// @param used  whether any unknown belongs to a region
/// @throws InputError naming the region by JSON pointer
CellTable cell_table(const Session& s, const RegionMap& patches, const std::vector<char>& used);

/// Gives each unknown its group and type.
/// @throws InputError where all tissue is insulating, or as cell_table()
void assign_cells(const Session& s, Tissue& t);

/// Which regions any unknown belongs to.
std::vector<char> used_regions(const Tissue& t);

} // namespace tawara::simulation
