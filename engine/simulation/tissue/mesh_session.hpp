// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

#include <optional>

namespace tawara::simulation {

/// What a session is to be made around.
struct MeshChoice
{
    std::filesystem::path mesh{};
    std::optional<LengthUnit> unit{}; ///< of the mesh's file; else inferred
    std::string fibres{}; ///< a file (as give_fibres() takes it) or rule_based; else the mesh's
    mesh::generator::FibreRules rule{}; ///< angles of fibres that are rule_based
    std::string model{};                ///< key of a cell model; else TT06
    /// Of waves. Not given: ConductionVelocity's, as far as the mesh has directions, where they can
    /// be reached; else conductivities are raised as much as the mesh is coarse.
    std::optional<ConductionVelocity> velocity{};
    bool tune = true; ///< false: conductivities are raised, velocities not asked for
};

/// session_for_mesh(mesh), by what was chosen. The fibres' path is kept as it is given.
/// @throws MeshError, InputError; where a velocity that was asked for cannot be reached
/// @cost   tune_conductivity()
Session session_for_mesh(const MeshChoice& choice, const Progress& progress = {});

} // namespace tawara::simulation
