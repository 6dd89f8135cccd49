// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/check.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tawara::mesh {
namespace {

/// The edges of a mesh, each once, under their smaller vertex; an edge's number is its place in
/// `other`.
struct Edges
{
    std::vector<std::size_t> first;  ///< per vertex, one more than vertices
    std::vector<std::int32_t> other; ///< the larger vertex, ascending under each smaller one

    std::size_t find(std::int32_t a, std::int32_t b) const
    {
        if (a > b)
            std::swap(a, b);
        const auto begin = other.begin() + static_cast<std::ptrdiff_t>(first[std::size_t(a)]);
        const auto end = other.begin() + static_cast<std::ptrdiff_t>(first[std::size_t(a) + 1]);
        return static_cast<std::size_t>(std::lower_bound(begin, end, b) - other.begin());
    }
};

/// Local edges of a tetrahedron; node 4 + e is the middle of edge e.
constexpr std::array<std::array<std::size_t, 2>, 6> local_edges{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

Edges edges_of(const TetMesh& m)
{
    Edges e;
    std::vector<std::size_t> first(m.vertex_count() + 1, 0);
    const auto each = [&](auto&& f) {
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            for (const auto& [i, j] : local_edges) {
                const auto a = m.corner[i][t], b = m.corner[j][t];
                f(static_cast<std::size_t>(std::min(a, b)), std::max(a, b));
            }
    };
    each([&](std::size_t a, std::int32_t) { ++first[a + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> all(6 * m.tetrahedron_count());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    each([&](std::size_t a, std::int32_t b) { all[next[a]++] = b; });
    e.first.assign(first.size(), 0);
    std::size_t kept = 0;
    for (std::size_t v = 0; v + 1 < first.size(); ++v) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first[v]);
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(first[v + 1]);
        std::sort(begin, end);
        const auto unique_end = std::unique(begin, end);
        kept = static_cast<std::size_t>(
            std::copy(begin, unique_end, all.begin() + static_cast<std::ptrdiff_t>(kept)) -
            all.begin());
        e.first[v + 1] = kept;
    }
    all.resize(kept);
    e.other = std::move(all);
    return e;
}

using Child = std::array<std::size_t, 4>;

/// The children for each choice of the octahedron's diagonal: middles of the edges (0 1, 2 3), (0
/// 2, 1 3) or (0 3, 1 2); corners first, then the four around the diagonal, all positively
/// oriented.
std::array<std::array<Child, 8>, 3> make_children()
{
    constexpr std::array<std::array<std::size_t, 2>, 3> diagonal{{{4, 9}, {5, 8}, {6, 7}}};
    // the other four middles, in cyclic order around each diagonal
    constexpr std::array<std::array<std::size_t, 4>, 3> ring{
        {{5, 6, 8, 7}, {4, 6, 9, 7}, {4, 5, 9, 8}}};
    const std::array<Vec3, 4> corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    std::array<Vec3, 10> p{};
    for (std::size_t i = 0; i < 4; ++i)
        p[i] = corner[i];
    for (std::size_t e = 0; e < 6; ++e)
        p[4 + e] = 0.5 * (corner[local_edges[e][0]] + corner[local_edges[e][1]]);
    const auto oriented = [&](Child c) {
        if (dot(cross(p[c[1]] - p[c[0]], p[c[2]] - p[c[0]]), p[c[3]] - p[c[0]]) < 0)
            std::swap(c[2], c[3]);
        return c;
    };
    std::array<std::array<Child, 8>, 3> all{};
    for (std::size_t d = 0; d < 3; ++d) {
        all[d][0] = oriented({0, 4, 5, 6});
        all[d][1] = oriented({1, 4, 7, 8});
        all[d][2] = oriented({2, 5, 7, 9});
        all[d][3] = oriented({3, 6, 8, 9});
        for (std::size_t i = 0; i < 4; ++i)
            all[d][4 + i] =
                oriented({diagonal[d][0], diagonal[d][1], ring[d][i], ring[d][(i + 1) % 4]});
    }
    return all;
}

/// The shortest diagonal; of several as short the one whose four tetrahedra are of the better
/// shape: Kuhn's have two, and keep their shape with one of them. All four have an eighth of the
/// parent's volume, so that the sum of squared edges tells the shape (quality()).
std::size_t best_diagonal(const std::array<std::array<Child, 8>, 3>& children, const TetMesh& m,
                          const std::array<std::int32_t, 10>& node)
{
    constexpr double as_short = 1 + 1e-6; // coordinates may have come from single precision
    const auto square = [&](std::size_t a, std::size_t b) {
        const Vec3 v = m.vertex(static_cast<std::size_t>(node[a])) -
                       m.vertex(static_cast<std::size_t>(node[b]));
        return dot(v, v);
    };
    const auto worst_sum = [&](const std::array<Child, 8>& of) {
        double worst = 0;
        for (std::size_t i = 4; i < 8; ++i) {
            double sum = 0;
            for (const auto& [a, b] : local_edges)
                sum += square(of[i][a], of[i][b]);
            worst = std::max(worst, sum);
        }
        return worst;
    };
    // edges d and 5 - d are opposite
    const std::array<double, 3> length{square(4, 9), square(5, 8), square(6, 7)};
    const double least = *std::min_element(length.begin(), length.end());
    std::size_t best = 3;
    for (std::size_t d = 0; d < 3; ++d)
        if (length[d] <= as_short * least &&
            (best == 3 || worst_sum(children[d]) < worst_sum(children[best])))
            best = d;
    return best;
}

/// Bit k is set when the local node lies on face k of its tetrahedron.
std::array<unsigned, 10> face_masks()
{
    std::array<unsigned, 10> mask{};
    for (unsigned i = 0; i < 4; ++i)
        mask[i] = 15U & ~(1U << i);
    for (std::size_t e = 0; e < 6; ++e)
        mask[4 + e] = mask[local_edges[e][0]] & mask[local_edges[e][1]];
    return mask;
}

/// The children's face markers: a child's face on a face of its parent inherits, inner ones have
/// none.
void inherit_markers(const Field& from, std::size_t t, const Child& c, float* to)
{
    static const auto mask = face_masks();
    for (std::size_t k = 0; k < 4; ++k) {
        unsigned on = 15;
        for (std::size_t i = 0; i < 4; ++i)
            if (i != k)
                on &= mask[c[i]];
        to[k] = 0;
        for (std::size_t f = 0; f < 4; ++f)
            if (on == (1U << f))
                to[k] = from.values[4 * t + f];
    }
}

void refine_vertex_field(const Field& from, const Edges& edges, std::size_t nv, Field& to)
{
    const auto comps = static_cast<std::size_t>(from.components);
    to.values = from.values;
    to.values.resize((nv + edges.other.size()) * comps);
    for (std::size_t a = 0; a < nv; ++a)
        for (std::size_t e = edges.first[a]; e < edges.first[a + 1]; ++e)
            for (std::size_t c = 0; c < comps; ++c)
                to.values[(nv + e) * comps + c] =
                    0.5F * (from.values[a * comps + c] +
                            from.values[static_cast<std::size_t>(edges.other[e]) * comps + c]);
}

Directions eightfold(const Directions& d)
{
    Directions r;
    r.resize(8 * d.size());
    for (std::size_t i = 0; i < r.size(); ++i)
        r.x[i] = d.x[i / 8], r.y[i] = d.y[i / 8], r.z[i] = d.z[i / 8];
    return r;
}

} // namespace

TetMesh refine(const TetMesh& m, const Progress& progress)
{
    static const auto children = make_children();
    progress.at(0, "refining");
    const std::size_t n = m.tetrahedron_count(), nv = m.vertex_count();
    const Edges edges = edges_of(m);
    constexpr std::size_t limit = std::size_t{std::numeric_limits<std::int32_t>::max()} / 2;
    if (8 * n > limit || nv + edges.other.size() > limit)
        throw MeshError("", "refining would give more tetrahedra than 32-bit indices can count");
    progress.at(0.4, "refining");

    TetMesh r;
    r.label_names = m.label_names;
    r.x = m.x, r.y = m.y, r.z = m.z;
    const std::size_t nr = nv + edges.other.size();
    r.x.resize(nr), r.y.resize(nr), r.z.resize(nr);
    for (std::size_t a = 0; a < nv; ++a)
        for (std::size_t e = edges.first[a]; e < edges.first[a + 1]; ++e) {
            const auto b = static_cast<std::size_t>(edges.other[e]);
            r.x[nv + e] = 0.5 * (m.x[a] + m.x[b]);
            r.y[nv + e] = 0.5 * (m.y[a] + m.y[b]);
            r.z[nv + e] = 0.5 * (m.z[a] + m.z[b]);
        }
    for (auto& c : r.corner)
        c.resize(8 * n);
    r.region.resize(8 * n);
    const Field* const markers = face_markers(m);
    std::vector<float> child_markers(markers ? 32 * n : 0);
    for (std::size_t t = 0; t < n; ++t) {
        if (t % 65536 == 0)
            progress.at(0.4 + 0.6 * static_cast<double>(t) / static_cast<double>(n), "refining");
        std::array<std::int32_t, 10> node{};
        for (std::size_t k = 0; k < 4; ++k)
            node[k] = m.corner[k][t];
        for (std::size_t e = 0; e < 6; ++e)
            node[4 + e] = static_cast<std::int32_t>(
                nv + edges.find(node[local_edges[e][0]], node[local_edges[e][1]]));
        const auto& chosen = children[best_diagonal(children, r, node)];
        for (std::size_t i = 0; i < 8; ++i) {
            const Child& c = chosen[i];
            for (std::size_t k = 0; k < 4; ++k)
                r.corner[k][8 * t + i] = node[c[k]];
            r.region[8 * t + i] = m.region[t];
            if (markers)
                inherit_markers(*markers, t, c, child_markers.data() + 4 * (8 * t + i));
        }
    }
    if (!m.fibre.empty())
        r.fibre = eightfold(m.fibre);
    if (!m.sheet.empty())
        r.sheet = eightfold(m.sheet);
    if (!m.normal.empty())
        r.normal = eightfold(m.normal);
    for (const auto& f : m.fields) {
        Field to{f.name, f.on, f.components, {}};
        const auto comps = static_cast<std::size_t>(f.components);
        if (&f == markers) { // one field, so that this is reached once
            to.values.swap(child_markers);
        } else if (f.on == Field::On::vertices) {
            refine_vertex_field(f, edges, nv, to);
        } else {
            to.values.resize(8 * f.values.size());
            for (std::size_t i = 0; i < 8 * n; ++i)
                std::copy_n(f.values.begin() + static_cast<std::ptrdiff_t>(i / 8 * comps), comps,
                            to.values.begin() + static_cast<std::ptrdiff_t>(i * comps));
        }
        r.fields.push_back(std::move(to));
    }
    progress.at(1, "refining");
    return r;
}

} // namespace tawara::mesh
