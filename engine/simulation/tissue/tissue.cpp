// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/tissue.hpp"

#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/core/resource.hpp"
#include "engine/device/elements.hpp"
#include "engine/diffusion/spectrum.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/late_pulses.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/cell_table.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"
#include "engine/simulation/tissue/fibres.hpp"
#include "engine/simulation/tissue/heart_store.hpp"
#include "engine/simulation/tissue/mesh_cache.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "engine/simulation/tissue/prepacing.hpp"
#include "engine/simulation/tissue/purkinje.hpp"
#include "engine/simulation/tissue/region_notices.hpp"
#include "engine/simulation/tissue/tissue_notices.hpp"
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

/// @throws InputError where velocities want directions that there are not
void need_fibres_of_velocities(const Session& s, const mesh::TetMesh& m)
{
    for (std::size_t r = 0; r < s.regions.size(); ++r) {
        const auto& v = s.regions[r].velocity_m_per_s;
        const std::string at = "/tissue/regions/" + std::to_string(r) + "/velocity_m_per_s";
        if (v && !v->even() && m.fibre.empty())
            throw InputError(s.name, at,
                             "differs by direction, and the mesh has no fibres; give one number, "
                             "or fibres by mesh.fibres, a file or \"rule-based\"");
        if (v && v->sheet != v->normal && m.sheet.empty())
            throw InputError(s.name, at,
                             "differs between sheet and normal, and the mesh has no sheets; give "
                             "both the same velocity");
    }
}

/// What was found for regions that want a velocity.
std::vector<TunedRegion> tuned_on(const Session& s, const mesh::TetMesh& m, Notices& notices,
                                  const Progress& progress)
{
    if (std::none_of(s.regions.begin(), s.regions.end(),
                     [](const Region& r) { return r.velocity_m_per_s.has_value(); }))
        return {};
    need_labels(s, m); // else conductivities would be searched for in vain
    need_fibres_of_velocities(s, m);
    return tune_regions(s, mesh::grain(m), notices, progress);
}

/// Whether a region is a layer or a segment.
bool needs_coordinates(const Session& s)
{
    return std::any_of(s.regions.begin(), s.regions.end(), [](const Region& r) {
        return r.where && (std::holds_alternative<Layer>(*r.where) ||
                           std::holds_alternative<Segments>(*r.where));
    });
}

/// The generated heart of a session; what is wrong with its parameters is said of the session's
/// key.
mesh::TetMesh heart_of(const Session& s, const MeshHeart& heart, Notices& notices,
                       const Progress& progress)
{
    try {
        return kept_heart(heart.parameters, heart_folder(), notices, progress);
    } catch (const InputError& e) {
        if (!mesh::generator::of_parameters(e))
            throw;
        throw InputError(s.name, "/mesh/heart", e.reason);
    }
}

/// Refuses a mesh that the program would make, and that this machine has no memory for. What is
/// wrong with the recipe otherwise is left to who makes it.
void need_memory_for(const Session& s, const MeshRecipe& recipe, const char* key, double edge_mm)
{
    MeshForecast mesh;
    try {
        mesh = forecast(recipe);
    } catch (const InputError&) {
        return;
    }
    try {
        need_memory(mesh, s.scheme, key, edge_mm, available_memory_bytes());
    } catch (const InputError& e) {
        throw InputError(s.name, key, e.reason);
    }
}

} // namespace

LoadedMesh load_mesh(const Session& s, Notices& notices, const Progress& progress)
{
    auto read = [&](const std::filesystem::path& file, std::optional<LengthUnit> unit) {
        if (mesh::parallel::is_index(file))
            throw InputError(s.name, "/mesh/file",
                             "is a mesh in parts, of which each rank reads its own: mpirun -n N "
                             "tawara-cli run SESSION.json --distributed; elsewhere name the mesh "
                             "that it was made of");
        auto kept = take_mesh(file, unit);
        auto loaded = kept ? std::move(*kept) : mesh::io::read(file, unit, progress);
        notices.insert(notices.end(), loaded.check.notices.begin(), loaded.check.notices.end());
        return LoadedMesh{std::move(loaded.mesh), std::move(loaded.check.neighbours)};
    };
    if (std::holds_alternative<MeshEmbedded>(s.mesh))
        return read(resource("meshes/default_heart.vtu"), LengthUnit::mm);
    const auto with_neighbours = [&](mesh::TetMesh m) {
        auto neighbours = mesh::face_neighbours(m, progress);
        return LoadedMesh{std::move(m), std::move(neighbours)};
    };
    if (const auto* slab = std::get_if<MeshSlab>(&s.mesh)) {
        for (std::size_t k = 0; k < 3; ++k) {
            const double length = slab->size_mm[k];
            const double cubes = std::max(1.0, std::round(length / slab->spacing_mm));
            if (std::abs(cubes * slab->spacing_mm - length) > 1e-6 * length)
                notices.push_back({Notice::Level::info,
                                   std::string("mesh.spacing_mm: ") + number_text(length, 6) +
                                       " mm along " + "xyz"[k] + " is no whole number of " +
                                       number_text(slab->spacing_mm, 6) + " mm; " +
                                       number_text(length / cubes, 6) + " mm there"});
        }
        need_memory_for(s, *slab, "/mesh/spacing_mm", slab->spacing_mm);
        return with_neighbours(mesh::slab(slab->size_mm, slab->spacing_mm));
    }
    if (const auto* heart = std::get_if<MeshHeart>(&s.mesh)) {
        need_memory_for(s, heart->parameters, "/mesh/heart/edge_mm", heart->parameters.edge_mm);
        return with_neighbours(heart_of(s, *heart, notices, progress));
    }
    const auto& file = std::get<MeshFile>(s.mesh);
    auto m = read(s.folder / file.file, file.unit);
    give_fibres(m, file.fibres, s.folder, file.rule, notices, progress);
    return m;
}

