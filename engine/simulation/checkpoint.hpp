// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/simulation/outputs.hpp"

#include <filesystem>

namespace tawara::simulation {

/// Everything that a run needs to go on as if it had not been interrupted.
struct Checkpoint
{
    std::string fingerprint; ///< of what must be the same: mesh, operator, cells, dt, precision
    device::Snapshot state;
    ProbeTable probes; ///< samples so far
};

/// Text that two runs share exactly when one can resume from the other's checkpoint.
std::string fingerprint(const device::TissueProblem& p, Precision precision);

/// Writes a checkpoint (.tcp), whole or not at all. Binary, little endian, zlib-compressed, with a
/// checksum.
void write_checkpoint(const Checkpoint& c, const std::filesystem::path& file);

/// @throws InputError when the file is not one, is damaged or was cut short
Checkpoint read_checkpoint(const std::filesystem::path& file);

} // namespace tawara::simulation
