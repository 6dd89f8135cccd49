// SPDX-License-Identifier: GPL-3.0-or-later
// Values to session files. Every key is written, so that a file says what it means by itself.
#include "engine/cell/special_variables.hpp"
#include "engine/core/overload.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_dyads.hpp"
#include "engine/simulation/session/session_extras.hpp"
#include "engine/simulation/session/session_purkinje.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

Json number(double v)
{
    return json_number(v);
}

/// One label by itself, several as a list.
Json labels(const std::vector<std::int32_t>& list)
{
    return list.size() == 1 ? Json(list[0]) : Json(list);
}

Json values(const std::vector<std::pair<std::string, double>>& list)
{
    Json out = Json::object();
    for (const auto& [name, value] : list)
        out[name] = number(value);
    return out;
}

Json heart(const mesh::generator::HeartParameters& p)
{
    Json out = Json::object();
    out["shape"] = std::string(name(p.shape));
    for (const auto& row : mesh::generator::parameter_table())
        out[std::string(row.name)] = number(p.*row.value);
    return out;
}

Json mesh_source(const MeshSource& source)
{
    return std::visit(
        Overload{[](const MeshEmbedded&) {
                     return Json{{"embedded", true}};
                 },
                 [](const MeshFile& m) {
                     Json out{{"file", m.file}};
                     if (m.unit)
                         out["length_unit"] = std::string(name(*m.unit));
                     if (!m.fibres.empty())
                         out["fibres"] = m.fibres;
                     if (m.fibres == rule_based && m.rule != mesh::generator::FibreRules{})
                         out["fibre_rule"] = write_keys("/mesh/fibre_rule", m.rule);
                     return out;
                 },
                 [](const MeshSlab& m) {
                     return write_keys("/mesh", m, {{"slab_mm", json_point(m.size_mm)}});
                 },
                 [](const MeshHeart& m) {
                     return Json{{"heart", heart(m.parameters)}};
                 }},
        source);
}

Json special_variables(const cell::SpecialVariables& names)
{
    Json out = Json::object();
    const std::pair<const char*, const std::string*> all[] = {
        {"membrane_potential", &names.membrane_potential},
        {"stimulus", &names.stimulus},
        {"time", &names.time}};
    for (const auto& [key, text] : all)
        if (!text->empty())
            out[key] = *text;
    return out;
}

Json conductivity_scale(const ConductivityScale& x)
{
    if (x.even())
        return number(x.fibre);
    return write_keys("/tissue/regions/#/conductivity_scale", x);
}

Json region(const Region& r, const std::filesystem::path& folder)
{
    Json out = Json::object();
    if (r.where)
        out["where"] = where_json(*r.where);
    else
        out["label"] = r.labels.empty() ? Json("*") : labels(r.labels);
    if (!r.inherits()) {
        out["model"] = cell::model_text(r.model, folder);
        if (const auto names = cell::special_variables_of(r.model); !names.empty())
            out["model_variables"] = special_variables(names);
        if (!r.variant.empty())
            out["variant"] = r.variant;
        if (const auto& v = r.velocity_m_per_s; v && !r.insulating)
            out["velocity_m_per_s"] =
                v->even() ? number(v->fibre) : write_keys("/tissue/regions/#/velocity_m_per_s", *v);
        else
            out["conductivity_S_per_m"] =
                write_keys("/tissue/regions/#/conductivity_S_per_m", r.conductivity_S_per_m);
    }
    if (r.conductivity_scale != 1 || (r.inherits() && !r.insulating))
        out["conductivity_scale"] = conductivity_scale(r.conductivity_scale);
    if (!r.scale.empty())
        out["scale"] = values(r.scale);
    if (!r.parameters.empty())
        out["parameters"] = values(r.parameters);
    if (!r.initial.empty())
        out["initial"] = values(r.initial);
    write_dyads(r, out);
    return write_keys("/tissue/regions/#", r, std::move(out));
}

Json stimulus_region(const StimulusRegion& region)
{
    return std::visit(
        Overload{[](const Box& b) {
                     return Json{{"box_mm", Json::array({json_point(b.low), json_point(b.high)})}};
                 },
                 [](const Sphere& s) {
                     return Json{{"sphere_mm", sphere_json(s)}};
                 },
                 [](const Label& l) {
                     return Json{{"label", labels(l.labels)}};
                 },
                 [](const SurfaceRegion& s) {
                     return Json{{"surface", std::string(mesh::name(s.wall))}};
                 },
                 [](const Nodes& n) {
                     return Json{{"nodes", n.nodes}};
                 }},
        region);
}

Json stimulus(const Stimulus& s)
{
    Json out = Json::object();
    out["region"] = stimulus_region(s.region);
    if (s.amplitude_uA_per_cm3)
        out["amplitude_uA_per_cm3"] = number(*s.amplitude_uA_per_cm3);
    else
        out["amplitude_pA_per_pF"] = number(s.amplitude_pA_per_pF);
    if (s.protocol)
        out["protocol"] = protocol_json(*s.protocol);
    out = write_keys("/stimuli/#", s, std::move(out));
    if (s.protocol) {
        out.erase("period_ms");
        out.erase("count");
    }
    return out;
}

Json tissue(const Session& s)
{
    Json out = Json::object();
    if (s.prepacing.beats > 0)
        out["prepacing"] = write_keys("/tissue/prepacing", s.prepacing);
    if (!s.regions.empty())
        out["regions"] = Json::array();
    for (const auto& r : s.regions)
        out["regions"].push_back(region(r, s.folder));
    return write_keys("/tissue", s, std::move(out));
}

} // namespace

std::string to_json(const Session& s)
{
    Json j = Json::object();
    j["schema"] = 1;
    j["mesh"] = mesh_source(s.mesh);
    j["tissue"] = tissue(s);
    if (s.purkinje->wanted)
        j["purkinje"] = purkinje_json(s);
    j["diffusion"] = write_keys("/diffusion", s);
    if (s.scheme != diffusion::Scheme::p1)
        for (const char* key : {"mass", "currents"})
            j["diffusion"].erase(key);
    const bool newton = s.stepping == Stepping::newton;
    if (newton)
        j["diffusion"].erase("splitting");
    if (const auto own = write_keys("/diffusion/newton", s); newton && !own.empty())
        j["diffusion"]["newton"] = own;
    j["reaction"] = write_keys("/reaction", s, {{"scheme", std::string(cell::name(s.reaction))}});
    j["time"] = write_keys("/time", s);
    if (!newton)
        j["time"].erase("dt_max_ms");
    j["stimuli"] = Json::array();
    for (const auto& x : s.stimuli)
        j["stimuli"].push_back(stimulus(x));
    j["probes"] = Json::array();
    for (const auto& p : s.probes)
        j["probes"].push_back({{"name", p.name}, {"position_mm", json_point(p.position_mm)}});
    j["output"] = write_keys("/output", s);
    if (!s.drugs.empty())
        j["drugs"] = drugs_json(s.drugs);
    if (s.has_ecg() || s.source_conductivity_S_per_m)
        j["ecg"] = ecg_json(s);
    if (!s.view.empty())
        j["view"] = Json::parse(s.view);
    return write_keys("", s, std::move(j)).dump(2) + "\n";
}

void write_session(const Session& s, const std::filesystem::path& file)
{
    const std::string text = to_json(s);
    write_whole(file, [&](std::ostream& out) { out << text; });
}

} // namespace tawara::simulation
