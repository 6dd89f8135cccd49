// SPDX-License-Identifier: GPL-3.0-or-later
// Names by which models call the same thing, and factors on them.
#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/presets.hpp"

#include <algorithm>
#include <optional>

namespace tawara::simulation {
namespace {

/// Names of one model's parameters that together are what a canonical name means: the first has to
/// be there, of the others those that are.
using Together = std::vector<std::string_view>;

struct Known
{
    CanonicalParameter parameter;
    std::vector<Together> own; ///< the first whose first name a model has counts
};

const std::vector<Known>& known()
{
    static const std::vector<Known> table{
        {{"g_Na", "fast sodium current, conductance"}, {{"g_Na"}, {"GNa"}}},
        {{"g_NaL", "late sodium current, conductance"}, {{"g_NaL"}, {"GNaL"}}},
        // a channel that lets several ions through has a permeability for each
        {{"g_CaL", "L-type calcium current, conductance or permeabilities"},
         {{"g_CaL"},
          {"P_CaL"},
          {"P_Ca", "P_Na", "P_K"},
          {"PCa", "PNa", "PK"},
          {"pCa", "pNa", "pK"},
          {"g_s"},
          {"g_si"}}},
        {{"g_to", "transient outward current, conductance"},
         {{"g_to"}, {"Gto"}, {"g_tof", "g_tos"}, {"g_Kv43", "P_Kv14"}}},
        {{"g_Kr", "rapid delayed rectifier, conductance"}, {{"g_Kr"}, {"GKr"}, {"Gkr"}}},
        {{"g_Ks", "slow delayed rectifier, conductance"}, {{"g_Ks"}, {"GKs"}, {"Gks"}}},
        {{"g_K", "delayed rectifier of a model that has only one, conductance"},
         {{"g_K"}, {"g_x1"}}},
        {{"g_K1", "inward rectifier, conductance"}, {{"g_K1"}, {"GK1"}}},
        {{"g_Kur", "ultrarapid delayed rectifier, conductance"}, {{"g_Kur"}, {"GKur"}}},
        {{"P_NaK", "sodium-potassium pump, largest current"}, {{"P_NaK"}, {"I_NaK_max"}, {"Pnak"}}},
        {{"K_NaCa", "sodium-calcium exchanger, largest current"},
         {{"K_NaCa"}, {"g_NaCa"}, {"I_NaCa_max"}, {"k_NaCa"}, {"g_ncx"}}},
        {{"g_pCa", "sarcolemmal calcium pump, largest current"}, {{"g_pCa"}, {"I_pCa_max"}}},
        {{"g_KATP", "ATP-sensitive potassium current of ischaemia, conductance", "nS/pF"},
         {{"g_KATP"}}},
        {{"shift_Na", "shift of the fast sodium current's gates towards positive potentials", "mV"},
         {{"shift_Na"}}},
        {{"K_o", "outer potassium concentration"}, {{"K_o"}, {"Ko"}}},
        {{"Na_o", "outer sodium concentration"}, {{"Na_o"}, {"Nao"}}},
        {{"Ca_o", "outer calcium concentration"}, {{"Ca_o"}, {"Cao"}}},
    };
    return table;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& n : names)
        out += (out.empty() ? "" : ", ") + n;
    return out;
}

/// The values of a region's parameters, those that it does not name by model and variant.
class Values
{
  public:
    explicit Values(const Region& r) : region_(r), info_(cell::model_info(r.model)) {}
    double operator()(const std::string& name)
    {
        for (const auto& [n, value] : region_.parameters)
            if (n == name)
                return value;
        if (!type_)
            type_ = cell::make_cell_type(region_.model, region_.variant, {}, {});
        for (std::size_t k = 0; k < info_.parameters.size(); ++k)
            if (info_.parameters[k].name == name)
                return type_->parameters[k];
        return 0;
    }

