// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's back end alone, and what is said of devices. What every back end promises is in
// test_contract.
#include "engine/core/error.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

std::unique_ptr<Stepper> cpu(const TissueProblem& p, unsigned threads = 2,
                             Precision precision = Precision::double_)
{
    return make_stepper(p, {"cpu", precision, threads});
}

} // namespace

class TestStepper : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void threadsDoNotChangeABit()
    {
        ProblemOptions o;
        o.types = 3;
        const auto p = slab_problem({5, 2, 2}, 0.25, o);
        std::vector<std::vector<double>> v;
        for (unsigned threads : {1u, 2u, 5u}) {
            auto s = cpu(p, threads);
            s->add_stimulus(left_end(p, 1));
            s->advance(300);
            v.push_back(potential(*s, p.size()));
        }
        QVERIFY(v[0] == v[1]);
        QVERIFY(v[0] == v[2]);
        QVERIFY(*std::max_element(v[0].begin(), v[0].end()) > 0);
    }

    void subSteppingIsConsistent()
    {
        // The same physics by one step per dt, by Euler sub-steps and by RKL2 stages.
        ProblemOptions o;
        o.dt_ms = 0.01;
        auto p = slab_problem({6, 0.4, 0.4}, 0.2, o);
        std::vector<double> at_5mm;
        for (auto sub : {diffusion::SubStepping{diffusion::SubStepping::Kind::euler, 1},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::euler, 4},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::rkl2, 3},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::rkl2, 5}}) {
            p.substeps = sub;
            auto s = cpu(p);
            s->add_stimulus(left_end(p, 0.8));
            s->advance(1500);
            at_5mm.push_back(activation_near(p, s->maps(), 5, 0.2));
        }
        for (double t : at_5mm)
            QVERIFY2(std::abs(t - at_5mm[1]) < 0.1, qPrintable(QString::number(t - at_5mm[1])));
    }

    void implicitStepsAgreeWithExplicit_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("stepping");
        QTest::addRow("fvm, backward Euler") << 0 << int(Stepping::backward_euler);
        QTest::addRow("p1, backward Euler") << 1 << int(Stepping::backward_euler);
        QTest::addRow("p1, Crank-Nicolson") << 1 << int(Stepping::crank_nicolson);
    }
    void implicitStepsAgreeWithExplicit()
    {
        QFETCH(int, scheme);
        QFETCH(int, stepping);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.dt_ms = 0.01;
        auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
        std::vector<double> at;
        for (auto way : {Stepping::explicit_, static_cast<Stepping>(stepping)}) {
            p.stepping = way;
            auto s = cpu(p);
            s->add_stimulus(left_end(p, 0.8));
            s->advance(1500);
            at.push_back(activation_near(p, s->maps(), 3.5, 0.3));
        }
        QVERIFY2(std::abs(at[0] - at[1]) < 0.1, qPrintable(QString::number(at[1] - at[0])));
    }

    void devicesAreReadAndWritten()
    {
        for (const char* text : {"auto", "cpu", "cuda", "cuda:0", "cuda:0,0,2"})
            QCOMPARE(Devices(text).text(), std::string(text));
        QCOMPARE(Devices("cuda:1,0").numbers, (std::vector<int>{1, 0}));
        for (const char* text : {"abacus", "", "CPU", "cuda:", "cuda:0,", "cuda:-1", "cuda:x"})
            QVERIFY_THROWS_EXCEPTION(InputError, Devices{text});
    }
    void mixedPrecisionIsRefusedOnTheCpu()
    {
        const auto p = slab_problem({1, 1, 1}, 0.5);
        QVERIFY_THROWS_EXCEPTION(InputError, cpu(p, 1, Precision::mixed));
    }

    void ceilingsAreMeasured()
    {
        const auto c = measure_ceilings("cpu", 1);
        qInfo("triad %.1f, copy %.1f GB/s, fp64 %.1f, fp32 %.1f GFLOP/s (1 thread)",
              c.triad_GB_per_s, c.copy_GB_per_s, c.fp64_GFLOP_per_s, c.fp32_GFLOP_per_s);
        QVERIFY(c.triad_GB_per_s > 0.5 && c.triad_GB_per_s < 2000);
        QVERIFY(c.fp32_GFLOP_per_s > c.fp64_GFLOP_per_s);
        // 64 operations a cycle at 8 GHz: no core does more
        QVERIFY(c.fp64_GFLOP_per_s > 1 && c.fp64_GFLOP_per_s < 512);
    }

    /// Resting tissue: the same bits for any number of threads, however the run is cut.
    void threadsDoNotChangeABitAtRest()
    {
        ProblemOptions o;
        o.types = 3;
        auto p = slab_problem({6, 1, 1}, 0.5, o);
        p.rest_tolerance_mV = 0.1;
        std::vector<Snapshot> last;
        for (const unsigned threads : {1U, 2U, 5U}) {
            const auto s = cpu(p, threads);
            s->add_stimulus(left_end(p, 1));
            if (threads == 1)
                s->advance(2000);
            else
                for (const int n : {1, 2, 40, 57, 400, 1500})
                    s->advance(n);
            last.push_back(s->snapshot());
        }
        QVERIFY(same_bits(last[0], last[1]) && same_bits(last[0], last[2]));
    }
    /// Six unknowns are stepped by one thread, however many there are.
    void threadsFollowTheSizeOfTheProblem()
    {
        StepperOptions o;
        o.devices = "cpu";
        const Progress all{{}, {}, {12}};
        const auto few = make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o, all);
        QCOMPARE(few->threads(), 1U);
        QVERIFY2(few->device().find("1 thread,") != std::string::npos, few->device().c_str());
        QCOMPARE(make_stepper(slab_problem({5, 5, 5}, 0.5), o, all)->threads(), 2U);
        QCOMPARE(make_stepper(slab_problem({5, 5, 5}, 0.5), o)->threads(),
                 1U); // the caller's alone
        o.threads = 2;
        QCOMPARE(make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o)->threads(), 2U);
    }
    /// Tables of functions of V: a little different, the same however many threads there are; on
    /// the CPU alone.
    void functionsOfVAreLookedUp()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        StepperOptions with;
        with.devices = "cpu";
        const auto after = [&](double table_step_mV, unsigned threads) {
            p.table_step_mV = table_step_mV;
            with.threads = threads;
            const auto s = make_stepper(p, with);
            s->add_stimulus(left_end(p, 1));
            s->advance(2000);
            return s->snapshot().v;
        };
        const auto computed = after(0, 1), coarse = after(1, 1), fine = after(0.05, 1);
        const auto difference = [&](const auto& v) {
            double most = 0;
            for (std::size_t u = 0; u < v.size(); ++u)
                most = std::max(most, std::abs(static_cast<double>(v[u] - computed[u])));
            return most;
        };
        qInfo("1 mV: %.2e mV, 0.05 mV: %.2e mV", difference(coarse), difference(fine));
        QVERIFY(difference(fine) > 0 && difference(fine) < 0.01);
        QVERIFY(difference(coarse) > 5 * difference(fine) && difference(coarse) < 1);
        QVERIFY(after(0.05, 2) == fine);
        with.devices = "cuda";
        QVERIFY_THROWS_EXCEPTION(InputError, make_stepper(p, with));
        with.devices = "auto";
        Notices notices;
        const auto chosen = make_stepper(p, with, {}, &notices)->device();
        QVERIFY2(chosen.rfind("CPU", 0) == 0, chosen.c_str());
    }
};
QTEST_GUILESS_MAIN(TestStepper)
#include "test_stepper.moc"
