// SPDX-License-Identifier: GPL-3.0-or-later
// Volumes, areas and angles, by formulas and of meshes.
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace tawara::test {

inline double total_volume(const mesh::TetMesh& m)
{
    double sum = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        sum += m.volume(t);
    return sum;
}

inline double smallest_dihedral_deg(const mesh::TetMesh& m)
{
    double smallest = 180;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        const auto at = [&](std::size_t k) { return m.vertex(static_cast<std::size_t>(c[k])); };
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) {
                std::size_t other[2], n = 0;
                for (std::size_t k = 0; k < 4; ++k)
                    if (k != i && k != j)
                        other[n++] = k;
                const Vec3 e = at(j) - at(i);
                const Vec3 a = cross(e, at(other[0]) - at(i)), b = cross(e, at(other[1]) - at(i));
                smallest = std::min(smallest, 180 / std::numbers::pi *
                                                  std::acos(dot(normalized(a), normalized(b))));
            }
    }
    return smallest;
}

inline std::map<mesh::Wall, double> wall_areas(const mesh::TetMesh& m, const mesh::Surface& s)
{
    std::map<mesh::Wall, double> areas;
    for (std::size_t i = 0; i < s.triangles.size(); ++i) {
        std::array<Vec3, 3> p;
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = m.vertex(
                static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(s.triangles[i][k])]));
        areas[s.wall[i]] += 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
    }
    return areas;
}

/// Volume of the ellipsoid (a, a, c) below z.
inline double ellipsoid_volume(double a, double c, double z)
{
    return std::numbers::pi * a * a * (z + c - (z * z * z + c * c * c) / (3 * c * c));
}

/// Area of the ellipsoid (a, a, c) below z, by Simpson's rule in the parametric angle.
inline double ellipsoid_area(double a, double c, double z)
{
    const double top = std::asin(z / c), bottom = -std::numbers::pi / 2;
    const int n = 2000;
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
        const double u = bottom + (top - bottom) * i / n;
        const double f =
            2 * std::numbers::pi * a * std::cos(u) * std::hypot(a * std::sin(u), c * std::cos(u));
        sum += f * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
    }
    return sum * (top - bottom) / n / 3;
}

} // namespace tawara::test
