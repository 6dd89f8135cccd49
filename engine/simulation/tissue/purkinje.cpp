// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/purkinje.hpp"

#include "engine/cable/contraction.hpp"
#include "engine/cable/growth/heart_network.hpp"
#include "engine/cable/io/read.hpp"
#include "engine/cable/network/cuda/network.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace tawara::simulation {
namespace {

using Members = std::vector<std::vector<std::int32_t>>; ///< unknowns of each place

std::size_t index_at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// The unknowns with cells within a radius of each place.
Members unknowns_around(const device::TissueProblem& p, std::span<const Vec3> places,
                        double radius_mm)
{
    const auto cube = [&](double x) {
        return static_cast<std::int64_t>(std::floor(x / radius_mm));
    };
    const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) {
        constexpr std::uint64_t mask = (1U << 21) - 1;
        return (static_cast<std::uint64_t>(i) & mask) << 42 |
               (static_cast<std::uint64_t>(j) & mask) << 21 |
               (static_cast<std::uint64_t>(k) & mask);
    };
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> near; // places by cubes around
    for (std::size_t e = 0; e < places.size(); ++e)
        for (std::int64_t k = -1; k <= 1; ++k)
            for (std::int64_t j = -1; j <= 1; ++j)
                for (std::int64_t i = -1; i <= 1; ++i)
                    near[key(cube(places[e][0]) + i, cube(places[e][1]) + j,
                             cube(places[e][2]) + k)]
                        .push_back(e);
    Members out(places.size());
    for (std::size_t u = 0; u < p.size(); ++u) {
        if (!p.has_cells(u))
            continue;
        const Vec3& x = p.position_mm[u];
        const auto at = near.find(key(cube(x[0]), cube(x[1]), cube(x[2])));
        if (at == near.end())
            continue;
        for (const auto e : at->second)
            if (norm(x - places[e]) <= radius_mm)
                out[e].push_back(static_cast<std::int32_t>(u));
    }
    return out;
}

/// The unknown with cells at the mesh's nearest place; -1: that is farther than the radius.
std::int32_t nearest_unknown(const Tissue& t, const device::TissueProblem& p, const Vec3& place,
                             double radius_mm)
{
    const auto found = t.locator->find(place);
    if (found.tetrahedron < 0 || found.distance_mm > radius_mm)
        return -1;
    if (!t.on_vertices())
        return p.has_cells(index_at(found.tetrahedron)) ? found.tetrahedron : -1;
    std::int32_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (const auto v : t.mesh->corners(index_at(found.tetrahedron)))
        if (const double d = norm(t.mesh->vertex(index_at(v)) - place);
            d < least && p.has_cells(index_at(v))) {
            least = d;
            best = v;
        }
    return best;
}

Members members_of(const Tissue& t, const device::TissueProblem& p, std::span<const Vec3> places,
                   double radius_mm)
{
    auto out = unknowns_around(p, places, radius_mm);
    for (std::size_t e = 0; e < places.size(); ++e)
        if (out[e].empty())
            if (const auto u = nearest_unknown(t, p, places[e], radius_mm); u >= 0)
                out[e].push_back(u);
    return out;
}

/// A port for each place: reads the mean by volume, drives all alike.
device::Ports ports_of(const device::TissueProblem& p, const Members& members,
                       std::vector<double>& volume_mm3)
{
    device::Ports out;
    for (const auto& unknowns : members) {
        double all = 0;
        for (const auto u : unknowns)
            all += p.system.volume[index_at(u)];
        volume_mm3.push_back(all);
        for (const auto u : unknowns) {
            out.potential.unknown.push_back(u);
            out.potential.weight.push_back(static_cast<float>(p.system.volume[index_at(u)] / all));
            out.current.unknown.push_back(u);
            out.current.weight.push_back(1);
        }
        for (auto* g : {&out.potential, &out.current})
            g->first.push_back(static_cast<std::int64_t>(g->unknown.size()));
    }
    return out;
}

