// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/parallel/part.hpp"
#include "engine/partition/partition.hpp"

#include <algorithm>
#include <numeric>

namespace tawara::mesh::parallel {
namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// The vertices that share an edge with each.
struct Edges
{
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> column;
};

Edges edges_of(const TetMesh& m)
{
    const auto stars = vertex_stars(m);
    Edges out;
    std::vector<std::int32_t> around;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        around.clear();
        for (auto k = stars.first[v]; k < stars.first[v + 1]; ++k)
            for (const auto u : m.corners(at(stars.tets[at(k)])))
                if (at(u) != v)
                    around.push_back(u);
        std::sort(around.begin(), around.end());
        around.erase(std::unique(around.begin(), around.end()), around.end());
        out.column.insert(out.column.end(), around.begin(), around.end());
        out.first.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    return out;
}

/// The part that owns most of the corners.
std::int32_t most_of(const std::array<std::int32_t, 4>& owner)
{
    std::int32_t best = owner[0];
    std::ptrdiff_t most = 0;
    for (const auto o : owner)
        if (const auto n = std::count(owner.begin(), owner.end(), o); n > most)
            best = o, most = n;
    return best;
}

/// Numbers of a list in another one, both ascending; all are there.
class Renumber
{
  public:
    explicit Renumber(std::span<const std::int64_t> whole) : whole_(whole) {}
    std::int32_t operator()(std::int64_t number) const
    {
        return static_cast<std::int32_t>(std::lower_bound(whole_.begin(), whole_.end(), number) -
                                         whole_.begin());
    }
    bool has(std::int64_t number) const
    {
        return std::binary_search(whole_.begin(), whole_.end(), number);
    }

  private:
    std::span<const std::int64_t> whole_;
};

void take_directions(Directions& to, const Directions& from,
                     std::span<const std::int64_t> tetrahedra)
{
    if (from.empty())
        return;
    to.resize(tetrahedra.size());
    for (std::size_t t = 0; t < tetrahedra.size(); ++t) {
        to.x[t] = from.x[at(tetrahedra[t])];
        to.y[t] = from.y[at(tetrahedra[t])];
        to.z[t] = from.z[at(tetrahedra[t])];
    }
}

Field taken(const Field& f, std::span<const std::int64_t> which)
{
    Field out{f.name, f.on, f.components, {}};
    const auto c = at(f.components);
    out.values.reserve(c * which.size());
    for (const auto i : which)
        for (std::size_t k = 0; k < c; ++k)
            out.values.push_back(f.values[at(i) * c + k]);
    return out;
}

} // namespace

Cut cut(const TetMesh& m, int parts, const Progress& progress)
{
    progress.at(0, "cutting the mesh into parts");
    if (parts < 1 || at(parts) > m.vertex_count())
        throw InputError("-n", "is " + std::to_string(parts) + "; it should be from 1 to " +
                                   std::to_string(m.vertex_count()) +
                                   ", the number of the mesh's vertices");
    Cut out;
    out.parts = parts;
    if (parts == 1) {
        out.vertex.assign(m.vertex_count(), 0);
    } else {
        const auto edges = edges_of(m);
        progress.at(0.3, "cutting the mesh into parts");
        out.vertex = partition::parts({edges.first, edges.column}, parts);
    }
    std::vector<char> filled(at(parts), 0);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        std::array<std::int32_t, 4> owner{};
        for (std::size_t k = 0; k < 4; ++k)
            owner[k] = out.vertex[at(m.corner[k][t])];
        out.tetrahedron.push_back(most_of(owner));
        filled[at(out.tetrahedron.back())] = 1;
    }
    if (std::find(filled.begin(), filled.end(), 0) != filled.end())
        throw InputError("-n", "is " + std::to_string(parts) + ", and a part would have none of " +
                                   std::to_string(m.tetrahedron_count()) +
                                   " tetrahedra; give fewer parts");
    return out;
}

