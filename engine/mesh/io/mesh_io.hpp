// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <filesystem>
#include <optional>

namespace tawara::mesh::io {

/// A mesh as it came from a file, checked and cleaned, in mm.
struct Loaded
{
    TetMesh mesh;
    CheckReport check;                ///< notices say the unit and how it was found
    LengthUnit unit = LengthUnit::mm; ///< of the file
    std::string format;               ///< e.g. "VTU", "CARP"
};

/// Reads VTU, legacy VTK, CARP, TetGen or Gmsh (2.2, 4.1), told apart by extension and content. For
/// the formats of several files, any one of them or their common stem may be named.
/// @param unit  length unit of the file; inferred from the size of the heart when not given, and
/// said
/// @throws MeshError naming file and line; Cancelled
Loaded read(const std::filesystem::path& file, std::optional<LengthUnit> unit = {},
            const Progress& progress = {});

/// The files that read() of that name may take and that write() may make, replace or take away: the
/// named one alone, or the several of its format.
std::vector<std::filesystem::path> files_read(const std::filesystem::path& file);
std::vector<std::filesystem::path> files_written(const std::filesystem::path& file);

/// Gives the mesh the fibres of another file. Legacy VTK or VTU with vectors named as fibres at its
/// points, cells not needed: each vertex takes the nearest point's vector, so the file may count
/// its points in any order; then fibres are averaged over each tetrahedron's corners and
/// normalised; sheets that the mesh had are dropped. CARP's .lon or .blon: one for each
/// tetrahedron, in the mesh's order, with sheets where it has them.
/// @param unit  length unit of that file; inferred when not given by matching the mesh's size
/// @return  what was done, to be shown
/// @throws MeshError when it has no such vectors, when points lie off the mesh's vertices, or when
///         there are more or fewer than tetrahedra; the mesh stays as it was
Notices attach_fibres(TetMesh& m, const std::filesystem::path& file,
                      std::optional<LengthUnit> unit = {}, const Progress& progress = {});

/// What write() of that name leaves out, as far as the mesh has it: names of regions, fields,
/// markers of faces, sheets. Empty: all is kept.
Notices lost_in(const TetMesh& m, const std::filesystem::path& file);

/// Writes a mesh in the format of the extension: .vtu, .vtk (binary), .pts/.elem/.lon (CARP),
/// .node/.ele (TetGen), .msh (Gmsh 4.1 binary; 2.2 by `.msh2`). Coordinates in mm except CARP's um.
/// All files appear whole or none does.
/// @throws InputError for an unknown extension (names the known ones)
void write(const TetMesh& m, const std::filesystem::path& file, const Progress& progress = {});

/// One more array to be written with a mesh (potential, activation time).
struct Extra
{
    std::string name;
    Field::On on = Field::On::vertices;
    std::vector<float> values; ///< one per vertex or tetrahedron; NaN where undefined
};
/// Writes the mesh with extra scalars to VTU (binary, compressed), whole or not at all.
void write_vtu(const TetMesh& m, const std::vector<Extra>& extras,
               const std::filesystem::path& file);

} // namespace tawara::mesh::io
