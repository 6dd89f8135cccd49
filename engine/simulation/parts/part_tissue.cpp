// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/part_tissue.hpp"

#include "engine/core/error.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/simulation/parts/whole_parts.hpp"
#include "engine/simulation/session/late_pulses.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/cell_table.hpp"
#include "engine/simulation/tissue/prepacing.hpp"
#include "engine/simulation/tissue/region_notices.hpp"
#include "engine/simulation/tissue/tissue_notices.hpp"
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include <algorithm>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;
using mesh::parallel::Unknowns;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// @throws InputError for what a session asks and parts have not
void need_what_parts_have(const Session& s)
{
    const auto refuse = [&](const std::string& key, const std::string& what) {
        throw InputError(s.name, key,
                         what + " a mesh in parts has not; name the whole mesh, or leave it out");
    };
    if (s.stepping != Stepping::explicit_)
        refuse("/diffusion/stepping", "is implicit, which");
    if (s.mass != diffusion::Mass::lumped)
        refuse("/diffusion/mass", "is consistent, which");
    if (s.currents != IonicCurrents::nodal)
        refuse("/diffusion/currents", "are interpolated, which");
    if (s.purkinje->wanted)
        refuse("/purkinje", "is a network, which");
    for (std::size_t r = 0; r < s.regions.size(); ++r)
        if (s.regions[r].velocity_m_per_s)
            refuse("/tissue/regions/" + std::to_string(r) + "/velocity_m_per_s",
                   "wants conductivities to be found, which");
    const auto& file = std::get<MeshFile>(s.mesh);
    if (!file.fibres.empty())
        refuse("/mesh/fibres", "are other fibres than the mesh was partitioned with, which");
    if (file.unit)
        refuse("/mesh/length_unit", "is told when the mesh is partitioned, and");
}

/// Of the mesh: what keep_for() leaves, its neighbours, who owns what.
void take_part(PartTissue& t, mesh::parallel::Part part, Unknowns of)
{
    mesh::parallel::keep_for(part, of);
    auto& tissue = t.tissue;
    if (of == Unknowns::tetrahedra)
        tissue.neighbours = mesh::face_neighbours(part.mesh);
    else // faces play no part in rows of vertices
        tissue.neighbours.assign(part.mesh.tetrahedron_count(), {-1, -1, -1, -1});
    t.borders = mesh::parallel::borders_of(part, of, tissue.neighbours);
    const auto& owner = of == Unknowns::vertices ? part.vertex_owner : part.tetrahedron_owner;
    t.number = of == Unknowns::vertices ? part.vertex : part.tetrahedron;
    for (const auto o : owner)
        t.own.push_back(o == part.number ? 1 : 0);
    t.vertex = std::move(part.vertex);
    t.tetrahedron = std::move(part.tetrahedron);
    t.tetrahedron_owner = std::move(part.tetrahedron_owner);
    tissue.surface = std::make_shared<mesh::Surface>(std::move(part.surface));
    tissue.mesh = std::make_shared<mesh::TetMesh>(std::move(part.mesh));
    tissue.mesh_title = t.index.title;
    tissue.problem.system.scheme =
        of == Unknowns::vertices ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
}

WholeRegions regions_of_all(const PartTissue& t, Group& group)
{
    WholeRegions out;
    for (const auto& [label, n] : t.index.labels)
        out.labels.insert(label);
    out.tetrahedra = t.index.tetrahedra;
    out.number = t.tetrahedron;
    out.anywhere = [&group](bool here) { return group.any(here); };
    out.first_anywhere = [&group](const std::map<std::int32_t, std::int64_t>& here) {
        const auto put = [](const std::map<std::int32_t, std::int64_t>& all) {
            std::vector<std::int64_t> flat;
            for (const auto& [key, first] : all)
                flat.insert(flat.end(), {key, first});
            return (Pack() << flat).take();
        };
        const auto get = [](const Bytes& message, std::map<std::int32_t, std::int64_t>& to) {
            std::vector<std::int64_t> flat;
            Unpack(message) >> flat;
            for (std::size_t k = 0; k < flat.size(); k += 2) {
                const std::pair<std::int32_t, std::int64_t> e{static_cast<std::int32_t>(flat[k]),
                                                              flat[k + 1]};
                const auto found = to.emplace(e).first;
                found->second = std::min(found->second, e.second);
            }
        };
        const auto answer = group.together(put(here), [&](const std::vector<Bytes>& all) {
            std::map<std::int32_t, std::int64_t> first;
            for (const auto& message : all)
                get(message, first);
            return put(first);
        });
        std::map<std::int32_t, std::int64_t> first;
        get(answer, first);
        return first;
    };
    return out;
}

