// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/vtk_cells.hpp"

#include <string>
#include <vector>

namespace tawara::mesh::io {

/// What the readers of VTK's files leave for read_lines(): points (as a mesh's vertices), cells of
/// all kinds, and the arrays at points of one component.
struct RawLines
{
    struct Array
    {
        std::string name;
        std::vector<double> values;
    };
    Raw raw;
    VtkCells cells;
    std::vector<Array> arrays;
};
RawLines read_vtk_legacy_lines(const std::filesystem::path& file, const Progress& progress);
/// Of unstructured grids and poly data.
RawLines read_vtk_xml_lines(const std::filesystem::path& file, const Progress& progress);

} // namespace tawara::mesh::io
