// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/tissue_notices.hpp"

#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/mesh/measure.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tawara::simulation {
std::string rounded_text(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", x);
    return text;
}

void say_if_coarse(const Session& s, const mesh::TetMesh& m, Notice::Level level, Notices& notices)
{
    constexpr double trusted_mm = 0.5; // of the benchmark's spacings the coarsest; 20 % late there
    const bool interpolates =          // what device::make_stepper() asks for
        s.scheme == diffusion::Scheme::p1 && s.mass == diffusion::Mass::lumped &&
        s.stepping != Stepping::newton &&
        std::none_of(s.regions.begin(), s.regions.end(),
                     [](const Region& r) { return cell::own_model(r.model) != nullptr; });
    const double edge = mesh::mean_edge_mm(m);
    if (edge > trusted_mm)
        notices.push_back(
            {level, "coarse mesh (mean edge " + rounded_text(edge) +
                        " mm): activation times depend on it; refine the mesh, " +
                        (interpolates && s.currents == IonicCurrents::nodal
                             ? "take diffusion.currents \"interpolated\" (on the CPU), with which "
                               "waves do not stop on it, "
                             : "") +
                        "or take them as a picture only"});
}

void say_if_beyond_tissue(const RegionMap& patches, Notices& notices)
{
    for (std::size_t i = 0; i < patches.regions.size(); ++i) {
        const auto& c = patches.regions[i].conductivity_S_per_m;
        const std::pair<const char*, double> parts[]{
            {"fibre", c.fibre}, {"sheet", c.sheet}, {"normal", c.normal}};
        for (const auto& [name, sigma] : parts)
            if (sigma > beyond_tissue_S_per_m) {
                notices.push_back({Notice::Level::warning,
                                   "/tissue/regions/" + std::to_string(patches.origin[i]) + ": " +
                                       name + ": " + rounded_text(sigma) +
                                       " S/m is far above tissue (0.01 to 1 S/m); is it in mS/m?"});
                break;
            }
    }
}

void say_mass_scaling(const device::TissueProblem& p, Notices& notices)
{
    const auto& s = p.system;
    if (s.largest_scaling_at < 0)
        return;
    const Vec3& x = p.position_mm[static_cast<std::size_t>(s.largest_scaling_at)];
    notices.push_back({Notice::Level::info,
                       "mass scaling: " + rounded_text(100 * s.added_volume_fraction) +
                           " % of the volume added for a longer step of diffusion, most at (" +
                           rounded_text(x[0]) + ", " + rounded_text(x[1]) + ", " +
                           rounded_text(x[2]) + ") mm, " + rounded_text(s.largest_scaling) +
                           " times the volume there. Waves come a little early for it, up to 1 % "
                           "where as much as 0.2 % was added (diffusion.mass_scaling 0: none)"});
}

void say_which_stepping_pays(const device::TissueProblem& p, Notices& notices)
{
    // stages of RKL2 that take as long as a step by Newton's method of the same error
    constexpr double stages_of_newton = 110;
    constexpr double stable_steps =
        (stages_of_newton * stages_of_newton + stages_of_newton - 2) / 4;
    const bool newton = p.stepping == device::Stepping::newton;
    const bool explicit_pays = p.dt_ms <= stable_steps * p.system.stable_dt_ms;
    if (newton && explicit_pays) {
        const int stages = diffusion::choose_substeps(p.dt_ms, p.system.stable_dt_ms).stages;
        notices.push_back(
            {Notice::Level::info,
             "explicit steps would be stable on this mesh with " +
                 (stages == 1 ? std::string("one pass") : std::to_string(stages) + " stages") +
                 " of diffusion in each time step; at the same error Newton's method is faster "
                 "from about " +
                 rounded_text(stages_of_newton) +
                 " stages on, so stepping \"explicit\" is likely to be faster here"});
    }
    if (p.stepping == device::Stepping::explicit_ && !explicit_pays &&
        p.system.scheme == diffusion::Scheme::p1)
        notices.push_back(
            {Notice::Level::info, "explicit steps need so many stages of diffusion that stepping "
                                  "\"newton\" is likely to be faster at the same error: it is from "
                                  "about " +
                                      rounded_text(stages_of_newton) + " stages on"});
}

void say_if_raised(const Session& s, const RegionMap& patches, Notices& notices)
{
    constexpr double usual_S_per_m = 0.1334, raised = 2; // Niederer 2011, along the fibres
    double most = 0;
    for (const auto& r : patches.regions)
        most = std::max(most, r.conductivity_S_per_m.fibre);
    if (s.has_ecg() && !s.source_conductivity_S_per_m && most > raised * usual_S_per_m)
        notices.push_back(
            {Notice::Level::info, "conductivities of up to " + rounded_text(most) +
                                      " S/m along the fibres (tissue: about 0.13) make the ECG's "
                                      "amplitudes larger by about as much "
                                      "(ecg.source_conductivity_S_per_m mends that)"});
}

void say_if_beyond_step(const Session& s, const device::TissueProblem& p, Notices& notices)
{
    for (const auto& g : p.groups)
        if (const auto advice =
                cell::step_advice(cell::model_info(g.types.front().model), g.scheme, s.dt_ms);
            !advice.empty())
            notices.push_back({Notice::Level::warning, advice + " (reaction.scheme, time.dt_ms)"});
}

void say_if_stimulus_left_on(const device::TissueProblem& p, Notices& notices)
{
    for (const auto& g : p.groups) {
        if (g.reaction) // has no stimulus of its own
            continue;
        for (const auto& type : g.types)
            if (const auto left = cell::compiler::stimulus_left_on(*cell::compiler::system_of(type),
                                                                   type.parameters);
                !left.empty()) {
                notices.push_back({Notice::Level::warning, left});
                break;
            }
    }
}

void say_if_slow_in_tissue(const device::TissueProblem& p, Notices& notices)
{
    if (std::any_of(p.groups.begin(), p.groups.end(),
                    [](const auto& g) { return g.types.front().model == "ohara_rudy_2011"; }))
        notices.push_back({Notice::Level::warning,
                           "model ohara_rudy_2011: the fast sodium current of this model conducts "
                           "waves slowly in tissue; ohara_rudy_2011_tissue is the same model with "
                           "the fast sodium current of ten Tusscher & Panfilov 2006, which is this "
                           "program's choice"});
}

} // namespace tawara::simulation