/// Regions and conductivities, and what is said of them in the first process.
std::vector<diffusion::Tensor> lay(const Session& s, PartTissue& t, Group& group, Notices& notices)
{
    auto& tissue = t.tissue;
    const auto& m = *tissue.mesh;
    tissue.patches = lay_regions(s, m, regions_of_all(t, group));
    group.any(
        false); // tissue that no region covers may lie in one part alone: all learn of it here
    say_if_beyond_tissue(tissue.patches, notices);
    say_if_in_another_unit(s, notices);
    need_fibres_of_scales(s, m);
    need_fibres_of_source(s, m);
    say_if_raised(s, tissue.patches, notices);
    for (const auto& said :
         {idle_scales(s, tissue.patches), idle_insulators(s), firing_scars(s, tissue.patches),
          moved_rests(s, tissue.patches), idle_drugs(s.drugs, tissue.patches.regions)})
        notices.insert(notices.end(), said.begin(), said.end());
    std::vector<diffusion::Conductivity> table;
    for (const auto& r : tissue.patches.regions)
        table.push_back(r.conductivity_S_per_m);
    return diffusion::diffusivities(m, tissue.patches.of_tetrahedron, table,
                                    s.surface_to_volume_per_mm,
                                    s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2);
}

void assemble_rows(const Session& s, PartTissue& t, Group& group, Notices& notices,
                   const Progress& progress)
{
    auto& tissue = t.tissue;
    const auto tensors = lay(s, t, group, notices);
    diffusion::Options options;
    options.scheme = s.scheme;
    options.mass = s.mass;
    options.mass_scaling = s.mass_scaling;
    options.largest_scaling = s.mass_scaling_largest;
    options.dt_ms = s.dt_ms;
    WholeParts whole(t, group);
    auto& p = tissue.problem;
    p.system =
        diffusion::assemble(*tissue.mesh, tissue.neighbours, tensors, options, whole, progress);
    const auto& found = p.system.stability.notices;
    notices.insert(notices.end(), found.begin(), found.end());
    p.dt_ms = s.dt_ms;
    p.rest_tolerance_mV = s.rest_tolerance_mV;
    p.table_step_mV = s.tables_mV;
    p.splitting = s.splitting;
    p.stepping = s.stepping;
    p.activation_threshold_mV = s.activation_threshold_mV;
    p.substeps = substeps_of(s, tissue.patches, p.system, notices, &whole, progress);
}

/// Regions of the part's unknowns: of others what their owners found.
void find_regions(PartTissue& t, Group& group)
{
    auto& tissue = t.tissue;
    if (!tissue.on_vertices()) {
        tissue.region_of_unknown = tissue.patches.of_tetrahedron;
        return;
    }
    tissue.stars = mesh::vertex_stars(*tissue.mesh);
    const auto regions = vertex_regions(tissue, tissue.patches.of_tetrahedron);
    tissue.stars = {};
    std::vector<double> values(regions.begin(), regions.end());
    share_values(t, group, values);
    tissue.region_of_unknown.assign(values.begin(), values.end());
}

void find_cells(const Session& s, PartTissue& t, Group& group, Notices& notices)
{
    auto& tissue = t.tissue;
    find_regions(t, group);
    std::vector<double> used(tissue.patches.regions.size(), 0);
    for (std::size_t u = 0; u < t.own.size(); ++u)
        if (t.own[u])
            used[at(tissue.region_of_unknown[u])] = 1;
    std::vector<char> used_somewhere;
    for (const double parts : group.sums(used))
        used_somewhere.push_back(parts > 0 ? 1 : 0);
    tissue.cells = cell_table(s, tissue.patches, used_somewhere);
    auto& p = tissue.problem;
    p.groups = tissue.cells.groups;
    for (const auto& g : p.groups)
        if (g.reaction)
            throw InputError(s.name, "/tissue/regions",
                             "has cells with dyads, which a mesh in parts has not; name the whole "
                             "mesh, or take a compiled model of cells");
    std::int64_t cells = 0;
    for (std::size_t u = 0; u < t.own.size(); ++u) {
        const auto r = at(tissue.region_of_unknown[u]);
        p.group.push_back(tissue.cells.group_of[r]);
        p.type.push_back(tissue.cells.type_of[r]);
        cells += t.own[u] && p.group.back() != device::no_cells ? 1 : 0;
    }
    if (cells == 0)
        throw InputError(s.name, "/tissue/regions",
                         "part " + std::to_string(group.rank()) +
                             " of the mesh has no tissue that conducts; partition it into fewer");
    const auto all = group.count(cells);
    if (all < t.unknowns())
        notices.push_back({Notice::Level::info,
                           "insulating tissue: " + std::to_string(t.unknowns() - all) + " of " +
                               std::to_string(t.unknowns()) + " unknowns carry no cells"});
    rest_where_possible(s, p, notices);
    say_if_beyond_step(s, p, notices);
    say_if_stimulus_left_on(p, notices);
    say_if_slow_in_tissue(p, notices);
    p.position_mm.resize(t.own.size());
    const auto& m = *tissue.mesh;
    for (std::size_t u = 0; u < t.own.size(); ++u)
        p.position_mm[u] = tissue.on_vertices() ? m.vertex(u) : m.centroid(u);
}