cable::Morphology all_of(std::span<const cable::Morphology> trees)
{
    cable::Morphology out;
    for (const auto& m : trees) {
        const auto before = static_cast<std::int32_t>(out.points());
        for (const auto parent : m.parent)
            out.parent.push_back(parent < 0 ? -1 : parent + before);
        out.point_mm.insert(out.point_mm.end(), m.point_mm.begin(), m.point_mm.end());
        out.radius_um.insert(out.radius_um.end(), m.radius_um.begin(), m.radius_um.end());
        out.kind.insert(out.kind.end(), m.kind.begin(), m.kind.end());
        for (std::size_t i = 0; i < m.points(); ++i)
            out.wire.push_back(m.is_wire(i));
    }
    return out;
}

std::optional<cable::io::Unit> io_unit(std::optional<LengthUnit> u)
{
    return u ? std::optional(cable::io::unit_by_name(name(*u), "/purkinje/length_unit"))
             : std::nullopt;
}

cable::Compartments compartments_of(const Session& s, std::span<const cable::Morphology> trees)
{
    const auto& keys = *s.purkinje;
    cable::Cutting cutting;
    cutting.space_step_um = 1e3 * keys.space_step_mm;
    cutting.material = {100 / keys.conductivity_S_per_m, s.capacitance_uF_per_cm2}; // ohm m: 100
    std::vector<cable::Compartments> parts;
    for (auto m : trees) {
        m.radius_um.assign(m.points(), keys.radius_um);
        parts.push_back(cable::discretise(m, cutting));
    }
    return parts.size() == 1 ? std::move(parts.front()) : cable::joined(parts);
}

/// No current through the pieces that are cut.
void cut_couplings(const PurkinjeNetwork& n, cable::Compartments& c)
{
    c.coupling_uS = n.whole_coupling_uS;
    for (std::size_t i = 0; i < n.cut.size(); ++i) {
        if (!n.cut[i])
            continue;
        const auto top = c.node_of_point[index_at(n.morphology.parent[i])];
        for (auto at = c.node_of_point[i]; at != top && at >= 0; at = c.tree.parent[index_at(at)])
            c.coupling_uS[index_at(at)] = 0;
    }
}

/// The pulses of the root.
std::vector<device::StimulusSource> his_sources(const PurkinjeKeys& keys,
                                                const cable::Compartments& c)
{
    device::StimulusSource base;
    for (std::size_t i = 0; i < c.nodes(); ++i)
        if (c.from_root_um[i] <= 1e3 * PurkinjeKeys::his_length_mm)
            base.unknowns.push_back(static_cast<std::int32_t>(i));
    base.amplitude_pA_per_pF = PurkinjeKeys::his_amplitude_pA_per_pF;
    base.duration_ms = PurkinjeKeys::his_duration_ms;
    std::vector<device::StimulusSource> out;
    for (const auto& run : keys.his_pulses()) {
        auto source = base;
        source.start_ms = run.start_ms;
        source.period_ms = run.period_ms;
        source.count = run.count;
        out.push_back(source);
    }
    return out;
}

std::int32_t nearest_node(const cable::Compartments& c, const Vec3& p)
{
    const auto best =
        std::min_element(c.place_mm.begin(), c.place_mm.end(),
                         [&](const Vec3& a, const Vec3& b) { return norm(a - p) < norm(b - p); });
    return static_cast<std::int32_t>(best - c.place_mm.begin());
}

std::string place_words(const Vec3& p)
{
    return "(" + number_text(p[0], 4) + ", " + number_text(p[1], 4) + ", " + number_text(p[2], 4) +
           ") mm";
}

