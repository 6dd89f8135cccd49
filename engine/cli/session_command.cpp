// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli session: writes a session file to start from.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session.hpp"

#include <cstdio>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments
{
    std::string out, mesh;
    double end_ms = 500;
    bool force = false;
};

/// What was chosen for a mesh that its file does not say.
void say_choices(Context& c, const simulation::Session& s)
{
    const auto& file = std::get<simulation::MeshFile>(s.mesh);
    const auto& sigma = s.regions.front().conductivity_S_per_m;
    const bool one = sigma.fibre == sigma.sheet && sigma.fibre == sigma.normal;
    if (file.fibres == simulation::rule_based)
        c.notice({Notice::Level::info, "the mesh has no fibres: they will be set by rule (helix "
                                       "+60 to -60 degrees across the wall)"});
    else if (one)
        c.notice({Notice::Level::info, "the mesh has no fibres and no walls to set them by: one "
                                       "conductivity in all directions"});
    char text[200];
    std::snprintf(text, sizeof text, "conductivities raised to %.4g, %.4g, %.4g S/m", sigma.fibre,
                  sigma.sheet, sigma.normal);
    if (sigma.fibre > 0.134 || (!one && sigma.sheet > 0.018))
        c.notice({Notice::Level::info,
                  text + std::string(" (usual: 0.1334, 0.0176, 0.0176): the mesh is coarse, and "
                                     "with the usual ones a wave would slow down or stop")});
}

/// A session around a mesh, or the embedded heart's; the mesh is named relative to the file.
void write(Context& c, const Arguments& a)
{
    if (fs::path(a.out).extension() != ".json")
        throw InputError(a.out, "should end in .json: it is the session file that is written");
    if (std::error_code none; !a.force && fs::exists(a.out, none))
        throw InputError(a.out, "exists already; name another file, or give --force to replace it");
    need_positive("--end", a.end_ms);
    auto s = a.mesh.empty() ? simulation::default_session() : simulation::session_for_mesh(a.mesh);
    s.end_ms = a.end_ms;
    if (auto* file = std::get_if<simulation::MeshFile>(&s.mesh)) {
        const auto mesh = fs::absolute(a.mesh);
        const auto relative = mesh.lexically_relative(fs::absolute(a.out).parent_path());
        file->file = (relative.empty() ? mesh : relative).string();
    }
    if (!a.mesh.empty())
        say_choices(c, s);
    write_session(s, a.out);
    c.say("written to " + a.out);
    c.result(Json::parse(to_json(s)));
}

} // namespace

void declare_session(const Declaration& d)
{
    auto a = std::make_shared<Arguments>();
    auto* sub = d.command(d.app, "session", "write a session file to start from",
                          [a](Context& c) { write(c, *a); });
    sub->add_option("out", a->out, "session file to write")->type_name("OUT.json")->required();
    sub->add_option("--mesh", a->mesh, "around this mesh; else around the embedded heart")
        ->type_name("FILE");
    sub->add_option("--end", a->end_ms, "end of the run [ms]")->capture_default_str();
    sub->add_flag("--force", a->force,
                  "replaces OUT.json where there is one; else that is refused");
}

} // namespace tawara::cli
