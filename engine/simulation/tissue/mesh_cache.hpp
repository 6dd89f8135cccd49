// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/mesh_io.hpp"

#include <filesystem>
#include <optional>

namespace tawara::simulation {

/// Keeps what was read from `file` for whoever reads that file next, so that a session made around
/// a mesh and the tissue built of it read and check it once. There is room for one mesh: another
/// takes its place.
/// @thread any
void keep_mesh(const std::filesystem::path& file, mesh::io::Loaded loaded);

/// Takes what is kept of `file` out of the cache; nothing where the file has
/// changed since it was read, or is wanted in another unit.
/// @thread any
std::optional<mesh::io::Loaded> take_mesh(const std::filesystem::path& file,
                                          std::optional<LengthUnit> unit);

} // namespace tawara::simulation
