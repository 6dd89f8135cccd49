// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <span>
#include <vector>

namespace tawara::scene {

/// Lines in space, each a run of points, with one value per point to be coloured by.
struct Lines
{
    std::vector<float> points;        ///< x y z [mm]
    std::vector<float> values;        ///< one per point
    std::vector<std::int32_t> starts; ///< first point of each line, and the end of the last
    std::size_t count() const { return starts.empty() ? 0 : starts.size() - 1; }
};

/// Lines along the fibres: from seeds spread evenly over the wall's tetrahedra, followed both ways.
/// Values: the fibre's angle to the horizontal plane [degrees], -90 to 90.
/// @param count   about how many lines
/// @param length_mm  of each; a few mm make glyphs of them
/// @pre    the mesh has fibres
/// @thread any
Lines fibre_lines(const mesh::TetMesh& m, const mesh::Surface& s, std::size_t count,
                  double length_mm);

/// Arrows over the wall for vectors at its vertices, one at most every spacing_mm, as lines of
/// three strokes; vectors that are not finite or nearly 0 have none. Values: length of the vector.
/// @param scale  mm of arrow per unit
Lines arrows(const mesh::TetMesh& m, const mesh::Surface& s, std::span<const Vec3> vectors,
             double spacing_mm, double scale);

} // namespace tawara::scene
