// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/mesh_io.hpp"

namespace tawara::mesh::io {

// The writers, one per format; each leaves whole files or none. CARP keeps no fields, TetGen only
// the face markers.
void write_vtk_legacy(const TetMesh& m, const std::filesystem::path& file);
void write_gmsh(const TetMesh& m, const std::filesystem::path& file, bool version_2);
void write_carp(const TetMesh& m, const std::filesystem::path& file, bool binary);
void write_tetgen(const TetMesh& m, const std::filesystem::path& file);

} // namespace tawara::mesh::io
