// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/suggest.hpp"

#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/presets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace tawara::simulation {
namespace {

constexpr double worst_error = 0.1;     // of a velocity that needs no word
constexpr double tissue_S_per_m = 0.13; // along the fibres: Niederer 2011
constexpr double tissue_mm_per_ms = 0.9; // waves in a heart's wall are no faster
constexpr double raised = 1.5;          // times that is meant for a mesh, not for tissue

/// A chain of cells with spacing h: the discrete diffusion of one dimension.
diffusion::System chain(std::size_t n, double h_mm, double D, diffusion::Mass mass)
{
    diffusion::System s;
    s.scheme = diffusion::Scheme::p1;
    s.mass = mass;
    const bool consistent = mass == diffusion::Mass::consistent;
    s.alpha.first = {0};
    s.mass_rows.first = {0};
    for (std::size_t i = 0; i < n; ++i) {
        const bool end = i == 0 || i + 1 == n;
        const double volume = end ? h_mm / 2 : h_mm;
        s.volume.push_back(volume);
        s.mass_diagonal.push_back(end ? h_mm / 3 : 2 * h_mm / 3);
        for (const int side : {-1, 1}) {
            const auto j = static_cast<std::ptrdiff_t>(i) + side;
            if (j < 0 || j >= static_cast<std::ptrdiff_t>(n))
                continue;
            s.alpha.column.push_back(static_cast<std::int32_t>(j));
            s.alpha.value.push_back(consistent ? D / h_mm : D / h_mm / volume);
            s.mass_rows.column.push_back(static_cast<std::int32_t>(j));
            s.mass_rows.value.push_back(h_mm / 6);
        }
        s.alpha.first.push_back(static_cast<std::int64_t>(s.alpha.column.size()));
        s.mass_rows.first.push_back(static_cast<std::int64_t>(s.mass_rows.column.size()));
    }
    if (!consistent) {
        s.mass_rows = {};
        s.mass_diagonal.clear();
    }
    s.stable_dt_ms = h_mm * h_mm / (D * (consistent ? 10 : 2));
    s.stability.proven_cell_by_cell = true;
    return s;
}

/// Velocity of the wave that a paced end of such a chain sends out; 0 where none arrives.
double velocity(const Session& session, const cell::CellType& type, double D, double h_mm,
                std::size_t n, std::size_t paced, double dt_ms, const Progress& progress)
{
    device::TissueProblem p;
    const bool explicit_step = session.stepping == Stepping::explicit_;
    p.system =
        chain(n, h_mm, D,
              session.scheme == diffusion::Scheme::p1 ? session.mass : diffusion::Mass::lumped);
    for (std::size_t i = 0; i < n; ++i)
        p.position_mm.push_back({static_cast<double>(i) * h_mm, 0, 0});
    p.groups = {{session.reaction, {type}}};
    p.group.assign(n, 0);
    p.type.assign(n, 0);
    p.dt_ms = dt_ms;
    p.splitting = session.splitting;
    p.stepping = session.stepping;
    p.activation_threshold_mV = std::min(session.activation_threshold_mV, -20.0);
    if (explicit_step && p.system.mass == diffusion::Mass::lumped)
        p.substeps = diffusion::choose_substeps(dt_ms, p.system.stable_dt_ms);
    const auto stepper = device::make_stepper(p, {"cpu", Precision::double_, 1});
    device::StimulusSource source;
    for (std::size_t i = 0; i < paced; ++i)
        source.unknowns.push_back(static_cast<std::int32_t>(i));
    source.amplitude_pA_per_pF = 60;
    source.duration_ms = 2;
    stepper->add_stimulus(source);
    const std::size_t from = n / 2, to = 85 * n / 100;
    constexpr double slowest_mm_per_ms = 0.03;
    const double last_ms = 20 + static_cast<double>(n) * h_mm / slowest_mm_per_ms;
    const auto a_while = std::max<std::int64_t>(1, std::llround(1 / dt_ms));
    while (stepper->time_ms() < last_ms) {
        progress.at(0, "estimating conduction");
        stepper->advance(a_while);
        const auto maps = stepper->maps();
        if (std::isfinite(maps.activation_ms[to])) {
            const double took = maps.activation_ms[to] - maps.activation_ms[from];
            return took > 0 ? static_cast<double>(to - from) * h_mm / took : 0;
        }
    }
    return 0;
}

Vec3 surface_point(const mesh::TetMesh& m, const mesh::Surface& s, std::int32_t v)
{
    return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
}

/// Vertices of a wall's triangles.
std::vector<Vec3> wall_points(const mesh::TetMesh& m, const mesh::Surface& s, mesh::Wall wall)
{
    std::vector<Vec3> out;
    for (std::size_t k = 0; k < s.triangles.size(); ++k)
        if (s.wall[k] == wall)
            for (auto v : s.triangles[k])
                out.push_back(surface_point(m, s, v));
    return out;
}

Vec3 mean(const std::vector<Vec3>& points)
{
    Vec3 sum{};
    for (const auto& p : points)
        sum = sum + p;
    return (1.0 / static_cast<double>(std::max<std::size_t>(points.size(), 1))) * sum;
}

template <class Measure>
const Vec3& most(const std::vector<Vec3>& points, Measure measure)
{
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return measure(a) < measure(b); });
}

