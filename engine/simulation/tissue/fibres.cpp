// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/fibres.hpp"

#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/surface.hpp"

namespace tawara::simulation {

void give_fibres(LoadedMesh& m, const std::string& from, const std::filesystem::path& folder,
                 Notices& notices, const Progress& progress)
{
    if (from.empty())
        return;
    if (from == rule_based) {
        const auto surface = mesh::surface(m.mesh, m.neighbours);
        mesh::generator::assign_rule_based_fibres(m.mesh, surface, {}, progress);
        notices.push_back(
            {Notice::Level::info,
             "fibres by rule (Bayer et al. 2012): helix +60 to -60 degrees across the wall"});
        return;
    }
    const auto said = mesh::io::attach_fibres(m.mesh, folder / from);
    notices.insert(notices.end(), said.begin(), said.end());
}

} // namespace tawara::simulation
