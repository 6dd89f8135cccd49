// SPDX-License-Identifier: GPL-3.0-or-later
// Purkinje networks grown on the built-in heart: on its surface, without cycles, where they belong.
#include "engine/cable/growth/heart_network.hpp"
#include "engine/cable/growth/near_points.hpp"
#include "engine/cable/growth/patch.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/resource.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/locator.hpp"

#include <QElapsedTimer>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace tawara;
using namespace tawara::cable;

namespace {

struct Heart
{
    mesh::TetMesh mesh;
    mesh::Surface surface;
};

Heart with_surface(mesh::TetMesh m)
{
    Heart out;
    out.surface = mesh::surface(m, mesh::face_neighbours(m));
    out.mesh = std::move(m);
    return out;
}

const Heart& built_in()
{
    static const Heart heart =
        with_surface(mesh::io::read(resource("meshes/default_heart.vtu"), LengthUnit::mm).mesh);
    return heart;
}

Morphology grown(const Heart& h, const GrowthParameters& p = {})
{
    Notices notices;
    return grow_network(h.mesh, h.surface, p, "heart", notices);
}

bool in_the_air(std::int32_t kind)
{
    const auto f = static_cast<Fascicle>(kind);
    return f == Fascicle::his || f == Fascicle::left_bundle || f == Fascicle::right_bundle ||
           f == Fascicle::moderator_band;
}

std::array<int, fascicles> ends_by_fascicle(const Morphology& m)
{
    std::array<int, fascicles> out{};
    for (const auto e : ends_of(m))
        ++out[static_cast<std::size_t>(m.kind[static_cast<std::size_t>(e)])];
    return out;
}

} // namespace

