// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that solve a linear system on CUDA devices (backward Euler, Crank-Nicolson, consistent
// mass) against the CPU's. Skipped where there is no GPU.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/diffusion/implicit.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

/// Mass half consistent, half lumped.
void blend(TissueProblem& p)
{
    auto& s = p.system;
    for (auto& m : s.mass_rows.value)
        m /= 2;
    for (std::size_t i = 0; i < s.size(); ++i)
        s.mass_diagonal[i] = (s.mass_diagonal[i] + s.volume[i]) / 2;
}

struct Kind
{
    const char* name;
    diffusion::Mass mass;
    Stepping stepping;
    Splitting splitting;
    double dt_ms;
    int types;
    bool blended = false;
    IonicCurrents currents = IonicCurrents::nodal;
};
using M = diffusion::Mass;
constexpr Kind kinds[] = {
    {"backward Euler", M::lumped, Stepping::backward_euler, Splitting::godunov, 0.02, 1},
    {"Crank-Nicolson", M::lumped, Stepping::crank_nicolson, Splitting::godunov, 0.02, 3},
    {"Crank-Nicolson, Strang", M::lumped, Stepping::crank_nicolson, Splitting::strang, 0.02, 2},
    {"consistent, explicit", M::consistent, Stepping::explicit_, Splitting::godunov, 0.01, 1},
    {"consistent, sub-steps", M::consistent, Stepping::explicit_, Splitting::strang, 0.05, 2},
    {"consistent, Crank-Nicolson", M::consistent, Stepping::crank_nicolson, Splitting::godunov,
     0.02, 1},
    {"half consistent, backward Euler", M::consistent, Stepping::backward_euler, Splitting::godunov,
     0.02, 1, true},
    {"interpolated, Crank-Nicolson", M::lumped, Stepping::crank_nicolson, Splitting::godunov, 0.02,
     2, false, IonicCurrents::interpolated},
    {"interpolated, backward Euler, Strang", M::lumped, Stepping::backward_euler, Splitting::strang,
     0.02, 1, false, IonicCurrents::interpolated}};

TissueProblem problem(const Kind& k, const Vec3& size_mm = {3.1, 0.9, 0.7})
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.mass = k.mass;
    o.stepping = k.stepping;
    o.splitting = k.splitting;
    o.dt_ms = k.dt_ms;
    o.types = k.types;
    o.currents = k.currents;
    if (k.dt_ms > 0.02)
        o.sigma = {0.6, 0.1, 0.1};
    auto p = slab_problem(size_mm, 0.25, o);
    if (k.blended)
        blend(p);
    return p;
}

} // namespace

