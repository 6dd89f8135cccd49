// SPDX-License-Identifier: GPL-3.0-or-later
// Cables from files.
#pragma once
#include "engine/cable/morphology.hpp"
#include "engine/core/progress.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tawara::cable::io {

/// Units of length that a file of cables may have.
enum class Unit { nm, um, mm, cm, m };
/// @throws InputError naming the option
Unit unit_by_name(std::string_view text, const std::string& option = "--unit");
std::string_view name(Unit u);
double mm_of(Unit u);

struct ReadOptions
{
    std::optional<Unit> unit{}; ///< nothing: what the file says, its format's, or what fits
    /// Radius of points without one (files of lines without radii, points whose radius is 0) [um];
    /// nothing: such a file is refused.
    std::optional<double> radius_um{};
    /// The point that is to be the root, by its number in the file (SWC: its id); nothing: as the
    /// file has it, of lines the first point of the first line.
    std::optional<std::int64_t> root{};
    /// Trees that are not joined may stand in one file (networks); else they are refused.
    bool several_trees = false;
};

/// What a file had.
struct Loaded
{
    std::vector<Morphology> trees; ///< one, or with several_trees at least one
    /// [trees][points] the number of each point in the file; -1: the reader made it.
    std::vector<std::vector<std::int64_t>> number;
    std::string format;   ///< e.g. "SWC"
    Unit unit = Unit::um; ///< of the file
    Notices notices;      ///< what was mended, merged or inferred
};

/// Reads a cable, told apart by extension and content: SWC, VTK lines (.vtk, .vtu, .vtp), or a
/// plain table: rows of x y z radius parent [kind], parents being rows from 0 (-1: a root), with
/// blanks, commas or semicolons between them.
///
/// SWC's somata. One soma point is a cylinder about it as long as wide, whose side is the sphere's
/// area. Three points, by which NeuroMorpho writes the same, and other ones are what they say:
/// cylinders and cones. An outline (four points or more around a middle) becomes a sphere of the
/// mean distance from it. Neurites hang on their soma point by a wire and begin with their first
/// point, or, where they have no other one, at the soma.
///
/// Points on their parent are joined with it by a wire: that is how a radius may change at one
/// place. Both are said.
/// @throws InputError in one line: file, line or place, what is wrong, what would be right
/// @throws Cancelled
Loaded read(const std::filesystem::path& file, const ReadOptions& options = {},
            const Progress& progress = {});

} // namespace tawara::cable::io
