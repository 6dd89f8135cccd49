// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/measure.hpp"

#include "engine/mesh/topology.hpp"

#include <algorithm>

namespace tawara::mesh {

double mean_edge_mm(const TetMesh& m)
{
    double sum = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                sum += norm(m.vertex(static_cast<std::size_t>(c[i])) -
                            m.vertex(static_cast<std::size_t>(c[j])));
    }
    return sum / (6.0 * static_cast<double>(std::max<std::size_t>(m.tetrahedron_count(), 1)));
}

Grain grain(const TetMesh& m)
{
    constexpr double alike = 0.01;
    const std::size_t n = m.tetrahedron_count();
    double sum = 0, squares = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const double v = m.volume(t);
        sum += v;
        squares += v * v;
    }
    const double mean = sum / static_cast<double>(n);
    const double variance = squares / static_cast<double>(n) - mean * mean;
    return {mean_edge_mm(m), !(variance > alike * alike * mean * mean)};
}

Counts counts(const TetMesh& m, const Progress& progress)
{
    Counts c;
    c.vertices = static_cast<std::int64_t>(m.vertex_count());
    c.tetrahedra = static_cast<std::int64_t>(m.tetrahedron_count());
    const auto stars = vertex_stars(m);
    std::vector<std::int32_t> others;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) { // each edge under its smaller vertex
        others.clear();
        for (auto at = stars.first[v]; at < stars.first[v + 1]; ++at)
            for (auto w :
                 m.corners(static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(at)])))
                if (static_cast<std::size_t>(w) > v)
                    others.push_back(w);
        std::sort(others.begin(), others.end());
        c.edges += std::unique(others.begin(), others.end()) - others.begin();
    }
    std::int64_t outer = 0;
    for (const auto& neighbours : face_neighbours(m, progress.silent()))
        outer += std::count(neighbours.begin(), neighbours.end(), -1);
    c.faces = (4 * c.tetrahedra + outer) / 2;
    return c;
}

Counts refined(Counts c, int times)
{
    for (int k = 0; k < times; ++k)
        c = {c.vertices + c.edges, 2 * c.edges + 3 * c.faces + c.tetrahedra,
             4 * c.faces + 8 * c.tetrahedra, 8 * c.tetrahedra};
    return c;
}

} // namespace tawara::mesh