class TestGrowth : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// One tree; parents in front; one seed one tree, another seed another.
    void theSameSeedGivesTheSameTree()
    {
        QElapsedTimer clock;
        clock.start();
        const auto a = grown(built_in());
        qInfo("%zu points, %zu ends in %lld ms", a.points(), ends_of(a).size(),
              static_cast<long long>(clock.elapsed()));
        const auto b = grown(built_in());
        QCOMPARE(a.parent, b.parent);
        QVERIFY(a.point_mm == b.point_mm);
        QCOMPARE(a.parent[0], -1);
        for (std::size_t i = 1; i < a.points(); ++i) {
            QVERIFY(a.parent[i] >= 0 && a.parent[i] < static_cast<std::int32_t>(i));
            QVERIFY(piece_mm(a, i) > 0);
        }
        GrowthParameters other;
        other.seed = 2;
        QVERIFY(grown(built_in(), other).point_mm != a.point_mm);
    }

    /// Points of fascicles lie on the endocardium; pieces between them stay close to it; the
    /// moderator band runs through the cavity.
    void theNetworkKeepsToTheWall()
    {
        const auto& h = built_in();
        const auto m = grown(h);
        const auto left = patch_of(h.mesh, h.surface, mesh::Wall::endo_lv),
                   right = patch_of(h.mesh, h.surface, mesh::Wall::endo_rv);
        const mesh::Locator locator(h.mesh);
        const auto off = [&](const Vec3& p) {
            return std::min(norm(nearest_on(left, p).at_mm - p),
                            norm(nearest_on(right, p).at_mm - p));
        };
        double at_points = 0, between = 0;
        int band = 0;
        for (std::size_t i = 1; i < m.points(); ++i) {
            const auto parent = static_cast<std::size_t>(m.parent[i]);
            const Vec3 middle = 0.5 * (m.point_mm[i] + m.point_mm[parent]);
            if (m.kind[i] == static_cast<int>(Fascicle::moderator_band)) {
                ++band;
                QVERIFY(locator.find(middle).distance_mm > 0);
            }
            if (in_the_air(m.kind[i]) || i % 7 != 0)
                continue;
            at_points = larger_or_nan(at_points, off(m.point_mm[i]));
            between = larger_or_nan(between, off(middle));
        }
        qInfo("points off the wall by %.2g mm, middles of pieces by %.2g mm; band of %d pieces",
              at_points, between, band);
        QVERIFY(at_points < 1e-9);
        QVERIFY(between < 0.15);
        QVERIFY(band > 10);
    }

    /// Points that are far from each other along the tree are not near each other in space, so that
    /// no two pieces cross.
    void branchesDoNotCross()
    {
        const GrowthParameters p;
        constexpr double near_mm = 10; // along the tree, to where both ways meet
        const auto m = grown(built_in());
        NearPoints seen(2 * p.clearance_mm);
        std::vector<std::int32_t> above(m.points(), -1); // the last point that it is close above
        double least = 1e9;
        for (std::size_t i = 0; i < m.points(); ++i) {
            double way = 0;
            for (auto k = static_cast<std::int32_t>(i); k >= 0 && way < near_mm;
                 k = m.parent[static_cast<std::size_t>(k)]) {
                above[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(i);
                way += piece_mm(m, static_cast<std::size_t>(k));
            }
            const auto related = [&](std::int32_t q) {
                double up = 0;
                for (auto k = q; k >= 0 && up < near_mm;
                     k = m.parent[static_cast<std::size_t>(k)]) {
                    if (above[static_cast<std::size_t>(k)] == static_cast<std::int32_t>(i))
                        return true;
                    up += piece_mm(m, static_cast<std::size_t>(k));
                }
                return false;
            };
            if (!in_the_air(m.kind[i]))
                least = std::min(least,
                                 seen.nearest(m.point_mm[i],
                                              [&](std::int32_t q) {
                                                  return !in_the_air(
                                                             m.kind[static_cast<std::size_t>(q)]) &&
                                                         !related(q);
                                              })
                                     .distance_mm);
            seen.add(m.point_mm[i]);
        }
        qInfo("the nearest points that are no relatives: %.2f mm", least);
        QVERIFY(least > 0.71 * p.segment_mm);
    }

    /// Every fascicle has ends, and the endocardium below the margin has one nearby.
    void fascicleReach()
    {
        const auto& h = built_in();
        const auto m = grown(h);
        const auto ends = ends_by_fascicle(m);
        for (const auto f : {Fascicle::anterior, Fascicle::septal, Fascicle::posterior,
                             Fascicle::right_septal, Fascicle::right_free_wall}) {
            qInfo("%s: %d ends", std::string(name(f)).c_str(), ends[static_cast<std::size_t>(f)]);
            QVERIFY(ends[static_cast<std::size_t>(f)] >= 10);
        }
        for (const auto f : {Fascicle::his, Fascicle::left_bundle, Fascicle::right_bundle,
                             Fascicle::moderator_band})
            QCOMPARE(ends[static_cast<std::size_t>(f)], 0);
        for (const auto wall : {mesh::Wall::endo_lv, mesh::Wall::endo_rv}) {
            const auto patch = patch_of(h.mesh, h.surface, wall);
            std::vector<double> far;
            for (std::size_t v = 0; v < patch.point.size(); ++v) {
                if (patch.to_rim_mm[v] < GrowthParameters().base_margin_mm)
                    continue;
                double least = 1e9;
                for (const auto e : ends_of(m))
                    least = std::min(
                        least, norm(m.point_mm[static_cast<std::size_t>(e)] - patch.point[v]));
                far.push_back(least);
            }
            std::sort(far.begin(), far.end());
            qInfo("%s: to the nearest end, median %.1f, 95 %% %.1f, most %.1f mm",
                  std::string(mesh::name(wall)).c_str(), far[far.size() / 2],
                  far[far.size() * 95 / 100], far.back());
            QVERIFY(far[far.size() * 95 / 100] <= GrowthParameters().reach_mm);
            QVERIFY(far.back() < 2 * GrowthParameters().reach_mm);
        }
        double length = 0;
        for (std::size_t i = 1; i < m.points(); ++i)
            length += piece_mm(m, i);
        qInfo("length %.0f mm", length);
    }
};

QTEST_GUILESS_MAIN(TestGrowth)
#include "test_growth.moc"
