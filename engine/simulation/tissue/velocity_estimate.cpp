// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace tawara::simulation {
namespace {

constexpr double worst_error = 0.1;      // of a velocity that needs no word
constexpr double tissue_mm_per_ms = 0.9; // waves in a heart's wall are no faster
constexpr double raised = 1.5;           // times that is meant for a mesh, not for tissue
constexpr double from = 0.5, to = 0.85;  // of the length: where a wave is timed
constexpr double resolved = 0.1;         // of a front's width, sqrt(D 1 ms): edges that resolve it

/// A chain of cells with spacing h: the discrete diffusion of one dimension.
diffusion::System chain(std::size_t n, double h_mm, double D)
{
    diffusion::System s;
    s.scheme = diffusion::Scheme::p1;
    s.mass = diffusion::Mass::lumped;
    s.alpha.first = {0};
    for (std::size_t i = 0; i < n; ++i) {
        const double volume = i == 0 || i + 1 == n ? h_mm / 2 : h_mm;
        s.volume.push_back(volume);
        for (const int side : {-1, 1}) {
            const auto j = static_cast<std::ptrdiff_t>(i) + side;
            if (j < 0 || j >= static_cast<std::ptrdiff_t>(n))
                continue;
            s.alpha.column.push_back(static_cast<std::int32_t>(j));
            s.alpha.value.push_back(D / h_mm / volume);
        }
        s.alpha.first.push_back(static_cast<std::int64_t>(s.alpha.column.size()));
    }
    s.stable_dt_ms = h_mm * h_mm / (D * 2);
    s.stability.proven_cell_by_cell = true;
    return s;
}

struct Wave
{
    double velocity = 0; ///< [mm/ms]; 0: none arrives
    double rest_mV = 0, peak_mV = 0;
};

/// The wave that a paced end of a bar sends out: its velocity by a line fitted to the times of
/// activation between `from` and `to`, the potential before it, and the highest there.
/// @param x_mm  of the unknowns, in a bar from 0 to length_mm
/// @param cell_mm  how far they are apart along it: a wave that needs longer for two of them than
///                 the slowest one has come to a stand
Wave wave_along(device::TissueProblem& p, std::span<const double> x_mm, double length_mm,
                double paced_mm, double cell_mm, const Session& session, double slowest,
                const Progress& progress)
{
    p.activation_threshold_mV = std::min(session.activation_threshold_mV, -20.0);
    // Newton's method has no single precision
    const auto precision = p.stepping == Stepping::newton ? Precision::double_ : Precision::single;
    const auto stepper = device::make_stepper(p, {"cpu", precision, 1});
    device::StimulusSource source;
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < x_mm.size(); ++i) {
        if (x_mm[i] <= paced_mm)
            source.unknowns.push_back(static_cast<std::int32_t>(i));
        if (x_mm[i] >= from * length_mm && x_mm[i] <= to * length_mm)
            timed.push_back(i);
    }
    source.amplitude_pA_per_pF = 60;
    source.duration_ms = 2;
    stepper->add_stimulus(source);
    constexpr double surely_begun_ms = 10;
    const double last_ms = 20 + length_mm / slowest;
    const auto a_while = std::max<std::int64_t>(1, std::llround(1 / p.dt_ms));
    std::vector<double> v(x_mm.size());
    stepper->potential(v);
    Wave wave{0, v.back(), v.back()};
    const double longest_rest_ms = surely_begun_ms + 2 * cell_mm / slowest;
    std::ptrdiff_t reached = 0;
    double reached_ms = 0;
    while (stepper->time_ms() < last_ms) {
        progress.at(0, "estimating conduction");
        stepper->advance(a_while);
        stepper->potential(v);
        for (const auto i : timed)
            wave.peak_mV = std::max(wave.peak_mV, v[i]);
        const auto maps = stepper->maps();
        const auto now = std::count_if(maps.activation_ms.begin(), maps.activation_ms.end(),
                                       [](double t) { return std::isfinite(t); });
        if (now > reached)
            reached = now, reached_ms = stepper->time_ms();
        double n = 0, sx = 0, st = 0, sxx = 0, sxt = 0;
        for (const auto i : timed)
            if (const double t = maps.activation_ms[i]; std::isfinite(t))
                n += 1, sx += x_mm[i], st += t, sxx += x_mm[i] * x_mm[i], sxt += x_mm[i] * t;
        if (n == static_cast<double>(timed.size())) {
            const double slope = (n * sxt - sx * st) / (n * sxx - sx * sx); // [ms/mm]
            wave.velocity = slope > 0 ? 1 / slope : 0;
            return wave;
        }
        if (stepper->time_ms() - reached_ms > longest_rest_ms)
            break;
        if (stepper->time_ms() > surely_begun_ms &&
            std::none_of(v.begin(), v.end(),
                         [&](double mV) { return mV > p.activation_threshold_mV; }))
            break; // it has died out
    }
    return wave;
}

