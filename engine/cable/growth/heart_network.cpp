// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/growth/heart_network.hpp"

#include "engine/cable/growth/growth.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tawara::cable {
namespace {

struct Frame
{
    Vec3 base{};  ///< middle of the left rim
    Vec3 down{};  ///< to the apex
    Vec3 right{}; ///< at right angles to it, to the right ventricle
    double length_mm = 0;

    /// Around the axis at a place: at the septum's left face to the back of the body.
    Vec3 around(const Vec3& p) const
    {
        const Vec3 from = p - base;
        return normalized(cross(down, from - dot(from, down) * down));
    }
};

std::vector<std::int32_t> rim_of(const Patch& patch)
{
    std::vector<std::int32_t> out;
    for (std::size_t v = 0; v < patch.point.size(); ++v)
        if (patch.to_rim_mm[v] == 0)
            out.push_back(static_cast<std::int32_t>(v));
    return out;
}

Vec3 point_at(const Patch& patch, std::int32_t v)
{
    return patch.point[static_cast<std::size_t>(v)];
}

/// The middle of the rim, each edge by its length.
Vec3 middle_of_rim(const Patch& patch)
{
    Vec3 sum{};
    double all = 0;
    for (std::size_t t = 0; t < patch.triangle.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            if (patch.across[t][k] >= 0)
                continue;
            const Vec3 a = point_at(patch, patch.triangle[t][(k + 1) % 3]),
                       b = point_at(patch, patch.triangle[t][(k + 2) % 3]);
            const double length = norm(b - a);
            sum = sum + (length / 2) * (a + b);
            all += length;
        }
    return (1 / all) * sum;
}

Frame frame_of(const Patch& left, const Patch& right)
{
    Frame f;
    f.base = middle_of_rim(left);
    Vec3 apex = f.base;
    for (const auto& p : left.point)
        if (norm(p - f.base) > norm(apex - f.base))
            apex = p;
    f.length_mm = norm(apex - f.base);
    f.down = normalized(apex - f.base);
    const Vec3 to = right.empty() ? Vec3{-1, 0, 0} : right.centroid() - left.centroid();
    f.right = normalized(to - dot(to, f.down) * f.down);
    if (dot(f.right, f.right) == 0) // the axis is x itself
        f.right = normalized(Vec3{0, 1, 0} - dot(Vec3{0, 1, 0}, f.down) * f.down);
    return f;
}

/// A place just below the rim, so that a walk can begin there.
OnPatch below_rim(const Patch& patch, const Vec3& at, const Vec3& down, double mm)
{
    return nearest_on(patch, at + mm * down);
}

/// The rim's point that lies farthest in a direction.
Vec3 farthest_on_rim(const Patch& patch, const Vec3& direction)
{
    const auto rim = rim_of(patch);
    return point_at(patch, *std::max_element(rim.begin(), rim.end(), [&](auto a, auto b) {
                        return dot(point_at(patch, a), direction) <
                               dot(point_at(patch, b), direction);
                    }));
}

Vec3 nearest_on_rim(const Patch& patch, const Vec3& p)
{
    const auto rim = rim_of(patch);
    return point_at(patch, *std::min_element(rim.begin(), rim.end(), [&](auto a, auto b) {
                        return norm(point_at(patch, a) - p) < norm(point_at(patch, b) - p);
                    }));
}

/// The left bundle and its fascicles; the fractal rule goes on from these.
void grow_left(Growth& g, const Patch& left, const Frame& f, const GrowthParameters& p,
               std::int32_t from, const OnPatch& start)
{
    from = g.add_line(from, start.at_mm, Fascicle::left_bundle);
    const auto fork = g.add_trunk(left, {from, start, {}}, p.left_bundle_mm, Fascicle::left_bundle,
                                  [&](const Vec3&) { return f.down; });
    const double angle = p.fascicle_angle_deg * std::numbers::pi / 180;
    struct Way
    {
        Fascicle kind;
        double angle, length_mm;
    };
    const Way ways[]{{Fascicle::anterior, -angle, p.fascicle_mm},
                     {Fascicle::septal, 0, p.septal_fascicle_mm},
                     {Fascicle::posterior, angle, p.fascicle_mm}};
    std::vector<Tip> tips;
    std::vector<Fascicle> kinds;
    for (const auto& way : ways) {
        const auto wanted = [&](const Vec3& q) {
            return std::cos(way.angle) * f.down + std::sin(way.angle) * f.around(q);
        };
        auto tip = g.add_trunk(left, fork, way.length_mm, way.kind, wanted);
        tip.direction = along_surface(left, tip.at, wanted(tip.at.at_mm));
        tips.push_back(tip);
        kinds.push_back(way.kind);
    }
    g.add_fractal(left, tips, kinds);
    g.add_twigs(left, kinds);
}

/// The moderator band from a place on the septum, to three sides of where it meets the free wall.
void add_band(Growth& g, const Patch& right, const Tip& from, const Frame& f,
              std::vector<Tip>& tips, std::vector<Fascicle>& kinds, Notices& notices)
{
    const auto hit = ray_hit(right, from.at, right.normal(from.at.triangle));
    if (hit.triangle < 0) {
        notices.push_back({Notice::Level::warning,
                           "no moderator band: nothing of the right endocardium lies opposite to "
                           "the right bundle's end; the right network grows from there alone"});
        return;
    }
    const auto end = g.add_line(from.point, hit.at_mm, Fascicle::moderator_band);
    const Vec3 normal = right.normal(hit.triangle);
    Vec3 direction = along_surface(right, hit, f.down);
    if (dot(direction, direction) == 0)
        direction = along_surface(right, hit, f.right);
    for (int k = 0; k < 3; ++k) {
        const double angle = 2 * std::numbers::pi / 3 * (k + 0.5);
        tips.push_back(
            {end, hit, std::cos(angle) * direction + std::sin(angle) * cross(normal, direction)});
        kinds.push_back(Fascicle::right_free_wall);
    }
}

void grow_right(Growth& g, const Patch& right, const Frame& f, const GrowthParameters& p,
                std::int32_t from, const OnPatch& start, Notices& notices)
{
    from = g.add_line(from, start.at_mm, Fascicle::right_bundle);
    double deepest = 0;
    for (const auto& q : right.point)
        deepest = std::max(deepest, dot(q - start.at_mm, f.down));
    const auto fork = g.add_trunk(right, {from, start, {}}, p.right_bundle * deepest,
                                  Fascicle::right_bundle, [&](const Vec3&) { return f.down; });
    std::vector<Tip> tips;
    std::vector<Fascicle> kinds;
    if (p.moderator_band)
        add_band(g, right, fork, f, tips, kinds, notices);
    auto tip = fork;
    tip.direction = along_surface(right, tip.at, f.down);
    tips.push_back(tip);
    kinds.push_back(Fascicle::right_septal);
    g.add_fractal(right, tips, kinds);
    g.add_twigs(right, kinds);
}

} // namespace

