// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/doses.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/study/study_keys.hpp"

#include <set>

namespace tawara::study {
namespace {

using DoseJson = nlohmann::ordered_json;
constexpr double most_nM = 1e12;
constexpr std::size_t most_doses = 1'000'000; // a study has no more runs

DosedDrug known_drug(const StudyKeys& keys, const std::string& at, const std::string& name)
{
    std::string list;
    for (const auto& d : known_drugs()) {
        if (d.name == name)
            return d;
        list += (list.empty() ? "" : ", ") + d.name;
    }
    keys.fail(at,
              "'" + name + "' is not known; known are " + list +
                  "; describe another as {\"name\": .., \"cmax_nM\": .., \"blocks\": {\"g_Kr\": "
                  "{\"ic50_nM\": .., \"hill\": ..}}}");
}

DosedDrug own_drug(const std::filesystem::path& file, const std::string& at, const DoseJson& v)
{
    const StudyKeys o(file, at, v, {"name", "cmax_nM", "blocks"});
    if (!o.has("name") || !o["name"].is_string())
        o.fail("/name", "must be the drug's name");
    DosedDrug d;
    d.name = o["name"].get<std::string>();
    o.number("cmax_nM", 1e-6, most_nM, "nM", d.cmax_nM);
    if (!o.has("blocks") || !o["blocks"].is_object() || o["blocks"].empty())
        o.fail("/blocks", "must say what it blocks: {\"g_Kr\": {\"ic50_nM\": 5, \"hill\": 1}}");
    for (const auto& [parameter, block] : o["blocks"].items()) {
        const StudyKeys b(file, at + "/blocks/" + parameter, block, {"ic50_nM", "hill"});
        Block to{parameter, 0, 1};
        if (!b.has("ic50_nM"))
            b.fail("/ic50_nM", "is missing");
        b.number("ic50_nM", 1e-6, most_nM, "nM", to.ic50_nM);
        b.number("hill", 0.01, 20, "", to.hill);
        d.blocks.push_back(std::move(to));
    }
    return d;
}

void read_drugs(const std::filesystem::path& file, const StudyKeys& keys, Doses& to)
{
    if (!keys.has("drugs") || !keys["drugs"].is_array() || keys["drugs"].empty())
        keys.fail("/drugs", "must be a list of drugs, e.g. [\"dofetilide\", \"verapamil\"]");
    std::set<std::string> names;
    for (const auto& v : keys["drugs"]) {
        const auto at = "/drugs/" + std::to_string(to.drugs.size());
        auto d = v.is_string() ? known_drug(keys, at, v.get<std::string>())
                               : own_drug(file, "/doses" + at, v);
        if (!names.insert(d.name).second)
            keys.fail(at, "'" + d.name + "' is there twice; give each drug once");
        if (to.times_cmax && d.cmax_nM <= 0)
            keys.fail(at, "needs cmax_nM, since times_cmax are multiples of it; or give "
                          "concentration_nM");
        to.drugs.push_back(std::move(d));
    }
}

void read_concentrations(const StudyKeys& keys, Doses& to)
{
    const char* key = to.times_cmax ? "times_cmax" : "concentration_nM";
    const auto where = std::string("/") + key;
    const auto& list = keys[key];
    if (!list.is_array() || list.empty())
        keys.fail(where, "must be a list of concentrations, e.g. [0, 1, 4, 10]");
    std::set<double> known;
    for (const auto& v : list) {
        const auto at = where + "/" + std::to_string(to.values.size());
        if (!v.is_number() || !(v.get<double>() >= 0) || !(v.get<double>() <= most_nM))
            keys.fail(at, v.dump() + " must be a number of at least 0");
        if (!known.insert(v.get<double>()).second)
            keys.fail(at, v.dump() + " is there twice; give each value once");
        to.values.push_back(v.get<double>());
    }
}

} // namespace

Doses read_doses(const std::filesystem::path& file, const nlohmann::ordered_json& o)
{
    const StudyKeys keys(file, "/doses", o, {"drugs", "times_cmax", "concentration_nM"});
    if (keys.has("times_cmax") == keys.has("concentration_nM"))
        keys.fail("", "wants one of times_cmax (multiples of C_max) and concentration_nM");
    Doses out;
    out.times_cmax = keys.has("times_cmax");
    read_drugs(file, keys, out);
    read_concentrations(keys, out);
    if (out.drugs.size() > most_doses / out.values.size())
        keys.fail("", "makes more than " + std::to_string(most_doses) +
                          " doses; give fewer drugs or concentrations");
    return out;
}

double concentration_nM(const Doses& all, const Dose& d)
{
    return all.values.at(d.value) * (all.times_cmax ? all.drugs.at(d.drug).cmax_nM : 1.0);
}

simulation::Drug drug_of(const Doses& all, const Dose& d)
{
    const auto& drug = all.drugs.at(d.drug);
    const double nM = concentration_nM(all, d);
    simulation::Drug out;
    out.name = drug.name + ", " + simulation::number_text(nM, 6) + " nM";
    for (const auto& b : drug.blocks)
        out.factors.emplace_back(b.parameter, left_of(b, nM));
    return out;
}

std::map<std::string, double> dose_results(const Doses& all, const Dose& d)
{
    std::map<std::string, double> out{{"dose.concentration_nM", concentration_nM(all, d)}};
    for (const auto& [parameter, factor] : drug_of(all, d).factors)
        out["dose.left." + parameter] = factor;
    return out;
}

const char* concentration_path(const Doses& all)
{
    return all.times_cmax ? "doses.times_cmax" : "doses.concentration_nM";
}

} // namespace tawara::study