void add_segments(const mesh::TetMesh& m, const mesh::Surface& s, std::vector<Site>& out)
{
    constexpr const char* names[]{"basal anterior",
                                  "basal anteroseptal",
                                  "basal inferoseptal",
                                  "basal inferior",
                                  "basal inferolateral",
                                  "basal anterolateral",
                                  "mid anterior",
                                  "mid anteroseptal",
                                  "mid inferoseptal",
                                  "mid inferior",
                                  "mid inferolateral",
                                  "mid anterolateral",
                                  "apical anterior",
                                  "apical septal",
                                  "apical inferior",
                                  "apical lateral",
                                  "apex"};
    const auto* field = m.field("aha_segment");
    if (!field || field->on != mesh::Field::On::tetrahedra)
        return;
    std::map<int, std::vector<Vec3>> inner, any; // the apex has no endocardium of its own
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[k]);
        const int segment = static_cast<int>(std::lround(field->values[tet]));
        for (auto v : s.triangles[k]) {
            if (s.wall[k] == mesh::Wall::endo_lv)
                inner[segment].push_back(surface_point(m, s, v));
            if (s.wall[k] == mesh::Wall::epi)
                any[segment].push_back(surface_point(m, s, v));
        }
    }
    for (int segment = 1; segment <= 17; ++segment) {
        const auto& points = inner[segment].empty() ? any[segment] : inner[segment];
        if (points.empty())
            continue;
        const Vec3 centre = mean(points);
        out.push_back({"AHA " + std::to_string(segment) + ", " + names[segment - 1], "AHA segments",
                       most(points, [&](const Vec3& p) { return -norm(p - centre); })});
    }
}

} // namespace

VelocityEstimate estimate_velocity(const Session& session, const Region& region, double edge_mm,
                                   const Progress& progress)
{
    if (region.inherits())
        throw InputError("velocity", "a region without a model has no velocity of its own");
    if (!(edge_mm > 0) || !std::isfinite(edge_mm))
        throw InputError("velocity", "the edge length must be positive");
    const auto type = cell::make_cell_type(
        region.model, region.variant, scaled_parameters(region, session.drugs), region.initial);
    const auto& c = region.conductivity_S_per_m;
    const double capacity = session.surface_to_volume_per_mm *
                            (session.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2);
    const Vec3 sigma = region.conductivity_scale * Vec3{c.fibre, c.sheet, c.normal};
    VelocityEstimate out;
    out.edge_mm = edge_mm;
    for (std::size_t k = 0; k < 3; ++k) {
        if (k > 0 && sigma[k] == sigma[k - 1]) {
            out.fine[k] = out.fine[k - 1];
            out.mesh[k] = out.mesh[k - 1];
            continue;
        }
        const double D = sigma[k] / capacity;
        if (!(D > 0))
            continue;
        // A front is some sqrt(D 1 ms) wide: a tenth of that resolves it whatever the direction.
        const double fine_mm = std::min(0.05, 0.1 * std::sqrt(D));
        out.fine[k] =
            velocity(session, type, D, fine_mm, 400, 80, std::min(session.dt_ms, 0.01), progress);
        out.mesh[k] = velocity(session, type, D, edge_mm, 24, 3, session.dt_ms, progress);
    }
    const char* names[]{"along the fibres", "across the fibres", "across the sheets"};
    double worst = worst_error;
    char text[200];
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
            std::snprintf(text, sizeof text,
                          "mesh too coarse (mean edge %.2g mm): no wave runs %s; refine it", edge_mm,
                          names[k]);
        else
            std::snprintf(text, sizeof text,
                          "mesh too coarse (mean edge %.2g mm): waves are %.0f %% too %s %s; refine it",
                          edge_mm, 100 * std::abs(error), error < 0 ? "slow" : "fast", names[k]);
        out.warning = text;
    }
    if (out.mesh[0] > 0 && out.mesh[0] < out.fine[0] * (1 - worst_error) &&
        out.fine[0] > tissue_mm_per_ms && sigma[0] > raised * tissue_S_per_m) {
        std::snprintf(text, sizeof text,
                      ". The conductivities here (%.2g S/m along the fibres, tissue has about %.2g) "
                      "are raised to make up for that: lower them on a finer mesh",
                      sigma[0], tissue_S_per_m);
        out.warning += text;
    }
    return out;
}

