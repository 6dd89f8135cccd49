// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/parallel/part.hpp"

#include <algorithm>
#include <map>

namespace tawara::mesh::parallel {
namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Lists of several parts that are still to be put in order.
class Gathered
{
  public:
    void add(std::int32_t part, std::int32_t own, std::int32_t others)
    {
        auto& b = of_[part];
        b.give.push_back(own);
        b.take.push_back(others);
    }
    std::vector<Border> take()
    {
        std::vector<Border> out;
        for (auto& [part, b] : of_) {
            b.part = part;
            for (auto* list : {&b.give, &b.take}) {
                std::sort(list->begin(), list->end());
                list->erase(std::unique(list->begin(), list->end()), list->end());
            }
            out.push_back(std::move(b));
        }
        return out;
    }

  private:
    std::map<std::int32_t, Border> of_;
};

std::vector<Border> of_vertices(const Part& p)
{
    Gathered out;
    for (std::size_t t = 0; t < p.mesh.tetrahedron_count(); ++t) {
        const auto c = p.mesh.corners(t);
        for (const auto u : c) {
            if (p.vertex_owner[at(u)] != p.number)
                continue;
            for (const auto v : c)
                if (const auto owner = p.vertex_owner[at(v)]; owner != p.number)
                    out.add(owner, u, v);
        }
    }
    return out.take();
}

std::vector<Border> of_tetrahedra(const Part& p,
                                  std::span<const std::array<std::int32_t, 4>> neighbours)
{
    Gathered out;
    for (std::size_t t = 0; t < p.mesh.tetrahedron_count(); ++t) {
        if (p.tetrahedron_owner[t] != p.number)
            continue;
        const auto own = static_cast<std::int32_t>(t);
        for (const auto n : neighbours[t]) {
            if (n < 0)
                continue;
            if (const auto owner = p.tetrahedron_owner[at(n)]; owner != p.number)
                out.add(owner, own, n);
            for (const auto far : neighbours[at(n)])
                if (far >= 0)
                    if (const auto owner = p.tetrahedron_owner[at(far)]; owner != p.number)
                        out.add(owner, own, far);
        }
    }
    return out.take();
}

template <class T>
void keep(std::vector<T>& list, const std::vector<char>& kept, std::size_t each = 1)
{
    std::size_t to = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i])
            for (std::size_t k = 0; k < each; ++k)
                list[to++] = list[i * each + k];
    list.resize(to);
    list.shrink_to_fit();
}

/// New numbers of what is kept; -1 of all else.
std::vector<std::int32_t> numbers(const std::vector<char>& kept)
{
    std::vector<std::int32_t> out(kept.size(), -1);
    std::int32_t next = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i])
            out[i] = next++;
    return out;
}

void keep_surface(Surface& s, const std::vector<char>& tets,
                  const std::vector<std::int32_t>& vertex, const std::vector<std::int32_t>& tet)
{
    std::vector<char> triangles(s.triangles.size()), used(s.vertices.size(), 0);
    for (std::size_t k = 0; k < triangles.size(); ++k) {
        triangles[k] = tets[at(s.tetrahedron[k])];
        if (triangles[k])
            for (const auto v : s.triangles[k])
                used[at(v)] = 1;
    }
    const auto number = numbers(used);
    keep(s.triangles, triangles);
    keep(s.tetrahedron, triangles);
    keep(s.wall, triangles);
    keep(s.vertices, used);
    for (auto& t : s.triangles)
        for (auto& v : t)
            v = number[at(v)];
    for (auto& t : s.tetrahedron)
        t = tet[at(t)];
    for (auto& v : s.vertices)
        v = vertex[at(v)];
}

} // namespace

std::vector<Border> borders_of(const Part& p, Unknowns of,
                               std::span<const std::array<std::int32_t, 4>> neighbours)
{
    return of == Unknowns::vertices ? of_vertices(p) : of_tetrahedra(p, neighbours);
}

void keep_for(Part& p, Unknowns of)
{
    auto& m = p.mesh;
    std::vector<char> tets(m.tetrahedron_count(), 0), vertices(m.vertex_count(), 0);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        tets[t] = (p.needed_by[t] & static_cast<std::uint8_t>(of)) != 0;
        if (tets[t])
            for (const auto v : m.corners(t))
                vertices[at(v)] = 1;
    }
    const auto vertex = numbers(vertices), tet = numbers(tets);
    keep_surface(p.surface, tets, vertex, tet);
    for (auto* d : {&m.fibre, &m.sheet, &m.normal})
        if (!d->empty())
            keep(d->x, tets), keep(d->y, tets), keep(d->z, tets);
    for (auto& f : m.fields)
        keep(f.values, f.on == Field::On::vertices ? vertices : tets, at(f.components));
    for (auto* x : {&m.x, &m.y, &m.z})
        keep(*x, vertices);
    for (auto& c : m.corner) {
        keep(c, tets);
        for (auto& v : c)
            v = vertex[at(v)];
    }
    keep(m.region, tets);
    keep(p.vertex, vertices);
    keep(p.vertex_owner, vertices);
    keep(p.tetrahedron, tets);
    keep(p.tetrahedron_owner, tets);
    keep(p.needed_by, tets);
}

} // namespace tawara::mesh::parallel
