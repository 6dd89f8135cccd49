// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/tissue.hpp"

#include <filesystem>
#include <string>

namespace tawara::simulation {

/// Gives a mesh other fibres than it has.
/// @param from  a file (mesh::io::attach_fibres()), starting from `folder` where it is relative, or
///              rule_based; empty: the mesh keeps its own
/// @param rule  angles of fibres by rule
/// @throws MeshError, Cancelled
/// @cost   a reading of the file; by rule, two solutions of Laplace's equation on the mesh
void give_fibres(LoadedMesh& m, const std::string& from, const std::filesystem::path& folder,
                 const mesh::generator::FibreRules& rule, Notices& notices,
                 const Progress& progress = {});
/// "helix +60 to -60 degrees across the wall"; sheet angles where they are not the usual ones.
std::string rule_text(const mesh::generator::FibreRules& rule);

} // namespace tawara::simulation
