// SPDX-License-Identifier: GPL-3.0-or-later
// Newton's method for a step of cells and diffusion, with a cubic in place of cells.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/newton.hpp"
#include "engine/mesh/check.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::diffusion;

namespace {

constexpr double rest = -80, threshold = -60, peak = 20; // mV

/// F = -a (V - rest) (V - threshold) (V - peak): excitable, and its slope is positive between.
void cubic(std::span<const double> v, std::span<double> rate, std::span<double> slope)
{
    constexpr double a = 2e-3; // 1/(mV2 ms)
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double x = v[i] - rest, y = v[i] - threshold, z = v[i] - peak;
        rate[i] = -a * x * y * z;
        slope[i] = -a * (x * y + x * z + y * z);
    }
}

} // namespace

class TestNewtonSolver : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase()
    {
        mesh_ = mesh::slab({6, 1, 1}, 0.25);
        neighbours_ = mesh::face_neighbours(mesh_);
    }

    void theEquationHolds_data() { masses(); }
    /// What a step ends with fulfils its equation, computed another way: sums over pairs.
    void theEquationHolds()
    {
        QFETCH(bool, consistent);
        const auto s = system(consistent);
        const auto start = front();
        auto v = start;
        constexpr double dt = 0.05;
        const auto r = solver(s, {}).step(start, v, dt, cubic);
        QVERIFY(r.converged);
        std::vector<double> rate(v.size()), slope(v.size());
        cubic(v, rate, slope);
        double worst = 0, moved = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto change = [&](std::size_t j) { return (v[j] - start[j]) / dt; };
            double left =
                (consistent ? s.mass_diagonal[i] : s.volume[i]) * change(i) - s.volume[i] * rate[i];
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto at = static_cast<std::size_t>(e);
                const auto j = static_cast<std::size_t>(s.alpha.column[at]);
                left -= s.alpha.value[at] * (consistent ? 1 : s.volume[i]) * (v[j] - v[i]);
                if (consistent)
                    left += s.mass_rows.value[at] * change(j);
            }
            worst = larger_or_nan(worst, std::abs(left) * dt / s.volume[i]);
            moved = larger_or_nan(moved, std::abs(v[i] - start[i]));
        }
        qInfo("largest residual %.1e mV, V moved by %.1f mV", worst, moved);
        QVERIFY(worst < 2e-6);
        QVERIFY(moved > 1);
    }

    void convergesQuadratically_data() { masses(); }
    /// With linear systems solved to the end, each residual is of the square of the one before.
    void convergesQuadratically()
    {
        QFETCH(bool, consistent);
        const auto s = system(consistent);
        const auto start = front();
        auto v = start;
        NewtonOptions o;
        o.linear_part = 1e-13;
        o.tolerance_mV = 1e-11;
        const auto r = solver(s, o).step(start, v, 0.05, cubic);
        QVERIFY(r.converged);
        const auto& e = r.residuals_mV;
        QVERIFY(e.size() >= 4);
        for (std::size_t k = 0; k + 1 < e.size(); ++k)
            qInfo("%zu: %.3e mV, over the square of the one before %.2e", k + 1, e[k + 1],
                  e[k + 1] / (e[k] * e[k]));
        for (std::size_t k = 1; k + 1 < e.size(); ++k)
            QVERIFY(e[k + 1] < 0.05 * e[k] * e[k] + 1e-11);
        QVERIFY(e.back() < 1e-4 * e[e.size() - 2]); // not the first order
    }

    /// Cells that drive themselves on faster than the step make the matrix indefinite; a step is
    /// found all the same, or said not to be, and never a wrong one taken for right.
    void indefiniteMatricesAreNotTaken()
    {
        const auto s = system(false);
        std::vector<double> start(s.size(), threshold + 1);
        for (const double dt : {0.1, 0.5, 2.0, 10.0}) {
            auto v = start;
            const auto r = solver(s, {}).step(start, v, dt, cubic);
            if (!r.converged) {
                QVERIFY(r.residual_mV() > 1e-6);
                continue;
            }
            std::vector<double> rate(v.size()), slope(v.size());
            cubic(v, rate, slope);
            for (std::size_t i = 0; i < v.size(); ++i)
                QVERIFY(std::abs(v[i] - start[i] - dt * rate[i]) < 1e-5);
        }
    }

    void resultsKnowNothingOfThreads()
    {
        const auto s = system(true);
        const auto start = front();
        auto one = start, three = start;
        ThreadPool single(1), several(3);
        NewtonSolver(s, {}, single).step(start, one, 0.1, cubic);
        NewtonSolver(s, {}, several).step(start, three, 0.1, cubic);
        QVERIFY(one == three);
        QVERIFY(one != start);
    }

    void stepsMayBeStiff_data() { masses(); }
    /// Where diffusion makes the diagonal a hundred times the mass, residuals over the diagonal are
    /// small from the start on, and corrections are made nevertheless.
    void stepsMayBeStiff()
    {
        QFETCH(bool, consistent);
        const auto s = system(consistent, 20);
        const auto start = front();
        auto v = start;
        const auto r = solver(s, {}).step(
            start, v, 0.1,
            [](std::span<const double> V, std::span<double> rate, std::span<double> slope) {
                for (std::size_t i = 0; i < V.size(); ++i)
                    rate[i] = -0.1 * (V[i] - rest), slope[i] = -0.1;
            });
        qInfo("%d iterations, %d of the linear solver", r.iterations, r.linear_iterations);
        QVERIFY(r.converged && r.iterations <= 10);
        double moved = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            moved = larger_or_nan(moved, std::abs(v[i] - start[i]));
        QVERIFY(moved > 10);
    }

    /// Single precision finds what double precision does, on any number of threads.
    void singlePrecisionSolves()
    {
        const auto s = system(false, 2);
        ThreadPool one(1), three(3);
        const auto m = implicit_matrix(s, 0.1, 1, one);
        std::vector<double> b(s.size()), x(s.size()), y(s.size()), z(s.size());
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = s.volume[i] * std::sin(0.7 * static_cast<double>(i));
        const RowsInWarps rows(s.alpha, one);
        for (auto* pool : {&one, &three}) {
            SingleGradients g(rows, *pool);
            g.set_off(m.off);
            auto& to = pool == &one ? x : y;
            const auto r = g.solve(m.diagonal, b, 1e-5, 1000, to);
            QVERIFY(r.end == ConjugateGradients::End::solved && r.iterations > 3);
            QVERIFY(g.solve(m.diagonal, b, 1e-5, 2, z).end ==
                    ConjugateGradients::End::too_many_iterations);
        }
        QVERIFY(x == y);
        ConjugateGradients exact(s.size(), one);
        exact.solve({s.alpha.first, s.alpha.column, m.off, m.diagonal}, b, {0, 1e-12}, 1000, z);
        double worst = 0, most = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            worst = larger_or_nan(worst, std::abs(x[i] - z[i]));
            most = larger_or_nan(most, std::abs(z[i]));
        }
        qInfo("differs by %.1e of the largest", worst / most);
        QVERIFY(worst < 1e-4 * most && worst > 0);
        auto wrong = m.diagonal;
        for (std::size_t i = 0; i < wrong.size(); ++i)
            wrong[i] -= 2 * s.volume[i]; // constants are turned round
        SingleGradients g(rows, one);
        g.set_off(m.off);
        b = wrong; // so that the first direction is one
        QVERIFY(g.solve(wrong, b, 1e-5, 1000, z).end == ConjugateGradients::End::not_definite);
    }

    /// It ends where it may take no more iterations, and says what is left and where.
    void whatIsLeftIsSaid()
    {
        const auto s = system(false);
        const auto start = front();
        auto v = start;
        NewtonOptions o;
        o.most_iterations = 1;
        const auto r = solver(s, o).step(start, v, 0.1, cubic);
        QVERIFY(!r.converged);
        QCOMPARE(r.iterations, 1);
        QCOMPARE(r.residuals_mV.size(), std::size_t{2});
        QVERIFY(r.residual_mV() > 1e-6 && r.where < s.size());
    }

    /// A rate that is no number somewhere is no residual of 0.
    void whatIsNoNumberIsNotTaken()
    {
        const auto s = system(false);
        const auto start = front();
        auto v = start;
        const auto r = solver(s, {}).step(
            start, v, 0.1,
            [](std::span<const double> V, std::span<double> rate, std::span<double> slope) {
                cubic(V, rate, slope);
                rate[5] = std::nan("");
            });
        QVERIFY(!r.converged && std::isnan(r.residual_mV()));
        QCOMPARE(r.where, std::size_t{5});
    }

    void finiteVolumesAreRefused()
    {
        auto s = system(false);
        s.scheme = Scheme::fvm;
        QVERIFY_THROWS_EXCEPTION(InputError, NewtonSolver(s, {}, pool_));
    }

  private:
    static void masses()
    {
        QTest::addColumn<bool>("consistent");
        QTest::newRow("lumped") << false;
        QTest::newRow("consistent") << true;
    }
    System system(bool consistent, double mm2_per_ms = 0.1)
    {
        const std::vector<Tensor> d(mesh_.tetrahedron_count(),
                                    {mm2_per_ms, mm2_per_ms, mm2_per_ms, 0, 0, 0});
        Options o;
        o.scheme = Scheme::p1;
        o.mass = consistent ? Mass::consistent : Mass::lumped;
        o.mass_scaling = 0;
        return assemble(mesh_, neighbours_, d, o);
    }
    NewtonSolver solver(const System& s, const NewtonOptions& o) { return {s, o, pool_}; }
    /// A front on its way along x.
    std::vector<double> front() const
    {
        std::vector<double> v;
        for (std::size_t i = 0; i < mesh_.vertex_count(); ++i)
            v.push_back(rest + (peak - rest) / (1 + std::exp((mesh_.vertex(i)[0] - 2.5) / 0.3)));
        return v;
    }

    mesh::TetMesh mesh_;
    std::vector<std::array<std::int32_t, 4>> neighbours_;
    ThreadPool pool_{2};
};

QTEST_GUILESS_MAIN(TestNewtonSolver)
#include "test_newton_solver.moc"