Morphology grow_network(const mesh::TetMesh& m, const mesh::Surface& s, const GrowthParameters& p,
                        const std::string& title, Notices& notices, const Progress& progress)
{
    progress.at(0, "growing the Purkinje network");
    const auto left = patch_of(m, s, mesh::Wall::endo_lv);
    const auto right = patch_of(m, s, mesh::Wall::endo_rv);
    if (left.empty())
        throw InputError(title, "no left endocardium was found on this mesh, which a Purkinje "
                                "network grows on; a heart with an open cavity would be right");
    if (rim_of(left).empty() || (!right.empty() && rim_of(right).empty()))
        throw InputError(title, "an endocardium of this mesh is closed all around; a heart that "
                                "is open at its base would be right, since the bundles come from "
                                "there");
    const auto f = frame_of(left, right);
    const double step = 2 * p.segment_mm;
    const Vec3 left_top = farthest_on_rim(left, f.right);
    const auto left_start = below_rim(left, left_top, f.down, step);
    Growth g(p);
    if (right.empty()) {
        notices.push_back({Notice::Level::info,
                           "the mesh has no right endocardium: the network is a left one, and the "
                           "septum is taken to be on the side of -x"});
        const auto root = g.add_point(-1, left_top - (p.his_mm + step) * f.down, Fascicle::his);
        const auto base = g.add_line(root, left_top - step * f.down, Fascicle::his);
        grow_left(g, left, f, p, base, left_start);
        return g.take();
    }
    const Vec3 right_top = nearest_on_rim(right, left_top);
    const Vec3 between = 0.5 * (left_top + right_top);
    const auto root = g.add_point(-1, between - (p.his_mm + step) * f.down, Fascicle::his);
    const auto base = g.add_line(root, between - step * f.down, Fascicle::his);
    const auto over_left = g.add_line(base, left_top - step * f.down, Fascicle::left_bundle);
    grow_left(g, left, f, p, over_left, left_start);
    progress.at(0.5, "growing the Purkinje network");
    const auto over_right = g.add_line(base, right_top - step * f.down, Fascicle::right_bundle);
    grow_right(g, right, f, p, over_right, below_rim(right, right_top, f.down, step), notices);
    return g.take();
}

} // namespace tawara::cable
