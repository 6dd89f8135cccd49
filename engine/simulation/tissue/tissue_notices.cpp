// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/tissue_notices.hpp"

#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/mesh_errors.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

namespace tawara::simulation {
std::string rounded_text(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", x);
    return text;
}

namespace {

/// Whether the conductivities of a laid region were found for velocities on this mesh.
bool is_tuned(const RegionMap& patches, std::size_t region)
{
    for (auto at = static_cast<std::int32_t>(region); at >= 0;
         at = patches.beneath[static_cast<std::size_t>(at)])
        for (const auto& t : patches.tuned)
            if (t.region == patches.origin[static_cast<std::size_t>(at)])
                return true;
    return false;
}

constexpr double trusted_mm = 0.5; // longer mean edges are worth a word in any case

/// Whether conductivities are above tissue's, so that waves run on a coarse mesh.
bool are_raised(const RegionMap& patches, double edge_mm)
{
    constexpr double raised = 1.5;
    return edge_mm > trusted_mm &&
           std::any_of(patches.regions.begin(), patches.regions.end(), [](const Region& r) {
               return r.conductivity_S_per_m.fibre > raised * tissue_S_per_m.fibre;
           });
}

/// Errors of velocities along and across the fibres.
using AlongAcross = std::array<double, 2>;

double worst_of(const AlongAcross& e)
{
    return std::max(std::abs(e[0]), std::abs(e[1]));
}

/// In the region where they are greatest, of those that conduct and are not tuned.
AlongAcross worst_errors(const Session& s, const RegionMap& patches, const MeshScheme& by,
                         double edge_mm)
{
    AlongAcross worst{};
    for (std::size_t k = 0; k < patches.regions.size(); ++k) {
        const auto& r = patches.regions[k];
        const auto& c = r.conductivity_S_per_m;
        const std::array sigma{c.fibre, std::min(c.sheet, c.normal)};
        if (r.insulating || sigma[0] <= 0 || is_tuned(patches, k))
            continue;
        AlongAcross here{};
        for (std::size_t d = 0; d < 2; ++d)
            here[d] = sigma[d] > 0 ? velocity_error(by.scheme, by.mass, by.currents, edge_mm,
                                                    front_width_mm(sigma[d], s),
                                                    conductivity_ratio(sigma[d], sigma[1 - d]))
                                   : here[0]; // nothing runs there on any mesh
        if (worst_of(here) > worst_of(worst))
            worst = here;
    }
    return worst;
}

std::string both_words(const AlongAcross& e)
{
    return e[0] == e[1]
               ? error_words(e[0])
               : error_words(e[0]) + " along the fibres and " + error_words(e[1]) + " across them";
}

std::string waves_words(const AlongAcross& e)
{
    if (e[0] <= -1)
        return e[1] <= -1 ? "no wave runs" : "no wave runs along the fibres";
    if (e[1] <= -1)
        return "waves run " + error_words(e[0]) +
               " along the fibres and come to a stand across them";
    return "waves run " + both_words(e);
}

/// What a session can take in place of its scheme, where waves would be much nearer: in words.
std::string nearer_scheme(const Session& s, const RegionMap& patches, double edge_mm, double now)
{
    const bool interpolates = // what device::make_stepper() asks for
        s.stepping != Stepping::newton &&
        std::none_of(s.regions.begin(), s.regions.end(),
                     [](const Region& r) { return cell::own_model(r.model) != nullptr; });
    std::string out;
    double best = now / 2;
    for (const auto& by : mesh_schemes()) {
        const bool fvm = by.scheme == diffusion::Scheme::fvm;
        const bool interpolated = by.currents == IonicCurrents::interpolated;
        if ((!fvm && !interpolated) || (interpolated && !interpolates) ||
            (fvm && s.stepping == Stepping::newton))
            continue;
        const auto errors = worst_errors(s, patches, by, edge_mm);
        if (worst_of(errors) >= best)
            continue;
        best = worst_of(errors);
        out = std::string("take diffusion.") +
              (fvm ? "scheme \"fvm\"" : "currents \"interpolated\" (p1)") + " (" +
              both_words(errors) + "), ";
    }
    return out;
}

/// A factor that is rather one between units, which is 1000 most often, than one of cells.
constexpr double many_times = 300;

/// Whether a parameter is a conductance by its name, "g_Na" or "ina.g_Na".
bool is_conductance(std::string_view name)
{
    const auto own = name.substr(name.rfind('.') + 1);
    return own.starts_with("g_") || own.starts_with("G");
}

/// What a region's own model says of a parameter; null: it has no model, or the model no such one.
const cell::ParameterInfo* parameter_of(const Region& r, const std::string& name)
{
    if (r.inherits())
        return nullptr;
    for (const auto& p : cell::model_info(r.model).parameters)
        if (p.name == name || p.full_name == name)
            return &p;
    return nullptr;
}

/// Whether a value is so far from the model's that its unit may be another: mM for M is 1000 times.
/// 0 blocks a current, and so does a small conductance.
bool is_far(double value, double models, bool conductance)
{
    const double ratio = std::abs(value / models);
    return models != 0 && value != 0 &&
           (ratio > many_times || (ratio < 1 / many_times && !conductance));
}

} // namespace

void say_if_coarse(const Session& s, const mesh::TetMesh& m, const RegionMap& patches,
                   Notices& notices)
{
    constexpr double much_error = 0.2;
    const double edge = mesh::mean_edge_mm(m);
    const std::string coarse = "coarse mesh (mean edge " + rounded_text(edge) + " mm): ";
    // The built-in heart is there to be looked at: known to be coarse.
    const bool known = std::holds_alternative<MeshEmbedded>(s.mesh);
    const auto level = [&](bool much) {
        return much && !known ? Notice::Level::warning : Notice::Level::info;
    };
    if (!patches.tuned.empty() && edge > trusted_mm)
        notices.push_back(
            {level(true), coarse + "conductivities were found with which plane waves have their "
                                   "velocities on it; where fronts bend waves have others. Refine "
                                   "the mesh, or take activation times as a picture only"});
    else if (are_raised(patches, edge))
        notices.push_back(
            {level(true), coarse + "conductivities above tissue's make waves run on it; "
                                   "activation times depend on both. Refine the mesh, or take "
                                   "them as a picture only"});
    // Newton's method drives waves at vertices, whatever the mass (NUMERICS.md)
    const auto mass = s.stepping == Stepping::newton ? diffusion::Mass::lumped : s.mass;
    const MeshScheme used{s.scheme, mass, s.currents, ""};
    const auto errors = worst_errors(s, patches, used, edge);
    const double worst = worst_of(errors);
    if (worst > velocity_error_to_tell && !are_raised(patches, edge))
        notices.push_back({level(worst > much_error),
                           coarse + "by this scheme " + waves_words(errors) +
                               ", against a fine mesh (ten Tusscher's cells); refine the mesh, " +
                               nearer_scheme(s, patches, edge, worst) +
                               "or take activation times as a picture only"});
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
                                   "tissue.regions." + std::to_string(patches.origin[i]) +
                                       ".conductivity_S_per_m." + name + ": " +
                                       rounded_text(sigma) +
                                       " S/m is far above tissue (0.01 to 1 S/m); is it in mS/m?"});
                break;
            }
    }
}