Sphere ball_in_tissue(const mesh::TetMesh& m)
{
    constexpr double largest_mm = 15, of_diagonal = 0.15;
    Vec3 low{}, high{};
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 x = m.vertex(v);
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = v ? std::min(low[k], x[k]) : x[k];
            high[k] = v ? std::max(high[k], x[k]) : x[k];
        }
    }
    const Vec3 middle = 0.5 * (low + high);
    Vec3 best = middle;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (const Vec3 c = m.centroid(t); norm(c - middle) < nearest) {
            nearest = norm(c - middle);
            best = c;
        }
    for (double& x : best)
        x = std::round(10 * x) / 10;
    return {best, std::min(largest_mm, of_diagonal * norm(high - low))};
}

ElectrodePlace electrode_in_front(const mesh::TetMesh& m, const Vec3& point_mm, const Vec3& normal,
                                  double gap_mm)
{
    Vec3 centre{};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        centre = centre + (1.0 / static_cast<double>(m.vertex_count())) * m.vertex(v);
    const Vec3 from_centre = point_mm - centre;
    const Vec3 outward = norm(from_centre) > 1e-9 ? normalized(from_centre) : normal;
    // How far the heart reaches beyond the point: what is farther in that direction than every
    // vertex is outside of their hull.
    double beyond = 0, beyond_outward = 0;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 x = m.vertex(v) - point_mm;
        beyond = std::max(beyond, dot(normal, x));
        beyond_outward = std::max(beyond_outward, dot(outward, x));
    }
    if (beyond <= gap_mm / 2)
        return {point_mm + gap_mm * normal, false};
    if (beyond <= beyond_outward)
        return {point_mm + (beyond + gap_mm) * normal, false};
    return {point_mm + (beyond_outward + gap_mm) * outward, true};
}

std::vector<Site> suggested_sites(const mesh::TetMesh& m, const mesh::Surface& s)
{
    std::vector<Site> out;
    const auto lv = wall_points(m, s, mesh::Wall::endo_lv),
               rv = wall_points(m, s, mesh::Wall::endo_rv),
               epi = wall_points(m, s, mesh::Wall::epi), base = wall_points(m, s, mesh::Wall::base);
    if (!lv.empty() && !epi.empty()) {
        const Vec3 centre = mean(lv);
        const Vec3 top = base.empty() ? centre + (centre - mean(epi)) : mean(base);
        const auto far = [&](const Vec3& p) { return norm(p - top); };
        const Vec3 apex = most(lv, far), axis = normalized(apex - top);
        const double length = norm(apex - top);
        out.push_back({"LV apex", "Common", apex});
        if (!rv.empty()) {
            out.push_back({"RV apex", "Common", most(rv, far)});
            Vec3 side = centre - mean(rv); // from the right ventricle to the left wall
            side = normalized(side - dot(side, axis) * axis);
            const auto lateral = [&](const Vec3& p) { // far to the side, half way down
                const double depth = dot(p - top, axis) / length - 0.5;
                return dot(p - centre, side) - 2 * length * depth * depth;
            };
            const auto septal = [&](const Vec3& p) {
                const double depth = dot(p - top, axis) / length - 0.5;
                return -dot(p - centre, side) - 2 * length * depth * depth;
            };
            out.push_back({"LV lateral wall, endocardium", "Common", most(lv, lateral)});
            out.push_back({"LV lateral wall, epicardium", "Common", most(epi, lateral)});
            out.push_back({"Septum, left side", "Common", most(lv, septal)});
            out.push_back({"RV free wall, endocardium", "Common", most(rv, septal)});
        }
    }
    add_segments(m, s, out);
    return out;
}

} // namespace tawara::simulation
