// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/region_notices.hpp"

#include "engine/simulation/session/presets.hpp"

#include <algorithm>
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

/// What of a region's factors and values does nothing to a model.
struct Idle
{
    std::vector<std::string> lacking;     ///< the model does not have them
    std::vector<std::string> zero;        ///< of factors: they are 0 there
    std::string only;                     ///< only_rectifier()
    bool factors = false, values = false; ///< which of both are among those lacking
    std::size_t acting = 0;
};

Idle idle(const Region& own, const Region& laid)
{
    Idle out;
    const auto has = [&](const std::string& name, bool& kind) {
        if (!parameter_name(laid.model, name).empty())
            return true;
        out.lacking.push_back(name);
        kind = true;
        if (out.only.empty())
            out.only = only_rectifier(laid.model, name);
        return false;
    };
    for (const auto& [name, factor] : own.scale) {
        if (factor == 1 || !has(name, out.factors))
            continue;
        const auto* known = canonical_parameter(name);
        const auto at = std::find_if(
            laid.parameters.begin(), laid.parameters.end(),
            [at = parameter_name(laid.model, name)](const auto& p) { return p.first == at; });
        if (known != nullptr && !known->unit.empty() &&
            (at == laid.parameters.end() || at->second == 0))
            out.zero.push_back(name);
        else
            ++out.acting;
    }
    if (own.inherits())
        for (const auto& [name, value] : own.parameters)
            out.acting += has(name, out.values);
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
        if (model.empty())
            continue;
        const auto found = idle(own, laid.regions[k]);
        if ((found.lacking.empty() && found.zero.empty()) || !said.emplace(at, model).second)
            continue;
        for (const auto& name : found.zero)
            out.push_back({Notice::Level::warning,
                           place_of(s, at, ".scale") + ": " + name + " is 0 in model " + model +
                               ", and a factor leaves it so; give its value by \"parameters\""});
        if (found.lacking.empty())
            continue;
        const bool short_of_hypoxia =
            own.kind == "ischaemia" &&
            std::count(found.lacking.begin(), found.lacking.end(), std::string("g_KATP")) > 0;
        // a list that fits several models is no slip where a part of it acts
        const bool part = own.inherits() && found.acting > 0;
        out.push_back(
            {part && !short_of_hypoxia ? Notice::Level::info : Notice::Level::warning,
             place_of(s, at,
                      !found.values    ? ".scale"
                      : !found.factors ? ".parameters"
                                       : "") +
                 ": model " + model + " has no " + listed(found.lacking) +
                 (found.lacking.size() == 1 ? "; it changes" : "; they change") + " nothing there" +
                 (own.inherits() && found.acting == 0 ? ": its cells are as those beneath" : "") +
                 (part && short_of_hypoxia
                      ? "; without I_K(ATP) of hypoxia the action potential hardly shortens"
                      : "") +
                 found.only});
    }
    return out;
}

Notices idle_insulators(const Session& s)
{
    Notices out;
    for (std::size_t k = 0; k < s.regions.size(); ++k) {
        const Region& r = s.regions[k];
        if (!r.insulating)
            continue;
        std::vector<std::string> idle;
        if (!r.scale.empty())
            idle.emplace_back("scale");
        if (!r.parameters.empty())
            idle.emplace_back("parameters");
        if (!(r.conductivity_scale == ConductivityScale{}))
            idle.emplace_back("conductivity_scale");
        if (!idle.empty())
            out.push_back({Notice::Level::warning,
                           place_of(s, k, "") +
                               ": insulating tissue has no cells and conducts no current, so that "
                               "these keys do nothing: " +
                               listed(idle)});
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

Notices moved_rests(const Session& s, const RegionMap& laid)
{
    Notices out;
    if (s.prepacing.beats > 0)
        return out;
    std::set<std::size_t> said;
    for (std::size_t k = 0; k < laid.regions.size(); ++k) {
        const auto at = laid.origin[k];
        const Region& own = s.regions[at];
        const std::string& model = laid.regions[k].model;
        const bool moved = std::any_of(own.scale.begin(), own.scale.end(), [&](const auto& f) {
            return f.first == "K_o" && f.second != 1 && !model.empty() &&
                   !parameter_name(model, f.first).empty();
        });
        if (!moved || !laid.regions[k].initial.empty() || !said.insert(at).second)
            continue;
        out.push_back({Notice::Level::info,
                       place_of(s, at, "") +
                           ": its cells begin at their model's rest and reach that of their own "
                           "outer potassium within some 300 ms; the first waves run as in healthy "
                           "tissue. Pace the cells before the run (tissue.prepacing)"});
    }
    return out;
}

} // namespace tawara::simulation
