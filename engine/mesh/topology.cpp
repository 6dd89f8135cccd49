// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/topology.hpp"

#include "engine/core/thread_pool.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <numeric>

namespace tawara::mesh {
namespace {

/// A face under its smallest vertex: the other two, and 4 * tetrahedron + face.
struct FaceRecord
{
    std::int32_t middle, last;
    std::uint32_t code;

    bool same_face(const FaceRecord& o) const { return middle == o.middle && last == o.last; }
    bool operator<(const FaceRecord& o) const
    {
        return middle != o.middle ? middle < o.middle
                                  : (last != o.last ? last < o.last : code < o.code);
    }
};

std::array<std::int32_t, 3> sorted_face(const TetMesh& m, std::size_t t, std::size_t k)
{
    const auto c = m.corners(t);
    std::array<std::int32_t, 3> f{};
    for (std::size_t i = 0; i < 3; ++i)
        f[i] = c[static_cast<std::size_t>(face_corners[k][i])];
    std::sort(f.begin(), f.end());
    return f;
}

[[noreturn]] void refuse_shared_face(const FaceRecord* r)
{
    const auto tet = [&](int i) { return std::to_string(r[i].code / 4); };
    throw MeshError("", "one face belongs to the three tetrahedra " + tet(0) + ", " + tet(1) +
                            " and " + tet(2) +
                            " (counted from 0); at most two may share a face, so they overlap");
}

/// The faces of all tetrahedra, in buckets by smallest vertex; first has one entry more than
/// vertices.
std::vector<FaceRecord> faces_by_vertex(const TetMesh& m, std::vector<std::size_t>& first)
{
    const std::size_t n = m.tetrahedron_count();
    first.assign(m.vertex_count() + 1, 0);
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t k = 0; k < 4; ++k)
            ++first[static_cast<std::size_t>(sorted_face(m, t, k)[0]) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<FaceRecord> faces(4 * n);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t k = 0; k < 4; ++k) {
            const auto f = sorted_face(m, t, k);
            faces[next[static_cast<std::size_t>(f[0])]++] = {f[1], f[2],
                                                             static_cast<std::uint32_t>(4 * t + k)};
        }
    return faces;
}

} // namespace

std::vector<std::array<std::int32_t, 4>> face_neighbours(const TetMesh& m, const Progress& progress)
{
    progress.at(0, "neighbours");
    std::vector<std::size_t> first;
    auto faces = faces_by_vertex(m, first);
    std::vector<std::array<std::int32_t, 4>> neighbour(m.tetrahedron_count(), {-1, -1, -1, -1});
    const auto join = [&](std::size_t v) {
        FaceRecord* const begin = faces.data() + first[v];
        FaceRecord* const end = faces.data() + first[v + 1];
        std::sort(begin, end);
        for (FaceRecord* r = begin; r + 1 < end; ++r) {
            if (!r[0].same_face(r[1]))
                continue;
            if (r + 2 < end && r[1].same_face(r[2]))
                refuse_shared_face(r);
            neighbour[r[0].code / 4][r[0].code % 4] = static_cast<std::int32_t>(r[1].code / 4);
            neighbour[r[1].code / 4][r[1].code % 4] = static_cast<std::int32_t>(r[0].code / 4);
            ++r;
        }
    };
    const std::size_t vertices = first.size() - 1;
    constexpr std::size_t few = 50'000, piece = 1 << 20; // not worth threads; between two reports
    if (vertices < few) {
        for (std::size_t v = 0; v < vertices; ++v)
            join(v);
    } else {
        ThreadPool pool(progress.context.threads); // each face is of one vertex, so of one thread
        for (std::size_t from = 0; from < vertices; from += piece) {
            progress.at(0.5 + 0.5 * static_cast<double>(from) / static_cast<double>(vertices),
                        "neighbours");
            pool.for_range(std::min(piece, vertices - from), 1024,
                           [&](std::size_t begin, std::size_t end, unsigned) {
                               for (std::size_t v = from + begin; v < from + end; ++v)
                                   join(v);
                           });
        }
    }
    progress.at(1, "neighbours");
    return neighbour;
}

VertexStars vertex_stars(const TetMesh& m)
{
    const std::size_t n = m.tetrahedron_count();
    VertexStars s;
    s.first.assign(m.vertex_count() + 1, 0);
    for (const auto& c : m.corner)
        for (const auto v : c)
            ++s.first[static_cast<std::size_t>(v) + 1];
    std::partial_sum(s.first.begin(), s.first.end(), s.first.begin());
    s.tets.resize(4 * n);
    std::vector<std::int64_t> next(s.first.begin(), s.first.end() - 1);
    for (std::size_t t = 0; t < n; ++t)
        for (const auto& c : m.corner) {
            auto& at = next[static_cast<std::size_t>(c[t])];
            s.tets[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(t);
        }
    return s;
}

Pieces pieces(const std::vector<std::array<std::int32_t, 4>>& neighbours)
{
    Pieces p;
    p.of.assign(neighbours.size(), -1);
    std::vector<std::int32_t> front;
    for (std::size_t seed = 0; seed < neighbours.size(); ++seed) {
        if (p.of[seed] >= 0)
            continue;
        const auto id = static_cast<std::int32_t>(p.size.size());
        p.size.push_back(0);
        p.of[seed] = id;
        front.push_back(static_cast<std::int32_t>(seed));
        while (!front.empty()) {
            const auto t = static_cast<std::size_t>(front.back());
            front.pop_back();
            ++p.size.back();
            for (const auto o : neighbours[t])
                if (o >= 0 && p.of[static_cast<std::size_t>(o)] < 0) {
                    p.of[static_cast<std::size_t>(o)] = id;
                    front.push_back(o);
                }
        }
    }
    // number by falling size; equal sizes keep the order of their first tetrahedra
    std::vector<std::int32_t> order(p.size.size()), rank(p.size.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return p.size[static_cast<std::size_t>(a)] > p.size[static_cast<std::size_t>(b)];
    });
    std::vector<std::int64_t> size;
    for (std::size_t i = 0; i < order.size(); ++i) {
        rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
        size.push_back(p.size[static_cast<std::size_t>(order[i])]);
    }
    for (auto& o : p.of)
        o = rank[static_cast<std::size_t>(o)];
    p.size = std::move(size);
    return p;
}

} // namespace tawara::mesh
