// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

/// Phase of re-entry and its singularities.
namespace tawara::analysis {

/// Phase in the plane of the potential now and a delay earlier,
///
///     theta = atan2(V(t - tau) - V*, V(t) - V*),
///
/// which rises through a beat: about -pi/4 in the upstroke, pi/4 in the plateau, 3 pi/4 in the
/// repolarisation, -3 pi/4 at rest. [rad], in (-pi, pi].
/// Source: Gray, Pertsov & Jalife, Nature 392:75 (1998), with the delayed value in place of the
/// advanced one; V* and tau as discussed by Bray & Wikswo, Phys Rev E 65:051902 (2002).
void phases(std::span<const float> now, std::span<const float> delayed, float centre_mV,
            std::span<float> out);

/// Filaments of a phase field.
struct Filaments
{
    std::vector<std::vector<Vec3>>
        lines;              ///< through the wall [mm]; closed ones repeat their first point
    std::vector<Vec3> ends; ///< where lines meet the surface [mm]
    std::vector<int>
        turn; ///< per end: +1 the wave turns anticlockwise seen from outside, -1 clockwise
    std::vector<std::int32_t> core; ///< per line: a vertex of the mesh beside its middle
};

/// Finds filaments as the singular faces of the tetrahedra: those around whose edges the phase,
/// going the short way along each edge, winds by +-2 pi. A tetrahedron has none or two of them
/// (four in rare cases, joined in pairs), which links them to lines. The point in a face is where
/// the linear interpolants of V(t) and V(t - tau) both equal V*. Source: winding number Iyer &
/// Gray, Ann Biomed Eng 29:47 (2001); filaments as the line in which both level sets meet: Clayton
/// & Holden, Phys Med Biol 47:225 (2002).
/// Faces with a vertex that no wave enters do not count: there the phase follows the currents of
/// the tissue around, and winds by chance where a wave passes.
/// @param neighbours  of mesh::face_neighbours()
/// @param phase, now, delayed  per vertex; those of phases()
/// @param silent  per vertex: 1 where no wave enters; empty: waves enter everywhere
/// @cost   about 10 ns per tetrahedron
Filaments filaments(const mesh::TetMesh& m,
                    const std::vector<std::array<std::int32_t, 4>>& neighbours,
                    std::span<const float> phase, std::span<const float> now,
                    std::span<const float> delayed, float centre_mV,
                    std::span<const std::uint8_t> silent = {});

/// How often 2 pi has to be added on the short way from phase a to phase b: -1, 0 or 1.
int phase_jump(float a, float b);

} // namespace tawara::analysis
