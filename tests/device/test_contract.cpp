// SPDX-License-Identifier: GPL-3.0-or-later
// What every back end promises: each test runs on the CPU, on one GPU and on a tissue in three
// shards. Rows of GPUs are skipped where there is none. What one back end alone has is tested in
// test_stepper and test_cuda.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "tests/calcium/dyad_tissue.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/device/bad_snapshots.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

const char* name_of(Precision precision)
{
    return precision == Precision::single ? "single" : "double";
}

/// Rows of every back end in both precisions.
void in_each_precision()
{
    QTest::addColumn<QByteArray>("devices");
    QTest::addColumn<Precision>("precision");
    for (const auto& b : back_ends)
        for (const auto precision : {Precision::double_, Precision::single})
            QTest::addRow("%s, %s", b.name, name_of(precision))
                << QByteArray(b.devices) << precision;
}

/// What a problem is made with, and a name for it.
struct Way
{
    const char* name;
    diffusion::Scheme scheme = diffusion::Scheme::fvm;
    diffusion::Mass mass = diffusion::Mass::lumped;
    Stepping stepping = Stepping::explicit_;
    Splitting splitting = Splitting::godunov;
    double dt_ms = 0.02, rest_tolerance_mV = 0;
    bool on_gpu = true; ///< false: the CPU's alone, refused elsewhere (test_cuda_implicit)
    bool single = true; ///< false: of double precision alone
    IonicCurrents currents = IonicCurrents::nodal;
    bool dyads = false; ///< a third of the tissue has cells with them, where stimuli begin

    TissueProblem slab(const Vec3& size_mm, double spacing_mm, bool insulated = false,
                       int types = 1) const
    {
        ProblemOptions o;
        o.scheme = scheme;
        o.mass = mass;
        o.stepping = stepping;
        o.splitting = splitting;
        o.dt_ms = dt_ms;
        o.insulated = insulated;
        o.types = types;
        o.currents = currents;
        auto p = slab_problem(size_mm, spacing_mm, o);
        p.rest_tolerance_mV = rest_tolerance_mV;
        if (dyads)
            put_dyads(p, size_mm[0] / 3, dyad_types(), {10, 2, 1});
        return p;
    }
};
constexpr auto fvm = diffusion::Scheme::fvm, p1 = diffusion::Scheme::p1;
constexpr auto lumped = diffusion::Mass::lumped, consistent = diffusion::Mass::consistent;
constexpr auto explicit_ = Stepping::explicit_;
constexpr auto interpolated = IonicCurrents::interpolated;
constexpr auto strang = Splitting::strang, godunov = Splitting::godunov;
const Way ways[]{
    {"fvm"},
    {"fvm, Strang", fvm, lumped, explicit_, strang},
    {"fvm, sub-steps", fvm, lumped, explicit_, godunov, 0.05},
    {"fvm, rest", fvm, lumped, explicit_, godunov, 0.02, 0.1},
    {"fvm, backward Euler", fvm, lumped, Stepping::backward_euler, godunov, 0.02, 0, false},
    {"p1", p1},
    {"p1, consistent", p1, consistent},
    {"p1, Crank-Nicolson", p1, lumped, Stepping::crank_nicolson},
    {"p1, consistent, Crank-Nicolson, Strang", p1, consistent, Stepping::crank_nicolson, strang},
    {"p1, Newton", p1, lumped, Stepping::newton, godunov, 0.02, 0, true, false},
    {"p1, consistent, Newton", p1, consistent, Stepping::newton, godunov, 0.02, 0, true, false},
    {"p1, interpolated", p1, lumped, explicit_, godunov, 0.02, 0, true, true, interpolated},
    {"p1, interpolated, Strang, sub-steps", p1, lumped, explicit_, strang, 0.05, 0, true, true,
     interpolated},
    {"p1, interpolated, rest", p1, lumped, explicit_, godunov, 0.02, 0.1, true, true, interpolated},
    {"p1, interpolated, Crank-Nicolson, Strang", p1, lumped, Stepping::crank_nicolson, strang, 0.02,
     0, true, true, interpolated},
    {"fvm, rest, sub-steps", fvm, lumped, explicit_, godunov, 0.05, 0.1},
    {"p1, dyads", p1, lumped, explicit_, godunov, 0.02, 0, true, true, IonicCurrents::nodal, true},
    {"p1, dyads, Crank-Nicolson, Strang", p1, lumped, Stepping::crank_nicolson, strang, 0.02, 0,
     true, true, IonicCurrents::nodal, true},
};

