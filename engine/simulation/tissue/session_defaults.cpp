// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions that the program makes by itself.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/wall_split.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/mesh_cache.hpp"
#include "engine/simulation/tissue/mesh_session.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace tawara::simulation {
namespace {

/// All gates exponential: with rush_larsen_light the j gate of TT06 is beyond its stable step where
/// a pulse drives tissue that is up already over about +70 mV, as clicks in a window do.
constexpr cell::Scheme live_reaction = cell::Scheme::rush_larsen;

/// The scheme and the step that the model's file says are good, where it says so: the scheme that
/// there is, else the first that does with this step, else the one with the largest. The implicit
/// one, whose iterations cost about ten times as much and may end without a solution where a pulse
/// drives a cell far, is taken only where the others want steps below 5 us.
void fit_step(Session& s, const cell::ModelInfo& m)
{
    using cell::Scheme;
    if (m.largest_step_ms.empty() || cell::largest_step(m, s.reaction) >= s.dt_ms)
        return;
    constexpr double least_ms = 0.005;
    Scheme best = s.reaction;
    for (const Scheme by :
         {Scheme::rush_larsen_light, Scheme::grl1, Scheme::grl2, Scheme::backward_euler}) {
        if (cell::largest_step(m, best) >= s.dt_ms ||
            (by == Scheme::backward_euler && cell::largest_step(m, best) >= least_ms))
            break;
        if (cell::largest_step(m, by) > cell::largest_step(m, best))
            best = by;
    }
    s.reaction = best;
    if (const double largest = cell::largest_step(m, best); largest > 0)
        s.dt_ms = std::min(s.dt_ms, largest);
}

/// The model's variant of the first of these names that it has.
std::string variant_of(const std::string& model, const std::vector<std::string_view>& names)
{
    for (auto wanted : names)
        for (const auto& v : cell::model_info(model).variants)
            if (v.name == wanted)
                return v.name;
    return {};
}

/// Conductivities with which a wave still runs on a mesh of that mean edge, and about as fast as in
/// a heart.
///
/// Where the edge is longer than the wave front is wide, the front slows and at last sticks between
/// two unknowns. Below an edge of about 0.5 mm the benchmark's values are kept; above it they grow
/// with the edge squared. By trial with p1, lumped: the embedded heart is activated from its apex
/// within 181 ms.
diffusion::Conductivity for_edge(diffusion::Conductivity c, double edge_mm)
{
    constexpr double fibre_per_mm2 = 0.16, cross_per_mm2 = 0.07; // S/m per mm2 of squared edge
    const auto at_least = [&](double sigma, double per_mm2) {
        const double least = std::round(per_mm2 * edge_mm * edge_mm * 1e4) / 1e4;
        return std::max(sigma, least);
    };
    return {at_least(c.fibre, fibre_per_mm2), at_least(c.sheet, cross_per_mm2),
            at_least(c.normal, cross_per_mm2)};
}

/// What models call their variant of a layer of the wall.
std::vector<std::string_view> names_of(Layer::Kind layer)
{
    switch (layer) {
    case Layer::Kind::endo:
        return {"endo"};
    case Layer::Kind::mid:
        return {"m", "mid"};
    case Layer::Kind::epi:
        break;
    }
    return {"epi"};
}

/// A region made of `like` with the model's variant for a layer, where it has one.
Region layer_like(const Region& like, Layer::Kind layer)
{
    Region r = like;
    if (const auto v = variant_of(r.model, names_of(layer)); !v.empty())
        r.variant = v;
    return r;
}

/// Regions for the layers that the mesh's own field tells apart; `like` alone where it has none.
std::vector<Region> regions_by_layer(const Region& like, const mesh::TetMesh& m)
{
    const auto* f = m.field("layer");
    if (f == nullptr || f->on != mesh::Field::On::tetrahedra)
        return {like};
    const auto known = [](float v) { return std::lround(v) >= 0 && std::lround(v) <= 2; };
    if (!std::all_of(f->values.begin(), f->values.end(), known))
        return {like};
    std::vector<Region> out;
    for (const auto kind : {Layer::Kind::endo, Layer::Kind::mid, Layer::Kind::epi}) {
        const auto wanted = static_cast<long>(kind);
        if (std::none_of(f->values.begin(), f->values.end(),
                         [&](float v) { return std::lround(v) == wanted; }))
            continue;
        out.push_back(layer_like(like, kind));
        out.back().where = Layer{kind};
    }
    return out;
}

/// Asks for velocities where they can be reached, by which `r` is tuned; else raises
/// conductivities.
void make_conduct(const Session& s, Region& r, const mesh::TetMesh& m, const MeshChoice& choice,
                  bool fibres, bool sheets, const Progress& progress)
{
    const auto& wanted = choice.velocity; // has to be reached
    constexpr double coarsest_mm = 10;    // a tissue mesh; others have another unit of length
    const double edge_mm = mesh::mean_edge_mm(m);
    ConductionVelocity v = wanted.value_or(ConductionVelocity{});
    if (!wanted && !sheets)
        v.normal = v.sheet;
    if (!wanted && !fibres)
        v.sheet = v.normal = v.fibre;
    r.velocity_m_per_s = v;
    try {
        if (wanted || (choice.tune && edge_mm <= coarsest_mm)) {
            const auto layers = regions_by_layer(r, m); // each has cells of its own
            std::vector<const Region*> regions;
            for (const Region& layer : layers)
                regions.push_back(&layer);
            for (const auto& t : tune_all(s, regions, mesh::grain(m), progress))
                (void)t.get();
            return;
        }
    } catch (const InputError& e) {
        if (wanted)
            throw InputError(no_velocity_file, e.reason);
    } catch (const NumericsError&) {
        if (wanted)
            throw;
    }
    r.velocity_m_per_s.reset();
    r.conductivity_S_per_m = for_edge(tissue_S_per_m, edge_mm);
    if (!fibres) // without directions there is one conductivity
        r.conductivity_S_per_m.sheet = r.conductivity_S_per_m.normal = r.conductivity_S_per_m.fibre;
}

/// Means, principal axis (of the largest variance) and the extent along it.
struct LongAxis
{
    Vec3 centre{}, direction{};
    double low = std::numeric_limits<double>::max(), high = -low;
};

LongAxis long_axis(const mesh::TetMesh& m)
{
    LongAxis a;
    const double n = static_cast<double>(m.vertex_count());
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        a.centre = a.centre + (1 / n) * m.vertex(v);
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 d = m.vertex(v) - a.centre;
        const Eigen::Vector3d e(d[0], d[1], d[2]);
        spread += e * e.transpose();
    }
    const Eigen::Vector3d axis =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(2);
    a.direction = {axis[0], axis[1], axis[2]};
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const double s = dot(m.vertex(v) - a.centre, a.direction);
        a.low = std::min(a.low, s);
        a.high = std::max(a.high, s);
    }
    return a;
}

