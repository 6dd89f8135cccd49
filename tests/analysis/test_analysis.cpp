// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/lead_field.hpp"
#include "engine/analysis/phase.hpp"
#include "engine/analysis/velocity.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/topology.hpp"

#include <Eigen/Dense>
#include <QtTest>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

using namespace tawara;
using namespace tawara::analysis;

namespace {

/// A rigidly turning spiral about the z axis through (x0, y0): V and V a little earlier.
void spiral(const mesh::TetMesh& m, double x0, double y0, int sense, double turned,
            std::vector<float>& now, std::vector<float>& before)
{
    now.resize(m.vertex_count());
    before.resize(m.vertex_count());
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 p = m.vertex(v);
        const double r = std::hypot(p[0] - x0, p[1] - y0);
        const double a = sense * std::atan2(p[1] - y0, p[0] - x0) - 0.2 * r;
        const double rise = std::min(1.0, r / 3); // the core does not fire
        now[v] = static_cast<float>(-30 + 50 * rise * std::cos(turned - a));
        before[v] = static_cast<float>(-30 + 50 * rise * std::cos(turned - 0.7 - a));
    }
}

} // namespace

class TestAnalysis : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void velocityOfAPlaneWave()
    {
        const auto m = mesh::slab({10, 6, 3}, 0.7);
        const Vec3 n = normalized(Vec3{2, 1, 0.5});
        std::vector<float> times(m.vertex_count());
        for (std::size_t v = 0; v < times.size(); ++v)
            times[v] = static_cast<float>(5 + dot(m.vertex(v), n) / 0.6);
        times[7] = std::nanf("");
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        const auto found = conduction_velocity(m, mesh::vertex_stars(m), times, at);
        QVERIFY(std::isnan(found[7][0]));
        for (std::size_t v = 0; v < found.size(); ++v)
            if (v != 7)
                for (std::size_t k = 0; k < 3; ++k)
                    QVERIFY(std::abs(found[v][k] - 0.6 * n[k]) < 1e-3);
    }

    /// Of a curved front the fit depends on the neighbours' weights: each counts once, in however
    /// many tetrahedra it is met.
    void aNeighbourCountsOnce()
    {
        const auto m = mesh::slab({3, 3, 3}, 1);
        const auto stars = mesh::vertex_stars(m);
        std::vector<float> times;
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            times.push_back(static_cast<float>(norm(m.vertex(v) - Vec3{-0.7, 0.2, -0.4}) / 0.6));
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        const auto found = conduction_velocity(m, stars, times, at);
        double wrong = 0, counted_twice = 0;
        for (std::size_t v = 0; v < at.size(); ++v) {
            std::multiset<std::int32_t> around;
            for (auto s = stars.first[v]; s < stars.first[v + 1]; ++s)
                for (auto c :
                     m.corners(static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(s)])))
                    if (c != at[v])
                        around.insert(c);
            const auto fitted = [&](const auto& neighbours) {
                Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
                Eigen::Vector3d b = Eigen::Vector3d::Zero();
                for (auto c : neighbours) {
                    const auto j = static_cast<std::size_t>(c);
                    const Vec3 r = m.vertex(j) - m.vertex(v);
                    const Eigen::Vector3d d(r[0], r[1], r[2]);
                    a += d * d.transpose() / d.squaredNorm();
                    b += static_cast<double>(times[j] - times[v]) * d / d.squaredNorm();
                }
                const Eigen::Vector3d g = a.ldlt().solve(b);
                return (g / g.squaredNorm()).norm();
            };
            const double speed = std::hypot(found[v][0], found[v][1], found[v][2]);
            if (!std::isfinite(speed))
                continue; // three neighbours nearly in a plane, at a corner
            const std::set<std::int32_t> once(around.begin(), around.end());
            wrong = larger_or_nan(wrong, std::abs(speed / fitted(once) - 1));
            counted_twice =
                larger_or_nan(counted_twice, std::abs(fitted(around) / fitted(once) - 1));
        }
        qInfo("each once: %.1e; as often as it is met: %.1f %%", wrong, 100 * counted_twice);
        QVERIFY(wrong < 1e-4);
        QVERIFY(counted_twice > 0.01);
    }

    void newBeatsFrontIsNoWave()
    {
        const auto m = mesh::slab({10, 3, 3}, 1);
        std::vector<float> times(m.vertex_count());
        for (std::size_t v = 0; v < times.size(); ++v) // the left half has fired again
            times[v] = static_cast<float>(m.vertex(v)[0] / 0.5 + (m.vertex(v)[0] < 4.5 ? 300 : 0));
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        for (const auto& v : conduction_velocity(m, mesh::vertex_stars(m), times, at))
            QVERIFY(std::isnan(v[0]) || std::abs(v[0] - 0.5F) < 0.01F);
    }

    void oneSpiralHasOneFilament()
    {
        const auto m = mesh::slab({20, 20, 2}, 1);
        const auto neighbours = mesh::face_neighbours(m);
        std::vector<float> now, before, phase(m.vertex_count());
        for (int sense : {1, -1})
            for (int k = 0; k < 40; ++k) {
                spiral(m, 9.3, 11.2, sense, 0.31 * k, now, before);
                phases(now, before, -30, phase);
                const auto f = filaments(m, neighbours, phase, now, before, -30);
                QCOMPARE(f.lines.size(), std::size_t(1));
                QCOMPARE(f.ends.size(), std::size_t(2));
                for (const auto& p : f.lines[0])
                    QVERIFY(std::hypot(p[0] - 9.3, p[1] - 11.2) < 1.5);
                // from below to above, or the other way round
                QVERIFY(std::abs(f.lines[0].front()[2] - f.lines[0].back()[2]) > 1.9);
                for (std::size_t e = 0; e < 2; ++e) {
                    const int from_above =
                        f.ends[e][2] > 1 ? 1 : -1; // seen from below it turns otherwise
                    QCOMPARE(f.turn[e], sense * from_above);
                }
            }
    }

    void planeWaveAndHoleHaveNone()
    {
        auto m = mesh::slab({20, 20, 2}, 1);
        std::vector<float> now(m.vertex_count()), before(now), phase(now);
        for (std::size_t v = 0; v < now.size(); ++v) {
            now[v] = static_cast<float>(-30 + 50 * std::cos(m.vertex(v)[0]));
            before[v] = static_cast<float>(-30 + 50 * std::cos(m.vertex(v)[0] - 0.7));
        }
        phases(now, before, -30, phase);
        auto f = filaments(m, mesh::face_neighbours(m), phase, now, before, -30);
        QVERIFY(f.lines.empty() && f.ends.empty());
    }

    void twoSpiralsTurnAgainstEachOther()
    {
        const auto m = mesh::slab({30, 15, 1}, 1);
        std::vector<float> now(m.vertex_count()), before(now), phase(now);
        for (std::size_t v = 0; v < now.size(); ++v) {
            const Vec3 p = m.vertex(v);
            const double a =
                std::atan2(p[1] - 7.3, p[0] - 8.2) - std::atan2(p[1] - 7.3, p[0] - 21.7);
            now[v] = static_cast<float>(-30 + 50 * std::cos(1 - a));
            before[v] = static_cast<float>(-30 + 50 * std::cos(0.3 - a));
        }
        phases(now, before, -30, phase);
        const auto f = filaments(m, mesh::face_neighbours(m), phase, now, before, -30);
        QCOMPARE(f.lines.size(), std::size_t(2));
        int sum = 0, above = 0;
        for (std::size_t e = 0; e < f.ends.size(); ++e)
            if (f.ends[e][2] > 0.5) {
                sum += f.turn[e];
                ++above;
            }
        QCOMPARE(above, 2);
        QCOMPARE(sum, 0);
    }

    void leadFieldAgreesWithDirectSummation()
    {
        const auto m = mesh::slab({20, 10, 5}, 1);
        std::vector<ConductivityTensor> sigma(m.tetrahedron_count());
        for (std::size_t t = 0; t < sigma.size(); ++t)
            sigma[t] = {0.13, 0.02 + 0.001 * m.centroid(t)[0], 0.02, 0.01, 0, 0.002};
        std::vector<double> v(m.vertex_count());
        for (const Vec3 electrode : {Vec3{60, 5, 2}, Vec3{10, -40, 20}, Vec3{-30, -20, 40}})
            for (double front : {4.0, 10.0, 15.0}) {
                const auto w = lead_field(m, sigma, electrode, 0.2);
                for (std::size_t k = 0; k < v.size(); ++k)
                    v[k] = -85 + 110 / (1 + std::exp((m.vertex(k)[0] - front) / 0.8));
                double phi = 0, sum = 0;
                for (std::size_t k = 0; k < v.size(); ++k)
                    phi += w[k] * v[k], sum += w[k];
                const double direct = direct_sum(m, sigma, v, electrode, 0.2);
                QVERIFY2(std::abs(phi - direct) < 0.01 * std::abs(direct),
                         qPrintable(QString("%1 %2").arg(phi).arg(direct)));
                QVERIFY(std::abs(sum) < 1e-12);
            }
    }

    void frontTowardsTheElectrodeIsPositive()
    {
        const auto m = mesh::slab({20, 10, 5}, 1);
        const std::vector<ConductivityTensor> sigma(m.tetrahedron_count(),
                                                    {0.1, 0.1, 0.1, 0, 0, 0});
        std::vector<double> v(m.vertex_count());
        for (std::size_t k = 0; k < v.size(); ++k)
            v[k] = m.vertex(k)[0] < 10 ? 20 : -85; // runs to +x
        QVERIFY(direct_sum(m, sigma, v, {60, 5, 2}, 0.2) > 0);
        QVERIFY(direct_sum(m, sigma, v, {-40, 5, 2}, 0.2) < 0);
        // A solid angle: a plane front of area A far away acts as a dipole sigma dV A.
        const double d = 200, expected = 0.1 * 105 * 50 / (4 * std::numbers::pi * 0.2 * d * d);
        const double found = direct_sum(m, sigma, v, {10 + d, 5, 2.5}, 0.2);
        QVERIFY2(std::abs(found / expected - 1) < 0.02,
                 qPrintable(QString::number(found / expected)));
    }

    /// Millivolts, not their shape alone: a cube with an even gradient is a dipole of the moment
    /// -sigma grad V volume, whose potential is p . r / (4 pi sigma_b r^3); of a cube the next term
    /// is of the fourth power of size over distance.
    void potentialOfADipole()
    {
        const auto m = mesh::slab({6, 6, 6}, 1);
        const ConductivityTensor sigma{0.17, 0.02, 0.05, 0.03, 0, 0.01}; // [S/m]
        const std::vector<ConductivityTensor> tensors(m.tetrahedron_count(), sigma);
        const Vec3 slope{20, -7, 4}; // [mV/mm]
        const Vec3 p = -216.0 * Vec3{0.17 * slope[0] + 0.03 * slope[1],
                                     0.03 * slope[0] + 0.02 * slope[1] + 0.01 * slope[2],
                                     0.01 * slope[1] + 0.05 * slope[2]};
        for (const double far : {30.0, 60.0, 250.0})
            for (const Vec3 to : {Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0.6, -0.8, 0}}) {
                const auto w = lead_field(m, tensors, Vec3{3, 3, 3} + far * to, 0.2);
                double phi = 0;
                for (std::size_t k = 0; k < w.size(); ++k)
                    phi += w[k] * dot(slope, m.vertex(k));
                const double expected = dot(p, to) / (4 * std::numbers::pi * 0.2 * far * far);
                QVERIFY2(std::abs(phi - expected) < 2e-3 * norm(p) / (far * far),
                         qPrintable(QString("%1 mm: %2, not %3").arg(far).arg(phi).arg(expected)));
            }
    }

    void nearElectrodeIsIntegratedFinely()
    {
        const auto coarse = mesh::slab({6, 6, 6}, 2), fine = mesh::slab({6, 6, 6}, 0.25);
        const auto phi = [](const mesh::TetMesh& m) {
            const std::vector<ConductivityTensor> sigma(m.tetrahedron_count(),
                                                        {0.1, 0.1, 0.1, 0, 0, 0});
            const auto w = lead_field(m, sigma, {7.5, 3, 3}, 0.2);
            double sum = 0;
            for (std::size_t k = 0; k < w.size(); ++k)
                sum += w[k] * 3 * m.vertex(k)[0]; // a linear field is the same on both
            return sum;
        };
        const double a = phi(coarse), b = phi(fine);
        QVERIFY2(std::abs(a - b) < 0.01 * std::abs(b), qPrintable(QString("%1 %2").arg(a).arg(b)));
    }
};
QTEST_GUILESS_MAIN(TestAnalysis)
#include "test_analysis.moc"
