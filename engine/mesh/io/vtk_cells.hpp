// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/raw.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tawara::mesh::io {

/// Cells as VTK's files have them: cell i has the vertices connectivity[offsets[i] ..
/// offsets[i+1]).
struct VtkCells
{
    std::vector<std::int64_t> offsets, connectivity;
    std::vector<std::int64_t> types;
};

/// How many cells there are. @throws MeshError where offsets are not as many
std::size_t count_of(const VtkCells& cells, const std::string& file);
/// The vertices of a cell: entries [first, second) of the connectivity.
/// @throws MeshError where they do not lie in it
std::pair<std::int64_t, std::int64_t> entries_of(const VtkCells& cells, std::size_t cell,
                                                 const std::string& file);

/// Adds the tetrahedra to the mesh (its vertices are there already); returns the number of each in
/// the file.
/// @throws MeshError for cells that are inconsistent, name missing vertices, or are of other kinds
std::vector<std::size_t> add_cells(Raw& raw, const VtkCells& cells, const std::string& file);

/// take_array() for an array with a tuple for each cell or point of the file.
/// @throws MeshError when its length does not fit
void take_vtk_array(Raw& raw, const std::string& name, Field::On on, int components,
                    std::vector<double> values, const std::vector<std::size_t>& kept,
                    std::size_t cells_in_file, const std::string& file);

} // namespace tawara::mesh::io
