// SPDX-License-Identifier: GPL-3.0-or-later
// Where stimuli act and probes read in a mesh in parts.
#include "engine/core/error.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/simulation/parts/part_tissue.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

std::string box_text(const mesh::parallel::Index& i)
{
    char text[200];
    std::snprintf(text, sizeof text, "x %.4g..%.4g, y %.4g..%.4g, z %.4g..%.4g mm", i.low[0],
                  i.high[0], i.low[1], i.high[1], i.low[2], i.high[2]);
    return text;
}

template <class List>
std::string joined(const List& list)
{
    std::string out;
    for (const auto& x : list)
        out += (out.empty() ? "" : ", ") + x;
    return out;
}

/// The region as this part knows it: labels and nodes that other parts have are left out.
/// @throws InputError for what the whole mesh has not
StimulusRegion of_part(const PartTissue& t, const StimulusRegion& region, const std::string& file,
                       const std::string& what)
{
    auto out = region;
    if (auto* l = std::get_if<Label>(&out)) {
        std::vector<std::string> known;
        for (const auto& [label, n] : t.index.labels)
            known.push_back(std::to_string(label));
        for (const auto label : l->labels)
            if (!t.index.labels.contains(label))
                throw InputError(file, what,
                                 "the mesh has no label " + std::to_string(label) + "; it has " +
                                     joined(known));
    } else if (auto* n = std::get_if<Nodes>(&out)) {
        for (const auto v : n->nodes)
            if (v < 0 || v >= t.index.vertices)
                throw InputError(file, what,
                                 "there is no node " + std::to_string(v) +
                                     "; the mesh has nodes 0 to " +
                                     std::to_string(t.index.vertices - 1));
        std::erase_if(n->nodes, [&](auto& v) {
            const auto found = std::lower_bound(t.vertex.begin(), t.vertex.end(), v);
            if (found == t.vertex.end() || *found != v)
                return true;
            v = static_cast<std::remove_reference_t<decltype(v)>>(found - t.vertex.begin());
            return false;
        });
    } else if (const auto* s = std::get_if<SurfaceRegion>(&out)) {
        const auto& walls = t.index.walls;
        if (std::find(walls.begin(), walls.end(), mesh::name(s->wall)) == walls.end())
            throw InputError(file, what,
                             "the mesh has no surface " + std::string(mesh::name(s->wall)) +
                                 (walls.empty() ? "; a box, a sphere, a label or nodes would do"
                                                : "; it has " + joined(walls)));
    }
    return out;
}

/// The tetrahedron at a point, or nearest to it, in all parts: of those as near the first.
/// @return whether it is an own one here, and its place
std::pair<bool, mesh::Locator::Place> find(const PartTissue& t, Group& group, const Vec3& x)
{
    const auto here = t.tissue.locator->find(x);
    const auto number = t.tetrahedron[at(here.tetrahedron)];
    const auto answer = group.together(
        (Pack() << here.distance_mm << number).take(), [](const std::vector<Bytes>& all) {
            std::pair<double, std::int64_t> best{INFINITY, 0};
            for (const auto& message : all) {
                Unpack in(message);
                const auto distance = in.read<double>();
                best = std::min(best, {distance, in.read<std::int64_t>()});
            }
            return (Pack() << best.first << best.second).take();
        });
    Unpack in(answer);
    in.read<double>();
    const bool own = in.read<std::int64_t>() == number &&
                     t.tetrahedron_owner[at(here.tetrahedron)] == group.rank();
    return {own, here};
}

/// The unknown nearest to the centre of a ball that holds none.
void add_nearest(const PartTissue& t, Group& group, const Sphere& s, std::vector<std::int32_t>& out)
{
    const auto [own, place] = find(t, group, s.centre);
    std::int64_t unknown = -1;
    if (own && place.distance_mm <= s.radius) {
        const auto corner = static_cast<std::size_t>(
            std::max_element(place.weights.begin(), place.weights.end()) - place.weights.begin());
        unknown = t.number[at(t.tissue.on_vertices()
                                  ? t.tissue.mesh->corner[corner][at(place.tetrahedron)]
                                  : place.tetrahedron)];
    }
    unknown = static_cast<std::int64_t>(group.largest(static_cast<double>(unknown)));
    const auto found = std::lower_bound(t.number.begin(), t.number.end(), unknown);
    if (found != t.number.end() && *found == unknown)
        out.push_back(static_cast<std::int32_t>(found - t.number.begin()));
}

} // namespace

std::vector<std::int32_t> own_unknowns_in(const PartTissue& t, Group& group,
                                          const StimulusRegion& region, const std::string& file,
                                          const std::string& what)
{
    auto out = held_in_part(t.tissue, of_part(t, region, file, what));
    const auto keep_own = [&] {
        std::erase_if(out, [&](std::int32_t u) { return t.own[at(u)] == 0; });
    };
    keep_own();
    bool held = group.any(!out.empty());
    if (const auto* s = std::get_if<Sphere>(&region); s != nullptr && !held) {
        add_nearest(t, group, *s, out);
        keep_own();
        held = group.any(!out.empty());
    }
    std::erase_if(out, [&](std::int32_t u) { return !t.tissue.problem.has_cells(at(u)); });
    const bool cells = group.any(!out.empty());
    if (held && !cells)
        throw InputError(file, what,
                         "the region holds insulating tissue alone, which has no cells to "
                         "stimulate; it should reach tissue that conducts");
    if (!cells)
        throw InputError(file, what,
                         "the region holds no tissue; the mesh spans " + box_text(t.index));
    return out;
}

WholeGather probes_in(const PartTissue& t, Group& group, const std::vector<Probe>& probes,
                      const std::string& file)
{
    WholeGather out;
    for (std::size_t k = 0; k < probes.size(); ++k) {
        const auto [own, place] = find(t, group, probes[k].position_mm);
        std::vector<std::int64_t> unknown;
        std::vector<float> weight;
        if (own) {
            const double edge =
                std::cbrt(12 / std::sqrt(2.0) * t.tissue.mesh->volume(at(place.tetrahedron)));
            if (place.distance_mm > 2 * edge)
                throw InputError(file, "/probes/" + std::to_string(k) + "/position_mm",
                                 "the probe '" + probes[k].name + "' lies " +
                                     number_text(place.distance_mm, 3) +
                                     " mm outside the tissue, which spans " + box_text(t.index));
            const auto g = probe_weights(t.tissue, std::span(&probes[k], 1), file);
            for (const auto u : g.unknown)
                unknown.push_back(t.number[at(u)]);
            weight = g.weight;
        }
        const auto answer =
            group.together((Pack() << unknown << weight).take(), [](const std::vector<Bytes>& all) {
                const auto* longest = &all.front(); // one alone has any
                for (const auto& message : all)
                    if (message.size() > longest->size())
                        longest = &message;
                return *longest;
            });
        Unpack(answer) >> unknown >> weight;
        if (unknown.empty())
            throw InputError(file, "/probes/" + std::to_string(k) + "/position_mm",
                             "the probe '" + probes[k].name +
                                 "' was found in no part; move it a little");
        out.unknown.insert(out.unknown.end(), unknown.begin(), unknown.end());
        out.weight.insert(out.weight.end(), weight.begin(), weight.end());
        out.first.push_back(static_cast<std::int64_t>(out.unknown.size()));
    }
    return out;
}

} // namespace tawara::simulation::parts
