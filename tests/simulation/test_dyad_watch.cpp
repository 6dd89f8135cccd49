// SPDX-License-Identifier: GPL-3.0-or-later
// One cell's dyads, read while its tissue is stepped.
#include "tests/device/on_gpu.hpp"
#include "tests/several.hpp"
#include "tests/simulation/dyad_session.hpp"
#include "tests/simulation/live_bar.hpp"

#include "engine/calcium/cuda/reaction.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/observe/dyad_watch.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

namespace {

const calcium::Grid grid{20, 5, 1};

/// The bar with dyads in the unknowns beyond x = 8 mm.
Tissue half_of_dyads()
{
    auto session = bar();
    session.dt_ms = 0.05;
    Tissue t = build_tissue(session);
    auto& p = t.problem;
    device::CellGroup group;
    group.reaction = calcium::cuda::tissue_model(
        {{calcium::Parameters{}, &calcium::start_named("paced")}}, grid, 3);
    p.groups.push_back(group);
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.position_mm[u][0] > 8) {
            p.group[u] = static_cast<std::uint8_t>(p.groups.size() - 1);
            p.type[u] = 0;
        }
    return t;
}

} // namespace

class TestDyadWatch : public QObject
{
    Q_OBJECT
    static void watches(Precision precision, const char* devices = "cpu")
    {
        Simulation s(half_of_dyads(), {{devices}, precision, 1});
        DyadWatch watch;
        watch.begin(s);
        s.add(watch);
        QVERIFY(!watch.frame());
        QCOMPARE(watch.due_after(0), Observer::never);
        watch.watch({11.5, 0, 0});
        const auto first = watch.frame();
        QVERIFY(first && first->history.empty());
        QVERIFY(norm(first->position_mm - Vec3{11.5, 0, 0}) < 0.3);
        QVERIFY(first->picture.grid == grid);
        QCOMPARE(first->regions, (std::vector<std::size_t>{0}));
        QCOMPARE(first->picture.c_d_uM.size(), std::size_t{100});
        QVERIFY(first->picture.v_mV < -80);
        // its state is that of the snapshot
        const auto u = static_cast<std::size_t>(first->unknown);
        while (s.step() < 110)
            s.advance(110 - s.step());
        const auto snapshot = s.stepper().snapshot();
        device::CellNumbers numbers;
        s.stepper().cell_numbers(u, numbers);
        QCOMPARE(numbers.v_mV, snapshot.v[u]);
        QCOMPARE(numbers.numbers.size(), snapshot.states.size());
        for (std::size_t k = 0; k < numbers.numbers.size(); ++k)
            QCOMPARE(numbers.numbers[k], snapshot.states[k][u]);
        // a sample a millisecond, whatever the driver's batches are
        const auto later = watch.frame();
        QCOMPARE(later->history.size(), std::size_t{5});
        for (std::size_t k = 0; k < 5; ++k) {
            const auto& sample = later->history[k];
            QVERIFY(std::abs(sample.time_ms - static_cast<double>(k + 1)) < 1e-9);
            QVERIFY(sample.c_myo_uM > 0.01F && sample.c_myo_uM < 1);
            QVERIFY(sample.c_jsr_mM > 0.5F && sample.c_jsr_mM < 3);
        }
        QVERIFY(std::abs(later->time_ms - 5.5) < 1e-9);
        QVERIFY(first->history.empty()); // what was handed out stays as it was
        watch.restart();
        QVERIFY(watch.frame()->history.empty());
        watch.stop();
        QVERIFY(!watch.frame() && watch.due_after(110) == Observer::never);
    }

  private Q_SLOTS:
    void aCellIsRead() { watches(Precision::double_); }
    void aCellOfSinglePrecisionIsRead() { watches(Precision::single); }
    void aCellOnAGpuIsRead()
    {
        if (!tawara::test::need_gpu())
            return;
        watches(Precision::double_, "cuda:0");
        watches(Precision::single, "cuda:0,0");
    }

