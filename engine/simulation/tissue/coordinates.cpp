// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/coordinates.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/generator/fibres.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

namespace tawara::simulation {
namespace {

/// Segment at a depth along the left ventricle's axis, 0 at the base and 1 at the cavity's lowest
/// point, and an angle about it [degrees, from anterior by the septum].
int segment_of(double depth, double angle)
{
    if (depth >= 1)
        return 17;
    if (depth < 2.0 / 3)
        return (depth < 1.0 / 3 ? 1 : 7) + static_cast<int>((angle + 30) / 60) % 6;
    return 13 + static_cast<int>((angle + 45) / 90) % 4;
}

/// Long axis of the left ventricle, from the middle of its cavity's mouth to the cavity's lowest
/// point.
struct LongAxis
{
    Vec3 mouth{}, down{}; ///< down: of length 1
    double depth_mm = 0;  ///< of the lowest point, along the axis

    double depth(const Vec3& p) const { return dot(p - mouth, down) / depth_mm; }
    Vec3 across(const Vec3& p) const { return p - mouth - dot(p - mouth, down) * down; }
};

/// The edges at which the left endocardium ends, by the surface's vertices.
std::vector<std::pair<std::int32_t, std::int32_t>> mouth_edges(const mesh::Surface& s)
{
    std::map<std::pair<std::int32_t, std::int32_t>, int> times;
    for (std::size_t i = 0; i < s.triangles.size(); ++i)
        if (s.wall[i] == mesh::Wall::endo_lv)
            for (std::size_t k = 0; k < 3; ++k)
                ++times[std::minmax({s.triangles[i][k], s.triangles[i][(k + 1) % 3]})];
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    for (const auto& [edge, n] : times)
        if (n == 1)
            out.push_back(edge);
    return out;
}

/// @return nothing where the left endocardium is closed
std::optional<LongAxis> long_axis(const mesh::TetMesh& m, const mesh::Surface& s)
{
    constexpr double cap = 0.97; // of the depth: the mean over what is below has no vertex's whims
    const auto at = [&](std::int32_t v) {
        return m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(v)]));
    };
    LongAxis axis;
    double around = 0;
    for (const auto& [a, b] : mouth_edges(s)) {
        const double length = norm(at(b) - at(a));
        axis.mouth = axis.mouth + (0.5 * length) * (at(a) + at(b));
        around += length;
    }
    if (around == 0)
        return {};
    axis.mouth = (1 / around) * axis.mouth;
    Vec3 farthest = axis.mouth;
    const auto each = [&](auto f) {
        for (std::size_t i = 0; i < s.triangles.size(); ++i)
            if (s.wall[i] == mesh::Wall::endo_lv)
                f(at(s.triangles[i][0]), at(s.triangles[i][1]), at(s.triangles[i][2]));
    };
    each([&](const Vec3& a, const Vec3& b, const Vec3& c) {
        for (const Vec3& p : {a, b, c})
            if (norm(p - axis.mouth) > norm(farthest - axis.mouth))
                farthest = p;
    });
    Vec3 tip = farthest;
    for (int turn = 0; turn < 3; ++turn) {
        axis.down = normalized(tip - axis.mouth);
        axis.depth_mm = 0;
        each([&](const Vec3& a, const Vec3& b, const Vec3& c) {
            for (const Vec3& p : {a, b, c})
                axis.depth_mm = std::max(axis.depth_mm, dot(p - axis.mouth, axis.down));
        });
        Vec3 sum{};
        double area = 0;
        each([&](const Vec3& a, const Vec3& b, const Vec3& c) {
            const Vec3 middle = (1.0 / 3) * (a + b + c);
            if (axis.depth(middle) < cap)
                return;
            const double of_this = norm(cross(b - a, c - a));
            sum = sum + of_this * middle;
            area += of_this;
        });
        if (area > 0)
            tip = (1 / area) * sum;
    }
    return axis;
}

/// @return nothing where the walls give no axis or no septum
std::optional<mesh::Field> segments(const mesh::TetMesh& m, const mesh::Surface& s,
                                    const mesh::generator::WallPotentials& w)
{
    const auto axis = long_axis(m, s);
    if (!axis)
        return {};
    const std::size_t n = m.tetrahedron_count();
    const auto side = mesh::generator::ventricles(m, w);
    Vec3 sum{};
    for (std::size_t t = 0; t < n; ++t)
        if (const Vec3 out = axis->across(m.centroid(t)); side[t] == 3 && norm(out) > 0)
            sum = sum + m.volume(t) * normalized(out);
    if (norm(sum) == 0)
        return {};
    const Vec3 septal = normalized(sum), anterior = cross(septal, axis->down);
    mesh::Field f{"aha_segment", mesh::Field::On::tetrahedra, 1, std::vector<float>(n, 0)};
    for (std::size_t t = 0; t < n; ++t) {
        if (side[t] == 2)
            continue;
        const Vec3 p = m.centroid(t), out = axis->across(p);
        const double angle =
            std::atan2(dot(out, septal), dot(out, anterior)) * 180 / std::numbers::pi + 360;
        f.values[t] = static_cast<float>(segment_of(axis->depth(p), angle));
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
            if (auto f = segments(m, surface, w))
                m.fields.push_back(std::move(*f));
    } catch (const MeshError&) { // no base and no rim, or pieces apart: no coordinates
        return false;
    }
    return true;
}

} // namespace tawara::simulation
