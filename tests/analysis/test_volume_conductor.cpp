// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary elements against the analytic potential of a dipole in a sphere; lead fields in a trunk.
#include "engine/analysis/torso.hpp"
#include "engine/analysis/torso_lead_field.hpp"
#include "engine/mesh/check.hpp"
#include "engine/verify/problems/sphere.hpp"

#include <QtTest>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

using namespace tawara;
using namespace tawara::analysis;

namespace {

using verify::dipole_error;
using verify::sphere;
using verify::unbounded;

constexpr double radius = verify::sphere_mm;

} // namespace

class TestVolumeConductor : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// By quadrature on many small parts, seen from the front, the back and from its plane.
    void weightedSolidAngles()
    {
        const Vec3 a{1, 0, 0.2}, b{0.1, 1.3, 0}, c{-0.7, -0.4, 0.5};
        for (const Vec3& x : {Vec3{0.2, 0.3, 1.5}, Vec3{0.2, 0.3, -0.4}, Vec3{4, 1, 2}}) {
            const auto found = linear_solid_angles(x, a, b, c);
            const Vec3 area = 0.5 * cross(b - a, c - a);
            std::array<double, 3> sum{};
            constexpr int n = 400;
            for (int i = 0; i < n; ++i)
                for (int j = 0; i + j < n; ++j)
                    for (int up = 0; up < (i + j + 1 < n ? 2 : 1); ++up) {
                        const double u = (i + (up == 0 ? 1 : 2) / 3.0) / n,
                                     v = (j + (up == 0 ? 1 : 2) / 3.0) / n;
                        const Vec3 r = (1 - u - v) * a + u * b + v * c - x;
                        const double d = dot(r, area) / std::pow(norm(r), 3) / (n * n);
                        sum[0] += (1 - u - v) * d;
                        sum[1] += u * d;
                        sum[2] += v * d;
                    }
            for (std::size_t k = 0; k < 3; ++k)
                QVERIFY2(std::abs(found[k] - sum[k]) < 1e-4,
                         qPrintable(QString("%1 %2").arg(found[k]).arg(sum[k])));
        }
        for (const double w : linear_solid_angles(0.3 * a + 0.3 * b + 0.4 * c, a, b, c))
            QCOMPARE(w, 0.0);
    }

    /// Errors of 642 vertices below 1.5 %, and of second order in the triangles' size.
    void aDipoleInASphere_data()
    {
        QTest::addColumn<double>("distance");
        QTest::addColumn<double>("along"); // the radius, else across
        for (const double d : {0.0, 50.0, 75.0})
            for (const double along : {1.0, 0.0})
                QTest::addRow("%g mm, %s", d, along > 0 ? "radial" : "tangential") << d << along;
    }
    void aDipoleInASphere()
    {
        QFETCH(double, distance);
        QFETCH(double, along);
        static const VolumeConductor coarse(sphere(2)), fine(sphere(3));
        const Vec3 p{1 - along, 0, along};
        const double a = dipole_error(coarse, distance, p), b = dipole_error(fine, distance, p);
        qInfo("162 vertices: %.2f %%, 642: %.2f %%", 100 * a, 100 * b);
        QVERIFY2(b < 0.015, qPrintable(QString::number(b)));
        QVERIFY2(a / b > 3.4, qPrintable(QString::number(a / b)));
        QVERIFY(dipole_error(coarse, distance, -1.0 * p) == a);
    }

    /// Places on the surface, inside, and outside: by transfer as from the vertices' potentials.
    void transferOfPlaces()
    {
        const VolumeConductor body(sphere(3));
        const Vec3 at{0, 0, 30}, p{0.3, 0.2, 1};
        std::vector<double> infinite;
        for (const Vec3& x : body.surface().points)
            infinite.push_back(unbounded(x, at, p));
        const auto whole = body.potential(infinite);
        const auto by_transfer = [&](const Vec3& x) {
            const auto t = body.transfer(x);
            double sum = t.own * unbounded(x, at, p);
            for (std::size_t k = 0; k < infinite.size(); ++k)
                sum += t.at_points[k] * infinite[k];
            return sum;
        };
        for (const std::size_t k : {0U, 77U, 500U}) {
            const Vec3 x = body.surface().points[k];
            QVERIFY(std::abs(by_transfer(x) - whole[k]) < 1e-9 * std::abs(whole[0]));
            QVERIFY(std::abs(by_transfer(1.7 * x) - whole[k]) < 1e-9 * std::abs(whole[0]));
            // inside it goes over into the surface's
            QVERIFY2(std::abs(by_transfer(0.998 * x) - whole[k]) < 0.03 * std::abs(whole[k]),
                     qPrintable(QString("%1 %2").arg(by_transfer(0.998 * x)).arg(whole[k])));
        }
        // halfway, for a dipole at the centre: p cos / (4 pi) (1 / r^2 + 2 r / R^3)
        const double r = 50,
                     inside = (1 / (r * r) + 2 * r / std::pow(radius, 3)) / (4 * std::numbers::pi);
        for (std::size_t k = 0; k < infinite.size(); ++k)
            infinite[k] = unbounded(body.surface().points[k], {}, {0, 0, 1});
        const auto t = body.transfer({0, 0, r});
        double sum = t.own * unbounded({0, 0, r}, {}, {0, 0, 1});
        for (std::size_t k = 0; k < infinite.size(); ++k)
            sum += t.at_points[k] * infinite[k];
        QVERIFY2(std::abs(sum / inside - 1) < 0.005, qPrintable(QString::number(sum / inside)));
    }

    /// Each edge has two triangles, in opposite directions; outward; the skin where it is said.
    void theTrunkIsClosed()
    {
        const auto s = torso_surface();
        std::map<std::pair<int, int>, int> edges;
        double volume = 0;
        for (const auto& t : s.triangles) {
            for (std::size_t k = 0; k < 3; ++k)
                ++edges[{t[k], t[(k + 1) % 3]}];
            const auto at = [&](std::size_t k) { return s.points[static_cast<std::size_t>(t[k])]; };
            volume += dot(at(0), cross(at(1), at(2))) / 6;
        }
        for (const auto& [e, n] : edges)
            QVERIFY(n == 1 && edges.count({e.second, e.first}) == 1);
        QCOMPARE(s.points.size() + s.triangles.size() - edges.size() / 2, std::size_t(2));
        QVERIFY2(volume > 22e6 && volume < 32e6, qPrintable(QString::number(volume)));
        QVERIFY(s.points.size() > 800 && s.points.size() < 1300);
        QVERIFY(place_on(s, {}).inside && !place_on(s, {0, -200, 0}).inside);
        std::mt19937 random(3);
        std::uniform_real_distribution<double> anywhere(-400, 400);
        for (int k = 0; k < 300; ++k) {
            const Vec3 x{anywhere(random), anywhere(random), anywhere(random)};
            const auto on = place_on(s, x);
            if (on.distance_mm > 4) // between the ellipse and its chords
                QCOMPARE(on.inside, torso_reach(x) < 1);
        }
    }

    /// The weights of electrodes on the skin and inside give what the dipoles of all tetrahedra
    /// give by the surface's equations.
    void leadFieldsInTheTrunk_data()
    {
        QTest::addColumn<double>("spacing"); // with the grid, and without
        QTest::newRow("fine: by the grid") << 2.0;
        QTest::newRow("coarse: directly") << 10.0;
    }
    void leadFieldsInTheTrunk()
    {
        QFETCH(double, spacing);
        const VolumeConductor body(torso_surface());
        auto m = mesh::slab({60, 40, 80}, spacing);
        for (std::size_t k = 0; k < m.vertex_count(); ++k)
            m.x[k] -= 30, m.y[k] -= 40, m.z[k] -= 40;
        const std::vector<ConductivityTensor> sigma(
            m.tetrahedron_count(), ConductivityTensor{0.17, 0.05, 0.08, 0.02, -0.01, 0.03});
        std::vector<double> v;
        for (std::size_t k = 0; k < m.vertex_count(); ++k)
            v.push_back(-85 + 115 / (1 + std::exp((m.vertex(k)[2] + m.vertex(k)[0]) / 8)));
        std::vector<double> infinite;
        for (const Vec3& x : body.surface().points)
            infinite.push_back(direct_sum(m, sigma, v, x, 0.2));
        const auto whole = body.potential(infinite);
        const double largest = std::abs(*std::max_element(whole.begin(), whole.end()));
        const std::vector<Vec3> places{
            body.surface().points[300], body.surface().points[700], {0, -64, 0}};
        const auto fields = torso_lead_fields(m, sigma, places, body, 0.2);
        QCOMPARE(fields.size(), places.size());
        for (std::size_t e = 0; e < places.size(); ++e) {
            double sum = 0, weights = 0, size = 0;
            for (std::size_t k = 0; k < v.size(); ++k) {
                sum += fields[e][k] * v[k];
                weights += fields[e][k];
                size += std::abs(fields[e][k]);
            }
            QVERIFY(std::abs(weights) < 1e-9 * size);
            double should = e == 0 ? whole[300] : e == 1 ? whole[700] : 0;
            if (e == 2) {
                const auto t = body.transfer(places[2]);
                const auto own = lead_field(m, sigma, places[2], 0.2); // it is near
                for (std::size_t k = 0; k < v.size(); ++k)
                    should += t.own * own[k] * v[k];
                for (std::size_t k = 0; k < infinite.size(); ++k)
                    should += t.at_points[k] * infinite[k];
            }
            QVERIFY2(std::abs(sum - should) < 0.005 * std::max(largest, std::abs(should)),
                     qPrintable(QString("%1 %2 of %3").arg(sum).arg(should).arg(largest)));
        }
    }
};

QTEST_GUILESS_MAIN(TestVolumeConductor)
#include "test_volume_conductor.moc"
