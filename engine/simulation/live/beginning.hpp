// SPDX-License-Identifier: GPL-3.0-or-later
// A run's checkpoint as the state in which a session is loaded.
#pragma once
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <optional>

namespace tawara::simulation {

/// What a run has reached, and what it was computed in.
struct Beginning
{
    Checkpoint checkpoint;
    Precision precision = Precision::double_;
};

/// Reads a checkpoint that a run of this session has written.
/// @param tissue  of the session
/// @param asked   the precision that is wanted; nothing: that of the checkpoint
/// @throws InputError  where the file is no checkpoint, is damaged, or belongs to another
/// simulation
Beginning read_beginning(const std::filesystem::path& file, const Session& s, const Tissue& tissue,
                         std::optional<Precision> asked);

} // namespace tawara::simulation