Cutter::Cutter(const TetMesh& m, std::span<const std::array<std::int32_t, 4>> neighbours,
               const Surface& surface, const Cut& cut)
    : mesh_(m), neighbours_(neighbours), surface_(surface), cut_(cut), first_(at(cut.parts) + 1, 0),
      by_tet_(surface.triangles.size())
{
    const auto each_owner = [&](std::size_t t, auto&& f) {
        const auto c = m.corners(t);
        for (std::size_t k = 0; k < 4; ++k) {
            const auto owner = cut.vertex[at(c[k])];
            bool again = false;
            for (std::size_t l = 0; l < k; ++l)
                again = again || cut.vertex[at(c[l])] == owner;
            if (!again)
                f(owner);
        }
    };
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        each_owner(t, [&](std::int32_t p) { ++first_[at(p) + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    tets_.resize(at(first_.back()));
    auto next = first_;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        each_owner(
            t, [&](std::int32_t p) { tets_[at(next[at(p)]++)] = static_cast<std::int32_t>(t); });
    std::iota(by_tet_.begin(), by_tet_.end(), 0);
    std::stable_sort(by_tet_.begin(), by_tet_.end(), [&](std::int32_t a, std::int32_t b) {
        return surface.tetrahedron[at(a)] < surface.tetrahedron[at(b)];
    });
}

/// The tetrahedra of a part, ascending: around own vertices, and within two faces of own ones.
void Cutter::choose(std::int32_t number, std::vector<std::int32_t>& tets,
                    std::vector<std::uint8_t>& needed_by) const
{
    constexpr auto for_vertices = static_cast<std::uint8_t>(Unknowns::vertices),
                   for_tetrahedra = static_cast<std::uint8_t>(Unknowns::tetrahedra);
    std::vector<std::pair<std::int32_t, std::uint8_t>> all;
    std::vector<std::int32_t> ring;
    for (auto k = first_[at(number)]; k < first_[at(number) + 1]; ++k) {
        const auto t = tets_[at(k)];
        const bool own = cut_.tetrahedron[at(t)] == number;
        all.emplace_back(t, own ? std::uint8_t(for_vertices | for_tetrahedra) : for_vertices);
        if (own)
            ring.push_back(t);
    }
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<std::int32_t> next;
        for (const auto t : ring)
            for (const auto n : neighbours_[at(t)])
                if (n >= 0 && cut_.tetrahedron[at(n)] != number)
                    next.push_back(n);
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        for (const auto t : next)
            all.emplace_back(t, for_tetrahedra);
        ring = std::move(next);
    }
    std::sort(all.begin(), all.end());
    for (const auto& [t, needed] : all)
        if (!tets.empty() && tets.back() == t) {
            needed_by.back() = std::uint8_t(needed_by.back() | needed);
        } else {
            tets.push_back(t);
            needed_by.push_back(needed);
        }
}

Part Cutter::part(std::int32_t number) const
{
    Part p;
    p.number = number;
    p.parts = cut_.parts;
    std::vector<std::int32_t> tets;
    choose(number, tets, p.needed_by);
    p.tetrahedron.assign(tets.begin(), tets.end());
    for (const auto t : tets)
        for (const auto v : mesh_.corners(at(t)))
            p.vertex.push_back(v);
    std::sort(p.vertex.begin(), p.vertex.end());
    p.vertex.erase(std::unique(p.vertex.begin(), p.vertex.end()), p.vertex.end());
    const Renumber local(p.vertex);
    for (const auto v : p.vertex) {
        p.mesh.add_vertex(mesh_.vertex(at(v)));
        p.vertex_owner.push_back(cut_.vertex[at(v)]);
    }
    for (const auto t : tets) {
        auto c = mesh_.corners(at(t));
        for (auto& v : c)
            v = local(v);
        p.mesh.add_tetrahedron(c, mesh_.region[at(t)]);
        p.tetrahedron_owner.push_back(cut_.tetrahedron[at(t)]);
    }
    take_directions(p.mesh.fibre, mesh_.fibre, p.tetrahedron);
    take_directions(p.mesh.sheet, mesh_.sheet, p.tetrahedron);
    take_directions(p.mesh.normal, mesh_.normal, p.tetrahedron);
    for (const auto& f : mesh_.fields)
        p.mesh.fields.push_back(taken(f, f.on == Field::On::vertices ? p.vertex : p.tetrahedron));
    p.mesh.label_names = mesh_.label_names;

    std::vector<std::int32_t> triangles; // of the whole surface, in its order
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (auto k = std::lower_bound(by_tet_.begin(), by_tet_.end(), tets[t],
                                       [&](std::int32_t triangle, std::int32_t tet) {
                                           return surface_.tetrahedron[at(triangle)] < tet;
                                       });
             k != by_tet_.end() && surface_.tetrahedron[at(*k)] == tets[t]; ++k)
            triangles.push_back(*k);
    std::sort(triangles.begin(), triangles.end());
    const Renumber local_tet(p.tetrahedron);
    std::vector<std::int64_t> used;
    for (const auto k : triangles)
        for (const auto v : surface_.triangles[at(k)])
            used.push_back(local(surface_.vertices[at(v)]));
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const Renumber on_surface(used);
    p.surface.vertices.assign(used.begin(), used.end());
    for (const auto k : triangles) {
        auto& triangle = p.surface.triangles.emplace_back();
        for (std::size_t c = 0; c < 3; ++c)
            triangle[c] = on_surface(local(surface_.vertices[at(surface_.triangles[at(k)][c])]));
        p.surface.tetrahedron.push_back(local_tet(surface_.tetrahedron[at(k)]));
        p.surface.wall.push_back(surface_.wall[at(k)]);
    }
    return p;
}

} // namespace tawara::mesh::parallel
