// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/fibres.hpp"

#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/surface.hpp"

#include <cstdio>

namespace tawara::simulation {

std::string rule_text(const mesh::generator::FibreRules& rule)
{
    char text[160];
    std::snprintf(text, sizeof text, "helix %+g to %+g degrees across the wall",
                  rule.helix_endo_deg, rule.helix_epi_deg);
    std::string out = text;
    const mesh::generator::FibreRules usual;
    if (rule.sheet_endo_deg != usual.sheet_endo_deg || rule.sheet_epi_deg != usual.sheet_epi_deg) {
        std::snprintf(text, sizeof text, ", sheets %+g to %+g degrees", rule.sheet_endo_deg,
                      rule.sheet_epi_deg);
        out += text;
    }
    return out;
}

void give_fibres(LoadedMesh& m, const std::string& from, const std::filesystem::path& folder,
                 const mesh::generator::FibreRules& rule, Notices& notices,
                 const Progress& progress)
{
    if (from.empty())
        return;
    if (from == rule_based) {
        const auto surface = mesh::surface(m.mesh, m.neighbours);
        mesh::generator::assign_rule_based_fibres(m.mesh, surface, rule, progress);
        notices.push_back(
            {Notice::Level::info, "fibres by rule (Bayer et al. 2012): " + rule_text(rule)});
        return;
    }
    const auto said = mesh::io::attach_fibres(m.mesh, folder / from, {}, progress);
    notices.insert(notices.end(), said.begin(), said.end());
}

} // namespace tawara::simulation
