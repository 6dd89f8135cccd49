// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/mesh_io.hpp"

namespace tawara::mesh::io {

/// write_vtu() with a text of its own in the field `provenance`; otherwise that is
/// program_provenance().
void write_vtu(const TetMesh& m, const std::vector<Extra>& extras,
               const std::filesystem::path& file, const std::string& provenance);

/// What a VTU file has in the field `provenance`; empty where there is none.
std::string provenance_of_vtu(const std::filesystem::path& file);

} // namespace tawara::mesh::io