Wave wave_on_chain(const Session& session, const cell::CellType& type, double D, double h_mm,
                   double dt_ms, const Progress& progress)
{
    constexpr std::size_t n = 400, paced = 80;
    device::TissueProblem p;
    p.system = chain(n, h_mm, D);
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(static_cast<double>(i) * h_mm);
        p.position_mm.push_back({x.back(), 0, 0});
    }
    p.groups = {{session.reaction, {type}}};
    p.group.assign(n, 0);
    p.type.assign(n, 0);
    p.dt_ms = dt_ms;
    p.splitting = session.splitting;
    p.stepping = session.stepping;
    p.newton = session.newton;
    p.newton.adaptive = false; // a wave is under way
    if (session.stepping == Stepping::explicit_)
        p.substeps = diffusion::choose_substeps(dt_ms, p.system.stable_dt_ms);
    return wave_along(p, x, x.back(), paced * h_mm, h_mm, session, slowest_mm_per_ms, progress);
}

double capacity_of(const Session& s)
{
    return s.surface_to_volume_per_mm * (s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2);
}

/// A wave along the k-th principal direction where the mesh resolves it.
Wave wave_on_fine(const Session& session, const Region& region, std::size_t k,
                  const Progress& progress)
{
    const auto type = cell::make_cell_type(
        region.model, region.variant, scaled_parameters(region, session.drugs), region.initial);
    const auto c = region.conductivity_scale * region.conductivity_S_per_m;
    const double D = std::array{c.fibre, c.sheet, c.normal}[k] / capacity_of(session);
    if (!(D > 0))
        return {};
    const double fine_mm = std::min(0.05, resolved * std::sqrt(D));
    return wave_on_chain(session, type, D, fine_mm, std::min(session.dt_ms, 0.01), progress);
}

/// The region with cells at the rest to which its own factors move them, as waves find them after a
/// while: ischaemia's outer potassium lifts it. Unchanged where rest stays, or cells fire of
/// themselves.
Region at_rest(const Session& session, Region region)
{
    constexpr double settled_ms = 500, moved_mV = 1, fires_mV = -40;
    const auto type = cell::make_cell_type(
        region.model, region.variant, scaled_parameters(region, session.drugs), region.initial);
    cell::SingleCellOptions o;
    o.type = type;
    o.scheme = session.reaction;
    o.dt_ms = std::min(session.dt_ms, 0.02);
    o.end_ms = settled_ms;
    o.stimulus_pA_per_pF = 0;
    o.stimulus_period_ms = 0;
    const auto found = cell::run_single_cell(o);
    const auto& v = found.states.front();
    if (*std::max_element(v.begin(), v.end()) > fires_mV ||
        std::abs(found.final_state.front() - type.initial.front()) < moved_mV)
        return region;
    region.initial.clear();
    const auto& info = cell::model_info(region.model);
    for (std::size_t k = 0; k < found.final_state.size(); ++k)
        region.initial.emplace_back(info.states[k].name, found.final_state[k]);
    return region;
}

LoadedMesh loaded(mesh::TetMesh m)
{
    auto neighbours = mesh::face_neighbours(m);
    return {std::move(m), std::move(neighbours)};
}