/// Junctions at all ends that are near enough to the wall; what others there are is said.
void join_ends(const Session& s, Tissue& t, PurkinjeNetwork& n)
{
    const auto& keys = *s.purkinje;
    const auto ends = cable::ends_of(n.morphology);
    std::vector<Vec3> places;
    for (const auto e : ends)
        places.push_back(n.morphology.point_mm[index_at(e)]);
    auto members = members_of(t, t.problem, places, keys.junction_radius_mm);
    double farthest = 0;
    std::size_t worst = 0;
    Members joined;
    for (std::size_t e = 0; e < ends.size(); ++e) {
        if (members[e].empty()) {
            n.unjoined.push_back(ends[e]);
            const double far = t.locator->find(places[e]).distance_mm;
            if (far >= farthest) {
                farthest = far;
                worst = e;
            }
            continue;
        }
        n.junction_at.push_back(ends[e]);
        joined.push_back(std::move(members[e]));
    }
    if (n.junction_at.empty())
        throw InputError(s.name, "/purkinje",
                         "no end of the network lies within " +
                             number_text(keys.junction_radius_mm, 4) +
                             " mm of tissue (junctions.radius_mm); a network in the mesh's own "
                             "coordinates would be right (length_unit?)");
    if (!n.unjoined.empty())
        t.notices.push_back(
            {Notice::Level::warning,
             std::to_string(n.unjoined.size()) + " of " + std::to_string(ends.size()) +
                 " ends of the Purkinje network have no junction: they are farther than " +
                 number_text(keys.junction_radius_mm, 4) +
                 " mm from tissue with cells (purkinje.junctions.radius_mm), the farthest " +
                 number_text(farthest, 3) + " mm at " + place_words(places[worst])});
    std::vector<double> volume_mm3;
    n.ports = ports_of(t.problem, joined, volume_mm3);
    n.description.junctions.resize(n.junction_at.size());
    for (std::size_t k = 0; k < n.junction_at.size(); ++k)
        n.description.junctions[k] = {
            n.description.cables.compartments.node_of_point[index_at(n.junction_at[k])],
            keys.resistance_kOhm, volume_mm3[k] * n.tissue_uF_per_mm3};
}

std::vector<Vec3> junction_places(const PurkinjeNetwork& n)
{
    std::vector<Vec3> out;
    for (const auto p : n.junction_at)
        out.push_back(n.morphology.point_mm[index_at(p)]);
    return out;
}

/// The resistance of the wanted delay, at all junctions.
void find_resistance(const Session& s, Tissue& t, const device::Ports& ports, PurkinjeNetwork& n,
                     const Progress& progress)
{
    const double wanted = s.purkinje->antegrade_ms;
    if (!(wanted > 0))
        return;
    n.found = search_resistance(t.problem, ports, n.description, junction_places(n), wanted, s.name,
                                progress);
    for (auto& j : n.description.junctions)
        j.resistance_kOhm = n.found->kOhm;
    t.notices.push_back(
        {Notice::Level::info,
         "junctions of the Purkinje network: " + number_text(n.found->kOhm, 4) +
             " kOhm gives a delay of " + number_text(n.found->delay_ms, 3) + " ms (" +
             number_text(n.found->least_ms, 3) + " to " + number_text(n.found->most_ms, 3) +
             " ms at " + std::to_string(n.found->junctions) + " junctions of this mesh, of which " +
             std::to_string(n.found->blocked) + " block)"});
}

/// What was said from there on is of the network.
void mark(Notices& notices, std::size_t from)
{
    for (auto k = from; k < notices.size(); ++k)
        notices[k].kind = notice_kind::network;
}

void find_probes(const PurkinjeKeys& keys, PurkinjeNetwork& n)
{
    n.probe_nodes.clear();
    n.probe_names.clear();
    for (const auto& p : keys.probes) {
        n.probe_nodes.push_back(nearest_node(n.description.cables.compartments, p.position_mm));
        n.probe_names.push_back(p.name);
    }
}

/// What is said of probes that are far from the network: they show its nearest node all the same.
Notices far_probes(const PurkinjeKeys& keys, const PurkinjeNetwork& n)
{
    constexpr double far_mm = 5;
    Notices out;
    for (std::size_t k = 0; k < keys.probes.size(); ++k) {
        const auto& node =
            n.description.cables.compartments.place_mm[static_cast<std::size_t>(n.probe_nodes[k])];
        const double away_mm = norm(node - keys.probes[k].position_mm);
        if (away_mm > far_mm)
            out.push_back({Notice::Level::warning,
                           "probe \"" + keys.probes[k].name + "\" of the Purkinje network is " +
                               number_text(away_mm, 3) + " mm from its nearest node, at " +
                               place_words(node) + "; it shows that node"});
    }
    return out;
}

} // namespace

