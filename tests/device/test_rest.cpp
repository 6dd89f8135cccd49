// SPDX-License-Identifier: GPL-3.0-or-later
// Unknowns at rest, on every back end: what their long steps may change, and where a run is inside
// one.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/quiescent_state.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

TissueProblem fvm_slab(const Vec3& size_mm, double dt_ms, int types = 1, bool insulated = false)
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::fvm;
    o.dt_ms = dt_ms;
    o.types = types;
    o.insulated = insulated;
    return slab_problem(size_mm, 0.25, o);
}

struct Compared
{
    double apd90_ms = 0; ///< the largest difference
    double share_at_rest = 0;
    bool all_repolarised = true;
};

/// A beat of a slab that is stimulated at its left end, with rest and without.
Compared with_rest_and_without(const QByteArray& devices, TissueProblem p, double tolerance_mV,
                               double left_mm, std::int64_t steps)
{
    Compared out;
    std::vector<double> apd90[2];
    for (const bool rests : {false, true}) {
        p.rest_tolerance_mV = rests ? tolerance_mV : 0;
        const auto s = on(p, devices);
        s->add_stimulus(left_end(p, left_mm));
        s->advance(steps_of(steps));
        const auto m = s->maps();
        for (std::size_t u = 0; u < p.size(); ++u) {
            apd90[rests].push_back(m.apd90(u));
            out.all_repolarised = out.all_repolarised && std::isfinite(m.apd90(u));
        }
        out.share_at_rest = s->share_quiescent();
    }
    out.apd90_ms = largest_map_difference(apd90[0], apd90[1]);
    return out;
}

} // namespace

class TestRest : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_row_of_back_end(); }

    /// Short steps see what rests where it is in time. Were it ahead of them, it would draw them
    /// along: then repolarisation came 1.6 ms early here, everywhere.
    void whatRestsDrawsNothingAlong_data() { on_each_back_end(); }
    void whatRestsDrawsNothingAlong()
    {
        QFETCH(QByteArray, devices);
        auto p = fvm_slab({6, 1, 1}, 0.05);
        p.substeps = {diffusion::SubStepping::Kind::euler, 2};
        const auto c = with_rest_and_without(devices, p, 0.1, 1, 9000);
        QVERIFY(short_tests() || (c.share_at_rest > 0.5 && c.all_repolarised));
        qInfo("APD90 differs by %.2f ms at most", c.apd90_ms);
        QVERIFY2(short_tests() || c.apd90_ms < 0.6, qPrintable(QString::number(c.apd90_ms)));
    }

    void longStepsLoseNoFlow_data() { on_each_back_end(); }
    void longStepsLoseNoFlow()
    {
        QFETCH(QByteArray, devices);
        const auto c =
            with_rest_and_without(devices, fvm_slab({3, 1, 1}, 0.02, 3), 0.02, 0.5, 20000);
        QVERIFY(short_tests() || c.all_repolarised);
        QVERIFY2(short_tests() || c.apd90_ms < 0.3, qPrintable(QString::number(c.apd90_ms)));
    }

    void whatCannotRestIsRefusedAloud_data() { on_each_back_end(); }
    void whatCannotRestIsRefusedAloud()
    {
        QFETCH(QByteArray, devices);
        auto p = slab_problem({1, 1, 1}, 0.5);
        p.rest_tolerance_mV = 0.1;
        on(p, devices);
        auto twice = p, rough = p;
        twice.splitting = Splitting::strang;
        rough.dt_ms = 0.15;
        QVERIFY_THROWS_EXCEPTION(InputError, on(twice, devices));
        QVERIFY_THROWS_EXCEPTION(InputError, on(rough, devices));
    }

    /// Inside a long step V of what rests lies midway; at its end it is what the snapshot said.
    void whatRestsIsMidway_data() { on_each_back_end(); }
    void whatRestsIsMidway()
    {
        QFETCH(QByteArray, devices);
        auto p = fvm_slab({2, 1, 1}, 0.02, 1, true);
        p.rest_tolerance_mV = 0.1;
        const auto s = on(p, devices);
        s->add_stimulus(left_end(p, 0.5));
        s->advance(3000); // in the plateau, where a long step begins
        const auto before = s->snapshot();
        QVERIFY(before.quiescent.empty());
        s->advance(3);
        const auto inside = s->snapshot();
        const QuiescentState q(inside.quiescent, inside.v);
        s->advance(7);
        const auto after = s->snapshot();
        QVERIFY(after.quiescent.empty());
        std::size_t rest = 0;
        double most = 0;
        for (std::size_t u = 0; u < p.size(); ++u)
            if (p.has_cells(u) && q.rests[u] != 0) {
                ++rest;
                most = larger_or_nan(most, std::abs(q.end_mV[u] - before.v[u]));
                QVERIFY(std::abs(inside.v[u] - (before.v[u] + q.end_mV[u]) / 2) < 1e-10);
                QCOMPARE(after.v[u], q.end_mV[u]);
            }
        QVERIFY(rest > 100 && most > 1e-3);
        QVERIFY(potential_at_ends(inside) != inside.v);
    }

    /// Snapshots of earlier programs have no ends; what is made of them can be restored again.
    void earlierSnapshotsGoOn_data() { on_each_back_end(); }
    void earlierSnapshotsGoOn()
    {
        QFETCH(QByteArray, devices);
        auto p = fvm_slab({2, 1, 1}, 0.02, 1, true);
        p.rest_tolerance_mV = 0.1;
        const auto s = on(p, devices);
        s->advance(13);
        auto early = s->snapshot();
        early.v = potential_at_ends(early);
        early.quiescent.resize(p.size() + 2);
        s->restore(early);
        s->advance(1);
        const auto again = s->snapshot();
        QCOMPARE(again.quiescent.size(), 2 * p.size() + 2);
        s->restore(again);
        s->advance(20);
        QCOMPARE(s->step(), 34);
        early.quiescent.push_back(0);
        QVERIFY_THROWS_EXCEPTION(InputError, s->restore(early));
    }
};

QTEST_GUILESS_MAIN(TestRest)
#include "test_rest.moc"
