// SPDX-License-Identifier: GPL-3.0-or-later
// Values to session files. Every key is written, so that a file says what it means by itself.
#include "engine/cell/special_variables.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_extras.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

template <class... F>
struct Overload : F...
{
    using F::operator()...;
};

Json number(double v)
{
    return json_number(v);
}

Json point(const Vec3& p)
{
    return json_point(p);
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
    Json out;
    out["shape"] = std::string(name(p.shape));
    for (const auto& row : mesh::generator::parameter_table())
        out[std::string(row.name)] = number(p.*row.value);
    return out;
}

Json mesh_source(const MeshSource& source)
{
    return std::visit(
        Overload{
            [](const MeshEmbedded&) {
                return Json{{"embedded", true}};
            },
            [](const MeshFile& m) {
                Json out{{"file", m.file}};
                if (m.unit)
                    out["length_unit"] = std::string(name(*m.unit));
                if (!m.fibres.empty())
                    out["fibres"] = m.fibres;
                if (m.fibres == rule_based && m.rule != mesh::generator::FibreRules{})
                    out["fibre_rule"] = {{"helix_endo_deg", number(m.rule.helix_endo_deg)},
                                         {"helix_epi_deg", number(m.rule.helix_epi_deg)},
                                         {"sheet_endo_deg", number(m.rule.sheet_endo_deg)},
                                         {"sheet_epi_deg", number(m.rule.sheet_epi_deg)}};
                return out;
            },
            [](const MeshSlab& m) {
                return Json{{"slab_mm", point(m.size_mm)}, {"spacing_mm", number(m.spacing_mm)}};
            },
            [](const MeshHeart& m) {
                return Json{{"heart", heart(m.parameters)}};
            }},
        source);
}

Json special_variables(const cell::SpecialVariables& names)
{
    Json out;
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
    return {{"fibre", number(x.fibre)}, {"sheet", number(x.sheet)}, {"normal", number(x.normal)}};
}

Json region(const Region& r, const std::filesystem::path& folder)
{
    Json out;
    if (r.where)
        out["where"] = where_json(*r.where);
    else
        out["label"] = r.labels.empty() ? Json("*") : labels(r.labels);
    if (!r.name.empty())
        out["name"] = r.name;
    if (!r.kind.empty())
        out["kind"] = r.kind;
    if (!r.inherits()) {
        out["model"] = cell::model_text(r.model, folder);
        if (const auto names = cell::special_variables_of(r.model); !names.empty())
            out["model_variables"] = special_variables(names);
        if (!r.variant.empty())
            out["variant"] = r.variant;
        const auto& c = r.conductivity_S_per_m;
        out["conductivity_S_per_m"] = {
            {"fibre", number(c.fibre)}, {"sheet", number(c.sheet)}, {"normal", number(c.normal)}};
    }
    if (r.insulating)
        out["insulating"] = true;
    if (r.conductivity_scale != 1 || (r.inherits() && !r.insulating))
        out["conductivity_scale"] = conductivity_scale(r.conductivity_scale);
    if (!r.scale.empty())
        out["scale"] = values(r.scale);
    if (!r.parameters.empty())
        out["parameters"] = values(r.parameters);
    if (!r.initial.empty())
        out["initial"] = values(r.initial);
    return out;
}

