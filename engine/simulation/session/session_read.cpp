// SPDX-License-Identifier: GPL-3.0-or-later
// Session files to values: what is allowed where. Values to files: session_write.cpp.
#include "engine/calcium/paced_cell.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/cell/special_variables.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_bounds.hpp"
#include "engine/simulation/session/session_dyads.hpp"
#include "engine/simulation/session/session_extras.hpp"
#include "engine/simulation/session/session_override.hpp"
#include "engine/simulation/session/session_purkinje.hpp"
#include "engine/simulation/session/session_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace tawara::simulation {

namespace {

/// Conductivities above 0, or none at all.
Vec3 principal_or_none(const JsonNode& n)
{
    n.only({"fibre", "sheet", "normal"});
    diffusion::Conductivity c;
    read_keys(n, "/tissue/regions/#/conductivity_S_per_m", c);
    const Vec3 s{c.fibre, c.sheet, c.normal};
    constexpr std::array directions{"fibre", "sheet", "normal"};
    for (std::size_t k = 0; k < 3; ++k)
        if (s[k] == 0 && s != Vec3{})
            n.at(directions[k], "")
                .fail_value(
                    "above 0 S/m, or 0 in all three directions: tissue that does not conduct");
    return s;
}

/// Monodomain values, or those of both domains, of which the harmonic combination
/// sigma_i sigma_e / (sigma_i + sigma_e) is taken.
diffusion::Conductivity conductivity(const JsonNode& n)
{
    Vec3 s{};
    if (n.has("intracellular") || n.has("extracellular")) {
        n.only({"intracellular", "extracellular"});
        const auto should = session_key("/tissue/regions/#/conductivity_S_per_m").also.needed;
        const Vec3 i = principal(n.at("intracellular", should));
        const Vec3 e = principal(n.at("extracellular", should));
        for (std::size_t k = 0; k < 3; ++k)
            s[k] = i[k] * e[k] / (i[k] + e[k]);
    } else {
        s = principal_or_none(n);
    }
    return {s[0], s[1], s[2]};
}

/// A number, or one for each direction.
ConductivityScale conductivity_scale(const JsonNode& n)
{
    const auto& fibre = session_key("/tissue/regions/#/conductivity_scale/fibre");
    if (n.is_number())
        return key_number(n, fibre);
    if (!n.is_object())
        n.fail_value(
            "a number from 1e-6 to 1000, or {\"fibre\": .., \"sheet\": .., \"normal\": ..}");
    ConductivityScale out;
    read_keys(n, fibre.object(), out);
    return out;
}

/// A number, or one for each direction.
ConductionVelocity conduction_velocity(const JsonNode& n)
{
    const auto& fibre = session_key("/tissue/regions/#/velocity_m_per_s/fibre");
    if (n.is_number()) {
        const double all = key_number(n, fibre);
        return {all, all, all};
    }
    if (!n.is_object())
        n.fail_value(std::string(session_key(fibre.object()).also.needed));
    ConductionVelocity out;
    read_keys(n, fibre.object(), out);
    return out;
}

/// What a region with a model conducts by: its conductivities, or velocities that they are found
/// for.
void read_conduction(const JsonNode& n, Region& r)
{
    const auto wanted = n.find("velocity_m_per_s");
    if (!wanted) {
        r.conductivity_S_per_m =
            conductivity(need_key(n, "/tissue/regions/#/conductivity_S_per_m"));
        return;
    }
    if (n.has("conductivity_S_per_m"))
        n.fail_exclusive("has both \"conductivity_S_per_m\" and \"velocity_m_per_s\", for which "
                         "conductivities are found; give one of them",
                         {"conductivity_S_per_m", "velocity_m_per_s"});
    if (r.insulating)
        n.fail_exclusive("is given beside \"insulating\": true, and no wave runs in insulating "
                         "tissue; leave one of them out",
                         {"insulating", "velocity_m_per_s"}, "velocity_m_per_s");
    if (has_dyads(r))
        wanted->fail_exclusive("is looked for in strips of tissue of a compiled model, and " +
                               r.model + " is none; give \"conductivity_S_per_m\"");
    r.velocity_m_per_s = conduction_velocity(*wanted);
}

/// Names and numbers of an object, each checked against the model as soon as it is read.
std::vector<std::pair<std::string, double>> named_values(const JsonNode& n, const Region& r,
                                                         bool parameters)
{
    std::vector<std::pair<std::string, double>> out;
    for (const auto& key : n.keys()) {
        const auto at = n.at(key, "");
        const std::pair<std::string, double> one[]{{key, at.number()}};
        const std::span<const std::pair<std::string, double>> none;
        cell::make_cell_type(r.model, r.variant, parameters ? std::span(one) : none,
                             parameters ? none : std::span(one), n.file(), at.pointer());
        out.push_back(one[0]);
    }
    return out;
}

/// A region without a model of its own: changes what lies beneath. Names are checked when that is
/// known.
void inherited(const JsonNode& n, Region& r)
{
    r.model.clear();
    for (const char* key :
         {"variant", "conductivity_S_per_m", "velocity_m_per_s", "model_variables"})
        if (const auto at = n.find(key))
            at->fail_exclusive(
                "is for regions with a \"model\" of their own; give one, or leave this out");
    read_dyads(n, r);
    for (const char* key : {"parameters", "initial"})
        if (const auto at = n.find(key))
            for (const auto& name : at->keys())
                (key[0] == 'p' ? r.parameters : r.initial)
                    .emplace_back(name, at->at(name, "").number());
}

/// Which variables of a model file are its membrane potential, stimulus and time.
cell::SpecialVariables special_variables(const JsonNode& n)
{
    n.only({"membrane_potential", "stimulus", "time"});
    const auto text = [&](const char* key) {
        const auto at = n.find(key);
        return at ? at->text() : std::string();
    };
    return {text("membrane_potential"), text("stimulus"), text("time")};
}

/// Models and variants that regions before have named: they are looked up once.
using NamedModels = std::set<std::pair<std::string, std::string>>;

Region region(const JsonNode& n, NamedModels& named)
{
    Region r;
    read_keys(n, "/tissue/regions/#", r);
    if (const auto where = n.find("where")) {
        if (n.has("label"))
            n.fail_exclusive("is given beside \"where\"; give one of them", {"label", "where"},
                             "label");
        r.where = where_of(*where);
    } else {
        r.labels = labels_of(need_key(n, "/tissue/regions/#/label"), true);
    }
    if (const auto x = n.find("conductivity_scale"))
        r.conductivity_scale = conductivity_scale(*x);
    if (const auto x = n.find("scale"))
        r.scale = factors_of(*x);
    if (!n.has("model") && (r.where || r.insulating || n.has("conductivity_scale") ||
                            n.has("scale") || n.has("forced_opening_ms"))) {
        inherited(n, r);
        return r;
    }
    const auto model = need_key(n, "/tissue/regions/#/model");
    r.model = cell::model_key(model.text(), std::filesystem::path(n.file()).parent_path());
    if (const auto names = n.find("model_variables"))
        r.model = cell::key_with(r.model, special_variables(*names));
    if (named.emplace(r.model, "").second)
        cell::model_info(r.model, n.file(), model.pointer());
    if (const auto v = n.find("variant")) {
        r.variant = v->text();
        if (named.emplace(r.model, r.variant).second)
            cell::make_cell_type(r.model, r.variant, {}, {}, n.file(), v->pointer());
    }
    read_dyads(n, r);
    read_conduction(n, r);
    if (const auto p = n.find("parameters"))
        r.parameters = named_values(*p, r, true);
    if (const auto i = n.find("initial"))
        r.initial = named_values(*i, r, false);
    return r;
}

StimulusRegion stimulus_region(const JsonNode& n)
{
    only_keys(n, "/stimuli/#/region");
    if (n.keys().size() != 1)
        n.fail_exclusive("names " + std::to_string(n.keys().size()) +
                             " regions; give one of \"box_mm\", \"sphere_mm\", \"label\", "
                             "\"surface\" and \"nodes\"",
                         {"box_mm", "sphere_mm", "label", "surface", "nodes"});
    if (const auto b = n.find("box_mm"))
        return box_of(*b);
    if (const auto s = n.find("sphere_mm"))
        return sphere_of(*s, "/stimuli/#/region/sphere_mm");
    if (const auto l = n.find("label"))
        return Label{labels_of(*l, false)};
    if (const auto s = n.find("surface")) {
        constexpr mesh::Wall walls[]{mesh::Wall::endo_lv, mesh::Wall::endo_rv, mesh::Wall::epi};
        return SurfaceRegion{walls[s->word(session_key("/stimuli/#/region/surface").words_list())]};
    }
    Nodes nodes;
    for (const auto& x : n.at("nodes", "").items("a list of vertex numbers", 1))
        nodes.nodes.push_back(x.integer(0, std::numeric_limits<std::int32_t>::max()));
    nodes.nodes = each_once(std::move(nodes.nodes));
    return nodes;
}

Stimulus stimulus(const JsonNode& n, std::size_t index, const Session& session)
{
    only_keys(n, "/stimuli/#");
    Stimulus s;
    s.name = "S" + std::to_string(index + 1);
    s.region = stimulus_region(need_key(n, "/stimuli/#/region"));
    read_keys(n, "/stimuli/#", s);
    const auto by_volume = n.find("amplitude_uA_per_cm3");
    const auto by_charge = n.find("amplitude_pA_per_pF");
    if (by_volume.has_value() == by_charge.has_value())
        n.fail_exclusive(std::string(by_volume ? "has two amplitudes" : "has no amplitude") +
                             "; give either \"amplitude_uA_per_cm3\" or \"amplitude_pA_per_pF\"",
                         {"amplitude_uA_per_cm3", "amplitude_pA_per_pF"});
    if (by_volume) {
        s.amplitude_uA_per_cm3 = by_volume->number();
        // uA/mm3 over chi [1/mm] Cm [uF/mm2] is mV/ms, and that pA/pF, for any Cm.
        s.amplitude_pA_per_pF = *s.amplitude_uA_per_cm3 * uA_per_mm3_of_uA_per_cm3 /
                                (session.surface_to_volume_per_mm *
                                 (session.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2));
    } else {
        s.amplitude_pA_per_pF = by_charge->number();
    }
    if (const auto protocol = n.find("protocol")) {
        for (const char* key : {"period_ms", "count"})
            if (n.has(key))
                n.fail_exclusive(
                    "is given beside \"protocol\", which says when pulses come; leave it out",
                    {"protocol", "period_ms", "count"}, key);
        s.protocol = protocol_of(*protocol, s.duration_ms);
    }
    if (s.period_ms > 0 && s.period_ms < s.duration_ms)
        n.at("period_ms", "").fail_value("0 (once) or at least duration_ms");
    if (s.count != 1 && !(s.period_ms > 0))
        n.at("count", "").fail_value("1 unless period_ms is above 0");
    return s;
}

std::vector<Probe> probes(const JsonNode& n)
{
    std::vector<Probe> out;
    std::set<std::string> names{"time_ms"};
    for (const auto& p : key_items(n, "/probes", "a list of probes")) {
        only_keys(p, "/probes/#");
        const auto name = need_key(p, "/probes/#/name");
        const auto text = name.text();
        if (text.empty() || std::any_of(text.begin(), text.end(),
                                        [](unsigned char c) { return c < 32 || c == '"'; }))
            name.fail_value("a name without quotes and line breaks, since it heads a "
                            "column of probes.csv");
        if (!names.insert(text).second)
            name.fail_value("a name that no other probe has (nor \"time_ms\")");
        out.push_back({text, need_key(p, "/probes/#/position_mm").point()});
    }
    return out;
}

void tissue(const JsonNode& n, Session& s)
{
    read_keys(n, "/tissue", s);
    if (const auto p = n.find("prepacing"))
        read_keys(*p, "/tissue/prepacing", s.prepacing);
    s.regions.clear();
    const auto should = session_key("/tissue/regions").also.needed;
    std::size_t named = 0;
    NamedModels models;
    for (const auto& r : key_items(n.at("regions", should), "/tissue/regions", should, 1)) {
        s.regions.push_back(region(r, models));
        need_few_tetrahedra(r, s.regions.back(), named);
    }
    if (s.regions.front().inherits() && !s.regions.front().insulating)
        n.at("regions", should)
            .items(should, 1)
            .front()
            .fail("has no \"model\", and no region before it to take one from");
}

void diffusion_part(const JsonNode& n, Session& s)
{
    only_keys(n, "/diffusion");
    read_key(n, "/diffusion/scheme", s);
    for (const char* key : {"mass", "currents"})
        if (const auto of_p1 = n.find(key); of_p1 && s.scheme != diffusion::Scheme::p1)
            of_p1->fail_exclusive(
                "is for scheme \"p1\" alone; leave it out, or set scheme to \"p1\"");
    read_keys(n, "/diffusion", s);
    if (s.currents == IonicCurrents::interpolated)
        for (const auto& [key, wrong, right] :
             {std::tuple{"mass", s.mass != diffusion::Mass::lumped, "mass \"lumped\""},
              std::tuple{"stepping", s.stepping == Stepping::newton, "another stepping"}})
            if (wrong)
                n.at(key, "").fail_exclusive(
                    std::string("does not go with interpolated currents; take ") + right +
                    ", or currents \"nodal\"");
    const auto newton = n.find("newton");
    if (s.stepping != Stepping::newton) {
        if (newton)
            newton->fail_exclusive(
                "is for stepping \"newton\" alone; leave it out, or set stepping "
                "to \"newton\"");
        return;
    }
    if (s.scheme != diffusion::Scheme::p1)
        n.at("stepping", "")
            .fail("\"newton\" is for scheme \"p1\" alone; set scheme to \"p1\", or take "
                  "another stepping");
    if (s.splitting != Splitting::godunov)
        n.at("splitting", "")
            .fail_exclusive("has no meaning with stepping \"newton\", which solves "
                            "cells and diffusion at once; leave it out");
    if (newton)
        read_keys(*newton, "/diffusion/newton", s);
}

/// A scheme by its name; one that is not known is not told of cvode, which tissue does not take.
cell::Scheme scheme_of_tissue(const JsonNode& n)
{
    const std::string text = n.text();
    std::vector<std::string> known;
    for (int k = 0; k < static_cast<int>(cell::Scheme::cvode); ++k) // the last one
        known.emplace_back(cell::name(static_cast<cell::Scheme>(k)));
    if (text != cell::name(cell::Scheme::cvode) &&
        std::find(known.begin(), known.end(), text) == known.end())
        throw InputError(n.file(), n.pointer(),
                         "unknown scheme '" + text + "'" + hint(text, known));
    return cell::scheme_by_name(text, n.file(), n.pointer());
}

/// The models of its regions, each once, in the order of these.
std::vector<std::string> models_of(const Session& s)
{
    std::vector<std::string> out;
    std::set<std::string> known;
    for (const auto& r : s.regions)
        if (!r.inherits() && known.insert(r.model).second)
            out.push_back(r.model);
    return out;
}

/// The scheme of a session that names none.
cell::Scheme usual_scheme(const Session& s)
{
    std::vector<const cell::ModelInfo*> models;
    for (const auto& model : models_of(s))
        models.push_back(&cell::model_info(model));
    return cell::usual_scheme(models);
}

void reaction(const JsonNode& n, Session& s)
{
    read_keys(n, "/reaction", s);
    if (s.tables_mV > 0 && s.tables_mV < cell::finest_table_mV)
        n.at("tables_mV", "").fail_value("0 (no tables) or a step from 0.001 to 1 mV");
    if (s.stepping == Stepping::newton)
        for (const auto& [key, value] : {std::pair{"tables_mV", s.tables_mV},
                                         std::pair{"rest_tolerance_mV", s.rest_tolerance_mV}})
            if (value > 0)
                n.at(key, "").fail_exclusive("has no meaning with diffusion stepping \"newton\"; "
                                             "leave it out, or take another stepping");
    if (s.purkinje->wanted && s.rest_tolerance_mV > 0 && !s.rest_where_possible)
        n.at("rest_tolerance_mV", "")
            .fail_exclusive("is given beside a Purkinje network, which the tissue cannot rest "
                            "with; leave it out, or add \"rest_where_possible\": true");
    const auto scheme = n.find("scheme");
    if (!scheme)
        return;
    s.reaction = scheme_of_tissue(*scheme);
    for (const auto& model : models_of(s)) {
        if (model == calcium::dyad_model) // these have steps of their own
            continue;
        const auto& can = cell::model_info(model).schemes;
        if (std::find(can.begin(), can.end(), s.reaction) != can.end())
            continue;
        std::string list;
        for (auto c : can)
            if (c != cell::Scheme::cvode)
                list += (list.empty() ? "" : ", ") + std::string(cell::name(c));
        scheme->fail_value("one that tissue of model " + model + " can be stepped by: " + list);
    }
}

Session session(const JsonNode& n)
{
    Session s;
    only_keys(n, "");
    if (const auto schema = need_key(n, "/schema"); schema.value() != Json(1))
        schema.fail_value("1, the one this program reads");
    read_keys(n, "", s);
    s.mesh = mesh_source(need_key(n, "/mesh"));
    tissue(need_key(n, "/tissue"), s);
    if (const auto p = n.find("purkinje"))
        read_purkinje(*p, s);
    s.reaction = usual_scheme(s);
    if (const auto d = n.find("diffusion"))
        diffusion_part(*d, s);
    if (const auto r = n.find("reaction"))
        reaction(*r, s);
    read_time(need_key(n, "/time"), s);
    if (const auto list = n.find("stimuli")) {
        const auto items = key_items(*list, "/stimuli", "a list of stimuli");
        for (std::size_t i = 0; i < items.size(); ++i)
            s.stimuli.push_back(stimulus(items[i], i, s));
        need_few_pulses(*list, s);
    }
    if (const auto list = n.find("probes"))
        s.probes = probes(*list);
    if (const auto o = n.find("output"))
        read_keys(*o, "/output", s);
    if (const auto d = n.find("drugs"))
        s.drugs = drugs_of(*d);
    check_factor_names(n, s);
    if (const auto e = n.find("ecg"))
        read_ecg(*e, s);
    if (const auto v = n.find("view")) {
        if (!v->is_object())
            v->fail_value("an object, as the window wrote it");
        s.view = v->value().dump();
    }
    return s;
}

} // namespace

Session parse_session(const std::string& text, const std::string& file,
                      std::span<const std::string> overrides)
{
    Json document = parse_json(text, file);
    if (!document.is_object())
        JsonNode(document, file).fail_value("an object, {\"schema\": 1, ...}");
    std::vector<Override> applied;
    for (const auto& o : overrides)
        applied.push_back(apply_override(document, o));
    try {
        return session(JsonNode(document, file));
    } catch (const InputError& e) {
        const auto* exclusive = dynamic_cast<const ExclusiveKeys*>(&e);
        const auto how = exclusive != nullptr ? how_to_leave_out(*exclusive, applied) : "";
        if (!how.empty())
            throw InputError(file, e.where, e.reason + how);
        for (const auto& o : applied)
            if (e.file == file && (e.where + "/").starts_with(o.pointer + "/"))
                throw InputError(file, e.where, e.reason + " (from --set " + o.text + ")");
        throw;
    }
}

Session read_session(const std::filesystem::path& file, std::span<const std::string> overrides)
{
    Session s = parse_session(read_text(file.string()), file.string(), overrides);
    s.folder = file.parent_path();
    return s;
}

} // namespace tawara::simulation
