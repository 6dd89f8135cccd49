// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::analysis {

/// A closed path on the boundary around something that waves can turn around without a filament:
/// tissue that no wave enters (a scar, an insulator), or a hole in the wall (a valve, a vein).
struct Path
{
    /// Of the mesh, each joined to the next by an edge and the last to the first; clockwise around
    /// what it encloses, seen from outside. Waves enter all of them.
    std::vector<std::int32_t> vertices;
    std::int32_t obstacle = 0; ///< paths around one obstacle, as on both faces of a wall, share it
};

/// Finds the paths around all obstacles of a tissue.
///
/// The boundary is cut into sheets: where its walls (mesh::Wall) meet, and, where a wall is closed
/// and has a handle, as a plate with a hole in it, along edges of more than 40 degrees. Of a sheet
/// its triangles whose vertices waves enter are kept. Each edge of what is kept is part of a path:
/// around vertices that no wave enters, those joined by edges of tetrahedra being one obstacle, or
/// around a hole. The longest path of a sheet that meets another sheet is its rim, and encloses no
/// hole.
/// @param silent  per vertex of the mesh: 1 where no wave enters; empty: waves enter everywhere
/// @cost  that of sorting the edges of the boundary; where anything is silent, a pass over all
/// tetrahedra too
std::vector<Path> paths_around(const mesh::TetMesh& m, const mesh::Surface& s,
                               std::span<const std::uint8_t> silent);

/// How often a wave turns around what a path encloses: by the winding number of the phase along it.
/// +1: once, anticlockwise seen from outside; -1: clockwise; 0: no wave turns there.
/// @param phase  per vertex of the mesh, of phases()
int turns_around(const Path& p, std::span<const float> phase);

} // namespace tawara::analysis