/// What is stepped: own unknowns first, then those of other parts that rows read.
void make_share(PartTissue& t)
{
    auto& from = t.tissue.problem;
    auto& s = t.share;
    auto& to = s.problem;
    auto rows = std::move(from.system.alpha);
    to = device::ranks::settings_of(from);
    to.system.added_volume_fraction = from.system.added_volume_fraction;
    std::vector<std::int32_t> local(t.own.size(), -1);
    for (std::size_t u = 0; u < t.own.size(); ++u)
        if (t.own[u] && from.has_cells(u)) {
            local[u] = static_cast<std::int32_t>(s.whole.size());
            s.whole.push_back(t.number[u]);
            t.stepped.push_back(static_cast<std::int32_t>(u));
            device::ranks::add_unknown(to, from, u, true);
        }
    for (const auto& border : t.borders) {
        device::ranks::Neighbour n{border.part, {}, {}};
        for (const auto u : border.take)
            if (from.has_cells(at(u))) {
                local[at(u)] = static_cast<std::int32_t>(to.group.size());
                n.take.push_back(local[at(u)]);
                device::ranks::add_unknown(to, from, at(u), false);
            }
        for (const auto u : border.give)
            if (from.has_cells(at(u)))
                n.give.push_back(local[at(u)]);
        s.neighbours.push_back(std::move(n));
    }
    auto& out = to.system.alpha;
    out.first.push_back(0);
    for (const auto u : t.stepped) {
        for (auto k = at(rows.first[at(u)]); k < at(rows.first[at(u) + 1]); ++k)
            if (const auto v = local[at(rows.column[k])]; v >= 0) {
                out.column.push_back(v);
                out.value.push_back(rows.value[k]);
            }
        out.first.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    out.first.resize(to.group.size() + 1, out.first.back()); // others' rows are empty
}

} // namespace

void share_values(const PartTissue& t, Group& group, std::span<double> values)
{
    std::vector<std::vector<double>> give, take;
    for (const auto& b : t.borders) {
        auto& list = give.emplace_back();
        for (const auto u : b.give)
            list.push_back(values[at(u)]);
        take.emplace_back(b.take.size());
    }
    std::vector<Communicator::Exchange> exchanges;
    for (std::size_t k = 0; k < t.borders.size(); ++k)
        exchanges.push_back({t.borders[k].part, give[k], take[k]});
    group.ranks().swap(exchanges);
    for (std::size_t k = 0; k < t.borders.size(); ++k)
        for (std::size_t i = 0; i < take[k].size(); ++i)
            values[at(t.borders[k].take[i])] = take[k][i];
}

std::unique_ptr<PartTissue> part_tissue(const Session& s, Group& group, Notices& notices,
                                        const Progress& progress)
{
    need_what_parts_have(s);
    const auto file = s.folder / std::get<MeshFile>(s.mesh).file;
    auto t = std::make_unique<PartTissue>();
    t->index = mesh::parallel::read_index(file);
    if (const auto parts = t->index.parts.size(); parts != at(group.size()))
        throw InputError(file.string(), "has " + std::to_string(parts) + " parts for " +
                                            std::to_string(group.size()) +
                                            " ranks; start mpirun -n " + std::to_string(parts) +
                                            ", or make as many parts as ranks: tawara-cli "
                                            "mesh partition MESH -n " +
                                            std::to_string(group.size()) + " -o NAME.parts");
    progress.at(0, "reading a part of the mesh");
    take_part(*t, mesh::parallel::read_part(file, t->index, group.rank()),
              s.scheme == diffusion::Scheme::p1 ? Unknowns::vertices : Unknowns::tetrahedra);
    group.any(false); // every part is there and sound, before parts wait for each other's values
    const auto late = late_pulses(s);
    notices.insert(notices.end(), late.begin(), late.end());
    assemble_rows(s, *t, group, notices, progress);
    find_cells(s, *t, group, notices);
    prepace(s, t->tissue, progress);
    if (t->tissue.prepaced)
        notices.push_back(*t->tissue.prepaced);
    make_share(*t);
    return t;
}

} // namespace tawara::simulation::parts
