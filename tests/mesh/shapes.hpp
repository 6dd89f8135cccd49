// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Meshes for the tests of tests/mesh: shells cut from a slab, a small mesh with everything on it.
#include "engine/mesh/check.hpp"

#include <cmath>
#include <functional>
#include <map>

namespace shapes {

using namespace tawara;
using namespace tawara::mesh;

inline double volume(const TetMesh& m)
{
    double v = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        v += m.volume(t);
    return v;
}

/// The tetrahedra of a slab around the origin whose centroids satisfy `inside`.
inline TetMesh carved(const Vec3& size, double h, const std::function<bool(const Vec3&)>& inside)
{
    const TetMesh s = slab(size, h);
    TetMesh m;
    m.x = s.x, m.y = s.y, m.z = s.z;
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        m.x[v] -= size[0] / 2, m.y[v] -= size[1] / 2, m.z[v] -= size[2] / 2;
    TetMesh r = m;
    for (std::size_t t = 0; t < s.tetrahedron_count(); ++t) {
        Vec3 c{};
        for (const auto v : s.corners(t))
            c = c + 0.25 * m.vertex(static_cast<std::size_t>(v));
        if (inside(c))
            r.add_tetrahedron(s.corners(t), 1);
    }
    check_and_clean(r, "carved");
    return r;
}

/// A small mesh with labels, directions and a field on vertices and on tetrahedra.
inline TetMesh rich()
{
    TetMesh m = slab({20, 6, 4}, 2);
    Field f{"coordinate", Field::On::vertices, 1, {}}, g{"pair", Field::On::tetrahedra, 2, {}};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        f.values.push_back(static_cast<float>(m.x[v] * 0.1 + m.z[v]));
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        m.region[t] = m.centroid(t)[0] < 8 ? 3 : 7;
        const double a = 0.1 * static_cast<double>(t);
        m.fibre.set(t, {std::cos(a), std::sin(a), 0});
        m.sheet.set(t, {-std::sin(a), std::cos(a), 0});
        g.values.push_back(static_cast<float>(t));
        g.values.push_back(-0.5F);
    }
    m.fields = {f, g};
    return m;
}

} // namespace shapes