Json stimulus_region(const StimulusRegion& region)
{
    return std::visit(
        Overload{[](const Box& b) {
                     return Json{{"box_mm", Json::array({point(b.low), point(b.high)})}};
                 },
                 [](const Sphere& s) {
                     return Json{{"sphere_mm",
                                  {{"centre", point(s.centre)}, {"radius", number(s.radius)}}}};
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
    Json out;
    out["name"] = s.name;
    out["region"] = stimulus_region(s.region);
    out["start_ms"] = number(s.start_ms);
    out["duration_ms"] = number(s.duration_ms);
    if (s.amplitude_uA_per_cm3)
        out["amplitude_uA_per_cm3"] = number(*s.amplitude_uA_per_cm3);
    else
        out["amplitude_pA_per_pF"] = number(s.amplitude_pA_per_pF);
    if (!s.on)
        out["on"] = false;
    if (s.protocol) {
        out["protocol"] = protocol_json(*s.protocol);
    } else {
        out["period_ms"] = number(s.period_ms);
        out["count"] = s.count;
    }
    return out;
}

std::string_view name_of(Stepping s)
{
    return s == Stepping::explicit_        ? "explicit"
           : s == Stepping::backward_euler ? "backward_euler"
                                           : "crank_nicolson";
}

} // namespace

std::string to_json(const Session& s)
{
    Json j;
    j["schema"] = 1;
    j["name"] = s.name;
    j["mesh"] = mesh_source(s.mesh);
    j["tissue"]["surface_to_volume_per_mm"] = number(s.surface_to_volume_per_mm);
    j["tissue"]["capacitance_uF_per_cm2"] = number(s.capacitance_uF_per_cm2);
    if (s.prepacing.beats > 0)
        j["tissue"]["prepacing"] = {{"cycle_length_ms", number(s.prepacing.cycle_length_ms)},
                                    {"beats", s.prepacing.beats}};
    if (s.prepacing.beats > 0 && s.prepacing.until_steady)
        j["tissue"]["prepacing"]["until_steady"] = true;
    for (const auto& r : s.regions)
        j["tissue"]["regions"].push_back(region(r, s.folder));
    const bool p1 = s.scheme == diffusion::Scheme::p1;
    j["diffusion"]["scheme"] = p1 ? "p1" : "fvm";
    if (p1)
        j["diffusion"]["mass"] = s.mass == diffusion::Mass::consistent ? "consistent" : "lumped";
    j["diffusion"]["mass_scaling"] = number(s.mass_scaling);
    j["diffusion"]["mass_scaling_largest"] = number(s.mass_scaling_largest);
    j["diffusion"]["splitting"] = s.splitting == Splitting::strang ? "strang" : "godunov";
    j["diffusion"]["stepping"] = std::string(name_of(s.stepping));
    j["reaction"]["scheme"] = std::string(cell::name(s.reaction));
    if (s.rest_tolerance_mV > 0)
        j["reaction"]["rest_tolerance_mV"] = number(s.rest_tolerance_mV);
    if (s.tables_mV > 0)
        j["reaction"]["tables_mV"] = number(s.tables_mV);
    j["time"] = {{"dt_ms", number(s.dt_ms)}, {"end_ms", number(s.end_ms)}};
    j["stimuli"] = Json::array();
    for (const auto& x : s.stimuli)
        j["stimuli"].push_back(stimulus(x));
    j["probes"] = Json::array();
    for (const auto& p : s.probes)
        j["probes"].push_back({{"name", p.name}, {"position_mm", point(p.position_mm)}});
    j["output"] = {{"activation_threshold_mV", number(s.activation_threshold_mV)},
                   {"frames_every_ms", number(s.frames_every_ms)},
                   {"frames", s.frames == FrameFormat::vtu   ? "vtu"
                              : s.frames == FrameFormat::igb ? "igb"
                                                             : "none"},
                   {"checkpoint_every_ms", number(s.checkpoint_every_ms)},
                   {"probes_every_ms", number(s.probes_every_ms)}};
    if (s.checkpoints_kept != Session().checkpoints_kept)
        j["output"]["checkpoints_kept"] = s.checkpoints_kept;
    if (s.maps_from_ms > 0)
        j["output"]["maps_from_ms"] = number(s.maps_from_ms);
    if (!s.drugs.empty())
        j["drugs"] = drugs_json(s.drugs);
    if (s.has_ecg() || s.source_conductivity_S_per_m)
        j["ecg"] = ecg_json(s);
    if (!s.view.empty())
        j["view"] = Json::parse(s.view);
    return j.dump(2) + "\n";
}

void write_session(const Session& s, const std::filesystem::path& file)
{
    const std::string text = to_json(s);
    write_whole(file, [&](std::ostream& out) { out << text; });
}

} // namespace tawara::simulation
