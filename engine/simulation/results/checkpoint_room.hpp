// SPDX-License-Identifier: GPL-3.0-or-later
// Whether there is room for the checkpoints of a run.
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tawara::simulation {

/// Bytes of a checkpoint's potentials, states and maps in memory, which is about the most that its
/// file takes: packed, it is smaller the more cells are alike. Tables and traces are not in it.
/// @cost memory: 4 bytes an unknown for each kind of cells, while it looks
double checkpoint_bytes(const device::TissueProblem& p, Precision precision);

/// What a run's checkpoints take, and what there is for them.
struct CheckpointRoom
{
    double bytes = 0;      ///< checkpoint_bytes()
    double every_ms = 0;   ///< 0: one is written only where the run is stopped
    std::int64_t kept = 0; ///< of the periodic ones; 0: all
    double memory = 0;     ///< left beside the run [bytes]; 0: not known
    double disk = 0;       ///< left in the folder [bytes]; below 0: not known
    std::string folder;
};

/// Bytes left on the disk of a folder or, where it is not there yet, of what it will be in; -1:
/// not known.
double disk_left_bytes(const std::filesystem::path& folder);

/// Says before a run what its checkpoints take, where one takes more than 1 GB.
/// @return  empty: they are small
/// @throws InputError at /output/checkpoint_every_ms where memory has no room for one, or the disk
/// none for half of one: packed they are seldom smaller
Notices what_checkpoints_take(const CheckpointRoom& room);

} // namespace tawara::simulation
