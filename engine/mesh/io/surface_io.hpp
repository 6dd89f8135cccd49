// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/mesh_io.hpp"

namespace tawara::mesh::io {

/// Writes a boundary as VTK polygons (.vtp, binary, compressed), whole or not at all: its own
/// vertices, triangles, the number of the mesh vertex that each is (`mesh_vertex`), and scalars at
/// its vertices.
/// @param provenance  of the field of that name; empty: program_provenance()
/// @throws InputError when an array has another length or the file cannot be written
void write_surface_vtp(const TetMesh& m, const Surface& s, const std::vector<Extra>& at_vertices,
                       const std::filesystem::path& file, const std::string& provenance = {});

} // namespace tawara::mesh::io