/// A wave along the k-th principal direction on a mesh of that grain.
Wave wave_in_bar(const Session& session, const Region& region, std::size_t k,
                 const mesh::Grain& grain, double slowest, int across, const Progress& progress)
{
    // A front is some sqrt(D 1 ms) wide, and runs evenly some twenty widths from its start.
    static const double edge_of_cube = mesh::mean_edge_mm(mesh::slab({24, 2, 2}, 1));
    constexpr double most_cubes = 480, widths = 40, part_paced = 1.0 / 8;
    const double least_cubes = grain.even ? 24 : 40; // uneven ones differ: a mean of more
    const auto c = region.conductivity_scale * region.conductivity_S_per_m;
    const std::array sigma{c.fibre, c.sheet, c.normal};
    const double width_mm = front_width_mm(session, sigma[k]);
    if (grain.edge_mm <= resolved * width_mm)
        return wave_on_fine(session, region, k, progress); // which is far cheaper, and the same
    const double h =
        grain.even ? grain.edge_mm / edge_of_cube : grain.edge_mm * mesh::uneven_cube_per_edge;
    const double cubes = std::clamp(std::ceil(widths * width_mm / h), least_cubes, most_cubes);
    Session s = session;
    s.mesh = MeshSlab{{cubes * h, across * h, across * h}, h};
    s.stimuli.clear();
    s.probes.clear();
    s.prepacing = {};
    s.purkinje = {};
    Region all = region;
    all.labels.clear();
    all.where.reset();
    all.velocity_m_per_s.reset();
    all.conductivity_S_per_m = {sigma[k], sigma[(k + 1) % 3], sigma[(k + 2) % 3]};
    all.conductivity_scale = {};
    s.regions = {all};
    s.rest_where_possible = true; // a strip may need shorter steps of diffusion than the tissue
    const auto uneven = [&] {
        return loaded(mesh::uneven_bar(static_cast<std::size_t>(cubes),
                                       static_cast<std::size_t>(across), grain.edge_mm));
    };
    auto t =
        grain.even ? build_tissue(s, progress.silent()) : tissue_on(uneven(), s, progress.silent());
    std::vector<double> x;
    for (const auto& at : t.problem.position_mm)
        x.push_back(at[0]);
    const double length_mm = *std::max_element(t.mesh->x.begin(), t.mesh->x.end());
    return wave_along(t.problem, x, length_mm, part_paced * length_mm, h, session, slowest,
                      progress);
}

/// That of the conductivities that are found for a region's velocities.
VelocityEstimate estimate_tuned(const Session& session, Region region, const mesh::Grain& grain,
                                const Progress& progress)
{
    const auto found = tune_conductivity(session, region, grain, progress);
    region.velocity_m_per_s.reset();
    region.conductivity_S_per_m = found.conductivity_S_per_m;
    auto out = estimate_velocity(session, region, grain, progress);
    out.target = Vec3{found.wanted.fibre, found.wanted.sheet, found.wanted.normal};
    out.tuned = found;
    out.warning.clear();
    constexpr double much = 1.5; // above a fine mesh's
    double most = 0;
    for (const auto along : {&diffusion::Conductivity::fibre, &diffusion::Conductivity::sheet,
                             &diffusion::Conductivity::normal})
        most = std::max(most, found.conductivity_S_per_m.*along / found.on_fine_S_per_m.*along);
    if (most > much) {
        char text[240];
        std::snprintf(text, sizeof text,
                      "the mesh is coarse (mean edge %.2f mm): conductivities up to %.1f times a "
                      "fine mesh's give plane waves the wanted velocities; waves whose fronts bend "
                      "have other velocities. Refine the mesh",
                      grain.edge_mm, most);
        out.warning = text;
    }
    if (const auto fast = too_fast_words(found); !fast.empty())
        out.warning += (out.warning.empty() ? "" : ". ") + fast;
    return out;
}

} // namespace

bool raised_for_mesh(double sigma_S_per_m, double tissue, double on_mesh, double on_fine)
{
    return sigma_S_per_m > raised * tissue && on_mesh < (1 - worst_error) * on_fine;
}

double front_width_mm(const Session& session, double sigma_S_per_m)
{
    return std::sqrt(sigma_S_per_m / capacity_of(session));
}

double velocity_on_mesh(const Session& session, const Region& region, std::size_t direction,
                        const mesh::Grain& grain, const Progress& progress, double slowest,
                        int across)
{
    return wave_in_bar(session, region, direction, grain, slowest, across, progress).velocity;
}

double velocity_on_fine(const Session& session, const Region& region, std::size_t direction,
                        const Progress& progress)
{
    return wave_on_fine(session, region, direction, progress).velocity;
}

