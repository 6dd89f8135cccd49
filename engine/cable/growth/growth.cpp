// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/growth/growth.hpp"

#include "engine/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tawara::cable {
namespace {

constexpr double fibre_radius_um = 25; // of grown pieces; sessions give their own

/// v turned about a unit axis at right angles to it.
Vec3 turned(const Vec3& v, const Vec3& axis, double angle)
{
    return std::cos(angle) * v + std::sin(angle) * cross(axis, v);
}

double least_distance(std::span<const Vec3> points, const Vec3& p)
{
    double least = std::numeric_limits<double>::infinity();
    for (const auto& q : points)
        least = std::min(least, norm(q - p));
    return least;
}

} // namespace

Growth::Growth(const GrowthParameters& p)
    : p_(p), near_(std::max({p.branch_mm, 2 * p.segment_mm, 2 * p.clearance_mm}))
{
}

std::int32_t Growth::add_point(std::int32_t parent, const Vec3& at_mm, Fascicle kind)
{
    tree_.parent.push_back(parent);
    tree_.point_mm.push_back(at_mm);
    tree_.radius_um.push_back(fibre_radius_um);
    tree_.kind.push_back(static_cast<std::int32_t>(kind));
    near_.add(at_mm);
    return static_cast<std::int32_t>(tree_.points()) - 1;
}

std::int32_t Growth::add_line(std::int32_t from, const Vec3& to_mm, Fascicle kind)
{
    const Vec3 a = tree_.point_mm[static_cast<std::size_t>(from)];
    const auto n = std::max(1, static_cast<int>(std::ceil(norm(to_mm - a) / p_.segment_mm)));
    for (int k = 1; k <= n; ++k) {
        const double part = static_cast<double>(k) / n;
        from = add_point(from, (1 - part) * a + part * to_mm, kind);
    }
    return from;
}

Tip Growth::add_trunk(const Patch& patch, Tip from, double length_mm, Fascicle kind,
                      const std::function<Vec3(const Vec3&)>& wanted)
{
    const auto n = std::max(1, static_cast<int>(std::lround(length_mm / p_.segment_mm)));
    for (int k = 0; k < n; ++k) {
        auto at = from.at;
        Vec3 direction = along_surface(patch, at, wanted(at.at_mm));
        if (dot(direction, direction) == 0 || !walk(patch, at, direction, length_mm / n))
            return from;
        from = {add_point(from.point, at.at_mm, kind), at, direction};
    }
    return from;
}

/// Two uniform numbers and a spare one.
Vec3 Growth::draw(std::int64_t branch, std::uint32_t which) const
{
    constexpr std::uint16_t stream = 28;
    const auto w = random_words(
        {static_cast<std::uint64_t>(p_.seed), static_cast<std::uint64_t>(branch), 0, stream},
        which);
    return {uniform_of(w[0], w[1]), uniform_of(w[2], w[3]), 0};
}

double Growth::length_of(std::int64_t branch) const
{
    const Vec3 u = draw(branch, 0);
    const double normal = std::sqrt(-2 * std::log(1 - u[0])) *
                          std::cos(2 * std::numbers::pi * u[1]); // Box and Muller 1958
    return std::max(p_.branch_mm + p_.branch_spread_mm * normal, p_.branch_mm / 4);
}

/// The nearest point that repels a branch, of which `tip` is the last point, at p.
NearPoints::Found Growth::others(const Vec3& p, std::int32_t tip)
{
    // two ways from a fork part by 2 s sin(angle) after s: relatives are what is nearer to the fork
    const double related_mm =
        p_.clearance_mm / std::max(std::sin(p_.angle_deg * std::numbers::pi / 180), 0.05);
    const auto each_above = [&](std::int32_t point, auto&& found) {
        double way = 0;
        for (auto k = point; k >= 0 && way < related_mm;
             k = tree_.parent[static_cast<std::size_t>(k)]) {
            if (found(static_cast<std::size_t>(k)))
                return true;
            way += piece_mm(tree_, static_cast<std::size_t>(k));
        }
        return false;
    };
    ++asked_;
    above_.resize(tree_.points(), 0);
    each_above(tip, [&](std::size_t k) {
        above_[k] = asked_;
        return false;
    });
    return near_.nearest(p, [&](std::int32_t q) {
        return !each_above(q, [&](std::size_t k) { return above_[k] == asked_; });
    });
}

void Growth::grow(const Patch& patch, std::int32_t number)
{
    auto& b = branches_[static_cast<std::size_t>(number)];
    const double length = length_of(number);
    const auto n = std::max(1, static_cast<int>(std::lround(length / p_.segment_mm)));
    auto nearest = others(b.tip.at.at_mm, b.tip.point);
    for (int k = 0; k < n; ++k) {
        auto at = b.tip.at;
        Vec3 direction = b.tip.direction;
        if (nearest.point >= 0 && nearest.distance_mm > 0) {
            const Vec3 away = at.at_mm - tree_.point_mm[static_cast<std::size_t>(nearest.point)];
            direction = direction + (p_.repulsion / nearest.distance_mm) * away;
        }
        direction = along_surface(patch, at, direction);
        if (dot(direction, direction) == 0 || !walk(patch, at, direction, length / n) ||
            rim_distance_mm(patch, at) < p_.base_margin_mm)
            return;
        nearest = others(at.at_mm, b.tip.point);
        if (nearest.distance_mm < p_.clearance_mm)
            return;
        b.tip = {add_point(b.tip.point, at.at_mm, b.kind), at, direction};
    }
    b.goes_on = true;
}

