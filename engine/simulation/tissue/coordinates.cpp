// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/coordinates.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/generator/fibres.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tawara::simulation {
namespace {

/// Mean of the places of vertices or tetrahedra for which `chosen` is true.
template <class Place, class Chosen>
Vec3 mean_where(std::size_t n, Place place, Chosen chosen)
{
    Vec3 sum{};
    double count = 0;
    for (std::size_t k = 0; k < n; ++k)
        if (chosen(k)) {
            sum = sum + place(k);
            count += 1;
        }
    return (1 / std::max(count, 1.0)) * sum;
}

/// Sector of an angle [degrees, from anterior by the septum] at a height, 0 base to 1 apex.
int segment_of(double depth, double angle)
{
    constexpr double apical_cap = 0.92; // beyond the cavity's end
    if (depth > apical_cap)
        return 17;
    const double level = depth / apical_cap;
    if (level < 2.0 / 3)
        return (level < 1.0 / 3 ? 1 : 7) + static_cast<int>((angle + 30) / 60) % 6;
    return 13 + static_cast<int>((angle + 45) / 90) % 4;
}

mesh::Field segments(const mesh::TetMesh& m, const mesh::generator::WallPotentials& w,
                     const std::vector<double>& height)
{
    const std::size_t n = m.tetrahedron_count(), vertices = m.vertex_count();
    const auto side = mesh::generator::ventricles(m, w);
    const auto vertex = [&](std::size_t v) { return m.vertex(v); };
    const auto centroid = [&](std::size_t t) { return m.centroid(t); };
    const Vec3 base = mean_where(vertices, vertex, [&](auto v) { return height[v] > 0.9; });
    const Vec3 apex = mean_where(vertices, vertex, [&](auto v) { return height[v] < 0.05; });
    const Vec3 left = mean_where(n, centroid, [&](auto t) { return side[t] != 2; });
    const Vec3 right = mean_where(n, centroid, [&](auto t) { return side[t] == 2; });
    const Vec3 axis = normalized(apex - base);
    const Vec3 across = right - left;
    const Vec3 septal = normalized(across - dot(across, axis) * axis);
    const Vec3 anterior = cross(septal, axis);
    mesh::Field f{"aha_segment", mesh::Field::On::tetrahedra, 1, std::vector<float>(n, 0)};
    for (std::size_t t = 0; t < n; ++t) {
        if (side[t] == 2)
            continue;
        double up = 0;
        for (auto v : m.corners(t))
            up += 0.25 * height[static_cast<std::size_t>(v)];
        const Vec3 d = m.centroid(t) - left;
        const double angle =
            std::atan2(dot(d, septal), dot(d, anterior)) * 180 / std::numbers::pi + 360;
        f.values[t] = static_cast<float>(segment_of(1 - up, angle));
    }
    return f;
}

} // namespace

bool add_heart_coordinates(mesh::TetMesh& m, const mesh::Surface& surface, const Progress& progress)
{
    const auto has = [&](mesh::Wall wall) {
        return std::find(surface.wall.begin(), surface.wall.end(), wall) != surface.wall.end();
    };
    if (!has(mesh::Wall::epi) || !has(mesh::Wall::endo_lv))
        return false;
    const bool depth = !m.field("transmural"), height = !m.field("apex_base"),
               aha = !m.field("aha_segment") && has(mesh::Wall::endo_rv);
    if (!depth && !height && !aha)
        return true;
    try {
        const auto w = mesh::generator::wall_potentials(m, surface, progress);
        const auto on_vertices = [](const char* name, const std::vector<double>& v) {
            return mesh::Field{name, mesh::Field::On::vertices, 1, {v.begin(), v.end()}};
        };
        const auto up = mesh::generator::apex_base(m, w);
        if (depth)
            m.fields.push_back(on_vertices("transmural", mesh::generator::transmural(w)));
        if (height)
            m.fields.push_back(on_vertices("apex_base", up));
        if (aha)
            m.fields.push_back(segments(m, w, up));
    } catch (const MeshError&) { // no base and no rim, or pieces apart: no coordinates
        return false;
    }
    return true;
}

} // namespace tawara::simulation