void say_if_in_another_unit(const Session& s, Notices& notices)
{
    const auto warn = [&](const std::string& key, double value, const std::string& more) {
        notices.push_back({Notice::Level::warning, key + ": is " + number_text(value, 6) + more});
    };
    const auto unusual = [&](const char* key, double value, const std::string& unit, double least,
                             double most, const char* usual) {
        if (value < least || value > most)
            warn(key, value,
                 " " + unit + "; usual is " + usual + " " + unit + ": is it in another unit?");
    };
    unusual("tissue.surface_to_volume_per_mm", s.surface_to_volume_per_mm, "1/mm", 30, 600,
            "100 to 250");
    unusual("tissue.capacitance_uF_per_cm2", s.capacitance_uF_per_cm2, "uF/cm2", 0.2, 10, "1");
    constexpr double least_mV = -100, most_mV = 60; // beyond them V of no cell is
    constexpr double least_S_per_m = 1e-3;
    if (const double mV = s.activation_threshold_mV; mV < least_mV || mV > most_mV)
        notices.push_back({Notice::Level::warning,
                           "output.activation_threshold_mV: is " + number_text(mV, 6) +
                               " mV, and V of hardly any cell crosses that, so nothing counts as "
                               "activated; it should be from -100 to 60 mV (usual: 0)"});
    for (std::size_t r = 0; r < s.regions.size(); ++r) {
        const std::string at = "tissue.regions." + std::to_string(r);
        if (const double S_per_m = s.regions[r].conductivity_S_per_m.fibre;
            S_per_m > 0 && S_per_m < least_S_per_m)
            warn(at + ".conductivity_S_per_m.fibre", S_per_m,
                 " S/m, far below tissue (0.01 to 1 S/m); is it in S/mm?");
        for (const auto& [name, value] : s.regions[r].scale)
            if (value > many_times)
                warn(at + ".scale." + name, value,
                     " times what the cells have: is it the value itself?");
        for (const auto& [name, value] : s.regions[r].initial)
            if (name == "V" && value != 0 && std::abs(value) < 1)
                warn(at + ".initial.V", value, " mV; is it in V?");
        for (const auto& [name, value] : s.regions[r].parameters) {
            const std::string key = at + ".parameters." + name;
            const auto* model = parameter_of(s.regions[r], name);
            if (value < 0 && is_conductance(name))
                warn(key, value,
                     ", and a conductance below 0 drives V away from rest; it should be 0 or more");
            else if (model != nullptr && model->unit == "K" && model->value > 250 && value < 100)
                warn(key, value, " K; is it in degrees Celsius?");
            else if (model != nullptr && is_far(value, model->value, is_conductance(name)))
                warn(key, value,
                     (model->unit.empty() ? "" : " " + model->unit) + ", and the model has " +
                         number_text(model->value, 6) + ": is it in another unit?");
        }
    }
}