VelocityEstimate estimate_velocity(const Session& session, const Region& as_given,
                                   const mesh::Grain& grain, const Progress& progress)
{
    if (has_dyads(as_given))
        throw InputError(no_velocity_file,
                         "velocities are not estimated for cells with stochastic dyads, each of "
                         "which may take as long as a thousand others; run the session, and "
                         "measure between two probes");
    if (as_given.inherits())
        throw InputError(no_velocity_file, "a region without a model has no velocity of its own");
    const double edge_mm = grain.edge_mm;
    if (!(edge_mm > 0) || !std::isfinite(edge_mm))
        throw InputError(no_velocity_file, "the edge length must be positive");
    if (as_given.velocity_m_per_s)
        return estimate_tuned(session, as_given, grain, progress);
    const Region region = at_rest(session, as_given);
    const auto scaled = region.conductivity_scale * region.conductivity_S_per_m;
    const Vec3 sigma{scaled.fibre, scaled.sheet, scaled.normal};
    VelocityEstimate out;
    out.edge_mm = edge_mm;
    for (std::size_t k = 0; k < 3; ++k) {
        if (k > 0 && sigma[k] == sigma[k - 1]) {
            out.fine[k] = out.fine[k - 1];
            out.mesh[k] = out.mesh[k - 1];
            continue;
        }
        if (!(sigma[k] > 0))
            continue;
        out.fine[k] = velocity_on_fine(session, region, k, progress);
        const auto wave =
            wave_in_bar(session, region, k, grain, slowest_mm_per_ms, cubes_across, progress);
        out.mesh[k] = wave.velocity;
        if (k == 0)
            out.rest_mV = wave.rest_mV, out.peak_mV = wave.peak_mV;
    }
    if (raised_for_mesh(sigma[0], tissue_S_per_m.fibre, out.mesh[0], out.fine[0])) {
        Region tissue = region;
        tissue.conductivity_scale = {};
        tissue.conductivity_S_per_m = tissue_S_per_m;
        if (scaled.fibre == scaled.sheet && scaled.fibre == scaled.normal)
            tissue.conductivity_S_per_m.sheet = tissue.conductivity_S_per_m.normal =
                tissue_S_per_m.fibre;
        const auto& c = tissue.conductivity_S_per_m;
        const double along = velocity_on_fine(session, tissue, 0, progress);
        const double across =
            c.sheet == c.fibre ? along : velocity_on_fine(session, tissue, 1, progress);
        out.target = Vec3{along, across, across};
    }
    const char* names[]{"along the fibres", "across the fibres", "across the sheets"};
    double worst = worst_error;
    char text[240];
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(out.fine[k] > 0)) {
            if (sigma[k] > 0)
                out.warning = "no wave runs in this tissue, on any mesh";
            break;
        }
        const double error = out.mesh[k] / out.fine[k] - 1;
        if (std::abs(error) <= worst)
            continue;
        worst = std::abs(error);
        if (!(out.mesh[k] > 0))
            std::snprintf(
                text, sizeof text,
                "the mesh is too coarse (mean edge %.2f mm): no wave runs %s; refine the mesh",
                edge_mm, names[k]);
        else
            std::snprintf(text, sizeof text,
                          "the mesh is too coarse (mean edge %.2f mm): waves run %.0f %% %s %s "
                          "than on a fine "
                          "one; refine the mesh",
                          edge_mm, 100 * std::abs(error), error < 0 ? "slower" : "faster",
                          names[k]);
        out.warning = text;
    }
    const bool are_raised = sigma[0] > raised * tissue_S_per_m.fibre;
    if (are_raised && out.mesh[0] > tissue_mm_per_ms) {
        std::snprintf(text, sizeof text,
                      "waves run at %.2f m/s along the fibres, faster than in any ventricle: the "
                      "conductivities (%.2g S/m along them, tissue has about %.2g) are raised for "
                      "another mesh or scheme. Give the region velocities, or lower them",
                      out.mesh[0], sigma[0], tissue_S_per_m.fibre);
        out.warning = text;
    } else if (are_raised && out.mesh[0] > 0 && out.mesh[0] < out.fine[0] * (1 - worst_error) &&
               out.fine[0] > tissue_mm_per_ms) {
        std::snprintf(
            text, sizeof text,
            ". The conductivities (%.2g S/m along the fibres, tissue has about %.2g) are raised "
            "for that, so that waves run at %.2f m/s along them all the same: a finer mesh wants "
            "them lower",
            sigma[0], tissue_S_per_m.fibre, out.mesh[0]);
        out.warning += text;
    }
    return out;
}

} // namespace tawara::simulation
