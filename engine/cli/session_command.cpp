// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli session: writes a session file to start from.
#include "engine/calcium/paced_cell.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/fibre_angles.hpp"
#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/fibres.hpp"
#include "engine/simulation/tissue/mesh_session.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct SessionArguments
{
    std::string out, mesh, unit, fibres, angles, model, velocity;
    double end_ms = 500;
    bool force = false;
};

/// F or F,S,N.
simulation::ConductionVelocity velocity_of(const std::string& text)
{
    const auto& range = simulation::session_key("/tissue/regions/#/velocity_m_per_s/fibre").range;
    std::vector<double> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto comma = std::min(text.find(',', begin), text.size());
        double v = 0;
        const auto [end, error] = std::from_chars(text.data() + begin, text.data() + comma, v);
        if (error != std::errc() || end != text.data() + comma || !(v >= range.low) ||
            !(v <= range.high))
            all.clear(), all.resize(4); // no list of velocities
        else
            all.push_back(v);
        begin = comma + 1;
    }
    if (all.size() != 1 && all.size() != 3)
        throw InputError("--velocity", "is '" + text +
                                           "'; it should be one velocity from 0.05 to 5 m/s, or "
                                           "three along fibre, sheet and normal, e.g. 0.6,0.3,0.2");
    return {all.front(), all[all.size() / 2], all.back()};
}

/// Which conductivities were found for the velocities of the first region.
void say_tuning(Context& c, const simulation::Session& s, const mesh::Grain& grain)
{
    simulation::Session first = s;
    first.regions.resize(1);
    Notices notices;
    simulation::tune_regions(first, grain, notices, c.progress());
    c.end_progress();
    c.notices(notices);
}

/// What was chosen for a mesh that its file does not say.
void say_choices(Context& c, const simulation::Session& s)
{
    const auto& file = std::get<simulation::MeshFile>(s.mesh);
    const auto& sigma = s.regions.front().conductivity_S_per_m;
    const bool one = sigma.fibre == sigma.sheet && sigma.fibre == sigma.normal;
    if (file.fibres == simulation::rule_based)
        c.notice({Notice::Level::info,
                  "fibres will be set by rule (" + simulation::rule_text(file.rule) + ")"});
    else if (one)
        c.notice({Notice::Level::info, "the mesh has no fibres, and no walls from which a rule "
                                       "could set them: one conductivity in all directions"});
    if (s.regions.front().velocity_m_per_s)
        return;
    char text[200];
    std::snprintf(text, sizeof text, "conductivities raised to %.4g, %.4g, %.4g S/m", sigma.fibre,
                  sigma.sheet, sigma.normal);
    if (sigma.fibre > 0.134 || (!one && sigma.sheet > 0.018))
        c.notice({Notice::Level::info,
                  text + std::string(" (usual: 0.1334, 0.0176, 0.0176): the mesh is coarse, and "
                                     "with the usual ones a wave would slow down or stop")});
}

/// How fast waves will run there.
void say_velocity(Context& c, const simulation::Session& s, const mesh::Grain& grain)
{
    const double edge_mm = grain.edge_mm;
    simulation::VelocityEstimate v;
    try {
        v = simulation::estimate_velocity(s, s.regions.front(), grain, c.progress());
    } catch (const NumericsError& e) {
        return c.notice({Notice::Level::warning,
                         std::string("the speed of waves could not be estimated: ") + e.what()});
    }
    char text[240];
    std::snprintf(text, sizeof text,
                  "waves will run at about %.2f, %.2f and %.2f m/s along fibre, sheet and normal "
                  "(in strips of such elements, mean edge %.2f mm; in ventricles about 0.6 along, "
                  "0.2 to 0.3 across)",
                  v.mesh[0], v.mesh[1], v.mesh[2], edge_mm);
    constexpr double standstill_m_per_s = 0.02;
    const bool stands =
        std::any_of(v.mesh.begin(), v.mesh.end(), [](double x) { return x < standstill_m_per_s; });
    constexpr double too_fine_mm = 0.02, too_coarse_mm = 10; // tissue is cut into 0.1 to 1 mm
    if (edge_mm < too_fine_mm || edge_mm > too_coarse_mm) {
        std::snprintf(text, sizeof text,
                      "the mean edge is %.3g mm; tissue meshes usually have 0.1 to 1 mm. Is the "
                      "length unit right (--length-unit)?",
                      edge_mm);
        c.notice({Notice::Level::warning, text});
    } else if (stands)
        c.notice({Notice::Level::warning,
                  text + std::string("; waves stop where the speed is 0: refine the mesh, or raise "
                                     "tissue.regions[].conductivity_S_per_m")});
    else
        c.notice({Notice::Level::info, text});
    if (s.activation_threshold_mV != simulation::Session{}.activation_threshold_mV) {
        std::snprintf(
            text, sizeof text,
            "output.activation_threshold_mV is %g: waves of this model reach no more than "
            "%.0f mV",
            s.activation_threshold_mV, v.peak_mV);
        c.notice({Notice::Level::info, text});
    }
}