void say_mass_scaling(const Session& session, const device::TissueProblem& p, Notices& notices)
{
    const bool wanted = session.mass_scaling > 0 &&
                        (session.mass_scaling != Session{}.mass_scaling ||
                         session.mass_scaling_largest != Session{}.mass_scaling_largest);
    if (wanted && p.stepping != device::Stepping::explicit_)
        notices.push_back({Notice::Level::info,
                           "diffusion.mass_scaling is not used here: no volume is added, since it "
                           "lengthens explicit steps of diffusion alone"});
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

void rest_where_possible(const Session& s, device::TissueProblem& p, Notices& notices)
{
    if (!s.rest_where_possible || !(p.rest_tolerance_mV > 0))
        return;
    const bool compiled = std::none_of(p.groups.begin(), p.groups.end(),
                                       [](const auto& g) { return g.reaction != nullptr; });
    const bool two_fit = p.dt_ms * 2 <= p.longest_quiescent_ms * (1 + 1e-9);
    std::string why;
    if (device::needs_solver(p) || p.stepping == device::Stepping::newton)
        why = "diffusion is not stepped explicitly with lumped mass";
    else if (p.splitting != Splitting::godunov)
        why = "splitting is not godunov";
    else if (!compiled)
        why = "some cells have code of their own";
    else if (!two_fit)
        why = "the time step is too long";
    else if (s.purkinje->wanted)
        why = "a Purkinje network may excite it at any time";
    if (why.empty())
        return;
    p.rest_tolerance_mV = 0;
    notices.push_back({Notice::Level::info,
                       "resting tissue takes no long steps (reaction.rest_tolerance_mV), since " +
                           why + ": every unknown takes every step"});
}

void say_if_beyond_step(const Session& s, const device::TissueProblem& p, Notices& notices)
{
    for (const auto& g : p.groups)
        if (const auto advice =
                cell::step_advice(cell::model_info(g.types.front().model), g.scheme, s.dt_ms);
            !advice.empty())
            notices.push_back({std::holds_alternative<MeshEmbedded>(s.mesh)
                                   ? Notice::Level::info // a heart to be looked at
                                   : Notice::Level::warning,
                               advice + " (reaction.scheme, time.dt_ms)"});
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
