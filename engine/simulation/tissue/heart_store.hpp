// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/heart.hpp"

#include <filesystem>

namespace tawara::simulation {

/// Where generated hearts are kept: hearts in cache_folder(); empty: they are not.
std::filesystem::path heart_folder();

/// The mesh of generate_heart(), bit for bit, from `folder` where it was kept by an earlier call of
/// the same build, else made and kept there. The folder holds about `most_bytes` at most: hearts
/// that were not wanted for the longest time go first, larger ones than that are not kept. Where a
/// file cannot be read the heart is made anew; programs of one user may share the folder, and what
/// others could have written there is not taken.
/// @param folder   empty: made, and not kept
/// @param notices  says that and where a heart was kept or read, and why one could not be kept
/// @throws InputError, Cancelled as generate_heart()
/// @thread any
/// @cost   reading: 0.3 s for 83 thousand tetrahedra, 53 bytes each on disk; keeping compresses
/// them
mesh::TetMesh kept_heart(const mesh::generator::HeartParameters& parameters,
                         const std::filesystem::path& folder, Notices& notices,
                         const Progress& progress = {},
                         std::uintmax_t most_bytes = std::uintmax_t{1} << 30);

} // namespace tawara::simulation
