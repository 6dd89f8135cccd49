// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA back end against the CPU's, and against itself cut into shards. What it promises as
// every back end does is in test_contract. Skipped where there is no GPU.
#include "engine/core/error.hpp"
#include "tests/device/bad_snapshots.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>
#include <cstring>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

/// 0: fvm; 1: p1; 2: p1 with interpolated currents.
void take_scheme(ProblemOptions& o, int scheme)
{
    o.scheme = scheme ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
    o.currents = scheme == 2 ? IonicCurrents::interpolated : IonicCurrents::nodal;
}
constexpr const char* scheme_names[]{"fvm", "p1", "p1, interpolated"};

} // namespace

class TestCuda : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }

    void agreesWithTheCpu_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("reaction");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("types");
        QTest::addColumn<bool>("fused");
        using K = diffusion::SubStepping::Kind;
        using S = cell::Scheme;
        auto row = [](const char* name, int scheme, S reaction, int splitting, K kind, int stages,
                      int types, bool fused = true) {
            QTest::addRow("%s", name)
                << scheme << int(reaction) << splitting << int(kind) << stages << types << fused;
        };
        row("fvm", 0, S::rush_larsen_light, 0, K::euler, 1, 1);
        row("fvm, not fused", 0, S::rush_larsen_light, 0, K::euler, 1, 1, false);
        row("fvm, three types", 0, S::rush_larsen_light, 0, K::euler, 1, 3);
        row("fvm, 2 sub-steps", 0, S::rush_larsen_light, 0, K::euler, 2, 2);
        row("fvm, 3 sub-steps, not fused", 0, S::rush_larsen_light, 0, K::euler, 3, 2, false);
        row("fvm, RKL2 3", 0, S::rush_larsen_light, 0, K::rkl2, 3, 1);
        row("fvm, RKL2 5", 0, S::rush_larsen_light, 0, K::rkl2, 5, 3);
        row("fvm, Strang", 0, S::rush_larsen_light, 1, K::euler, 1, 1);
        row("fvm, Strang, RKL2 3", 0, S::rush_larsen_light, 1, K::rkl2, 3, 3);
        row("fvm, Rush-Larsen", 0, S::rush_larsen, 0, K::euler, 1, 2);
        row("fvm, GRL1", 0, S::grl1, 0, K::euler, 1, 1);
        row("fvm, RK4, Strang", 0, S::rk4, 1, K::euler, 2, 1);
        row("fvm, forward Euler", 0, S::forward_euler, 0, K::euler, 1, 1);
        row("p1", 1, S::rush_larsen_light, 0, K::euler, 1, 1);
        row("p1, three types, Strang", 1, S::rush_larsen_light, 1, K::euler, 1, 3);
        row("p1, RKL2 3, Rush-Larsen", 1, S::rush_larsen, 0, K::rkl2, 3, 3);
        row("p1, interpolated", 2, S::rush_larsen_light, 0, K::euler, 1, 2);
        row("p1, interpolated, not fused", 2, S::rush_larsen_light, 0, K::euler, 1, 1, false);
        row("p1, interpolated, GRL1, 2 sub-steps", 2, S::grl1, 0, K::euler, 2, 3);
        row("p1, interpolated, Strang, RKL2 3", 2, S::rush_larsen_light, 1, K::rkl2, 3, 3);
    }
    void agreesWithTheCpu()
    {
        QFETCH(int, scheme);
        QFETCH(int, reaction);
        QFETCH(int, splitting);
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, types);
        QFETCH(bool, fused);
        ProblemOptions o;
        take_scheme(o, scheme);
        o.reaction = static_cast<cell::Scheme>(reaction);
        o.splitting = static_cast<Splitting>(splitting);
        o.types = types;
        const bool stiff =
            o.reaction == cell::Scheme::forward_euler || o.reaction == cell::Scheme::rk4;
        o.dt_ms = stiff ? 0.001 : 0.01;
        auto p = slab_problem({3.1, 0.9, 0.7}, 0.25, o);
        p.substeps = {static_cast<diffusion::SubStepping::Kind>(kind), stages};
        Tuning tuning;
        tuning.fused = fused;
        const auto steps = steps_of(stiff ? 2000 : 700);
        for (auto precision : {Precision::double_, Precision::single}) {
            auto c = on(p, "cpu", Precision::double_), g = on(p, "cuda:0", precision, tuning);
            for (auto* s : {c.get(), g.get()}) {
                s->add_stimulus(left_end(p, 1, 50, 1.003)); // ends inside a step
                s->advance(steps);
            }
            const auto a = c->snapshot(), b = g->snapshot();
            const bool twice = precision == Precision::double_;
            const double v = largest_difference_of_V(p, a.v, b.v),
                         t = largest_map_difference(a.activation_ms, b.activation_ms);
            const double relative = difference_of_states(a, b);
            qInfo("%s: V %.1e mV, states %.1e, activation %.1e ms", twice ? "double" : "single", v,
                  relative, t == 1e300 ? NAN : t);
            QVERIFY(short_tests() || *std::max_element(a.v.begin(), a.v.end()) > -20);
            QVERIFY(v < (twice ? 1e-8 : 0.5));
            QVERIFY(relative < (twice ? 1e-9 : 0.05));
            QVERIFY(t < (twice ? 1e-9 : 0.02));
        }
    }

    void sizesAroundAWarp_data()
    {
        QTest::addColumn<double>("length");
        for (double mm : {0.2, 0.4, 1.0, 1.2, 1.4, 4.2})
            QTest::addRow("%.1f mm", mm) << mm;
    }
    void sizesAroundAWarp()
    {
        QFETCH(double, length);
        ProblemOptions o;
        o.types = 2;
        for (int scheme : {0, 1}) {
            take_scheme(o, scheme);
            const auto p =
                slab_problem({length, 0.2, 0.2}, 0.2, o); // 6 to 126 tetrahedra, 8 to 88 vertices
            auto c = on(p, "cpu"), g = on(p, "cuda:0");
            for (auto* s : {c.get(), g.get()}) {
                s->add_stimulus(left_end(p, 0.3));
                s->advance(steps_of(130));
            }
            QVERIFY(largest_difference_of_V(p, potential(*c, p.size()), potential(*g, p.size())) <
                    1e-8);
        }
    }

    void wholeBeatHasTheSameMaps()
    {
        ProblemOptions o;
        o.types = 3;
        const auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
        auto c = on(p, "cpu"), g = on(p, "cuda:0"), f = on(p, "cuda:0", Precision::single);
        for (auto* s : {c.get(), g.get(), f.get()}) {
            s->add_stimulus(left_end(p, 0.75));
            s->advance(steps_of(20000));
        }
        if (short_tests())
            return;
        const auto a = c->maps(), b = g->maps(), e = f->maps();
        double single = 0, apd = 0;
        for (std::size_t u = 0; u < p.size(); ++u) {
            QVERIFY(std::abs(a.activation_ms[u] - b.activation_ms[u]) < 1e-6);
            QVERIFY(std::abs(a.repolarisation_ms[u] - b.repolarisation_ms[u]) < 1e-5);
            single = larger_or_nan(single, map_difference(a.activation_ms[u], e.activation_ms[u]));
            apd = larger_or_nan(apd, map_difference(a.apd90(u), e.apd90(u)));
        }
        qInfo("single precision: activation %.2e ms, APD90 %.2e ms", single, apd);
        QVERIFY(single < 0.02);
        QVERIFY(apd < 1);
    }

    /// Shards, graphs, fusion and order change no bit.
    void cutsAndTuningChangeNoBit_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        for (int scheme : {0, 1, 2})
            for (auto precision : {Precision::double_, Precision::single}) {
                const char* s = scheme_names[scheme];
                const char* n = precision == Precision::single ? "single" : "double";
                QTest::addRow("%s %s", s, n) << scheme << int(precision) << 0 << 0 << 1;
                QTest::addRow("%s %s, Strang, 2 sub-steps", s, n)
                    << scheme << int(precision) << 1 << 0 << 2;
                QTest::addRow("%s %s, RKL2", s, n) << scheme << int(precision) << 0 << 1 << 3;
            }
    }
    void cutsAndTuningChangeNoBit()
    {
        QFETCH(int, scheme);
        QFETCH(int, precision);
        QFETCH(int, splitting);
        QFETCH(int, kind);
        QFETCH(int, stages);
        ProblemOptions o;
        take_scheme(o, scheme);
        o.splitting = static_cast<Splitting>(splitting);
        o.types = 2;
        o.dt_ms = 0.01;
        auto p = slab_problem({5, 1.5, 1.1}, 0.25, o);
        p.substeps = {static_cast<diffusion::SubStepping::Kind>(kind), stages};
        const Tuning plain{partition::Ordering::hilbert, true, 32},
            metis{partition::Ordering::metis, true, 32},
            apart{partition::Ordering::hilbert, true, 0},
            unfused{partition::Ordering::hilbert, false, 7};
        Tuning unequal = plain;
        unequal.shares = {0.7, 0.3};
        struct Way
        {
            const char* devices;
            Tuning tuning;
        };
        Gather probes;
        probes.unknown = {0, 50, 100, 150};
        probes.weight = {1, 0.5F, 0.25F, 0.25F};
        probes.first = {0, 1, 4};
        Snapshot first;
        std::vector<double> first_samples;
        std::vector<std::string> ways;
        for (const Way& w :
             {Way{"cuda:0", plain}, Way{"cuda:0", plain}, Way{"cuda:0", metis},
              Way{"cuda:0", apart}, Way{"cuda:0,0", plain}, Way{"cuda:0,0,0,0", plain},
              Way{"cuda:0,0,0,0", apart}, Way{"cuda:0,0,0", metis}, Way{"cuda:0,0", unequal},
              Way{"cuda:0,0,0,0,0,0,0,0", plain}, Way{"cuda:0,1", plain},
              Way{"cuda:0,1,0,1,0,1,0,1", plain}, Way{"cuda:0,1,2,3", plain},
              Way{"cuda:1,0,1", metis}}) {
            if (!usable(w.devices) || (short_tests() && std::strlen(w.devices) > 12))
                continue;
            auto g = on(p, w.devices, static_cast<Precision>(precision), w.tuning);
            g->add_stimulus(left_end(p, 1));
            g->set_probes(probes, 5);
            for (int n : {1, 2, 40, 57, 400})
                if (n < 5 || !short_tests())
                    g->advance(n);
            std::vector<std::int64_t> steps;
            std::vector<double> samples;
            g->take_samples(steps, samples);
            QCOMPARE(steps.size(), std::size_t(short_tests() ? 0 : 100));
            if (first.v.empty()) {
                first = g->snapshot();
                first_samples = samples;
                QVERIFY(short_tests() || *std::max_element(first.v.begin(), first.v.end()) > 0);
            }
            QVERIFY2(same_bits(first, g->snapshot()), w.devices);
            QVERIFY2(first_samples == samples, w.devices);
        }
        // Not fused, the compiler may contract other pairs: the same to rounding.
        auto g = on(p, "cuda:0,0", static_cast<Precision>(precision), unfused);
        g->add_stimulus(left_end(p, 1));
        g->advance(short_tests() ? 3 : 500);
        QVERIFY(largest_difference_of_V(p, first.v, g->snapshot().v) <
                (static_cast<Precision>(precision) == Precision::single ? 0.05 : 1e-8));
    }

    /// Tissue too large for a cell a thread goes through rings in shared memory, whose kernels
    /// start while diffusion ends: as on the CPU, and any number of shards, with and without
    /// graphs, gives the same bits.
    void anyNumberOfShardsOfRingsGivesTheSameBits()
    {
        ProblemOptions o;
        o.types = 2;
        const auto p = slab_problem({12, 4, 4}, 0.25, o);
        QVERIFY(p.size() > 65'000);
        Tuning unfused;
        unfused.fused = false;
        const auto number = Precision::double_;
        auto whole = on(p, "cuda:0", number, unfused);
        whole->add_stimulus(left_end(p, 1));
        whole->advance(short_tests() ? 3 : 120);
        const auto all = whole->snapshot();
        auto cpu = on(p, "cpu", number);
        cpu->add_stimulus(left_end(p, 1));
        cpu->advance(short_tests() ? 3 : 120);
        QVERIFY(largest_difference_of_V(p, all.v, cpu->snapshot().v) < 1e-7);
        for (const char* devices : {"cuda:0", "cuda:0,0", "cuda:0,0,0,0", "cuda:0,1"})
            for (int graph_steps : {32, 0}) {
                if (!usable(devices))
                    continue;
                unfused.graph_steps = graph_steps;
                auto other = on(p, devices, number, unfused);
                other->add_stimulus(left_end(p, 1));
                other->advance(short_tests() ? 3 : 120);
                QVERIFY2(same_bits(all, other->snapshot()), devices);
            }
    }

    /// Insulating tissue, however it is cut, as on the CPU.
    void tissueWithoutCellsIsLeftOut_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("mass");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<int>("stages");
        QTest::addColumn<double>("rest");
        QTest::addColumn<bool>("fused");
        QTest::addRow("fvm") << 0 << 0 << 0 << 1 << 0.0 << true;
        QTest::addRow("fvm, not fused") << 0 << 0 << 0 << 1 << 0.0 << false;
        QTest::addRow("fvm, Strang, 2 sub-steps") << 0 << 0 << 1 << 2 << 0.0 << false;
        QTest::addRow("fvm, rest") << 0 << 0 << 0 << 1 << 0.1 << true;
        QTest::addRow("fvm, rest, 2 sub-steps") << 0 << 0 << 0 << 2 << 0.1 << true;
        QTest::addRow("p1") << 1 << 0 << 0 << 1 << 0.0 << true;
        QTest::addRow("p1, interpolated") << 2 << 0 << 0 << 1 << 0.0 << true;
        QTest::addRow("p1, interpolated, rest") << 2 << 0 << 0 << 1 << 0.1 << true;
        QTest::addRow("p1, consistent") << 1 << 1 << 0 << 1 << 0.0 << false;
        QTest::addRow("p1, consistent, Strang") << 1 << 1 << 1 << 1 << 0.0 << false;
    }
    void tissueWithoutCellsIsLeftOut()
    {
        QFETCH(int, scheme);
        QFETCH(int, mass);
        QFETCH(int, splitting);
        QFETCH(int, stages);
        QFETCH(double, rest);
        QFETCH(bool, fused);
        ProblemOptions o;
        take_scheme(o, scheme);
        o.mass = static_cast<diffusion::Mass>(mass);
        o.splitting = static_cast<Splitting>(splitting);
        o.insulated = true;
        o.dt_ms = 0.01;
        auto p = slab_problem({4.5, 2, 1}, 0.25, o);
        p.substeps = {diffusion::SubStepping::Kind::euler, stages};
        p.rest_tolerance_mV = rest;
        Tuning tuning;
        tuning.fused = fused;
        const auto steps = steps_of(1200);
        const auto make = [&](const char* devices) {
            auto s = on(p, devices, Precision::double_, tuning);
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        const auto c = make("cpu");
        c->advance(steps);
        const auto expected = c->snapshot();
        for (const char* devices : {"cuda:0", "cuda:0,0"}) {
            const auto whole = make(devices);
            whole->advance(steps);
            const auto g = whole->snapshot();
            QVERIFY(largest_difference_of_V(p, expected.v, g.v) < (mass ? 1e-4 : 1e-8));
            QVERIFY(largest_map_difference(expected.activation_ms, g.activation_ms) <
                    (mass ? 1e-4 : 1e-8));
        }
    }

    /// The same bits however resting tissue is cut and the run with it.
    void restingTissueIsCutWithoutABit_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("stages");
        QTest::addRow("p1 double") << 1 << int(Precision::double_) << 1;
        QTest::addRow("p1 single") << 1 << int(Precision::single) << 1;
        QTest::addRow("fvm double") << 0 << int(Precision::double_) << 1;
        QTest::addRow("fvm double, 2 sub-steps") << 0 << int(Precision::double_) << 2;
        QTest::addRow("fvm single, RKL2 3") << 0 << int(Precision::single) << 3;
        QTest::addRow("p1, interpolated double") << 2 << int(Precision::double_) << 1;
    }
    void restingTissueIsCutWithoutABit()
    {
        QFETCH(int, scheme);
        QFETCH(int, precision);
        QFETCH(int, stages);
        const auto number = static_cast<Precision>(precision);
        ProblemOptions o;
        take_scheme(o, scheme);
        o.types = 3;
        auto p = slab_problem({6, 1, 1}, scheme ? 0.25 : 0.5, o);
        using K = diffusion::SubStepping::Kind;
        p.substeps = {stages > 2 ? K::rkl2 : K::euler, stages};
        p.rest_tolerance_mV = 0.1;
        auto whole = on(p, "cuda:0", number);
        whole->add_stimulus(left_end(p, 1));
        const std::int64_t all = short_tests() ? 23 : 20000;
        whole->advance(all);
        const auto kernels = whole->kernels();
        QCOMPARE(kernels.size(), std::size_t(scheme == 2 ? 3 : 2));
        qInfo("%lld long steps, short ones moved %.0f %%", static_cast<long long>(kernels[0].calls),
              100 * kernels[1].bytes / (kernels[0].bytes / static_cast<double>(kernels[0].calls)) /
                  static_cast<double>(kernels[1].calls));
        QVERIFY(kernels[0].calls < 20000 / 4);
        const auto last = whole->snapshot();
        for (const char* devices :
             {"cuda:0,0", "cuda:0,0,0,0,0,0,0,0", "cuda:0,1", "cuda:0,1,2,3"}) {
            if (!usable(devices) || (short_tests() && std::strlen(devices) > 12))
                continue;
            auto cut = on(p, devices, number);
            cut->add_stimulus(left_end(p, 1));
            for (int n : {1, 2, 8})
                cut->advance(n);
            cut->advance(all - 11);
            QVERIFY2(same_bits(last, cut->snapshot()), devices);
        }
        auto first = on(p, "cuda:0", number), second = on(p, "cuda:0,0", number);
        first->add_stimulus(left_end(p, 1));
        second->add_stimulus(left_end(p, 1));
        const std::int64_t some = short_tests() ? 17 : 1003; // inside a long step
        first->advance(some);
        QVERIFY(!first->snapshot().quiescent.empty());
        second->restore(first->snapshot());
        second->advance(all - some);
        QVERIFY(same_bits(last, second->snapshot()));
    }

    void stimuliComeAndGo()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        for (auto& a : p.system.alpha.value)
            a = 0; // cells on their own
        auto c = on(p, "cpu"), g = on(p, "cuda:0,0");
        for (auto* s : {c.get(), g.get()}) {
            StimulusSource one;
            one.unknowns = {3, 4, 4};
            one.amplitude_pA_per_pF = 30;
            one.duration_ms = 1;
            one.period_ms = 3;
            one.count = 2;
            const auto id = s->add_stimulus(one);
            s->advance(40);
            one.unknowns = {4, 9};
            one.start_ms = 1;
            s->add_stimulus(one);
            s->advance(250);
            s->remove_stimulus(id);
            one.unknowns = {11};
            one.start_ms = 6;
            QCOMPARE(s->add_stimulus(one), id); // its place is used again
            s->advance(100);
        }
        QVERIFY(largest_difference_of_V(p, potential(*c, p.size()), potential(*g, p.size())) <
                1e-8);
    }

    void kernelsAndCeilingsAreMeasured()
    {
        const auto p = slab_problem({5, 2, 2}, 0.25);
        for (bool fused : {true, false}) {
            Tuning t;
            t.fused = fused;
            auto s = on(p, "cuda:0", Precision::double_, t);
            s->advance(50);
            QCOMPARE(s->kernels().size(), fused ? std::size_t(1) : std::size_t(2));
            for (const auto& k : s->kernels()) {
                QCOMPARE(k.calls, 50);
                QVERIFY(k.ms > 0);
                QVERIFY(k.bytes > 0);
                QVERIFY(k.flops > 0);
            }
        }
        const auto c = measure_ceilings("cuda:0", 1);
        qInfo("triad %.0f, copy %.0f GB/s, fp64 %.0f, fp32 %.0f GFLOP/s", c.triad_GB_per_s,
              c.copy_GB_per_s, c.fp64_GFLOP_per_s, c.fp32_GFLOP_per_s);
        QVERIFY(c.triad_GB_per_s > 100 && c.copy_GB_per_s > 100);
        QVERIFY(c.fp32_GFLOP_per_s > c.fp64_GFLOP_per_s);
    }

    void unusableDevicesAreRefusedWithAReason()
    {
        const auto p = slab_problem({1, 1, 1}, 0.5);
        for (const char* devices : {"cuda:97", "cuda:", "cuda:0,", "cuda:x", "cudb", "cuda:0 1"})
            QVERIFY_THROWS_EXCEPTION(InputError, on(p, devices));
        auto resting = p;
        resting.rest_tolerance_mV = 0.1;
        QVERIFY_THROWS_EXCEPTION(InputError, on(resting, "cuda:0", Precision::mixed));
    }

    /// The matrix in single precision, all else in double: errors far below those of single
    /// precision.
    void mixedPrecisionStaysNearDouble()
    {
        ProblemOptions o;
        for (int scheme : {0, 1}) {
            take_scheme(o, scheme);
            const auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
            auto d = on(p, "cuda:0"), m = on(p, "cuda:0", Precision::mixed),
                 s = on(p, "cuda:0", Precision::single),
                 cut = on(p, "cuda:0,0,0", Precision::mixed);
            for (auto* x : {d.get(), m.get(), s.get(), cut.get()}) {
                x->add_stimulus(left_end(p, 0.75));
                x->advance(steps_of(20000));
            }
            QVERIFY(same_bits(m->snapshot(), cut->snapshot()));
            const auto a = d->maps(), b = m->maps(), c = s->maps();
            double mixed = 0, single = 0, apd_mixed = 0, apd_single = 0;
            for (std::size_t u = 0; u < p.size(); ++u) {
                mixed =
                    larger_or_nan(mixed, map_difference(a.activation_ms[u], b.activation_ms[u]));
                single =
                    larger_or_nan(single, map_difference(a.activation_ms[u], c.activation_ms[u]));
                apd_mixed = larger_or_nan(apd_mixed, map_difference(a.apd90(u), b.apd90(u)));
                apd_single = larger_or_nan(apd_single, map_difference(a.apd90(u), c.apd90(u)));
            }
            qInfo("activation: mixed %.1e, single %.1e ms; APD90: %.1e, %.1e ms", mixed, single,
                  apd_mixed, apd_single);
            QVERIFY(mixed < 1e-4);
            QVERIFY(apd_mixed < 1e-3);
            QVERIFY(short_tests() || mixed < single);
        }
    }
};
QTEST_GUILESS_MAIN(TestCuda)
#include "test_cuda.moc"
