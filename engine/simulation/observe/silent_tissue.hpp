// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <cstdint>
#include <vector>

namespace tawara::simulation {

/// What tells where no wave enters a tissue: values of their own.
struct SilentTissue
{
    /// A region that conducts less than another one, of cells that can fire.
    struct Weak
    {
        Region region; ///< laid
        std::vector<std::int32_t> vertices;
    };
    /// Per vertex of the mesh: 1 where cells cannot fire (inexcitable()) or are none. p1: those of
    /// the vertex; fvm: those of one of its tetrahedra.
    std::vector<std::uint8_t> vertices;
    std::vector<Weak> weak; ///< whether waves run there is not known yet
    Session session;        ///< without regions and drugs, which are laid
    mesh::Grain grain{0};   ///< of the mesh, where there are weak regions
};

/// @cost  linear
SilentTissue silent_tissue(const Session& s, const Tissue& t);

/// Per vertex of the mesh: 1 where no wave enters. That is where cells cannot fire, and regions
/// which conduct so weakly that on a mesh of this edge no wave runs in them, even in the direction
/// in which they conduct best (velocity_on_mesh()).
/// @return empty where waves enter everywhere
/// @throws InputError, NumericsError, Cancelled
/// @cost   some tenths of a second for each weak region
std::vector<std::uint8_t> silent_vertices(const SilentTissue& t, const Progress& progress = {});

} // namespace tawara::simulation