std::vector<cable::Morphology> network_trees(const Session& s, const Tissue& t, Notices& notices,
                                             const Progress& progress)
{
    const auto& keys = *s.purkinje;
    if (keys.files.empty())
        return {
            cable::grow_network(*t.mesh, *t.surface, keys.grow, t.mesh_title, notices, progress)};
    std::vector<cable::Morphology> out;
    for (const auto& file : keys.files) {
        cable::io::ReadOptions options;
        options.unit = io_unit(keys.unit);
        options.radius_um = keys.radius_um;
        options.several_trees = true;
        auto loaded = cable::io::read(s.folder / file, options, progress);
        notices.insert(notices.end(), loaded.notices.begin(), loaded.notices.end());
        const bool named = loaded.format.find("VT") != std::string::npos;
        for (auto& tree : loaded.trees) {
            if (!named) // kinds of neurites are no fascicles
                std::fill(tree.kind.begin(), tree.kind.end(), 0);
            out.push_back(std::move(tree));
        }
    }
    return out;
}

std::shared_ptr<const PurkinjeNetwork> make_network(const Session& s, Tissue& t,
                                                    const Progress& progress)
{
    const auto& keys = *s.purkinje;
    if (!keys.wanted)
        return {};
    const auto said = t.notices.size();
    const auto trees = network_trees(s, t, t.notices, progress);
    static std::atomic<std::uint64_t> made{0};
    auto n = std::make_shared<PurkinjeNetwork>();
    n->made = ++made;
    n->morphology = all_of(trees);
    n->cut = cable::pieces_cut(n->morphology, keys.cut, s.name, "/purkinje/cut");
    n->junction_radius_mm = keys.junction_radius_mm;
    n->tissue_uF_per_mm3 =
        s.surface_to_volume_per_mm * s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2;
    auto& d = n->description;
    d.cables.compartments = compartments_of(s, trees);
    d.cables.types = {cell::make_cell_type(keys.model, keys.variant, {}, {}, s.name, "/purkinje")};
    d.cables.dt_ms = s.dt_ms;
    d.fibres = keys.fibres;
    d.activation_threshold_mV = s.activation_threshold_mV;
    d.stimuli = his_sources(keys, d.cables.compartments);
    n->whole_coupling_uS = d.cables.compartments.coupling_uS;
    join_ends(s, t, *n);
    find_resistance(s, t, n->ports, *n, progress);
    cut_couplings(*n, d.cables.compartments);
    find_probes(keys, *n);
    for (auto& notice : far_probes(keys, *n))
        t.notices.push_back(std::move(notice));
    t.notices.push_back(
        {Notice::Level::info, "Purkinje network: " + std::to_string(d.cables.compartments.nodes()) +
                                  " nodes, " + std::to_string(d.junctions.size()) + " junctions"});
    mark(t.notices, said);
    return n;
}

std::shared_ptr<const PurkinjeNetwork> changed_network(const PurkinjeNetwork& n, const Session& s)
{
    const auto& keys = *s.purkinje;
    auto out = std::make_shared<PurkinjeNetwork>(n);
    auto& d = out->description;
    out->cut = cable::pieces_cut(n.morphology, keys.cut, s.name, "/purkinje/cut");
    cut_couplings(*out, d.cables.compartments);
    d.stimuli = his_sources(keys, d.cables.compartments);
    if (!(keys.antegrade_ms > 0)) {
        out->found.reset();
        for (auto& j : d.junctions)
            j.resistance_kOhm = keys.resistance_kOhm;
    }
    find_probes(keys, *out);
    return out;
}

