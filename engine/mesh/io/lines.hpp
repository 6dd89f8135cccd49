// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tawara::mesh::io {

/// Points and lines between them, as a VTK file has them: nothing is merged or put in order.
struct Lines
{
    std::vector<Vec3> point_mm;
    std::vector<std::array<std::int64_t, 2>> edges; ///< pieces of lines, in the file's order
    /// Arrays at points of one number each. Those of lengths are in the file's unit.
    struct Array
    {
        std::string name;
        std::vector<double> values; ///< [points]
    };
    std::vector<Array> arrays;
    LengthUnit unit = LengthUnit::mm; ///< of the file
    std::string format;
    Notices notices; ///< the unit, and cells that are no lines
};

/// Reads the lines of legacy VTK (unstructured grids and poly data), VTU and VTP, told apart by
/// content.
/// @param unit  length unit of the file; else as the file says, or inferred from the size of a
///              heart, which is said
/// @throws MeshError naming file and line, also where there are no lines; Cancelled
Lines read_lines(const std::filesystem::path& file, std::optional<LengthUnit> unit = {},
                 const Progress& progress = {});

} // namespace tawara::mesh::io
