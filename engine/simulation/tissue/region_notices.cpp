// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/region_notices.hpp"

#include "engine/simulation/session/presets.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tawara::simulation {
namespace {

std::string listed(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& n : names)
        out += (out.empty() ? "" : ", ") + n;
    return out;
}

/// "tissue.regions.3", with its name where it has one.
std::string place_of(const Session& s, std::size_t region, const char* key)
{
    const auto& name = s.regions[region].name;
    return "tissue.regions." + std::to_string(region) + key +
           (name.empty() ? "" : " (" + name + ")");
}

} // namespace

Notices idle_scales(const Session& s, const RegionMap& laid)
{
    Notices out;
    std::set<std::pair<std::size_t, std::string>> said; // region of the session, model
    for (std::size_t k = 0; k < laid.regions.size(); ++k) {
        const auto at = laid.origin[k];
        const Region& own = s.regions[at];
        const std::string& model = laid.regions[k].model;
        std::vector<std::string> lacking;
        std::string only;
        std::size_t acting = 0;
        for (const auto& [name, factor] : own.scale) {
            if (factor == 1)
                continue;
            if (!parameter_name(model, name).empty()) {
                ++acting;
                continue;
            }
            lacking.push_back(name);
            if (only.empty())
                only = only_rectifier(model, name);
        }
        if (lacking.empty() || !said.emplace(at, model).second)
            continue;
        // a list that fits several models is no slip where a part of it acts
        const bool part = own.inherits() && acting > 0;
        out.push_back(
            {part ? Notice::Level::info : Notice::Level::warning,
             place_of(s, at, ".scale") + ": model " + model + " has no " + listed(lacking) +
                 (lacking.size() == 1 ? "; it changes" : "; they change") + " nothing there" +
                 (own.inherits() && acting == 0 ? ": its cells are as those beneath" : "") + only});
    }
    return out;
}

Notices firing_scars(const Session& s, const RegionMap& laid)
{
    Notices out;
    std::set<std::size_t> said;
    for (std::size_t k = 0; k < laid.regions.size(); ++k) {
        const auto at = laid.origin[k];
        const Region& own = s.regions[at];
        if (own.kind != "scar_core" || inexcitable(laid.regions[k]) || !said.insert(at).second)
            continue;
        out.push_back({Notice::Level::info,
                       place_of(s, at, "") + ": is a scar whose cells can fire (" +
                           laid.regions[k].model + "): it is drawn as a border zone is"});
    }
    return out;
}

} // namespace tawara::simulation