  private:
    const Region& region_;
    const cell::ModelInfo& info_;
    std::optional<cell::CellType> type_;
};

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

const CanonicalParameter* canonical_parameter(std::string_view name)
{
    const auto list = canonical_parameters();
    const auto it = std::find_if(list.begin(), list.end(),
                                 [&](const CanonicalParameter& p) { return p.name == name; });
    return it == list.end() ? nullptr : &*it;
}

std::string parameter_name(std::string_view model, std::string_view canonical)
{
    return parameter_name(cell::model_info(std::string(model)), canonical);
}

std::string parameter_name(const cell::ModelInfo& model, std::string_view canonical)
{
    const auto all = parameter_names(model, canonical);
    return all.empty() ? std::string() : all.front();
}

std::vector<std::string> parameter_names(std::string_view model, std::string_view canonical)
{
    return parameter_names(cell::model_info(std::string(model)), canonical);
}

std::vector<std::string> parameter_names(const cell::ModelInfo& model, std::string_view canonical)
{
    const auto& has = model.parameters;
    const auto find = [&](std::string_view wanted) -> std::string {
        for (const auto& p : has) // as it is, or behind a component's name
            if (p.name == wanted || p.name.ends_with("." + std::string(wanted)))
                return p.name;
        return {};
    };
    const auto component = [](const std::string& name) {
        return name.substr(0, name.rfind('.') + 1);
    };
    if (auto own = find(canonical); !own.empty())
        return {own};
    for (const auto& k : known()) {
        if (k.parameter.name != canonical)
            continue;
        for (const Together& together : k.own) {
            std::vector<std::string> out;
            for (const auto name : together) {
                auto own = find(name);
                if (own.empty() && out.empty())
                    break;
                if (!own.empty() && (out.empty() || component(own) == component(out.front())))
                    out.push_back(std::move(own));
            }
            if (!out.empty())
                return out;
        }
    }
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

std::string only_rectifier(const std::string& model, std::string_view lacking)
{
    if (lacking != "g_Kr" && lacking != "g_Ks")
        return {};
    const auto only = parameter_name(model, "g_K");
    return only.empty() ? "" : "; its only delayed rectifier is g_K (" + only + ")";
}

Notices idle_drugs(std::span<const Drug> drugs, std::span<const Region> regions)
{
    std::vector<std::string> models;
    for (const Region& r : regions)
        if (!r.inherits() && std::find(models.begin(), models.end(), r.model) == models.end())
            models.push_back(r.model);
    Notices out;
    for (const Drug& drug : drugs) {
        std::vector<std::string> lacking;
        std::string only;
        for (const auto& [name, factor] : drug.factors)
            if (std::all_of(models.begin(), models.end(), [&](const std::string& m) {
                    return parameter_name(m, name).empty();
                })) {
                lacking.push_back(name);
                if (only.empty() && models.size() == 1)
                    only = only_rectifier(models.front(), name);
            }
        if (lacking.empty() || models.empty())
            continue;
        const bool all = lacking.size() == drug.factors.size();
        out.push_back({all ? Notice::Level::warning : Notice::Level::info,
                       "drug " + drug.name + ": no model here has " + listed(lacking) +
                           (all ? "; it changes nothing: choose another model, or another "
                                  "conductance"
                                : "; its other factors act") +
                           only});
    }
    return out;
}

std::vector<std::pair<std::string, double>> scaled_parameters(const Region& r,
                                                              std::span<const Drug> drugs)
{
    Region out = r;
    Values value(r);
    const auto multiply = [&](const std::string& canonical, double factor) {
        for (const auto& name : parameter_names(r.model, canonical)) {
            const auto at = std::find_if(out.parameters.begin(), out.parameters.end(),
                                         [&](const auto& p) { return p.first == name; });
            if (at != out.parameters.end())
                at->second *= factor;
            else
                out.parameters.emplace_back(name, value(name) * factor);
        }
    };
    for (const auto& [name, factor] : r.scale)
        multiply(name, factor);
    for (const auto& drug : drugs)
        for (const auto& [name, factor] : drug.factors)
            multiply(name, factor);
    return std::move(out.parameters);
}

bool inexcitable(const Region& laid)
{
    if (laid.insulating || laid.inherits())
        return laid.insulating;
    Values value(laid);
    const auto none = [&](std::string_view current) {
        const auto names = parameter_names(laid.model, current);
        return std::all_of(names.begin(), names.end(),
                           [&](const std::string& name) { return value(name) == 0; });
    };
    return !parameter_name(laid.model, "g_Na").empty() && none("g_Na") && none("g_NaL") &&
           none("g_CaL");
}

} // namespace tawara::simulation
