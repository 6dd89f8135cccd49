// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <filesystem>
#include <string>

namespace tawara::simulation {

/// Gives a mesh other fibres than it has.
/// @param from  a file (mesh::io::attach_fibres()), starting from `folder` where it is relative, or
///              rule_based; empty: the mesh keeps its own
/// @throws MeshError, Cancelled
/// @cost   a reading of the file; by rule, two solutions of Laplace's equation on the mesh
void give_fibres(LoadedMesh& m, const std::string& from, const std::filesystem::path& folder,
                 Notices& notices, const Progress& progress = {});

} // namespace tawara::simulation