class TestCudaImplicit : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }

    void agreesWithTheCpu_data()
    {
        QTest::addColumn<int>("kind");
        for (std::size_t k = 0; k < std::size(kinds); ++k)
            QTest::addRow("%s", kinds[k].name) << static_cast<int>(k);
    }
    void agreesWithTheCpu()
    {
        QFETCH(int, kind);
        const Kind& k = kinds[kind];
        const auto p = problem(k);
        if (k.dt_ms > 0.02)
            QVERIFY(p.dt_ms > p.system.stable_dt_ms); // so that there are sub-steps
        const auto steps = short_tests() ? 2 : static_cast<std::int64_t>(7 / p.dt_ms);
        auto c = on(p, "cpu");
        c->add_stimulus(left_end(p, 1, 50, 1.003));
        c->advance(steps);
        const auto a = c->snapshot();
        QVERIFY(short_tests() || *std::max_element(a.v.begin(), a.v.end()) > -20);
        struct Way
        {
            const char* devices;
            Precision precision;
            double v_mV, activation_ms;
        };
        for (const Way& w : {Way{"cuda:0", Precision::double_, 1e-4, 1e-6},
                             Way{"cuda:0,0", Precision::double_, 1e-4, 1e-6},
                             Way{"cuda:0,0,0,0", Precision::double_, 1e-4, 1e-6},
                             Way{"cuda:0,1", Precision::double_, 1e-4, 1e-6},
                             Way{"cuda:0", Precision::mixed, 0.01, 1e-4},
                             Way{"cuda:0,0", Precision::mixed, 0.01, 1e-4},
                             Way{"cuda:0", Precision::single, 0.5, 0.02},
                             Way{"cuda:0,0,0,0", Precision::single, 0.5, 0.02}}) {
            const std::string cut = w.devices;
            if (!usable(cut) || (short_tests() && cut.size() > 8))
                continue;
            auto g = on(p, w.devices, w.precision);
            g->add_stimulus(left_end(p, 1, 50, 1.003));
            g->advance(steps);
            const auto b = g->snapshot();
            const double v = largest_difference_of_V(p, a.v, b.v),
                         t = largest_map_difference(a.activation_ms, b.activation_ms);
            qInfo("%s %s: V %.1e mV, activation %.1e ms", w.devices,
                  std::string(name(w.precision)).c_str(), v, t == 1e300 ? NAN : t);
            QVERIFY2(v < w.v_mV, w.devices);
            QVERIFY2(t < w.activation_ms, w.devices);
        }
    }

    void sizesAroundAWarp_data()
    {
        QTest::addColumn<double>("length");
        for (double mm : {0.25, 0.5, 1.0, 1.75, 2.0, 4.25})
            QTest::addRow("%.2f mm", mm) << mm;
    }
    void sizesAroundAWarp()
    {
        QFETCH(double, length); // 8 to 72 vertices
        if (short_tests() && length > 2)
            QSKIP("cut short");
        for (const Kind& k : {kinds[1], kinds[3]}) {
            const auto p = problem(k, {length, 0.25, 0.25});
            auto c = on(p, "cpu"), g = on(p, "cuda:0"), two = on(p, "cuda:0,0");
            for (auto* s : {c.get(), g.get(), two.get()}) {
                s->add_stimulus(left_end(p, 0.25));
                s->advance(steps_of(130));
            }
            const auto a = c->snapshot().v;
            QVERIFY(largest_difference_of_V(p, a, g->snapshot().v) < 1e-4);
            QVERIFY(largest_difference_of_V(p, a, two->snapshot().v) < 1e-4);
        }
    }

    /// Dot products are added in an order that belongs to the cut, so that two runs of one cut have
    /// the same bits; another cut adds the same terms in another order, so it agrees to rounding
    /// and to the solver's tolerance alone. So do graphs and plain launches: they change no order.
    void sameCutSameBits_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("precision");
        for (int k : {1, 2, 4})
            for (auto precision : {Precision::double_, Precision::single})
                QTest::addRow("%s, %s", kinds[k].name, std::string(name(precision)).c_str())
                    << k << int(precision);
    }
    void sameCutSameBits()
    {
        QFETCH(int, kind);
        QFETCH(int, precision);
        const auto p = problem(kinds[kind], {5, 1.5, 1.1});
        const auto number = static_cast<Precision>(precision);
        Tuning apart;
        apart.graph_steps = 0;
        Snapshot one;
        for (const char* devices : {"cuda:0", "cuda:0,0", "cuda:0,0,0,0", "cuda:0,1"}) {
            const std::string cut = devices;
            if (!usable(cut) || (short_tests() && cut.size() > 8))
                continue;
            auto first = on(p, devices, number), second = on(p, devices, number),
                 plain = on(p, devices, number, apart);
            for (auto* s : {first.get(), second.get(), plain.get()})
                s->add_stimulus(left_end(p, 1));
            const std::int64_t all = steps_of(260);
            first->advance(all);
            for (std::int64_t n : {std::int64_t{1}, std::int64_t{2}, all - 3})
                second->advance(n);
            plain->advance(all);
            const auto a = first->snapshot();
            QVERIFY2(same_bits(a, second->snapshot()), devices);
            QVERIFY2(same_bits(a, plain->snapshot()), devices);
            if (one.v.empty())
                one = a;
            const double away = largest_difference_of_V(p, one.v, a.v);
            qInfo("%s: %.1e mV from one shard", devices, away);
            QVERIFY2(away < (number == Precision::single ? 0.05 : 1e-5), devices);
            QVERIFY(short_tests() || *std::max_element(a.v.begin(), a.v.end()) > 0);
        }
    }

    void snapshotContinuesBitForBit()
    {
        const auto p = problem(kinds[1]);
        for (const char* devices : {"cuda:0", "cuda:0,0"}) {
            auto whole = on(p, devices), first = on(p, devices), second = on(p, devices);
            for (auto* s : {whole.get(), first.get(), second.get()})
                s->add_stimulus(left_end(p, 1));
            whole->advance(200);
            first->advance(77);
            second->restore(first->snapshot());
            second->advance(123);
            QVERIFY(same_bits(whole->snapshot(), second->snapshot()));
        }
    }

    /// As many iterations as the CPU's solver takes, as calls of the solver's record.
    void iterationsAreReported()
    {
        const auto p = problem(kinds[0]);
        auto c = on(p, "cpu");
        c->add_stimulus(left_end(p, 1));
        c->advance(short_tests() ? 10 : 150);
        auto snapshot = c->snapshot();
        diffusion::ImplicitSolver solver(p.system, p.dt_ms, 1);
        auto v = snapshot.v;
        const int expected = solver.step(v);
        QVERIFY(expected > 2);
        for (const char* devices : {"cuda:0", "cuda:0,0"}) {
            auto g = on(p, devices);
            g->restore(snapshot);
            g->advance(1);
            std::int64_t iterations = -1;
            for (const auto& k : g->kernels())
                if (k.name.rfind("diffusion (linear system)", 0) == 0)
                    iterations = k.calls;
            qInfo("%lld iterations, CPU %d", static_cast<long long>(iterations), expected);
            QVERIFY(std::abs(iterations - expected) <= 1);
            g->advance(10); // a timed step is among them
            for (const auto& k : g->kernels()) {
                QVERIFY(k.ms > 0);
                QVERIFY(k.bytes > 0);
                QVERIFY(k.flops > 0);
            }
        }
    }

    void tooFewIterationsAreAnError()
    {
        auto p = problem(kinds[0]);
        p.solver_iterations = 2;
        for (const char* devices : {"cpu", "cuda:0", "cuda:0,0"}) {
            auto s = on(p, devices);
            s->add_stimulus(left_end(p, 1));
            try {
                s->advance(100);
                QFAIL("solved in two iterations");
            } catch (const diffusion::SolverError& e) {
                qInfo("%s: %s", devices, e.what());
                QCOMPARE(e.iterations, 2);
                QVERIFY(e.residual_mV > p.solver_tolerance_mV);
                QVERIFY(e.unknown >= 0 && e.unknown < static_cast<std::int64_t>(p.size()));
                for (double v : s->snapshot().v)
                    QVERIFY(std::isfinite(v));
            }
        }
    }

    void failureNamesStepAndPlace()
    {
        const auto p = problem(kinds[1], {2, 1, 1});
        for (const char* devices : {"cuda:0", "cuda:0,0"}) {
            auto s = on(p, devices);
            StimulusSource absurd;
            absurd.unknowns = {7};
            absurd.amplitude_pA_per_pF = 1e9;
            absurd.start_ms = 1;
            absurd.duration_ms = 1;
            s->add_stimulus(absurd);
            for (int again = 0; again < 2; ++again)
                try {
                    s->advance(1000);
                    QFAIL("ran on");
                } catch (const NumericsError& e) {
                    QCOMPARE(e.step, 51);
                    QCOMPARE(e.unknown, 7);
                }
        }
    }

    void whatIsNotThereIsRefusedWithAReason()
    {
        ProblemOptions o;
        o.stepping = Stepping::backward_euler;
        const auto p = slab_problem({1, 1, 1}, 0.5, o); // fvm
        try {
            on(p, "cuda:0");
            QFAIL("was taken");
        } catch (const InputError& e) {
            QVERIFY(std::string(e.what()).find("fvm") != std::string::npos);
        }
        auto resting = problem(kinds[0]);
        resting.rest_tolerance_mV = 0.1;
        QVERIFY_THROWS_EXCEPTION(InputError, on(resting, "cuda:0"));
    }
};
QTEST_GUILESS_MAIN(TestCudaImplicit)
#include "test_cuda_implicit.moc"