/// The apex: the vertex farthest from the base where the boundary has one; else the end of the long
/// axis at which the mesh is the narrower.
Vec3 apex_of(const mesh::TetMesh& m, const mesh::Surface& surface, const LongAxis& axis)
{
    Vec3 base{};
    double corners = 0;
    for (std::size_t k = 0; k < surface.triangles.size(); ++k)
        if (surface.wall[k] == mesh::Wall::base)
            for (auto v : surface.triangles[k]) {
                const auto s = static_cast<std::size_t>(v);
                base = base + m.vertex(static_cast<std::size_t>(surface.vertices[s]));
                ++corners;
            }
    if (corners > 0) {
        base = (1 / corners) * base;
        std::size_t far = 0;
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            if (norm(m.vertex(v) - base) > norm(m.vertex(far) - base))
                far = v;
        return m.vertex(far);
    }
    // Mean distance from the axis within a fifth of the length at either end.
    std::array<double, 2> width{}, count{};
    std::array<std::size_t, 2> tip{};
    const double fifth = (axis.high - axis.low) / 5;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 d = m.vertex(v) - axis.centre;
        const double s = dot(d, axis.direction);
        for (std::size_t end = 0; end < 2; ++end) {
            const double depth = end == 0 ? s - axis.low : axis.high - s;
            if (depth > fifth)
                continue;
            width[end] += norm(d - s * axis.direction);
            count[end] += 1;
            if (depth <= 0)
                tip[end] = v;
        }
    }
    const bool upper = width[1] / count[1] < width[0] / count[0];
    return m.vertex(tip[upper ? 1 : 0]);
}

