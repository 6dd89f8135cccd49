// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/presets.hpp"

#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <array>

namespace tawara::simulation {
namespace {

struct Known
{
    CanonicalParameter parameter;
    std::vector<std::string_view> own; ///< names in models, the first that a model has counts
};

const std::vector<Known>& known()
{
    static const std::vector<Known> table{
        {{"g_Na", "fast sodium current, conductance"}, {"g_Na", "GNa"}},
        {{"g_NaL", "late sodium current, conductance"}, {"g_NaL", "GNaL"}},
        {{"g_CaL", "L-type calcium current, conductance or permeability"},
         {"g_CaL", "P_CaL", "P_Ca", "g_s", "g_si"}},
        {{"g_to", "transient outward current, conductance"}, {"g_to", "Gto"}},
        {{"g_Kr", "rapid delayed rectifier, conductance"}, {"g_Kr", "GKr", "g_x1", "g_K"}},
        {{"g_Ks", "slow delayed rectifier, conductance"}, {"g_Ks", "GKs"}},
        {{"g_K1", "inward rectifier, conductance"}, {"g_K1", "GK1"}},
        {{"g_Kur", "ultrarapid delayed rectifier, conductance"}, {"g_Kur", "GKur"}},
        {{"P_NaK", "sodium-potassium pump, largest current"}, {"P_NaK", "I_NaK_max", "Pnak"}},
        {{"K_NaCa", "sodium-calcium exchanger, largest current"},
         {"K_NaCa", "g_NaCa", "I_NaCa_max"}},
        {{"g_pCa", "sarcolemmal calcium pump, largest current"}, {"g_pCa"}},
        {{"K_o", "outer potassium concentration"}, {"K_o", "Ko"}},
        {{"Na_o", "outer sodium concentration"}, {"Na_o", "Nao"}},
        {{"Ca_o", "outer calcium concentration"}, {"Ca_o", "Cao"}},
    };
    return table;
}

Region over(std::string kind, std::string name, double conductivity_scale,
            std::vector<std::pair<std::string, double>> scale)
{
    Region r;
    r.model.clear();
    r.kind = std::move(kind);
    r.name = std::move(name);
    r.conductivity_scale = conductivity_scale;
    r.scale = std::move(scale);
    return r;
}

} // namespace

std::span<const CanonicalParameter> canonical_parameters()
{
    static const auto list = [] {
        std::vector<CanonicalParameter> out;
        for (const auto& k : known())
            out.push_back(k.parameter);
        return out;
    }();
    return list;
}

std::string parameter_name(std::string_view model, std::string_view canonical)
{
    return parameter_name(cell::model_info(std::string(model)), canonical);
}

std::string parameter_name(const cell::ModelInfo& model, std::string_view canonical)
{
    const auto& has = model.parameters;
    const auto find = [&](std::string_view wanted) -> std::string {
        for (const auto& p : has) // as it is, or behind a component's name
            if (p.name == wanted || p.name.ends_with("." + std::string(wanted)))
                return p.name;
        return {};
    };
    if (auto own = find(canonical); !own.empty())
        return own;
    for (const auto& k : known())
        if (k.parameter.name == canonical)
            for (auto name : k.own)
                if (auto own = find(name); !own.empty())
                    return own;
    return {};
}

void need_factor_name(std::string_view name, std::span<const Region> regions,
                      const std::string& file, const std::string& where)
{
    std::vector<std::string> names;
    std::string list;
    for (const auto& c : canonical_parameters()) {
        names.emplace_back(c.name);
        list += (list.empty() ? "" : ", ") + names.back();
    }
    const auto has = [&](const std::string& model) { return !parameter_name(model, name).empty(); };
    if (std::find(names.begin(), names.end(), name) != names.end())
        return;
    for (const Region& r : regions) {
        if (r.inherits())
            continue;
        if (has(r.model))
            return;
        for (const auto& p : cell::model_info(r.model).parameters)
            names.push_back(p.name);
    }
    const auto shipped = cell::model_names();
    if (std::any_of(shipped.begin(), shipped.end(), has))
        return;
    const auto near = likely(name, names);
    throw InputError(file, where,
                     "unknown parameter '" + std::string(name) + "'; " +
                         (near.empty() ? "known of any model are " + list
                                       : "the nearest known is '" + near + "'"));
}

Notices idle_scales(std::span<const Region> regions)
{
    Notices out;
    for (std::size_t k = 0; k < regions.size(); ++k) {
        const Region& r = regions[k];
        for (const auto& [name, factor] : r.scale) {
            if (r.inherits() || factor == 1 || !parameter_name(r.model, name).empty())
                continue;
            out.push_back({Notice::Level::warning, "tissue.regions." + std::to_string(k) +
                                                       ".scale." + name + ": model " + r.model +
                                                       " has none; it changes nothing"});
        }
    }
    return out;
}

Notices idle_drugs(std::span<const Drug> drugs, std::span<const Region> regions)
{
    std::vector<std::string> models;
    for (const Region& r : regions)
        if (!r.inherits() && std::find(models.begin(), models.end(), r.model) == models.end())
            models.push_back(r.model);
    Notices out;
    for (const Drug& drug : drugs) {
        std::string lacking;
        std::size_t idle = 0;
        for (const auto& [name, factor] : drug.factors)
            if (std::all_of(models.begin(), models.end(), [&](const std::string& m) {
                    return parameter_name(m, name).empty();
                })) {
                lacking += (lacking.empty() ? "" : ", ") + name;
                ++idle;
            }
        if (idle == 0 || models.empty())
            continue;
        const bool all = idle == drug.factors.size();
        out.push_back({all ? Notice::Level::warning : Notice::Level::info,
                       "drug " + drug.name + ": no model here has " + lacking +
                           (all ? "; it changes nothing: choose another model, or another "
                                  "conductance"
                                : "; its other factors act")});
    }
    return out;
}

std::vector<std::pair<std::string, double>> scaled_parameters(const Region& r,
                                                              std::span<const Drug> drugs)
{
    auto out = r.parameters;
    const auto& info = cell::model_info(r.model);
    std::optional<cell::CellType> type; // gives values that `parameters` does not name
    const auto multiply = [&](const std::string& canonical, double factor) {
        const auto name = parameter_name(r.model, canonical);
        if (name.empty())
            return;
        for (auto& [n, value] : out)
            if (n == name) {
                value *= factor;
                return;
            }
        if (!type)
            type = cell::make_cell_type(r.model, r.variant, {}, {});
        for (std::size_t k = 0; k < info.parameters.size(); ++k)
            if (info.parameters[k].name == name)
                out.emplace_back(name, type->parameters[k] * factor);
    };
    for (const auto& [name, factor] : r.scale)
        multiply(name, factor);
    for (const auto& drug : drugs)
        for (const auto& [name, factor] : drug.factors)
            multiply(name, factor);
    return out;
}

std::span<const DrugPreset> drug_presets()
{
    const char* pore =
        "simple pore block, g = g0 / (1 + [D]/IC50): Brennan, Fink & Rodriguez, Eur J Pharm Sci "
        "36:62 (2009); classes: Vaughan Williams, J Clin Pharmacol 24:129 (1984)";
    static const std::vector<DrugPreset> list{
        {{"I_Kr block 50 %", {{"g_Kr", 0.5}}},
         "Rapid delayed rectifier at half: [D] = IC50 of hERG. Lengthens the action potential.",
         pore},
        {{"I_Kr block 90 %", {{"g_Kr", 0.1}}},
         "Rapid delayed rectifier at a tenth: [D] = 9 IC50 of hERG.",
         pore},
        {{"I_Ks block 50 %", {{"g_Ks", 0.5}}}, "Slow delayed rectifier at half.", pore},
        {{"I_Na block 50 %", {{"g_Na", 0.5}}},
         "Fast sodium current at half: slower upstroke and conduction.",
         pore},
        {{"I_CaL block 50 %", {{"g_CaL", 0.5}}},
         "L-type calcium current at half: shorter action potential.",
         pore},
        {{"I_to block 50 %", {{"g_to", 0.5}}}, "Transient outward current at half.", pore},
        {{"Class Ia (quinidine-like)", {{"g_Na", 0.7}, {"g_Kr", 0.5}}},
         "Moderate sodium block, and hERG block at its IC50: slower conduction, longer action "
         "potential.",
         pore},
        {{"Class Ib (lidocaine-like)", {{"g_Na", 0.85}, {"g_NaL", 0.5}}},
         "Weak block of the peak sodium current at slow rates, strong block of the late one "
         "(where a model has it).",
         pore},
        {{"Class Ic (flecainide-like)", {{"g_Na", 0.5}, {"g_Kr", 0.8}}},
         "Strong sodium block: much slower conduction, action potential hardly longer.",
         pore},
        {{"Class II (beta blocker, on adrenergic tone)", {{"g_CaL", 0.75}, {"g_Ks", 0.75}}},
         "Takes back part of the rise of I_CaL and I_Ks under adrenergic tone; the models' "
         "baseline has none, so values are below it.",
         "factors are this program's choice, by direction only: adrenergic tone raises both "
         "currents"},
        {{"Class III (sotalol- or dofetilide-like)", {{"g_Kr", 0.5}}},
         "Pure block of the rapid delayed rectifier at its IC50.",
         pore},
        {{"Class III (amiodarone-like)",
          {{"g_Kr", 0.6}, {"g_Ks", 0.8}, {"g_Na", 0.8}, {"g_CaL", 0.8}}},
         "Many channels at once: longer action potential without much dispersion.",
         pore},
        {{"Class IV (verapamil-like)", {{"g_CaL", 0.5}, {"g_Kr", 0.7}}},
         "Calcium block at its IC50 with some hERG block: the effects on duration partly cancel.",
         pore},
    };
    return list;
}

std::span<const TissuePreset> tissue_presets()
{
    static const std::vector<TissuePreset> list{
        {"Scar core", "Dense scar: does not fire and hardly conducts.",
         "insulating, passive scar: Arevalo et al., Nat Commun 7:11437 (2016); Mendonca Costa et "
         "al., Front Physiol 9:356 (2018)",
         over("scar_core", "scar core", 0.001, {{"g_Na", 0}, {"g_CaL", 0}})},
        {"Border zone",
         "Around a scar: weaker sodium, calcium and potassium currents, poorer coupling.",
         "I_Na 38 %, I_CaL 31 %, I_Kr 30 %, I_Ks 20 % of normal: Arevalo et al., Nat Commun "
         "7:11437 (2016), after Decker & Rudy, Heart Rhythm 7:1857 (2010); there conductivity "
         "across fibres falls to a tenth, here all directions to a quarter",
         over("border_zone", "border zone", 0.25,
              {{"g_Na", 0.38}, {"g_CaL", 0.31}, {"g_Kr", 0.3}, {"g_Ks", 0.2}})},
        {"Ischaemia, phase 1a",
         "Minutes after occlusion: outer potassium 5.4 to 9 mM, sodium and calcium currents at 75 "
         "%.",
         "hyperkalaemia and acidosis: Shaw & Rudy, Cardiovasc Res 35:256 (1997); opening of "
         "I_K(ATP) is left out, the models do not have it",
         over("ischaemia", "ischaemia", 1, {{"K_o", 9.0 / 5.4}, {"g_Na", 0.75}, {"g_CaL", 0.75}})},
        {"Fibrosis, diffuse", "Cells as they were, coupling reduced to a third.",
         "the factor is this program's choice; published ones differ widely",
         over("fibrosis", "fibrosis", 0.3, {})},
    };
    return list;
}

bool inexcitable(const Region& r)
{
    const auto none_of = [](const auto& list) {
        return std::any_of(list.begin(), list.end(), [](const auto& p) {
            return p.second == 0 && (p.first == "g_Na" || p.first.ends_with(".g_Na"));
        });
    };
    return r.kind == "scar_core" || none_of(r.scale) || none_of(r.parameters);
}

} // namespace tawara::simulation