simulation::MeshChoice choice_of(const SessionArguments& a)
{
    simulation::MeshChoice choice{a.mesh, {}, fibres_of(a.fibres, a.angles), {}, {}, {}};
    if (!a.unit.empty()) {
        choice.unit = length_unit(a.unit);
        if (!choice.unit)
            throw InputError("--length-unit", "is '" + a.unit + "'; it should be um, mm, cm or m");
    }
    if (!a.angles.empty())
        choice.rule = rule_of(a.angles);
    if (!a.model.empty()) {
        cell::require_model(a.model, "--model");
        choice.model = cell::model_key(a.model, {});
        if (choice.model == calcium::dyad_model)
            throw InputError("--model",
                             std::string("is ") + calcium::dyad_model +
                                 ", for which no conductivities are looked for; make the session "
                                 "with another model, then give a region of it this \"model\"");
    }
    if (!a.velocity.empty())
        choice.velocity = velocity_of(a.velocity);
    return choice;
}

/// A path as a file of that folder names it.
std::string relative_to(const fs::path& folder, const std::string& file)
{
    const auto whole = fs::absolute(file).lexically_normal();
    const auto relative = whole.lexically_relative(fs::absolute(folder).lexically_normal());
    return (relative.empty() ? whole : relative).string();
}

/// A session around a mesh, or around the embedded heart.
simulation::Session session_of(Context& c, const SessionArguments& a)
{
    try {
        if (!a.mesh.empty())
            return simulation::session_for_mesh(choice_of(a), c.progress());
    } catch (const InputError& e) {
        if (!simulation::of_velocity(e))
            throw;
        throw InputError("--velocity", e.reason);
    }
    auto s = simulation::default_session();
    if (!a.velocity.empty())
        for (auto& r : s.regions)
            r.velocity_m_per_s = velocity_of(a.velocity);
    return s;
}

/// A session around a mesh, or the embedded heart's; the mesh is named relative to the file.
void write(Context& c, const SessionArguments& a)
{
    if (fs::path(a.out).extension() != ".json")
        throw InputError(a.out, "should end in .json: it is the session file that is written");
    if (std::error_code none; !a.force && fs::exists(a.out, none))
        throw InputError(a.out, "exists already; name another file, or give --force to replace it");
    need_writable_file(a.out);
    c.say_new_folder(a.out);
    need_positive("--end", a.end_ms);
    if (a.mesh.empty() &&
        (!a.unit.empty() || !a.fibres.empty() || !a.angles.empty() || !a.model.empty()))
        throw InputError("tawara-cli session", "--length-unit, --fibres, --fibre-angles and "
                                               "--model need --mesh");
    for (const auto* name : {&a.mesh, &a.fibres, &a.model})
        if (!is_utf8(*name))
            throw InputError(*name, "has a name that is not UTF-8, which sessions are; give it "
                                    "another one");
    auto s = session_of(c, a);
    s.end_ms = a.end_ms;
    if (auto* file = std::get_if<simulation::MeshFile>(&s.mesh)) {
        const auto folder = fs::absolute(a.out).parent_path();
        file->file = relative_to(folder, a.mesh);
        if (!file->fibres.empty() && file->fibres != simulation::rule_based)
            file->fibres = relative_to(folder, a.fibres);
        s.folder = folder; // whether the fibres fit the mesh is told now, not by the run
        Notices notices;
        const auto loaded = simulation::load_mesh(s, notices, c.progress());
        for (const auto& n : notices)
            if (n.level == Notice::Level::warning || !a.fibres.empty())
                c.notice(n);
        say_choices(c, s);
        if (s.regions.front().velocity_m_per_s)
            say_tuning(c, s, mesh::grain(loaded.mesh));
        say_velocity(c, s, mesh::grain(loaded.mesh));
    } else if (!a.velocity.empty()) {
        Notices notices;
        say_tuning(c, s, mesh::grain(simulation::load_mesh(s, notices, c.progress()).mesh));
    }
    write_session(s, a.out);
    c.say("written to " + a.out);
    c.result(Json::parse(to_json(s)));
}

} // namespace

void declare_session(const Declaration& d)
{
    auto a = std::make_shared<SessionArguments>();
    auto* sub = d.command(d.app, "session", "write a session file to start from",
                          [a](Context& c) { write(c, *a); });
    sub->add_option("out", a->out, "session file to write")->type_name("OUT.json")->required();
    sub->add_option("--mesh", a->mesh, "around this mesh; else around the embedded heart")
        ->type_name("FILE");
    sub->add_option("--length-unit", a->unit, "unit of the mesh file's coordinates; else inferred")
        ->type_name("um|mm|cm|m");
    sub->add_option("--fibres", a->fibres,
                    "fibres of another file (.vtk, .vtu, .lon, .blon) in place of the mesh's own, "
                    "or \"rule-based\"")
        ->type_name("FILE");
    sub->add_option("--fibre-angles", a->angles, angles_help)->type_name("ENDO,EPI");
    sub->add_option(
        "--model", a->model,
        "cell model: a name of cell list, .mmt or .cellml file; else ten_tusscher_2006");
    sub->add_option("--velocity", a->velocity,
                    "velocities of waves along fibre, sheet and normal [m/s], or one for all, for "
                    "which conductivities are found; else 0.6,0.3,0.2 as far as the mesh has "
                    "directions")
        ->type_name("F[,S,N]");
    sub->add_option("--end", a->end_ms, "end of the run [ms]")->capture_default_str();
    sub->add_flag("--force", a->force,
                  "replaces OUT.json where there is one; else that is refused");
}

} // namespace tawara::cli
