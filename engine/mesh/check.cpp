// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/check.hpp"

#include "engine/mesh/directions.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>

namespace tawara::mesh {
namespace {

/// |6 V| below this fraction of the cubed longest edge counts as flat.
constexpr double flat_fraction = 1e-9;

std::string number(std::int64_t n)
{
    return std::to_string(n);
}

/// "3, 5, 9 and 12 more" for a few of many.
std::string some(const std::vector<std::int64_t>& all)
{
    std::string s;
    const std::size_t shown = std::min<std::size_t>(all.size(), 5);
    for (std::size_t i = 0; i < shown; ++i)
        s += (i ? ", " : "") + number(all[i]);
    if (all.size() > shown)
        s += " and " + number(static_cast<std::int64_t>(all.size() - shown)) + " more";
    return s;
}

std::string tetrahedra(const std::vector<std::int64_t>& all)
{
    return (all.size() == 1 ? "tetrahedron " : "tetrahedra ") + some(all);
}

void check_sizes(TetMesh& m, const std::string& file)
{
    const std::size_t n = m.tetrahedron_count(), nv = m.vertex_count();
    if (n == 0)
        throw MeshError(file, "has no tetrahedra; a mesh of tetrahedra is needed");
    if (n > std::size_t{std::numeric_limits<std::int32_t>::max()} / 2 ||
        nv > std::size_t{std::numeric_limits<std::int32_t>::max()})
        throw MeshError(file, "has more tetrahedra or vertices than 32-bit indices can count");
    if (m.y.size() != nv || m.z.size() != nv || m.corner[1].size() != n ||
        m.corner[2].size() != n || m.corner[3].size() != n)
        throw MeshError(file, "vertex or corner arrays differ in length");
    if (m.region.empty())
        m.region.assign(n, 1);
    if (m.region.size() != n)
        throw MeshError(file, "has " + number(static_cast<std::int64_t>(m.region.size())) +
                                  " region labels for " + number(static_cast<std::int64_t>(n)) +
                                  " tetrahedra; one each is needed");
    for (const auto* d : {&m.fibre, &m.sheet, &m.normal})
        if (!d->empty() && (d->size() != n || d->y.size() != n || d->z.size() != n))
            throw MeshError(file, "has " + number(static_cast<std::int64_t>(d->size())) +
                                      " directions for " + number(static_cast<std::int64_t>(n)) +
                                      " tetrahedra; one each is needed");
    for (const auto& f : m.fields) {
        const std::size_t count = f.on == Field::On::vertices ? nv : n;
        if (f.components < 1 || f.values.size() != count * static_cast<std::size_t>(f.components))
            throw MeshError(file, "field " + f.name + " has " +
                                      number(static_cast<std::int64_t>(f.values.size())) +
                                      " values, which does not fit the mesh");
    }
}

void check_vertices(const TetMesh& m, const std::string& file)
{
    std::vector<std::int64_t> bad;
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        if (!std::isfinite(m.x[v]) || !std::isfinite(m.y[v]) || !std::isfinite(m.z[v]))
            bad.push_back(static_cast<std::int64_t>(v));
    if (!bad.empty())
        throw MeshError(file, "the coordinates of vertex " + some(bad) +
                                  " (counted from 0) are not finite numbers");
}

void check_corners(const TetMesh& m, const std::string& file)
{
    const auto nv = static_cast<std::int64_t>(m.vertex_count());
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        for (const auto c : m.corners(t))
            if (c < 0 || c >= nv)
                throw MeshError(file, "tetrahedron " + number(static_cast<std::int64_t>(t)) +
                                          " names vertex " + number(c) + ", but there are " +
                                          number(nv) + " (counted from 0)");
}

/// Calls `use` with the squared length of each of a tetrahedron's six edges.
template <class Use>
void each_squared_edge(const TetMesh& m, std::size_t t, Use use)
{
    const auto c = m.corners(t);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) {
            const Vec3 d =
                m.vertex(static_cast<std::size_t>(c[j])) - m.vertex(static_cast<std::size_t>(c[i]));
            use(dot(d, d));
        }
}

double longest_edge(const TetMesh& m, std::size_t t)
{
    double l2 = 0;
    each_squared_edge(m, t, [&](double edge2) { l2 = std::max(l2, edge2); });
    return std::sqrt(l2);
}

/// Turns inverted tetrahedra and refuses flat ones.
std::int64_t turn(TetMesh& m, const std::string& file, const Progress& progress)
{
    std::vector<std::int64_t> flat;
    std::int64_t turned = 0;
    Field* const markers = face_markers(m);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        if (t % 262144 == 0)
            progress.at(static_cast<double>(t) / static_cast<double>(m.tetrahedron_count()),
                        "checking");
        const double v = m.volume(t), l = longest_edge(m, t);
        if (!(std::abs(6 * v) > flat_fraction * l * l * l)) {
            flat.push_back(static_cast<std::int64_t>(t));
        } else if (v < 0) {
            std::swap(m.corner[2][t], m.corner[3][t]);
            if (markers)
                std::swap(markers->values[4 * t + 2], markers->values[4 * t + 3]);
            ++turned;
        }
    }
    if (!flat.empty())
        throw MeshError(file, tetrahedra(flat) + " (counted from 0) " +
                                  (flat.size() == 1 ? "is" : "are") +
                                  " flat: no volume; remove or remesh");
    return turned;
}

struct Key
{
    std::array<std::int32_t, 3> rest;
    std::int32_t tet;
    bool operator<(const Key& o) const { return rest != o.rest ? rest < o.rest : tet < o.tet; }
};