    void whoHasNoDyadsIsTold()
    {
        Simulation s(half_of_dyads(), {{"cpu"}, Precision::double_, 1});
        DyadWatch watch;
        watch.begin(s);
        watch.watch({11.5, 0, 0});
        const auto of = watch.frame()->unknown;
        const auto why = [&](const Vec3& at) {
            try {
                watch.watch(at);
            } catch (const InputError& e) {
                return QString::fromStdString(e.reason);
            }
            return QString();
        };
        QCOMPARE(why({1, 0, 0}), QString("the cells there (ten_tusscher_2006) have no dyads; "
                                         "choose a place in a region of the model "
                                         "ohara_rudy_dyads_2011"));
        QCOMPARE(watch.frame()->unknown, of); // it still is
        device::CellNumbers numbers;
        QVERIFY_THROWS_EXCEPTION(InputError,
                                 s.stepper().cell_numbers(std::size_t{1} << 40, numbers));
        // the tissue has no dyads any more
        for (auto& g : s.tissue().problem.group)
            g = 0;
        QVERIFY(!watch.frame());
        s.tissue().problem.groups.resize(1);
        QVERIFY(why({11.5, 0, 0}).startsWith("no cells of this tissue have dyads"));
    }

    /// What an engine answers, and that its frames have none then.
    void anEngineRefusesWhereThereAreNone()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(!in.answer(e.post(WatchDyads{Vec3{1, 0, 0}})).applied); // nothing is loaded
        QVERIFY(in.answer(e.post(Load{bar()})).applied);
        const auto refused = in.answer(e.post(WatchDyads{Vec3{1, 0, 0}}));
        QVERIFY(!refused.applied);
        QCOMPARE(QString::fromStdString(refused.reason),
                 QString("no cells of this tissue have dyads; give a region the model "
                         "ohara_rudy_dyads_2011"));
        QVERIFY(in.answer(e.post(WatchDyads{})).applied);
        run_to(e, in, 2);
        QVERIFY(!e.newest_frame()->dyads);
    }

    /// A session's region with dyads, and another on it that holds their RyR open.
    void anEngineShowsASessionsDyads()
    {
        auto session = dyad_session::session();
        session.regions.push_back({});
        session.regions[2].model.clear();
        session.regions[2].where = Box{{2, 0, 0}, {3, 1, 1}};
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{session})).applied);
        QVERIFY(in.answer(e.post(WatchDyads{Vec3{2.5, 0.5, 0.5}})).applied);
        run_to(e, in, 2);
        const auto before = e.newest_frame()->dyads;
        QVERIFY(before);
        QCOMPARE(before->regions, (std::vector<std::size_t>{2, 1}));
        QVERIFY((before->picture.grid == calcium::Grid{5, 4, 3}));
        QCOMPARE(before->history.size(), std::size_t{2});
        const auto open = [&] { return e.newest_frame()->dyads->picture.state.dyads.open_RyR; };
        QVERIFY(open() < 60 * 50); // of 100 a dyad
        auto changed = session.regions;
        changed[2].forced_opening_ms = {{2, 4}};
        QVERIFY(in.answer(e.post(SetTissue{changed, {}, session.prepacing})).applied);
        run_to(e, in, 2.5);
        QCOMPARE(open(), 6000.0);
    }

    void keptSamplesAreBounded()
    {
        Simulation s(half_of_dyads(), {{"cpu"}, Precision::double_, 1});
        DyadWatch watch;
        watch.begin(s);
        watch.watch({11.5, 0, 0});
        Moment now(s);
        for (std::size_t k = 0; k < 2 * DyadWatch::most + 7; ++k)
            watch.observe(now); // step 0 is a multiple of any
        QCOMPARE(watch.frame()->history.size(), DyadWatch::most);
    }
};

static const tawara::test::Further<TestDyadWatch> further;
#include "test_dyad_watch.moc"
