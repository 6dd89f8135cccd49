// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/elements.hpp"
#include "engine/device/problem.hpp"
#include "engine/device/state_places.hpp"
#include "engine/mesh/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace tawara::test {

/// Whether runs are cut short (TAWARA_SHORT_TESTS is set), as under a memory or race checker: each
/// kernel runs then, but the tissue does little, so that what it did is not looked at.
inline bool short_tests()
{
    return std::getenv("TAWARA_SHORT_TESTS") != nullptr;
}
/// Steps of a run.
inline std::int64_t steps_of(std::int64_t n)
{
    return short_tests() ? std::min<std::int64_t>(n, 4) : n;
}

struct ProblemOptions
{
    diffusion::Scheme scheme = diffusion::Scheme::fvm;
    diffusion::Mass mass = diffusion::Mass::lumped;
    device::Splitting splitting = device::Splitting::godunov;
    device::Stepping stepping = device::Stepping::explicit_;
    cell::Scheme reaction = cell::Scheme::rush_larsen_light;
    device::IonicCurrents currents = device::IonicCurrents::nodal;
    double dt_ms = 0.02;
    diffusion::Conductivity sigma{0.1334, 0.0176, 0.0176};
    int types = 1;          ///< 1 to 3 cell types, in layers along x
    bool insulated = false; ///< no tissue in the middle third of x but for a bridge at small y
};

/// A slab of tissue as a device sees it: TT06, fibres along x.
inline device::TissueProblem slab_problem(const Vec3& size_mm, double spacing_mm,
                                          const ProblemOptions& o = {})
{
    const auto m = mesh::slab(size_mm, spacing_mm);
    const auto neighbours = mesh::face_neighbours(m);
    std::vector<std::int32_t> region(m.tetrahedron_count(), 0);
    for (std::size_t t = 0; t < region.size() && o.insulated; ++t) {
        const Vec3 x = m.centroid(t);
        region[t] = std::abs(x[0] / size_mm[0] - 0.5) < 1.0 / 6 && x[1] > 0.4 * size_mm[1];
    }
    const std::array sigmas{o.sigma, diffusion::Conductivity{}};
    const auto d = diffusion::diffusivities(m, region, sigmas, 140, 0.01);
    diffusion::Options options;
    options.scheme = o.scheme;
    options.mass = o.mass;
    options.dt_ms = o.dt_ms;
    device::TissueProblem p;
    p.system = diffusion::assemble(m, neighbours, d, options);
    p.dt_ms = o.dt_ms;
    p.splitting = o.splitting;
    p.stepping = o.stepping;
    p.currents = o.currents;
    if (o.currents == device::IonicCurrents::interpolated)
        p.elements = device::conducting_elements(m, d);
    p.substeps = diffusion::choose_substeps(o.dt_ms, p.system.stable_dt_ms);
    device::CellGroup g;
    g.scheme = o.reaction;
    const char* variants[] = {"epi", "endo", "m"};
    for (int k = 0; k < o.types; ++k)
        g.types.push_back(cell::make_cell_type("ten_tusscher_2006", variants[k], {}, {}));
    p.groups.push_back(g);
    for (std::size_t u = 0; u < p.size(); ++u) {
        p.position_mm.push_back(o.scheme == diffusion::Scheme::p1 ? m.vertex(u) : m.centroid(u));
        p.group.push_back(p.system.volume[u] > 0 ? std::uint8_t{0} : device::no_cells);
        p.type.push_back(static_cast<cell::TypeIndex>(
            std::min(o.types - 1, static_cast<int>(p.position_mm[u][0] / size_mm[0] * o.types))));
    }
    return p;
}

/// A current into all unknowns with x below the bound.
inline device::StimulusSource left_end(const device::TissueProblem& p, double x_mm,
                                       double amplitude = 50, double duration_ms = 2)
{
    device::StimulusSource s;
    s.amplitude_pA_per_pF = amplitude;
    s.duration_ms = duration_ms;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.position_mm[u][0] <= x_mm && p.has_cells(u))
            s.unknowns.push_back(static_cast<std::int32_t>(u));
    return s;
}

/// Mean activation time of the unknowns within `half` of x.
inline double activation_near(const device::TissueProblem& p, const device::Maps& m, double x,
                              double half)
{
    double sum = 0;
    int n = 0;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (std::abs(p.position_mm[u][0] - x) <= half) {
            sum += m.activation_ms[u];
            ++n;
        }
    return sum / n;
}

/// Where a snapshot of a problem has its numbers, whichever precision it was taken in.
inline device::StatePlaces places_of(const device::TissueProblem& p, const device::Snapshot& s)
{
    device::StatePlaces places(p, Precision::double_);
    return places.numbers() == s.states.size() ? places : device::StatePlaces(p, Precision::single);
}

/// Whether V and the times of those unknowns alone are NaN that have no cells.
inline bool empty_without_cells(const device::TissueProblem& p, const device::Snapshot& s)
{
    for (std::size_t u = 0; u < p.size(); ++u)
        if (std::isnan(s.v[u]) == p.has_cells(u) ||
            (!p.has_cells(u) &&
             !(std::isnan(s.activation_ms[u]) && std::isnan(s.repolarisation_ms[u]))))
            return false;
    return p.with_cells() < p.size();
}

} // namespace tawara::test
