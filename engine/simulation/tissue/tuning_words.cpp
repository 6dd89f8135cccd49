// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of conductivities that were found.
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

namespace tawara::simulation {
namespace {

constexpr double ConductionVelocity::*velocities[]{
    &ConductionVelocity::fibre, &ConductionVelocity::sheet, &ConductionVelocity::normal};
constexpr const char* ways[]{"along the fibres", "across the fibres", "across the sheets"};

std::string four_figures(double x)
{
    return number_text(x, 4);
}

std::string conductivity_text(const diffusion::Conductivity& c)
{
    return four_figures(c.fibre) + ", " + four_figures(c.sheet) + ", " + four_figures(c.normal);
}

} // namespace

std::string too_fast_words(const TunedConductivity& f)
{
    std::string out;
    for (std::size_t k = 0; k < 3; ++k)
        if (f.reached.*velocities[k] > (1 + 2 * tuning_tolerance) * f.wanted.*velocities[k])
            out += (out.empty() ? "Waves " : " and ") + std::string(ways[k]) + " run at " +
                   number_text(f.reached.*velocities[k], 3) + " in place of " +
                   four_figures(f.wanted.*velocities[k]) + " m/s";
    if (out.empty())
        return out;
    return out +
           ": on a coarse mesh of uneven tetrahedra the conductivity along the fibres carries "
           "them across, too, and less conductivity across does not slow them; refine the "
           "mesh, or take the scheme fvm";
}

std::string velocity_text(const ConductionVelocity& v)
{
    return four_figures(v.fibre) + ", " + four_figures(v.sheet) + ", " + four_figures(v.normal);
}

Notice tuning_notice(const Session& s, const TunedRegion& t)
{
    const auto& f = t.found;
    const auto& name = s.regions[t.region].name;
    std::string text = "tissue.regions." + std::to_string(t.region);
    if (!name.empty())
        text += " (" + name + ")";
    text += ": conductivities of " + conductivity_text(f.conductivity_S_per_m) +
            " S/m along fibre, sheet and normal were found for waves of " +
            velocity_text(f.wanted) + " m/s on this mesh (mean edge " + number_text(f.edge_mm, 3) +
            " mm; waves run at " + number_text(f.reached.fibre, 3) + ", " +
            number_text(f.reached.sheet, 3) + ", " + number_text(f.reached.normal, 3) +
            " m/s). A mesh that resolves the waves would want " +
            conductivity_text(f.on_fine_S_per_m) + " S/m";
    if (!f.even)
        text += ". The strips are of uneven tetrahedra, as the mesh is";
    const auto fast = too_fast_words(f);
    if (!fast.empty())
        text += ". " + fast;
    const bool known = std::holds_alternative<MeshEmbedded>(s.mesh); // to be coarse
    return {fast.empty() || known ? Notice::Level::info : Notice::Level::warning, text,
            notice_kind::tissue};
}

} // namespace tawara::simulation