/// Rows of every back end, way and precision.
void in_each_way()
{
    QTest::addColumn<QByteArray>("devices");
    QTest::addColumn<int>("way");
    QTest::addColumn<Precision>("precision");
    for (const auto& b : back_ends)
        for (int w = 0; w < static_cast<int>(std::size(ways)); ++w)
            for (const auto precision : {Precision::double_, Precision::single})
                if ((ways[w].on_gpu || QByteArray(b.devices) == "cpu") &&
                    (ways[w].single || precision == Precision::double_))
                    QTest::addRow("%s, %s, %s", b.name, ways[w].name, name_of(precision))
                        << QByteArray(b.devices) << w << precision;
}

} // namespace

Q_DECLARE_METATYPE(tawara::Precision)

class TestContract : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_row_of_back_end(); }

    void waveCrossesAndMapsFill_data() { in_each_precision(); }
    void waveCrossesAndMapsFill()
    {
        QFETCH(QByteArray, devices);
        QFETCH(Precision, precision);
        for (const Way& way : {ways[0], ways[5], ways[6], ways[11]}) {
            const auto p = way.slab({8, 0.5, 0.5}, 0.25);
            const auto s = on(p, devices, precision);
            s->add_stimulus(left_end(p, 0.75));
            s->advance(steps_of(20000)); // 400 ms
            if (short_tests())
                continue;
            const auto m = s->maps();
            for (std::size_t u = 0; u < p.size(); ++u) {
                QVERIFY2(std::isfinite(m.activation_ms[u]), way.name);
                QVERIFY2(m.apd90(u) > 220 && m.apd90(u) < 330, way.name);
            }
            const double mm_per_ms =
                4 / (activation_near(p, m, 6, 0.3) - activation_near(p, m, 2, 0.3));
            qInfo("%s: conduction velocity %.3f m/s at 0.25 mm", way.name, mm_per_ms);
            QVERIFY2(mm_per_ms > 0.5 && mm_per_ms < 0.8, way.name);
        }
    }

    void singleStaysNearDouble_data() { on_each_back_end(); }
    void singleStaysNearDouble()
    {
        QFETCH(QByteArray, devices);
        const auto p = slab_problem({6, 1, 1}, 0.25);
        const auto d = on(p, devices), f = on(p, devices, Precision::single);
        for (auto* s : {d.get(), f.get()}) {
            s->add_stimulus(left_end(p, 1));
            s->advance(steps_of(1500));
        }
        const double worst =
            largest_map_difference(d->maps().activation_ms, f->maps().activation_ms);
        qInfo("activation differs by %.2e ms at most", worst);
        QVERIFY(worst < 0.02);
    }

    /// However a run is cut, and from a snapshot on: the same bits.
    void snapshotContinuesBitForBit_data() { in_each_way(); }
    void snapshotContinuesBitForBit()
    {
        QFETCH(QByteArray, devices);
        QFETCH(int, way);
        QFETCH(Precision, precision);
        const auto p = ways[way].slab({3, 1, 1}, 0.25, false, 2);
        const auto make = [&] {
            auto s = on(p, devices, precision);
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        const auto whole = make(), first = make(), second = make();
        const std::int64_t all = short_tests() ? 9 : 400, some = short_tests() ? 4 : 151;
        whole->advance(all);
        first->advance(1);
        first->advance(some - 1);
        const auto between = first->snapshot();
        second->restore(between);
        QCOMPARE(second->step(), some);
        first->advance(all - some);
        second->advance(all - some);
        const auto expected = whole->snapshot();
        for (auto* s : {first.get(), second.get()}) {
            QVERIFY2(same_bits(expected, s->snapshot()),
                     s == first.get() ? "cut" : "from a snapshot");
            QVERIFY(potential(*s, p.size()) == expected.v);
        }
    }

    void snapshotsThatDoNotFitAreRefused_data() { in_each_precision(); }
    void snapshotsThatDoNotFitAreRefused()
    {
        QFETCH(QByteArray, devices);
        QFETCH(Precision, precision);
        auto p = slab_problem({2, 1, 1}, 0.5);
        for (const bool rests : {false, true}) {
            p.rest_tolerance_mV = rests ? 0.1 : 0;
            const auto s = on(p, devices, precision);
            s->advance(10);
            const auto bad = takes_a_bad_snapshot(*s, rests);
            QVERIFY2(bad.empty(), bad.c_str());
        }
    }

    void typesChangeWhileRunning_data() { on_each_back_end(); }
    void typesChangeWhileRunning()
    {
        QFETCH(QByteArray, devices);
        ProblemOptions o;
        o.types = 2;
        const auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
        const auto plain = on(p, devices), changed = on(p, devices);
        for (auto* s : {plain.get(), changed.get()}) {
            s->add_stimulus(left_end(p, 0.75));
            s->advance(steps_of(1500)); // the plateau
        }
        const auto before = potential(*changed, p.size());
        QCOMPARE(potential(*plain, p.size()), before);
        const std::pair<std::string, double> more[]{{"g_Ks", 2.0}};
        std::vector<cell::CellType> types{
            p.groups[0].types[0], cell::make_cell_type("ten_tusscher_2006", "endo", more, {})};
        changed->set_types(0, types);
        QCOMPARE(potential(*changed, p.size()), before);
        for (auto* s : {plain.get(), changed.get()})
            s->advance(steps_of(10000));
        const auto a = potential(*plain, p.size()), b = potential(*changed, p.size());
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY2(short_tests() || a[u] > b[u] + 5, "more g_Ks repolarises sooner");
        changed->set_types(0, p.groups[0].types);
        types.pop_back();
        QVERIFY_THROWS_EXCEPTION(InputError, changed->set_types(0, types));
        types.push_back({"another", types[0].parameters, types[0].initial});
        QVERIFY_THROWS_EXCEPTION(InputError, changed->set_types(0, types));
    }

    void probesAndDisplayAreWeightedSums_data() { in_each_precision(); }
    void probesAndDisplayAreWeightedSums()
    {
        QFETCH(QByteArray, devices);
        QFETCH(Precision, precision);
        const auto p = slab_problem({2, 1, 1}, 0.25);
        const auto s = on(p, devices, precision);
        s->add_stimulus(left_end(p, 1));
        Gather g;
        g.unknown = {0, 5, 300};
        g.weight = {1, 0.25F, 0.75F};
        g.first = {0, 1, 3};
        s->set_probes(g, 3);
        s->set_display(g);
        s->advance(9);
        std::vector<std::int64_t> steps;
        std::vector<double> samples;
        s->take_samples(steps, samples);
        QVERIFY((steps == std::vector<std::int64_t>{3, 6, 9}));
        QCOMPARE(samples.size(), std::size_t(6));
        const auto v = potential(*s, p.size());
        const double sum = 0.25 * v[5] + 0.75 * v[300];
        QCOMPARE(samples[4], v[0]);
        QVERIFY(std::abs(samples[5] - sum) < (precision == Precision::single ? 1e-4 : 1e-12));
        std::vector<float> shown(2);
        s->display(shown);
        QCOMPARE(shown[0], static_cast<float>(v[0]));
        QVERIFY(std::abs(shown[1] - sum) < 1e-4);
        s->take_samples(steps, samples);
        QVERIFY(steps.empty());
    }

    void stimulusReachesOnlyItsCells_data() { on_each_back_end(); }
    void stimulusReachesOnlyItsCells()
    {
        QFETCH(QByteArray, devices);
        auto p = slab_problem({2, 1, 1}, 0.5);
        for (auto& a : p.system.alpha.value)
            a = 0; // cells on their own
        const auto s = on(p, devices);
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

    void failureNamesStepAndPlace_data() { on_each_back_end(); }
    void failureNamesStepAndPlace()
    {
        QFETCH(QByteArray, devices);
        const auto p = slab_problem({2, 1, 1}, 0.25);
        const auto s = on(p, devices);
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
                QVERIFY(e.position_mm == p.position_mm[7]);
                QVERIFY(!(std::abs(e.value) < 1000));
                QVERIFY(QString(e.what()).contains("ten_tusscher_2006"));
                QVERIFY(!QString(e.what()).contains('\n'));
            }
        // the state is that of the failed step: it has not spread
        QVERIFY(std::abs(potential(*s, p.size())[300]) < 100);
    }

    void aConcentrationThatLeavesItsRangeIsNamed_data() { on_each_back_end(); }
    void aConcentrationThatLeavesItsRangeIsNamed()
    {
        QFETCH(QByteArray, devices);
        for (const Splitting splitting : {Splitting::godunov, Splitting::strang}) {
            auto p = slab_problem({2, 1, 1}, 0.5);
            p.splitting = splitting;
            auto one = p.groups.at(0).types.at(0);
            one.initial.back() = 5000; // potassium
            p.groups[0].types.push_back(one);
            p.type.at(7) = 1;
            const auto s = on(p, devices);
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

    void kernelsAreMeasured_data() { on_each_back_end(); }
    void kernelsAreMeasured()
    {
        QFETCH(QByteArray, devices);
        const auto p = slab_problem({5, 2, 2}, 0.25);
        const auto s = on(p, devices);
        s->advance(50);
        QVERIFY(!s->kernels().empty());
        for (const auto& k : s->kernels()) {
            QCOMPARE(k.calls, 50);
            QVERIFY(k.ms > 0);
            QVERIFY(k.bytes > 0);
        }
        const auto coarse = ways[11].slab({5, 2, 2}, 0.5);
        const auto waves = on(coarse, devices);
        waves->add_stimulus(left_end(coarse, 1));
        waves->advance(100);
        const auto all = waves->kernels();
        QVERIFY(std::any_of(all.begin(), all.end(), [](const KernelRecord& k) {
            return k.name.find("interpolated currents") == 0 && k.calls == 100 && k.ms > 0 &&
                   k.bytes > 0 && k.flops > 0 && k.tetrahedra > 300;
        }));
    }

    /// Unknowns at rest take long steps: the same maps within the tolerance's reach, and the same
    /// bits from a snapshot inside a long step.
    void restingTissueTakesLongSteps_data() { in_each_precision(); }
    void restingTissueTakesLongSteps()
    {
        QFETCH(QByteArray, devices);
        QFETCH(Precision, precision);
        for (const Way& way : {ways[0], ways[2], ways[5], ways[11]}) {
            auto p = way.slab({6, 1, 1}, way.scheme == p1 ? 0.25 : 0.5, false, 3);
            if (way.dt_ms > 0.02) // several passes
                p.substeps = {diffusion::SubStepping::Kind::euler, 3};
            const auto make = [&] {
                auto s = on(p, devices, precision);
                s->add_stimulus(left_end(p, 1));
                return s;
            };
            const auto reference = make();
            p.rest_tolerance_mV = 0.1;
            const auto whole = make(), cut = make(), resumed = make();
            const std::int64_t all = short_tests() ? 23 : 20000, some = short_tests() ? 17 : 1003;
            reference->advance(all);
            whole->advance(all);
            const auto a = reference->maps(), b = whole->maps();
            double early = 0, late = 0; // both NaN where nothing happened yet: no difference
            for (std::size_t u = 0; u < p.size(); ++u) {
                early =
                    larger_or_nan(early, map_difference(a.activation_ms[u], b.activation_ms[u]));
                late = larger_or_nan(late, map_difference(a.apd90(u), b.apd90(u)));
            }
            qInfo("%s: activation %.2e ms, APD90 %.2e ms, %.0f %% of steps at rest", way.name,
                  early, late, 100 * whole->share_quiescent());
            QVERIFY(early < 0.1);
            QVERIFY(late < 1);
            QVERIFY(short_tests() ||
                    (whole->share_quiescent() > 0.5 && whole->share_quiescent() < 1));
            QCOMPARE(reference->share_quiescent(), 0.0);
            for (const std::int64_t n : {1, 2, 8})
                cut->advance(n);
            cut->advance(some - 11);
            const auto inside = cut->snapshot();
            QVERIFY(!inside.quiescent.empty());
            resumed->restore(inside);
            cut->advance(all - some);
            resumed->advance(all - some);
            QVERIFY(same_bits(whole->snapshot(), cut->snapshot()));
            QVERIFY(same_bits(whole->snapshot(), resumed->snapshot()));
        }
    }

    /// Unknowns of insulating tissue are not stepped: they have no value, and nothing reads them.
    void tissueWithoutCellsIsLeftOut_data() { in_each_way(); }
    void tissueWithoutCellsIsLeftOut()
    {
        QFETCH(QByteArray, devices);
        QFETCH(int, way);
        QFETCH(Precision, precision);
        const auto p = ways[way].slab({4.5, 2, 1}, 0.25, true);
        const auto make = [&] {
            auto s = on(p, devices, precision);
            s->add_stimulus(left_end(p, 1));
            return s;
        };
        const auto whole = make(), first = make(), second = make();
        QVERIFY(empty_without_cells(p, whole->snapshot()));
        const std::int64_t all = short_tests() ? 9 : static_cast<std::int64_t>(12 / p.dt_ms);
        whole->advance(all);
        first->advance(all / 4);
        second->restore(first->snapshot());
        second->advance(all - all / 4);
        const auto a = whole->snapshot(), b = second->snapshot();
        QVERIFY(empty_without_cells(p, a) && empty_without_cells(p, b));
        QCOMPARE(largest_difference_of_V(p, a.v, b.v), 0.0);
        int beyond = 0; // the wave has gone through the bridge
        for (std::size_t u = 0; u < p.size(); ++u)
            beyond += p.position_mm[u][0] > 4 && std::isfinite(a.activation_ms[u]);
        QVERIFY(short_tests() || beyond > 0);
    }
};
QTEST_GUILESS_MAIN(TestContract)
#include "test_contract.moc"