/// The vertex nearest to the middle of the side of least x.
Vec3 left_edge(const mesh::TetMesh& m)
{
    const auto middle = [](const std::vector<double>& of) {
        const auto [low, high] = std::minmax_element(of.begin(), of.end());
        return 0.5 * (*low + *high);
    };
    const Vec3 wanted{*std::min_element(m.x.begin(), m.x.end()), middle(m.y), middle(m.z)};
    std::size_t near = 0;
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        if (norm(m.vertex(v) - wanted) < norm(m.vertex(near) - wanted))
            near = v;
    return m.vertex(near);
}

Stimulus pacing(const std::string& name, Vec3 centre, double radius_mm)
{
    Stimulus s;
    s.name = name;
    s.region = Sphere{centre, radius_mm};
    s.period_ms = 800;
    s.count = 0;
    return s;
}

/// Makes the pacing site and the threshold fit the waves of the session's first region.
///
/// A front of curvature 2 / r runs at v - 2 D / r, so that a ball excited at once sends out a wave
/// only where r > 2 D / v (Keener, J Math Biol 29:629, 1991; v of a plane wave, D = sigma / (chi
/// C)): the site is one and a half times that at least. Waves that stay below the threshold, or
/// reach it barely, would count as none: half their height is taken.
void fit_pacing(Session& s, const mesh::Grain& grain)
{
    constexpr double spare = 1.5, barely_mV = 10;
    const auto& r = s.regions.front();
    VelocityEstimate v;
    try {
        v = estimate_velocity(s, r, grain);
    } catch (const NumericsError&) {
        return; // its run will say so
    }
    const double capacity =
        s.surface_to_volume_per_mm * s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2;
    const auto& c = v.tuned ? v.tuned->conductivity_S_per_m : r.conductivity_S_per_m;
    const std::array sigma{c.fibre, c.sheet, c.normal};
    double least_mm = 0;
    for (std::size_t k = 0; k < 3; ++k)
        if (v.mesh[k] > 0)
            least_mm = std::max(least_mm, spare * 2 * sigma[k] / capacity / v.mesh[k]);
    for (auto& stimulus : s.stimuli)
        if (auto* sphere = std::get_if<Sphere>(&stimulus.region))
            sphere->radius = std::max(sphere->radius, std::ceil(10 * least_mm) / 10);
    if (v.mesh[0] > 0 && v.peak_mV < s.activation_threshold_mV + barely_mV)
        s.activation_threshold_mV = 5 * std::round((v.rest_mV + v.peak_mV) / 10);
}

} // namespace

std::vector<Region> heart_layers(const Region& like, const std::set<std::int32_t>& labels)
{
    using namespace mesh::generator;
    std::vector<Region> out;
    const auto layer = [&](std::initializer_list<std::int32_t> of, Layer::Kind kind) {
        Region r = layer_like(like, kind);
        r.labels.clear();
        r.where.reset();
        for (const auto label : of)
            if (labels.contains(label))
                r.labels.push_back(label);
        if (!r.labels.empty())
            out.push_back(r);
    };
    layer({lv_endo, rv_endo, septum_left, septum_right}, Layer::Kind::endo);
    layer({lv_mid, rv_mid, septum_mid}, Layer::Kind::mid);
    layer({lv_epi, rv_epi}, Layer::Kind::epi);
    return out;
}