void Growth::add_fractal(const Patch& patch, std::span<const Tip> tips,
                         std::span<const Fascicle> kinds)
{
    std::vector<std::int32_t> open;
    const auto begin = [&](const Tip& tip, Fascicle kind) {
        open.push_back(static_cast<std::int32_t>(branches_.size()));
        branches_.push_back({tip, kind});
    };
    for (std::size_t k = 0; k < tips.size(); ++k)
        begin(tips[k], kinds[k]);
    const double angle = p_.angle_deg * std::numbers::pi / 180;
    for (int generation = 0; generation < p_.generations && !open.empty(); ++generation) {
        auto now = std::move(open);
        open.clear();
        std::vector<std::pair<double, std::int32_t>> order;
        for (const auto b : now)
            order.emplace_back(draw(b, 1)[0], b);
        std::sort(order.begin(), order.end());
        for (const auto& [key, b] : order)
            grow(patch, b);
        for (const auto b : now) {
            const auto mother = branches_[static_cast<std::size_t>(b)];
            if (!mother.goes_on)
                continue;
            const Vec3 axis = patch.normal(mother.tip.at.triangle);
            for (const double side : {-1.0, 1.0}) {
                auto tip = mother.tip;
                tip.direction = turned(tip.direction, axis, side * angle);
                begin(tip, mother.kind);
            }
        }
    }
}

/// A twig from a point of the tree to a place on the wall. @return false where it has no room
bool Growth::grow_twig(const Patch& patch, std::int32_t from, const Vec3& to)
{
    const auto start = static_cast<std::size_t>(from);
    const auto kind = static_cast<Fascicle>(tree_.kind[start]);
    Tip tip{from, nearest_on(patch, tree_.point_mm[start]), {}};
    const double way = norm(to - tip.at.at_mm);
    tip.direction = along_surface(patch, tip.at, to - tip.at.at_mm);
    const auto parent = tree_.parent[start];
    if (way < p_.segment_mm && parent >= 0) // the place is on the branch: across it
        tip.direction =
            along_surface(patch, tip.at,
                          cross(patch.normal(tip.at.triangle),
                                tip.at.at_mm - tree_.point_mm[static_cast<std::size_t>(parent)]));
    const double length = std::max(way, p_.clearance_mm);
    const auto n = static_cast<int>(std::ceil(length / p_.segment_mm));
    bool any = false;
    for (int k = 0; k < n; ++k) {
        auto next = tip;
        if (dot(next.direction, next.direction) == 0 ||
            !walk(patch, next.at, next.direction, length / n) ||
            rim_distance_mm(patch, next.at) < p_.base_margin_mm ||
            others(next.at.at_mm, tip.point).distance_mm < p_.clearance_mm / 2)
            break;
        next.point = add_point(tip.point, next.at.at_mm, kind);
        tip = next;
        any = true;
    }
    return any;
}

void Growth::add_twigs(const Patch& patch, std::span<const Fascicle> kinds)
{
    if (!(p_.reach_mm > 0))
        return;
    std::vector<Vec3> ends;
    std::vector<std::int32_t> inner; // points that twigs may leave
    {
        std::vector<char> is_end(tree_.points(), 0);
        for (const auto e : ends_of(tree_))
            is_end[static_cast<std::size_t>(e)] = 1;
        for (std::size_t i = 0; i < tree_.points(); ++i) {
            if (std::find(kinds.begin(), kinds.end(), static_cast<Fascicle>(tree_.kind[i])) ==
                kinds.end())
                continue;
            if (is_end[i])
                ends.push_back(tree_.point_mm[i]);
            else
                inner.push_back(static_cast<std::int32_t>(i));
        }
    }
    if (inner.empty())
        return;
    std::vector<std::pair<double, std::size_t>> gaps; // the farthest first
    for (std::size_t v = 0; v < patch.point.size(); ++v)
        if (patch.to_rim_mm[v] >= p_.base_margin_mm)
            if (const double d = least_distance(ends, patch.point[v]); d > p_.reach_mm)
                gaps.emplace_back(-d, v);
    std::sort(gaps.begin(), gaps.end());
    for (const auto& [d, v] : gaps) {
        const Vec3 to = patch.point[v];
        if (least_distance(ends, to) <= p_.reach_mm)
            continue;
        const auto from = *std::min_element(inner.begin(), inner.end(), [&](auto a, auto b) {
            return norm(tree_.point_mm[static_cast<std::size_t>(a)] - to) <
                   norm(tree_.point_mm[static_cast<std::size_t>(b)] - to);
        });
        const auto before = static_cast<std::int32_t>(tree_.points());
        if (!grow_twig(patch, from, to))
            continue;
        const auto end = static_cast<std::int32_t>(tree_.points()) - 1;
        ends.push_back(tree_.point_mm[static_cast<std::size_t>(end)]);
        for (auto i = before; i < end; ++i)
            inner.push_back(i);
    }
}

} // namespace tawara::cable
