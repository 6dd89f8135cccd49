// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/report_steps.hpp"

#include "engine/device/newton_steps.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation::report {

namespace {

/// Where mass scaling has added most; null: it has added nothing.
Json scaled_most_at(const device::TissueProblem& p)
{
    const auto at = p.system.largest_scaling_at;
    if (at < 0)
        return nullptr;
    const Vec3& x = p.position_mm[static_cast<std::size_t>(at)];
    return {x[0], x[1], x[2]};
}

} // namespace

Json rest_json(const device::TissueProblem& p, const device::Stepper& stepper)
{
    return {{"tolerance_mV", p.rest_tolerance_mV},
            {"longest_step_ms", p.longest_quiescent_ms},
            {"share_at_rest", stepper.share_quiescent()}};
}

Json newton_json(const device::TissueProblem& p, const device::NewtonCounts& c)
{
    const auto a_step = [&](std::int64_t count) { // null: no step was taken
        return c.steps > 0 ? Json(static_cast<double>(count) / static_cast<double>(c.steps))
                           : Json();
    };
    return {{"tolerance_mV", p.newton.tolerance_mV},
            {"dt_max_ms", p.newton.adaptive ? p.newton.dt_max_ms : p.dt_ms},
            {"dt_max_used_ms", device::longest_implicit(p) * p.dt_ms},
            {"steps", c.steps},
            {"newton_iterations", c.newton},
            {"newton_iterations_a_step", a_step(c.newton)},
            {"most_newton_iterations", c.most_newton},
            {"linear_iterations", c.linear},
            {"linear_iterations_a_step", a_step(c.linear)},
            {"rejected_steps", c.rejected},
            {"halvings", c.halved},
            {"questions_a_step", a_step(c.questions)},
            {"host_decides", c.host_decides}};
}

Json diffusion_json(const device::TissueProblem& p)
{
    const auto& system = p.system;
    const bool solves = device::needs_solver(p), implicit = p.stepping != Stepping::explicit_;
    const bool newton = p.stepping == Stepping::newton;
    int stages = p.substeps.stages;
    const char* kind = p.substeps.kind == diffusion::SubStepping::Kind::euler ? "euler" : "rkl2";
    if (solves || newton) {
        stages =
            implicit ? 1 : std::max(1, static_cast<int>(std::ceil(p.dt_ms / system.stable_dt_ms)));
        kind = implicit ? "none" : "euler";
    }
    return {{"scheme", diffusion::name(system.scheme)},
            {"mass", diffusion::name(system.mass)},
            {"currents",
             session_key("/diffusion/currents").words_list()[static_cast<std::size_t>(p.currents)]},
            {"stepping",
             session_key("/diffusion/stepping").words_list()[static_cast<std::size_t>(p.stepping)]},
            {"linear_system", solves || newton},
            {"stable_dt_ms", system.stable_dt_ms},
            {"substeps", stages},
            {"substepping", kind},
            {"added_volume_fraction", system.added_volume_fraction},
            {"largest_scaling", system.largest_scaling},
            {"largest_scaling_at_mm", scaled_most_at(p)},
            {"repaired_cells", system.stability.repaired_cells}};
}

Json tuning_json(const std::vector<TunedRegion>& tuned)
{
    const auto each = [](const auto& c) {
        return Json{{"fibre", c.fibre}, {"sheet", c.sheet}, {"normal", c.normal}};
    };
    Json out = Json::array();
    for (const auto& [region, key, found] : tuned)
        out.push_back({{"region", region},
                       {"velocity_m_per_s", each(found.wanted)},
                       {"reached_m_per_s", each(found.reached)},
                       {"conductivity_S_per_m", each(found.conductivity_S_per_m)},
                       {"on_fine_mesh_S_per_m", each(found.on_fine_S_per_m)},
                       {"mean_edge_mm", found.edge_mm},
                       {"strips", found.strips}});
    return out;
}

Json dyads_json(const device::TissueProblem& p, Precision precision, const device::Stepper& s)
{
    Json out = Json::array();
    for (std::size_t g = 0; g < p.groups.size(); ++g)
        if (const auto m = dyad_memory(p, g, precision, s.threads() == 0); m.dyads[0] > 0)
            out.push_back({{"dyads", m.dyads},
                           {"seed", m.seed},
                           {"cells", m.cells},
                           {"bytes_of_cell", m.bytes_of_cell},
                           {"bytes", m.bytes}});
    return out;
}

} // namespace tawara::simulation::report
