// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include "engine/core/error.hpp"
#include "engine/diffusion/spectrum.hpp"
#include "engine/simulation/tissue/tissue_notices.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

std::string pointer(const std::string& list, std::size_t i)
{
    return "/" + list + "/" + std::to_string(i);
}

/// The same for an operator that may have complex eigenvalues (fvm), and what is to be said of
/// them.
diffusion::SubStepping checked_substeps(const Session& s, const diffusion::System& system,
                                        diffusion::SubStepping plain, Notices& notices,
                                        diffusion::Whole* whole, const Progress& progress)
{
    if (plain.kind == diffusion::SubStepping::Kind::euler ||
        system.scheme != diffusion::Scheme::fvm)
        return plain;
    ThreadPool pool(progress.context.threads);
    const auto rim = whole != nullptr ? diffusion::rim_of_spectrum(pool, system, *whole, progress)
                                      : diffusion::rim_of_spectrum(pool, system, progress);
    const auto out = diffusion::choose_substeps(s.dt_ms, system.stable_dt_ms, rim);
    double imaginary = 0, modulus = 0;
    for (const auto& x : rim) {
        imaginary = std::max(imaginary, std::abs(x.imag()));
        modulus = std::max(modulus, std::abs(x));
    }
    const std::string found =
        "oscillating modes of the diffusion operator: imaginary parts up to " +
        rounded_text(modulus > 0 ? 100 * imaginary / modulus : 0) +
        " % of its largest eigenvalue; ";
    if (out.kind == plain.kind && out.stages == plain.stages)
        notices.push_back(
            {Notice::Level::info, found + std::to_string(plain.stages) + " RKL2 stages damp them"});
    else
        notices.push_back(
            {Notice::Level::warning,
             found + std::to_string(plain.stages) + " RKL2 stages would let them grow, so " +
                 std::to_string(out.stages) +
                 (out.kind == plain.kind ? " are taken" : " Euler sub-steps are taken")});
    return out;
}

} // namespace

std::vector<std::int32_t> vertex_regions(const Tissue& t, const std::vector<std::int32_t>& of_tet)
{
    const auto& m = *t.mesh;
    std::vector<std::int32_t> out(m.vertex_count());
    std::vector<std::pair<std::int32_t, double>> share; // few: a linear search is the fastest
    const auto insulates = [&](std::int32_t tet) {
        const auto r = static_cast<std::size_t>(of_tet[static_cast<std::size_t>(tet)]);
        return t.patches.regions[r].insulating;
    };
    for (std::size_t v = 0; v < out.size(); ++v) {
        share.clear();
        const auto first = t.stars.tets.begin() + t.stars.first[v],
                   last = t.stars.tets.begin() + t.stars.first[v + 1];
        const bool none_conducts = std::all_of(first, last, insulates);
        for (auto at = first; at != last; ++at) {
            if (!none_conducts && insulates(*at))
                continue;
            const auto tet = static_cast<std::size_t>(*at);
            auto s = std::find_if(share.begin(), share.end(),
                                  [&](const auto& x) { return x.first == of_tet[tet]; });
            if (s == share.end())
                s = share.insert(s, {of_tet[tet], 0});
            s->second += m.volume(tet);
        }
        std::sort(share.begin(), share.end()); // of equals the first region
        out[v] = std::max_element(share.begin(), share.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                 })->first;
    }
    return out;
}

diffusion::SubStepping substeps_of(const Session& s, const RegionMap& patches,
                                   const diffusion::System& system, Notices& notices,
                                   diffusion::Whole* whole, const Progress& progress)
{
    try {
        const auto out =
            checked_substeps(s, system, diffusion::choose_substeps(s.dt_ms, system.stable_dt_ms),
                             notices, whole, progress);
        if (out.stages > 1)
            notices.push_back(
                {Notice::Level::info,
                 "diffusion takes " + std::to_string(out.stages) +
                     (out.kind == diffusion::SubStepping::Kind::euler ? " sub-steps"
                                                                      : " RKL2 stages") +
                     " inside a time step of " + rounded_text(s.dt_ms) +
                     " ms (stable alone: " + rounded_text(system.stable_dt_ms) + " ms)"});
        return out;
    } catch (const InputError& e) {
        std::size_t most = 0;
        const auto largest = [&](std::size_t k) {
            const auto& c = patches.regions[k].conductivity_S_per_m;
            return std::max({c.fibre, c.sheet, c.normal});
        };
        for (std::size_t k = 0; k < patches.regions.size(); ++k)
            if (largest(k) > largest(most))
                most = k;
        if (largest(most) <= beyond_tissue_S_per_m)
            throw InputError(s.name, "/time/dt_ms", e.reason);
        const auto origin = patches.origin[most];
        throw InputError(s.name,
                         pointer("tissue/regions", origin) + (s.regions[origin].inherits()
                                                                  ? "/conductivity_scale"
                                                                  : "/conductivity_S_per_m"),
                         "gives " + rounded_text(largest(most)) +
                             " S/m, with which diffusion would need more than 10000 stages inside "
                             "one time step; tissue has 0.01 to 1 S/m");
    }
}

void need_fibres_of_scales(const Session& s, const mesh::TetMesh& m)
{
    for (std::size_t r = 0; r < s.regions.size(); ++r) {
        const auto& scale = s.regions[r].conductivity_scale;
        const std::string at = pointer("tissue/regions", r) + "/conductivity_scale";
        if (!scale.even() && m.fibre.empty())
            throw InputError(s.name, at,
                             "differs by direction, and the mesh has no fibres; give one number, "
                             "or fibres by mesh.fibres, a file or \"rule-based\"");
        if (scale.sheet != scale.normal && m.sheet.empty())
            throw InputError(s.name, at,
                             "differs between sheet and normal, and the mesh has no sheets; give "
                             "both the same factor");
    }
}

void need_fibres_of_source(const Session& s, const mesh::TetMesh& m)
{
    const auto& c = s.source_conductivity_S_per_m;
    if (c && m.fibre.empty() && (c->fibre != c->sheet || c->fibre != c->normal))
        throw InputError(s.name, "/ecg/source_conductivity_S_per_m",
                         "differs by direction, and the mesh has no fibres; give one value for "
                         "all three");
}

} // namespace tawara::simulation