Tissue tissue_on(LoadedMesh read, const Session& s, const Progress& progress, bool for_viewing)
{
    Tissue t;
    const auto loaded = std::make_shared<mesh::TetMesh>(std::move(read.mesh));
    t.mesh = loaded;
    t.neighbours = std::move(read.neighbours);
    const auto& m = *t.mesh;
    t.mesh_title = std::holds_alternative<MeshFile>(s.mesh)
                       ? std::filesystem::path(std::get<MeshFile>(s.mesh).file).filename().string()
                   : std::holds_alternative<MeshSlab>(s.mesh)  ? "slab"
                   : std::holds_alternative<MeshHeart>(s.mesh) ? "generated heart"
                                                               : "embedded heart";
    const auto late = late_pulses(s);
    t.notices.insert(t.notices.end(), late.begin(), late.end());
    progress.at(0.4, "extracting the surface");
    const bool box = std::holds_alternative<MeshSlab>(s.mesh); // has no walls to look for
    t.surface =
        std::make_shared<mesh::Surface>(mesh::surface(m, t.neighbours, box ? nullptr : &t.notices));
    constexpr std::size_t quick = 300'000; // tetrahedra: about a second
    if (needs_coordinates(s) || (for_viewing && !box && m.tetrahedron_count() <= quick))
        add_heart_coordinates(*loaded, *t.surface, progress);
    t.stars = mesh::vertex_stars(m);
    t.locator = std::make_shared<mesh::Locator>(m);

    make_problem(s, t, progress);
    prepace(s, t, progress);
    if (t.prepaced)
        t.notices.push_back(*t.prepaced);
    t.network = make_network(s, t, progress);
    progress.at(1, "tissue ready");
    return t;
}

Tissue build_tissue(const Session& s, const Progress& progress, bool for_viewing)
{
    progress.at(0, "reading the mesh");
    Notices notices;
    auto read = load_mesh(s, notices, progress);
    auto t = tissue_on(std::move(read), s, progress, for_viewing);
    t.notices.insert(t.notices.begin(), notices.begin(), notices.end());
    return t;
}

void make_problem(const Session& s, Tissue& t, const Progress& progress)
{
    const auto& m = *t.mesh;
    const auto before = t.notices.size();
    t.problem = {};
    t.patches = lay_regions(s, m, tuned_on(s, m, t.notices, progress));
    say_if_coarse(s, m, t.patches, t.notices);
    say_if_beyond_tissue(t.patches, t.notices);
    say_if_in_another_unit(s, t.notices);
    need_fibres_of_scales(s, m);
    need_fibres_of_source(s, m);
    say_if_raised(s, t.patches, t.notices);
    for (const auto& said :
         {idle_scales(s, t.patches), idle_insulators(s), firing_scars(s, t.patches),
          moved_rests(s, t.patches), idle_drugs(s.drugs, t.patches.regions)})
        t.notices.insert(t.notices.end(), said.begin(), said.end());
    const auto& of_tet = t.patches.of_tetrahedron;
    std::vector<diffusion::Conductivity> table;
    for (const auto& r : t.patches.regions)
        table.push_back(r.conductivity_S_per_m);
    progress.at(0.5, "assembling the diffusion operator");
    const auto tensors =
        diffusion::diffusivities(m, of_tet, table, s.surface_to_volume_per_mm,
                                 s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2);
    diffusion::Options options;
    options.scheme = s.scheme;
    options.mass = s.mass;
    options.mass_scaling = s.stepping == Stepping::explicit_ ? s.mass_scaling : 0;
    options.largest_scaling = s.mass_scaling_largest;
    options.dt_ms = s.dt_ms;
    auto& p = t.problem;
    p.system = diffusion::assemble(m, t.neighbours, tensors, options, progress);
    const auto& found = p.system.stability.notices;
    t.notices.insert(t.notices.end(), found.begin(), found.end());
    p.dt_ms = s.dt_ms;
    p.rest_tolerance_mV = s.rest_tolerance_mV;
    p.table_step_mV = s.tables_mV;
    p.splitting = s.splitting;
    p.stepping = s.stepping;
    p.newton = s.newton;
    p.currents = s.currents;
    if (p.currents == IonicCurrents::interpolated)
        p.elements = device::conducting_elements(m, tensors);
    p.activation_threshold_mV = s.activation_threshold_mV;
    if (s.stepping == Stepping::explicit_ && s.mass == diffusion::Mass::lumped)
        p.substeps = substeps_of(s, t.patches, p.system, t.notices, nullptr, progress);
    t.region_of_unknown = t.on_vertices() ? vertex_regions(t, of_tet) : of_tet;
    assign_cells(s, t);
    need_steps_of_dyads(s, t.cells);
    rest_where_possible(s, p, t.notices);
    say_dyads(s, p, t.notices);
    if (s.stepping != Stepping::newton) // it steps the cells itself
        say_if_beyond_step(s, p, t.notices);
    say_which_stepping_pays(p, t.notices);
    say_if_stimulus_left_on(p, t.notices);
    say_if_slow_in_tissue(p, t.notices);
    p.position_mm.resize(p.size());
    for (std::size_t u = 0; u < p.size(); ++u)
        p.position_mm[u] = t.on_vertices() ? m.vertex(u) : m.centroid(u);
    say_mass_scaling(s, p, t.notices);
    for (std::size_t k = before; k < t.notices.size(); ++k)
        t.notices[k].kind = notice_kind::tissue;
}

} // namespace tawara::simulation