/// Refuses tetrahedra with the same four corners.
void check_duplicates(const TetMesh& m, const std::string& file)
{
    const std::size_t n = m.tetrahedron_count();
    const auto sorted = [&](std::size_t t) {
        auto c = m.corners(t);
        std::sort(c.begin(), c.end());
        return c;
    };
    std::vector<std::size_t> first(m.vertex_count() + 1, 0);
    for (std::size_t t = 0; t < n; ++t)
        ++first[static_cast<std::size_t>(sorted(t)[0]) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Key> keys(n);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t t = 0; t < n; ++t) {
        const auto c = sorted(t);
        keys[next[static_cast<std::size_t>(c[0])]++] = {{c[1], c[2], c[3]},
                                                        static_cast<std::int32_t>(t)};
    }
    std::vector<std::int64_t> bad;
    for (std::size_t v = 0; v + 1 < first.size(); ++v) {
        const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first[v]);
        const auto end = keys.begin() + static_cast<std::ptrdiff_t>(first[v + 1]);
        std::sort(begin, end);
        for (auto k = begin; k != end && k + 1 != end; ++k)
            if (k->rest == (k + 1)->rest)
                bad.push_back((k + 1)->tet);
    }
    std::sort(bad.begin(), bad.end());
    if (!bad.empty())
        throw MeshError(file, tetrahedra(bad) + " (counted from 0) " +
                                  (bad.size() == 1 ? "repeats the corners of another; remove it"
                                                   : "repeat the corners of others; remove them"));
}

/// Drops vertices that no tetrahedron uses, keeping the order of the others.
std::int64_t drop_unused(TetMesh& m)
{
    const std::size_t nv = m.vertex_count();
    std::vector<std::int32_t> to(nv, -1);
    for (const auto& c : m.corner)
        for (const auto v : c)
            to[static_cast<std::size_t>(v)] = 0;
    std::int32_t kept = 0;
    for (auto& t : to)
        if (t == 0)
            t = kept++;
    const auto unused = static_cast<std::int64_t>(nv) - kept;
    if (unused == 0)
        return 0;
    const auto squeeze = [&](auto& values, std::size_t components) {
        std::size_t at = 0;
        for (std::size_t v = 0; v < nv; ++v)
            if (to[v] >= 0)
                for (std::size_t c = 0; c < components; ++c)
                    values[at++] = values[v * components + c];
        values.resize(at);
    };
    squeeze(m.x, 1), squeeze(m.y, 1), squeeze(m.z, 1);
    for (auto& f : m.fields)
        if (f.on == Field::On::vertices)
            squeeze(f.values, static_cast<std::size_t>(f.components));
    for (auto& c : m.corner)
        for (auto& v : c)
            v = to[static_cast<std::size_t>(v)];
    return unused;
}

void measure_quality(const TetMesh& m, CheckReport& r)
{
    double sum = 0, least = 1;
    std::int64_t slivers = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const double q = quality(m, t);
        sum += q;
        least = std::min(least, q);
        slivers += q < 0.1;
    }
    r.quality_min = least;
    r.quality_mean = sum / static_cast<double>(m.tetrahedron_count());
    if (slivers > 0) {
        char text[128];
        std::snprintf(text, sizeof text, "%lld slivers (quality below 0.1, smallest %.2g)",
                      static_cast<long long>(slivers), least);
        r.notices.push_back({Notice::Level::info, text});
    }
}

void report_pieces(const std::vector<std::array<std::int32_t, 4>>& neighbours, CheckReport& r)
{
    const Pieces p = pieces(neighbours);
    r.pieces = static_cast<std::int64_t>(p.size.size());
    if (r.pieces > 1)
        r.notices.push_back(
            {Notice::Level::warning, "the mesh falls into " + number(r.pieces) +
                                         " pieces not joined by faces, of " + some(p.size) +
                                         " tetrahedra: no excitation passes between them"});
}

} // namespace

double quality(const TetMesh& m, std::size_t t)
{
    double l2 = 0;
    each_squared_edge(m, t, [&](double edge2) { l2 += edge2; });
    const double v = std::cbrt(3 * std::abs(m.volume(t)));
    return l2 > 0 ? 12 * v * v / l2 : 0;
}

CheckReport check_and_clean(TetMesh& m, const std::string& file, const Progress& progress)
{
    CheckReport r;
    check_sizes(m, file);
    check_vertices(m, file);
    check_corners(m, file);
    r.turned = turn(m, file, progress);
    check_duplicates(m, file);
    r.unused_vertices = drop_unused(m);
    if (r.turned > 0)
        r.notices.push_back(
            {Notice::Level::info, r.turned == 1
                                      ? "1 inverted tetrahedron was turned"
                                      : number(r.turned) + " inverted tetrahedra were turned"});
    if (r.unused_vertices > 0)
        r.notices.push_back(
            {Notice::Level::info,
             r.unused_vertices == 1
                 ? "1 vertex of no tetrahedron was dropped"
                 : number(r.unused_vertices) + " vertices of no tetrahedron were dropped"});
    std::vector<std::array<std::int32_t, 4>> neighbours;
    try {
        neighbours = face_neighbours(m, progress);
    } catch (const MeshError& e) {
        throw MeshError(file, e.reason);
    }
    report_pieces(neighbours, r);
    measure_quality(m, r);
    r.fibres_normalised = orthonormalise(m, neighbours, file, r.notices);
    r.neighbours = std::move(neighbours);
    return r;
}

} // namespace tawara::mesh
