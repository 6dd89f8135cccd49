// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/larger.hpp"
#include "engine/diffusion/permute.hpp"
#include "engine/mesh/check.hpp"
#include "tests/diffusion/cube.hpp"

#include <QtTest>
#include <numeric>
#include <random>

using namespace tawara;
using namespace tawara::diffusion;

Q_DECLARE_METATYPE(tawara::diffusion::Scheme)
Q_DECLARE_METATYPE(tawara::diffusion::Mass)

class TestImplicit : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase()
    {
        mesh_ = mesh::slab({3, 2, 1}, 0.25);
        neighbours_ = mesh::face_neighbours(mesh_);
    }

    void followsSmallExplicitSteps_data()
    {
        QTest::addColumn<Scheme>("scheme");
        QTest::addColumn<Mass>("mass");
        QTest::addColumn<double>("theta");
        QTest::addColumn<double>("bound");
        QTest::newRow("p1 lumped, backward Euler") << Scheme::p1 << Mass::lumped << 1.0 << 2e-2;
        QTest::newRow("p1 lumped, Crank-Nicolson") << Scheme::p1 << Mass::lumped << 0.5 << 4e-4;
        QTest::newRow("p1 consistent, backward Euler")
            << Scheme::p1 << Mass::consistent << 1.0 << 2e-2;
        QTest::newRow("p1 consistent, Crank-Nicolson")
            << Scheme::p1 << Mass::consistent << 0.5 << 4e-4;
        QTest::newRow("p1 consistent, explicit") << Scheme::p1 << Mass::consistent << 0.0 << 2e-2;
        QTest::newRow("fvm, backward Euler") << Scheme::fvm << Mass::lumped << 1.0 << 2e-2;
        QTest::newRow("fvm, Crank-Nicolson") << Scheme::fvm << Mass::lumped << 0.5 << 4e-4;
    }
    void followsSmallExplicitSteps()
    {
        QFETCH(Scheme, scheme);
        QFETCH(Mass, mass);
        QFETCH(double, theta);
        QFETCH(double, bound);
        const auto s = system(scheme, mass);
        const auto start = wave(s);
        auto coarse = start, fine = start;
        ImplicitSolver(s, 0.001, mass == Mass::consistent ? 0 : 0.5); // both can be made
        ImplicitSolver a(s, 0.05, theta), b(s, 0.0005, 0.5);
        for (int k = 0; k < 20; ++k)
            a.step(coarse);
        for (int k = 0; k < 2000; ++k)
            b.step(fine);
        double wrong = 0, moved = 0, before = 0, after = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            wrong = larger_or_nan(wrong, std::abs(coarse[i] - fine[i]));
            moved = larger_or_nan(moved, std::abs(fine[i] - start[i]));
            before += s.volume[i] * start[i];
            after += s.volume[i] * coarse[i];
        }
        QVERIFY(moved > 10);
        QVERIFY2(wrong < bound * moved, qPrintable(QString::number(wrong / moved)));
        QVERIFY(std::abs(after - before) < 1e-6 * std::abs(before)); // conservation
    }

    void bothMassesDecayAsTheMatrixSays()
    {
        // Backward Euler of a lumped system solved densely by many Jacobi sweeps.
        const auto s = system(Scheme::p1, Mass::lumped);
        auto v = wave(s);
        const auto start = v;
        const double dt = 0.1;
        ImplicitSolver solver(s, dt, 1);
        QVERIFY(solver.step(v) > 0);
        for (std::size_t i = 0; i < s.size(); ++i) { // v - dt L v = start
            double l = 0;
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                l += s.alpha.value[k] * (v[static_cast<std::size_t>(s.alpha.column[k])] - v[i]);
            }
            QVERIFY(std::abs(v[i] - dt * l - start[i]) < 1e-5);
        }
    }

    void constantsStayExactly()
    {
        for (double theta : {0.0, 0.5, 1.0}) {
            ImplicitSolver solver(system(Scheme::p1, Mass::consistent), 0.02, theta);
            std::vector<double> v(mesh_.vertex_count(), -85.23);
            QCOMPARE(solver.step(v), 0);
            QVERIFY(std::all_of(v.begin(), v.end(), [](double x) { return x == -85.23; }));
        }
    }

    void threadCountChangesNothing()
    {
        const auto s = system(Scheme::p1, Mass::consistent);
        ImplicitSolver::Options one, three;
        one.threads = 1;
        three.threads = 3;
        ImplicitSolver a(s, 0.05, 0.5, one), b(s, 0.05, 0.5, three);
        auto u = wave(s), v = u;
        a.step(u);
        b.step(v);
        QVERIFY(u == v);
    }

    /// Explicit steps beyond the stable one are cut, and those alone.
    void subStepsAreCounted()
    {
        const auto s = system(Scheme::p1, Mass::consistent);
        const double dt = 2.5 * s.stable_dt_ms;
        QCOMPARE(ImplicitSolver(s, dt, 0).sub_steps(), 3);
        QCOMPARE(ImplicitSolver(s, dt, 0.5).sub_steps(), 1);
        QCOMPARE(ImplicitSolver(s, 0.5 * s.stable_dt_ms, 0).sub_steps(), 1);
    }

    void failureLeavesTheStateAndSaysSo()
    {
        const auto s = system(Scheme::p1, Mass::lumped);
        ImplicitSolver::Options o;
        o.most_iterations = 1;
        ImplicitSolver solver(s, 100, 1, o);
        auto v = wave(s);
        const auto start = v;
        try {
            solver.step(v);
            QFAIL("one iteration cannot be enough");
        } catch (const SolverError& e) {
            QCOMPARE(e.iterations, 1);
            QVERIFY(e.residual_mV > 1e-7);
        }
        QVERIFY(v == start);
        v[3] = std::nan("");
        QCOMPARE(solver.step(v), 0); // the caller's verdict finds it
        QVERIFY_THROWS_EXCEPTION(InputError, ImplicitSolver(s, -1, 1));
        QVERIFY_THROWS_EXCEPTION(InputError, ImplicitSolver(s, 1, 1.5));
    }

    void permutedSystemsStepAlike()
    {
        for (auto mass : {Mass::lumped, Mass::consistent}) {
            const auto s = system(Scheme::p1, mass);
            std::vector<std::int32_t> old_of(s.size()), new_of(s.size());
            std::iota(old_of.begin(), old_of.end(), 0);
            std::shuffle(old_of.begin(), old_of.end(), std::mt19937(5));
            for (std::size_t i = 0; i < s.size(); ++i)
                new_of[static_cast<std::size_t>(old_of[i])] = static_cast<std::int32_t>(i);
            const auto p = permuted(s, old_of, new_of);
            auto v = wave(s);
            std::vector<double> w(v.size());
            for (std::size_t i = 0; i < v.size(); ++i)
                w[i] = v[static_cast<std::size_t>(old_of[i])];
            ImplicitSolver a(s, 0.05, 0.5), b(p, 0.05, 0.5);
            a.step(v);
            b.step(w);
            for (std::size_t i = 0; i < v.size(); ++i)
                QVERIFY(std::abs(w[i] - v[static_cast<std::size_t>(old_of[i])]) < 1e-5);
            const auto back = permuted(p, new_of, old_of);
            QVERIFY(back.alpha.column == s.alpha.column && back.alpha.value == s.alpha.value &&
                    back.volume == s.volume);
        }
    }

  private:
    System system(Scheme scheme, Mass mass) const
    {
        Options o;
        o.scheme = scheme;
        o.mass = mass;
        const std::vector<Tensor> d(mesh_.tetrahedron_count(), {0.2, 0.05, 0.05, 0.01, 0, 0});
        return assemble(mesh_, neighbours_, d, o);
    }
    std::vector<double> wave(const System& s) const
    {
        std::vector<double> v(s.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            const Vec3 x = s.scheme == Scheme::p1 ? mesh_.vertex(i) : mesh_.centroid(i);
            v[i] = -85 + 100 * std::exp(-2 * dot(x, x));
        }
        return v;
    }

    mesh::TetMesh mesh_;
    std::vector<std::array<std::int32_t, 4>> neighbours_;
};

QTEST_GUILESS_MAIN(TestImplicit)
#include "test_implicit.moc"
