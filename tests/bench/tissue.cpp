// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/tissue.hpp"

#include "engine/core/error.hpp"
#include "engine/device/elements.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/io/mesh_io.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <sstream>

namespace tawara::bench {
namespace {

/// 0 epi, 1 mid, 2 endo: the layer of a region of the heart generator.
int layer(std::int32_t label)
{
    using namespace mesh::generator;
    switch (label) {
    case lv_mid:
    case rv_mid:
    case septum_mid:
        return 1;
    case lv_endo:
    case rv_endo:
    case septum_left:
    case septum_right:
        return 2;
    default:
        return 0;
    }
}

mesh::TetMesh make_mesh(const Place& p)
{
    if (p.file.empty()) {
        const double size = p.cubes * p.spacing_mm;
        auto m = mesh::slab({size, size, size}, p.spacing_mm);
        const int below = p.cubes / 2 - 1; // cubes
        const double thin_from = below * p.spacing_mm;
        for (auto& x : m.x) {
            const double in_thin = std::clamp(x - thin_from, 0.0, 2 * p.spacing_mm);
            x -= (1 - p.thin) * in_thin;
        }
        return m;
    }
    auto m = mesh::io::read(p.file).mesh;
    m.fields.clear(); // nobody looks at them, and each refinement would carry them along
    for (int k = 0; k < p.refine; ++k)
        m = mesh::refine(m);
    return m;
}

} // namespace

Bench::Bench(const Place& place) : place_(place), mesh_(make_mesh(place))
{
    neighbours_ = mesh::face_neighbours(mesh_);
}

const device::TissueProblem& Bench::problem(const Choice& c)
{
    if (problem_ && choice_ == c)
        return *problem_;
    const auto start = std::chrono::steady_clock::now();
    const bool same_operator = problem_ && choice_.scheme == c.scheme && choice_.dt_ms == c.dt_ms &&
                               choice_.consistent == c.consistent && choice_.check == c.check &&
                               choice_.mass_scaling == c.mass_scaling &&
                               choice_.largest_scaling == c.largest_scaling &&
                               choice_.interpolated == c.interpolated;
    auto p = std::make_unique<device::TissueProblem>();
    p->dt_ms = c.dt_ms;
    p->rest_tolerance_mV = c.rest_tolerance_mV;
    p->longest_quiescent_ms = c.longest_quiescent_ms;
    p->currents =
        c.interpolated ? device::IonicCurrents::interpolated : device::IonicCurrents::nodal;
    const bool on_vertices = c.scheme == "p1";
    if (same_operator) {
        p->system = std::move(problem_->system);
        p->elements = std::move(problem_->elements);
    } else {
        const std::vector<std::int32_t> region(mesh_.tetrahedron_count(), 0);
        diffusion::Options o;
        o.scheme = on_vertices ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
        o.check_stability = c.check;
        o.mass = c.consistent ? diffusion::Mass::consistent : diffusion::Mass::lumped;
        o.mass_scaling = c.mass_scaling;
        o.largest_scaling = c.largest_scaling;
        o.dt_ms = c.dt_ms;
        const auto d =
            diffusion::diffusivities(mesh_, region, std::span(&place_.sigma, 1), 140, 0.01);
        p->system = diffusion::assemble(mesh_, neighbours_, d, o);
        if (c.interpolated)
            p->elements = device::conducting_elements(mesh_, d);
    }
    p->substeps = diffusion::choose_substeps(p->dt_ms, p->system.stable_dt_ms);
    if (!c.stepping.empty())
        p->stepping = c.stepping == "be"   ? device::Stepping::backward_euler
                      : c.stepping == "cn" ? device::Stepping::crank_nicolson
                                           : device::Stepping::newton;
    if (p->stepping == device::Stepping::newton)
        p->substeps = {diffusion::SubStepping::Kind::euler, 1};
    p->newton.adaptive = c.newton_dt_max_ms > 0;
    p->newton.dt_max_ms = c.newton_dt_max_ms;
    if (c.stages)
        p->substeps = {diffusion::SubStepping::Kind::euler, c.stages};
    device::CellGroup g;
    g.scheme = c.reaction;
    const auto& known = cell::model_info(c.model).variants;
    for (int k = 0; k < c.types; ++k) {
        const auto name = known.empty() ? ""
                          : c.model == "ten_tusscher_2006"
                              ? std::array{"epi", "m", "endo"}[static_cast<std::size_t>(k)]
                              : known.at(static_cast<std::size_t>(k)).name;
        g.types.push_back(cell::make_cell_type(c.model, name, {}, {}));
    }
    p->groups.push_back(g);
    p->group.assign(p->size(), 0);
    p->type.assign(p->size(), 0);
    for (std::size_t u = 0; u < p->size(); ++u)
        p->position_mm.push_back(on_vertices ? mesh_.vertex(u) : mesh_.centroid(u));
    if (!place_.file.empty()) {
        for (std::size_t t = 0; t < mesh_.tetrahedron_count(); ++t) {
            const auto type = static_cast<std::uint8_t>(layer(mesh_.region[t]) % c.types);
            if (!on_vertices)
                p->type[t] = type;
            else
                for (auto v : mesh_.corners(t))
                    p->type[static_cast<std::size_t>(v)] = type;
        }
    } else {
        const double size = place_.cubes * place_.spacing_mm;
        for (std::size_t u = 0; u < p->size(); ++u)
            p->type[u] = static_cast<std::uint8_t>(
                std::min(c.types - 1, static_cast<int>(p->position_mm[u][0] / size * c.types)));
    }
    problem_ = std::move(p);
    choice_ = c;
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return *problem_;
}

device::StimulusSource Bench::stimulus(const device::TissueProblem& p) const
{
    device::StimulusSource s;
    s.amplitude_pA_per_pF = 50;
    s.duration_ms = 2;
    Vec3 lowest{0, 0, std::numeric_limits<double>::max()};
    for (std::size_t v = 0; v < mesh_.vertex_count(); ++v)
        if (mesh_.vertex(v)[2] < lowest[2])
            lowest = mesh_.vertex(v);
    for (std::size_t u = 0; u < p.size(); ++u)
        if (place_.file.empty() ? p.position_mm[u][0] <= place_.stimulated_mm
                                : norm(p.position_mm[u] - lowest) <= place_.stimulated_mm)
            s.unknowns.push_back(static_cast<std::int32_t>(u));
    return s;
}

std::vector<double> Bench::at_vertices(const std::vector<double>& of_tets) const
{
    std::vector<double> sum(mesh_.vertex_count(), 0), volume(mesh_.vertex_count(), 0);
    for (std::size_t t = 0; t < mesh_.tetrahedron_count(); ++t)
        for (auto v : mesh_.corners(t)) {
            const double w = mesh_.volume(t);
            sum[static_cast<std::size_t>(v)] += w * of_tets[t];
            volume[static_cast<std::size_t>(v)] += w;
        }
    for (std::size_t v = 0; v < sum.size(); ++v)
        sum[v] /= volume[v];
    return sum;
}

std::string operator_hash(const diffusion::Rows& a)
{
    std::uint64_t h = 1469598103934665603ULL;
    auto mix = [&h](std::uint64_t x) { h = (h ^ x) * 1099511628211ULL; };
    for (std::size_t k = 0; k < a.column.size(); ++k) {
        mix(static_cast<std::uint64_t>(a.column[k]));
        mix(std::bit_cast<std::uint64_t>(a.value[k]));
    }
    std::ostringstream s;
    s << std::hex << h;
    return s.str();
}

} // namespace tawara::bench