Session default_session()
{
    using namespace mesh::generator;
    Session s;
    s.name = "paced heart";
    s.mesh = MeshEmbedded{};
    s.regions.clear();
    const HeartParameters shape;
    Region tissue;
    // not 0.2 across the sheets: on this mesh the conductivity along the fibres alone carries waves
    // across at 0.3 m/s
    tissue.velocity_m_per_s = ConductionVelocity{0.6, 0.3, 0.3};
    s.source_conductivity_S_per_m = source_of_tissue;
    s.regions = heart_layers(tissue, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    // the endocardium stands for the Purkinje network that lies on it
    s.regions.front().velocity_m_per_s = ConductionVelocity{1.4, 1.4, 1.4};
    s.scheme = diffusion::Scheme::p1;
    s.reaction = live_reaction;
    // Larger than is advised for hundreds of beats, so that a heart that is there to be looked at
    // beats in the window: in a beat V is within 0.9 %. Its conductivities are tuned with it.
    s.dt_ms = 0.05;
    s.end_ms = 1e6;
    // The apex's wall lies on the long axis, below the left cavity.
    const double apex_z = -(shape.lv_long_axis_mm + 0.5 * shape.apex_wall_mm);
    s.stimuli.push_back(pacing("apex", {0, 0, apex_z}, 7));
    s.probes.push_back({"LV free wall", {shape.lv_short_axis_mm + 0.5 * shape.lv_wall_mm, 0, 0}});
    return s;
}

Session session_for_mesh(const std::filesystem::path& mesh_file, const Progress& progress)
{
    return session_for_mesh(MeshChoice{.mesh = mesh_file}, progress);
}

Session session_for_mesh(const MeshChoice& choice, const Progress& progress)
{
    const auto& mesh_file = choice.mesh;
    auto loaded = mesh::io::read(mesh_file, choice.unit, progress);
    const auto& m = loaded.mesh;
    Session s;
    s.name = mesh_file.stem().string();
    s.folder = mesh_file.parent_path();
    MeshFile file{mesh_file.filename().string(), loaded.unit, choice.fibres, choice.rule};
    const auto surface = mesh::surface(m, loaded.check.neighbours);
    const auto has = [&](mesh::Wall w) {
        return std::find(surface.wall.begin(), surface.wall.end(), w) != surface.wall.end();
    };
    Region r;
    if (!choice.model.empty())
        r.model = choice.model;
    r.variant = variant_of(r.model, {"epi"});
    if (m.fibre.empty() && file.fibres.empty() && has(mesh::Wall::epi) && has(mesh::Wall::endo_lv))
        file.fibres = rule_based;
    s.source_conductivity_S_per_m = source_of_tissue;
    const bool fibres = !m.fibre.empty() || !file.fibres.empty();
    if (!fibres)
        s.source_conductivity_S_per_m->sheet = s.source_conductivity_S_per_m->normal =
            s.source_conductivity_S_per_m->fibre;
    s.mesh = file;
    s.scheme = diffusion::Scheme::p1;
    s.reaction = live_reaction;
    fit_step(s, cell::model_info(r.model));
    make_conduct(s, r, m, choice, fibres,
                 file.fibres.empty() ? !m.sheet.empty() : file.fibres == rule_based, progress);
    s.regions = regions_by_layer(r, m);
    s.end_ms = 1e6;
    const auto axis = long_axis(m);
    const double radius = 0.08 * (axis.high - axis.low);
    if (has(mesh::Wall::base) || has(mesh::Wall::epi))
        s.stimuli.push_back(pacing("apex", apex_of(m, surface, axis), radius));
    else if (mesh::without_hollow(m, surface)) // a slab or a sheet
        s.stimuli.push_back(pacing("left edge", left_edge(m), radius));
    else
        s.stimuli.push_back(pacing("narrow end", apex_of(m, surface, axis), radius));
    if (!choice.model.empty())
        fit_pacing(s, mesh::grain(m));
    keep_mesh(mesh_file, std::move(loaded)); // for the tissue that is built of it next
    return s;
}

} // namespace tawara::simulation