std::shared_ptr<const PurkinjeNetwork> searched_network(const PurkinjeNetwork& n, const Session& s,
                                                        Tissue& t, const Progress& progress)
{
    auto out = std::make_shared<PurkinjeNetwork>(*changed_network(n, s));
    auto& d = out->description;
    const auto joints = joints_in(n, t, t.problem);
    d.junctions = joints.junctions;
    d.cables.compartments.coupling_uS = n.whole_coupling_uS; // of a whole cable
    const auto said = t.notices.size();
    find_resistance(s, t, joints.ports, *out, progress);
    mark(t.notices, said);
    cut_couplings(*out, d.cables.compartments);
    return out;
}

std::vector<FasciclePart> fascicles_of(const PurkinjeNetwork& n)
{
    const auto& m = n.morphology;
    const auto& c = n.description.cables.compartments;
    const auto branches = cable::branches_of(m);
    std::vector<FasciclePart> all(cable::fascicles);
    const auto known = [](std::int32_t kind) {
        return kind >= 0 && kind < cable::fascicles ? index_at(kind) : std::size_t{0};
    };
    std::vector<std::int32_t> kind(m.kind.begin(), m.kind.end());
    for (std::size_t i = m.points(); i-- > 0;) // a root has the kind of its first child
        if (m.parent[i] >= 0 && m.parent[index_at(m.parent[i])] < 0)
            kind[index_at(m.parent[i])] = m.kind[i];
    std::vector<std::int32_t> last(cable::fascicles, -1);
    for (std::size_t i = 0; i < m.points(); ++i) {
        auto& part = all[known(kind[i])];
        const double mm = cable::piece_mm(m, i);
        part.length_mm += mm;
        part.cut_mm += n.cut[i] ? mm : 0;
        part.points.push_back(static_cast<std::int32_t>(i));
        if (std::exchange(last[known(kind[i])], branches.of[i]) != branches.of[i])
            ++part.branches;
    }
    for (std::size_t i = 0; i < c.nodes(); ++i)
        ++all[known(c.tree.parent[i] < 0 ? kind[0] : c.kind[i])].nodes;
    for (std::size_t k = 0; k < n.junction_at.size(); ++k)
        all[known(kind[index_at(n.junction_at[k])])].junctions.push_back(
            static_cast<std::int32_t>(k));
    for (std::size_t f = 0; f < all.size(); ++f)
        all[f].fascicle = static_cast<cable::Fascicle>(f);
    std::erase_if(all, [](const auto& p) { return p.points.empty(); });
    return all;
}

Joints joints_of(const PurkinjeNetwork& n)
{
    return {n.ports, n.description.junctions};
}

Joints joints_in(const PurkinjeNetwork& n, const Tissue& t, const device::TissueProblem& p)
{
    Joints out;
    std::vector<double> volume_mm3;
    out.ports = ports_of(p, members_of(t, p, junction_places(n), n.junction_radius_mm), volume_mm3);
    out.junctions = n.description.junctions;
    for (std::size_t k = 0; k < out.junctions.size(); ++k)
        out.junctions[k].tissue_uF = volume_mm3[k] * n.tissue_uF_per_mm3;
    return out;
}

device::StepperOptions options_with(const PurkinjeNetwork* n, device::StepperOptions asked,
                                    Notices* notices)
{
    if (n == nullptr || asked.devices.kind != device::Devices::Kind::automatic)
        return asked;
    const auto nodes = n->description.cables.compartments.nodes();
    if (nodes <= cable::most_contracted)
        return asked;
    asked.devices = "cpu";
    if (notices != nullptr)
        notices->push_back(
            {Notice::Level::info, "computes on the CPU: GPUs step Purkinje networks of at most " +
                                      std::to_string(cable::most_contracted) +
                                      " nodes, and this one has " + std::to_string(nodes)});
    return asked;
}

cable::NetworkPart& add_network(const PurkinjeNetwork& n, const Joints& joints,
                                device::Stepper& stepper)
{
    auto d = n.description;
    d.junctions = joints.junctions;
    const auto make = [&](int device) -> std::unique_ptr<device::Part> {
        return device < 0 ? cable::make_cpu_network(d) : cable::cuda::make_cuda_network(d, device);
    };
    return static_cast<cable::NetworkPart&>(stepper.add_part(joints.ports, make));
}

} // namespace tawara::simulation
