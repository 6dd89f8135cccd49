// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "tests/device/bad_snapshots.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>
#include <thread>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

std::unique_ptr<Stepper> cpu(const TissueProblem& p, unsigned threads = 2,
                             Precision precision = Precision::double_)
{
    return make_stepper(p, {"cpu", precision, threads});
}

/// Mean activation time of the unknowns within `half` of x.
double activation_near(const TissueProblem& p, const Maps& m, double x, double half)
{
    double sum = 0;
    int n = 0;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (std::abs(p.position_mm[u][0] - x) <= half) {
            sum += m.activation_ms[u];
            ++n;
        }
    return sum / n;
}

} // namespace

class TestStepper : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void waveCrossesAndMapsFill_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("mass");
        QTest::addRow("fvm") << 0 << 0;
        QTest::addRow("p1 lumped") << 1 << 0;
        QTest::addRow("p1 consistent") << 1 << 1;
    }
    void waveCrossesAndMapsFill()
    {
        QFETCH(int, scheme);
        QFETCH(int, mass);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.mass = static_cast<diffusion::Mass>(mass);
        const auto p = slab_problem({8, 0.5, 0.5}, 0.25, o);
        auto s = cpu(p);
        s->add_stimulus(left_end(p, 0.75));
        s->advance(20000); // 400 ms
        const auto m = s->maps();
        for (std::size_t u = 0; u < p.size(); ++u) {
            QVERIFY(std::isfinite(m.activation_ms[u]));
            QVERIFY(m.apd90(u) > 220 && m.apd90(u) < 330);
        }
        const double cv =
            4 / (activation_near(p, m, 6, 0.3) - activation_near(p, m, 2, 0.3)); // mm/ms
        qInfo("conduction velocity %.3f m/s at 0.25 mm", cv);
        QVERIFY(cv > 0.5 && cv < 0.8);
    }

    void typesChangeWhileRunning()
    {
        ProblemOptions o;
        o.types = 2;
        auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
        auto plain = cpu(p), changed = cpu(p);
        for (auto* s : {&plain, &changed}) {
            (*s)->add_stimulus(left_end(p, 0.75));
            (*s)->advance(1500); // the plateau
        }
        const auto before = potential(*changed, p.size());
        QCOMPARE(potential(*plain, p.size()), before);
        const std::pair<std::string, double> more[]{{"g_Ks", 2.0}};
        std::vector<cell::CellType> types{
            p.groups[0].types[0], cell::make_cell_type("ten_tusscher_2006", "endo", more, {})};
        changed->set_types(0, types);
        QCOMPARE(potential(*changed, p.size()), before);
        for (auto* s : {&plain, &changed})
            (*s)->advance(10000);
        const auto a = potential(*plain, p.size()), b = potential(*changed, p.size());
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY2(a[u] > b[u] + 5, "more g_Ks repolarises sooner");
        changed->set_types(0, p.groups[0].types);
        types.pop_back();
        QVERIFY_THROWS_EXCEPTION(InputError, changed->set_types(0, types));
        types.push_back({"another", types[0].parameters, types[0].initial});
        QVERIFY_THROWS_EXCEPTION(InputError, changed->set_types(0, types));
    }

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

    void snapshotContinuesBitForBit_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<double>("dt");
        QTest::addRow("double") << int(Precision::double_) << 0 << 0.02;
        QTest::addRow("single") << int(Precision::single) << 0 << 0.02;
        QTest::addRow("double, Strang") << int(Precision::double_) << 1 << 0.02;
        QTest::addRow("double, sub-steps") << int(Precision::double_) << 0 << 0.05;
    }
    void snapshotContinuesBitForBit()
    {
        QFETCH(int, precision);
        QFETCH(int, splitting);
        QFETCH(double, dt);
        ProblemOptions o;
        o.dt_ms = dt;
        o.splitting = static_cast<Splitting>(splitting);
        const auto p = slab_problem({3, 1, 1}, 0.2, o);
        auto make = [&] {
            auto s = cpu(p, 2, static_cast<Precision>(precision));
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        auto whole = make(), first = make(), second = make();
        whole->advance(400);
        first->advance(150);
        second->restore(first->snapshot());
        QCOMPARE(second->step(), 150);
        second->advance(250);
        QVERIFY(potential(*whole, p.size()) == potential(*second, p.size()));
        const auto a = whole->snapshot(), b = second->snapshot();
        QVERIFY(a.states == b.states);
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY(a.activation_ms[u] == b.activation_ms[u] ||
                    (std::isnan(a.activation_ms[u]) && std::isnan(b.activation_ms[u])));
    }

    void snapshotsThatDoNotFitAreRefused()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        for (const bool rests : {false, true})
            for (const auto precision : {Precision::double_, Precision::single}) {
                p.rest_tolerance_mV = rests ? 0.1 : 0;
                const auto s = cpu(p, 2, precision);
                s->advance(10);
                const auto bad = takes_a_bad_snapshot(*s, rests);
                QVERIFY2(bad.empty(), bad.c_str());
            }
    }

    void singleStaysNearDouble()
    {
        const auto p = slab_problem({6, 1, 1}, 0.25);
        auto d = cpu(p), f = cpu(p, 2, Precision::single);
        for (auto* s : {d.get(), f.get()}) {
            s->add_stimulus(left_end(p, 1));
            s->advance(1500);
        }
        double worst = 0;
        const auto a = d->maps(), b = f->maps();
        for (std::size_t u = 0; u < p.size(); ++u)
            worst = std::max(worst, std::abs(a.activation_ms[u] - b.activation_ms[u]));
        qInfo("activation differs by %.2e ms at most", worst);
        QVERIFY(worst < 0.02);
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

    void probesAndDisplayAreWeightedSums()
    {
        const auto p = slab_problem({2, 1, 1}, 0.5);
        auto s = cpu(p);
        s->add_stimulus(left_end(p, 1));
        Gather g;
        g.unknown = {0, 5, 7};
        g.weight = {1, 0.25f, 0.75f};
        g.first = {0, 1, 3};
        s->set_probes(g, 3);
        s->set_display(g);
        s->advance(10);
        std::vector<std::int64_t> steps;
        std::vector<double> samples;
        s->take_samples(steps, samples);
        QVERIFY((steps == std::vector<std::int64_t>{3, 6, 9}));
        QCOMPARE(samples.size(), std::size_t(6));
        const auto v = potential(*s, p.size());
        std::vector<float> shown(2);
        s->display(shown);
        QCOMPARE(shown[0], static_cast<float>(v[0]));
        QVERIFY(std::abs(shown[1] - (0.25 * v[5] + 0.75 * v[7])) < 1e-4);
        s->take_samples(steps, samples);
        QVERIFY(steps.empty());
    }

    void stimulusReachesOnlyItsCells()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        for (auto& a : p.system.alpha.value)
            a = 0; // cells on their own
        auto s = cpu(p);
        StimulusSource one;
        one.unknowns = {3};
        one.amplitude_pA_per_pF = 50;
        one.duration_ms = 1;
        const auto id = s->add_stimulus(one);
        s->advance(100);
        const auto v = potential(*s, p.size());
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY(u == 3 ? v[u] > -50 : v[u] < -80);
        s->remove_stimulus(id);
        QCOMPARE(s->add_stimulus(one), id); // its place is used again
    }

    void failureNamesStepAndPlace()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        auto s = cpu(p);
        StimulusSource absurd;
        absurd.unknowns = {7};
        absurd.amplitude_pA_per_pF = 1e9;
        absurd.start_ms = 1;
        absurd.duration_ms = 1;
        s->add_stimulus(absurd);
        try {
            s->advance(1000);
            QFAIL("ran on");
        } catch (const NumericsError& e) {
            QCOMPARE(e.step, 51);
            QCOMPARE(e.unknown, 7);
            QVERIFY(e.position_mm == p.position_mm[7]);
            QVERIFY(QString(e.what()).contains("ten_tusscher_2006"));
            QVERIFY(!QString(e.what()).contains('\n'));
        }
    }

    void aConcentrationThatLeavesItsRangeIsNamed()
    {
        for (const Splitting splitting : {Splitting::godunov, Splitting::strang}) {
            auto p = slab_problem({2, 1, 1}, 0.5);
            p.splitting = splitting;
            auto one = p.groups.at(0).types.at(0);
            one.initial.back() = 5000; // potassium
            p.groups[0].types.push_back(one);
            p.type.at(7) = 1;
            auto s = cpu(p);
            try {
                s->advance(10);
                QFAIL("ran on");
            } catch (const NumericsError& e) {
                QCOMPARE(e.step, 1);
                QVERIFY2(QString(e.what()).contains(
                             "potassium.Ki is above 1000 mM or no number at unknown 7"),
                         e.what());
                QVERIFY(std::isnan(e.value));
            }
        }
    }

    void devicesAreReadAndWritten()
    {
        for (const char* text : {"auto", "cpu", "cuda", "cuda:0", "cuda:0,0,2"})
            QCOMPARE(Devices(text).text(), std::string(text));
        QCOMPARE(Devices("cuda:1,0").numbers, (std::vector<int>{1, 0}));
        for (const char* text : {"abacus", "", "CPU", "cuda:", "cuda:0,", "cuda:-1", "cuda:x"})
            QVERIFY_EXCEPTION_THROWN(Devices{text}, InputError);
    }
    void mixedPrecisionIsRefusedOnTheCpu()
    {
        const auto p = slab_problem({1, 1, 1}, 0.5);
        QVERIFY_EXCEPTION_THROWN(cpu(p, 1, Precision::mixed), InputError);
    }

    void kernelsAndCeilingsAreMeasured()
    {
        const auto p = slab_problem({5, 2, 2}, 0.25);
        auto s = cpu(p);
        s->advance(50);
        double ms = 0;
        for (const auto& k : s->kernels()) {
            QCOMPARE(k.calls, 50);
            QVERIFY(k.ms > 0);
            QVERIFY(k.bytes > 0);
            ms += k.ms;
        }
        QVERIFY(ms > 0);
        const auto c = measure_ceilings("cpu", 1);
        qInfo("triad %.1f, copy %.1f GB/s, fp64 %.1f, fp32 %.1f GFLOP/s (1 thread)",
              c.triad_GB_per_s, c.copy_GB_per_s, c.fp64_GFLOP_per_s, c.fp32_GFLOP_per_s);
        QVERIFY(c.triad_GB_per_s > 0.5 && c.triad_GB_per_s < 2000);
        QVERIFY(c.fp32_GFLOP_per_s > c.fp64_GFLOP_per_s);
    }

    /// Unknowns at rest take long steps: the same maps within the tolerance's reach, the same bits
    /// for any number of threads, however the run is cut, and from a checkpoint inside a long step.
    void restingTissueTakesLongSteps_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("precision");
        QTest::addRow("p1 double") << 1 << int(Precision::double_);
        QTest::addRow("p1 single") << 1 << int(Precision::single);
        QTest::addRow("fvm double") << 0 << int(Precision::double_);
    }
    void restingTissueTakesLongSteps()
    {
        QFETCH(int, scheme);
        QFETCH(int, precision);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.types = 3;
        auto p = slab_problem({6, 1, 1}, scheme ? 0.25 : 0.5, o);
        StepperOptions with;
        with.devices = "cpu";
        with.precision = static_cast<Precision>(precision);
        const auto make = [&](unsigned threads) {
            with.threads = threads;
            auto s = make_stepper(p, with);
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        const auto reference = make(1);
        p.rest_tolerance_mV = 0.1;
        const auto whole = make(1), cut = make(2), resumed = make(1);
        constexpr int steps = 20000;
        reference->advance(steps);
        whole->advance(steps);
        const auto a = reference->maps(), b = whole->maps();
        double early = 0, late = 0;
        for (std::size_t u = 0; u < p.size(); ++u) {
            early = std::max(early, std::abs(a.activation_ms[u] - b.activation_ms[u]));
            late = std::max(late, std::abs(a.apd90(u) - b.apd90(u)));
        }
        const auto bytes = [](const Stepper& s) {
            double sum = 0;
            for (const auto& k : s.kernels())
                sum += k.bytes;
            return sum;
        };
        const double share = whole->kernels()[0].bytes / bytes(*reference);
        qInfo("activation %.2e ms, APD90 %.2e ms, %.0f %% of the cell steps", early, late,
              100 * share);
        QVERIFY(early < 0.1);
        QVERIFY(late < 1);
        QVERIFY(share < 0.5);
        QVERIFY(whole->share_at_rest() > 0.5 && whole->share_at_rest() < 1);
        QCOMPARE(reference->share_at_rest(), 0.0);
        const auto last = whole->snapshot();
        for (int n : {1, 2, 40, 57, 400, 503})
            cut->advance(n);
        const auto inside = cut->snapshot();
        QVERIFY(!inside.resting.empty());
        resumed->restore(inside);
        cut->advance(steps - 1003);
        resumed->advance(steps - 1003);
        QVERIFY(cut->snapshot().v == last.v && cut->snapshot().states == last.states);
        QVERIFY(resumed->snapshot().v == last.v && resumed->snapshot().states == last.states);
    }
    /// Six unknowns are stepped by one thread, however many there are.
    void threadsFollowTheSizeOfTheProblem()
    {
        StepperOptions o;
        o.devices = "cpu";
        const auto all = std::max(1U, std::thread::hardware_concurrency());
        const auto few = make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o);
        QCOMPARE(few->threads(), 1U);
        QVERIFY2(few->device().find("1 thread,") != std::string::npos, few->device().c_str());
        QCOMPARE(make_stepper(slab_problem({5, 5, 5}, 0.5), o)->threads(), std::min(2U, all));
        o.threads = 2;
        QCOMPARE(make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o)->threads(), 2U);
    }
    /// Unknowns of insulating tissue are not stepped: they have no value, and nothing reads them.
    void tissueWithoutCellsIsLeftOut_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("mass");
        QTest::addColumn<int>("stepping");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<double>("rest");
        QTest::addRow("fvm") << 0 << 0 << 0 << 0 << 0.0;
        QTest::addRow("fvm, Strang") << 0 << 0 << 0 << 1 << 0.0;
        QTest::addRow("fvm, rest") << 0 << 0 << 0 << 0 << 0.1;
        QTest::addRow("fvm, backward Euler") << 0 << 0 << 1 << 0 << 0.0;
        QTest::addRow("p1") << 1 << 0 << 0 << 0 << 0.0;
        QTest::addRow("p1, consistent") << 1 << 1 << 0 << 0 << 0.0;
        QTest::addRow("p1, consistent, Crank-Nicolson, Strang") << 1 << 1 << 2 << 1 << 0.0;
        QTest::addRow("p1, Crank-Nicolson") << 1 << 0 << 2 << 0 << 0.0;
    }
    void tissueWithoutCellsIsLeftOut()
    {
        QFETCH(int, scheme);
        QFETCH(int, mass);
        QFETCH(int, stepping);
        QFETCH(int, splitting);
        QFETCH(double, rest);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.mass = static_cast<diffusion::Mass>(mass);
        o.stepping = static_cast<Stepping>(stepping);
        o.splitting = static_cast<Splitting>(splitting);
        o.insulated = true;
        auto p = slab_problem({4.5, 2, 1}, 0.25, o);
        p.rest_tolerance_mV = rest;
        for (const auto precision : {Precision::double_, Precision::single}) {
            const auto make = [&] {
                auto s = cpu(p, 2, precision);
                s->add_stimulus(left_end(p, 1));
                return s;
            };
            const auto whole = make(), first = make(), second = make();
            QVERIFY(empty_without_cells(p, whole->snapshot()));
            whole->advance(600);
            first->advance(153);
            second->restore(first->snapshot());
            second->advance(447);
            const auto a = whole->snapshot(), b = second->snapshot();
            QVERIFY(empty_without_cells(p, a) && empty_without_cells(p, b));
            int beyond = 0; // the wave has gone through the bridge
            for (std::size_t u = 0; u < p.size(); ++u) {
                QVERIFY(a.v[u] == b.v[u] || !p.has_cells(u));
                beyond += p.position_mm[u][0] > 4 && std::isfinite(a.activation_ms[u]);
            }
            QVERIFY(beyond > 0);
        }
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
        QVERIFY_EXCEPTION_THROWN(make_stepper(p, with), InputError);
        with.devices = "auto";
        Notices notices;
        const auto chosen = make_stepper(p, with, {}, &notices)->device();
        QVERIFY2(chosen.rfind("CPU", 0) == 0, chosen.c_str());
    }
    void whatCannotRestIsRefusedAloud()
    {
        auto p = slab_problem({1, 1, 1}, 0.5);
        p.rest_tolerance_mV = 0.1;
        StepperOptions o;
        o.devices = "cpu";
        make_stepper(p, o);
        auto strang = p, rough = p;
        strang.splitting = Splitting::strang;
        rough.dt_ms = 0.15;
        QVERIFY_EXCEPTION_THROWN(make_stepper(strang, o), InputError);
        QVERIFY_EXCEPTION_THROWN(make_stepper(rough, o), InputError);
    }
};
QTEST_GUILESS_MAIN(TestStepper)
#include "test_stepper.moc"
