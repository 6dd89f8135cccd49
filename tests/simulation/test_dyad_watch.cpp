// SPDX-License-Identifier: GPL-3.0-or-later
// One cell's dyads, read while its tissue is stepped.
#include "tests/device/on_gpu.hpp"
#include "tests/several.hpp"
#include "tests/simulation/dyad_session.hpp"
#include "tests/simulation/live_bar.hpp"

#include "engine/calcium/cuda/reaction.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/device/state_places.hpp"
#include "engine/simulation/observe/dyad_recording.hpp"
#include "engine/simulation/observe/dyad_watch.hpp"
#include "engine/simulation/observe/spark_csv.hpp"
#include "engine/simulation/observe/spark_log.hpp"

#include <QtTest>
#include <cmath>
#include <fstream>
#include <sstream>

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
        const device::StatePlaces places(s.tissue().problem, precision);
        for (std::size_t k = 0; k < numbers.numbers.size(); ++k)
            QCOMPARE(numbers.numbers[k], places.of(snapshot.states, k, u));
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

    /// Within what is said of a recording's rounding.
    static void same_cell(const DyadFrame& a, const DyadFrame& b)
    {
        QCOMPARE(a.time_ms, b.time_ms);
        QCOMPARE(a.unknown, b.unknown);
        QCOMPARE(a.regions, b.regions);
        const auto near = [](const std::vector<float>& x, const std::vector<float>& y) {
            if (x.size() != y.size())
                return false;
            for (std::size_t k = 0; k < x.size(); ++k)
                if (!(std::abs(x[k] - y[k]) <= 0.003F * y[k]))
                    return false;
            return true;
        };
        QVERIFY(near(a.picture.c_d_uM, b.picture.c_d_uM));
        QVERIFY(near(a.picture.c_ss_uM, b.picture.c_ss_uM));
        QVERIFY(near(a.picture.c_myo_uM, b.picture.c_myo_uM));
        QVERIFY(near(a.picture.c_jsr_mM, b.picture.c_jsr_mM));
        QCOMPARE(a.picture.open_RyR, b.picture.open_RyR);
        QVERIFY(std::abs(a.picture.v_mV - b.picture.v_mV) < 0.06);
        const auto &x = a.picture.state, &y = b.picture.state;
        QCOMPARE(x.dyads.open_RyR, y.dyads.open_RyR);
        QCOMPARE(x.dyads.active, y.dyads.active);
        QVERIFY(std::abs(x.dyads.c_myo - y.dyads.c_myo) < 0.003 * y.dyads.c_myo);
        QVERIFY(std::abs(x.i_CaL - y.i_CaL) < 1e-6 * std::abs(y.i_CaL));
        QCOMPARE(a.history.back().c_myo_uM, static_cast<float>(1e3 * y.dyads.c_myo));
        QCOMPARE(a.history.back().time_ms, b.time_ms);
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

    /// What was recorded of a cell is what was seen of it, within what is said of its rounding.
    void aRecordingHoldsTheCell()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{dyad_session::session()})).applied);
        QVERIFY(in.answer(e.post(StartRecording{0.5})).applied);
        run_to(e, in, 1);
        QVERIFY(in.answer(e.post(WatchDyads{Vec3{2.5, 0.5, 0.5}})).applied);
        std::vector<std::shared_ptr<const DyadFrame>> seen;
        for (const double ms : {2.0, 3.5}) {
            run_to(e, in, ms);
            seen.push_back(e.newest_frame()->dyads);
        }
        run_to(e, in, 4);
        QVERIFY(in.answer(e.post(WatchDyads{Vec3{3, 0.5, 0.5}})).applied);
        run_to(e, in, 5);
        QVERIFY(in.answer(e.post(WatchDyads{})).applied);
        run_to(e, in, 6);
        const auto recording = e.recording();
        const auto cells = recording->cells();
        QVERIFY(cells && cells->why().empty() && cells->bytes() > 0);
        for (const double ms : {3.0, 4.9}) {
            QVERIFY(cells->watched_at(ms));
            cells->watched_at(ms)->frames()->flush();
        }
        for (const double ms : {0.0, 0.9, 5.9}) // none was watched
            QVERIFY(!cells->watched_at(ms) && !cells->at(ms));
        for (const auto& was : seen)
            same_cell(*cells->at(was->time_ms + 0.2), *was);
        QCOMPARE(cells->at(1.2)->time_ms, 1.0); // as soon as it was chosen
        QCOMPARE(cells->at(3.5)->history.size(), std::size_t{6});
        QVERIFY(cells->at(4.9)->unknown != seen[0]->unknown);
        QCOMPARE(cells->newest()->first_ms(), 4.0);
        // a run that begins anew takes the place of what was recorded
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QVERIFY(!cells->newest());
        QVERIFY(in.answer(e.post(WatchDyads{Vec3{2.5, 0.5, 0.5}})).applied);
        QCOMPARE(cells->newest()->first_ms(), 0.0);
    }

    /// Cells that are watched for a while each, one after the other.
    void recordedCellsAreBounded()
    {
        const QTemporaryDir dir;
        RecordingOptions o;
        o.folder = dir.path().toStdString();
        o.max_bytes = 40 << 20;
        DyadRecordings cells(o);
        DyadFrame f;
        f.picture.grid = grid;
        f.picture.RyR = 100;
        for (auto* values :
             {&f.picture.c_d_uM, &f.picture.c_ss_uM, &f.picture.c_myo_uM, &f.picture.c_jsr_mM})
            values->assign(100, 1);
        f.picture.open_RyR.assign(100, 200);
        for (int k = 0; k < 7; ++k) {
            f.unknown = k;
            for (int ms = 0; ms < 10; ++ms, ++f.time_ms)
                cells.append(f);
        }
        QVERIFY(cells.why().empty());
        QVERIFY(!cells.watched_at(29)); // cells 3 to 6 are left
        cells.watched_at(30)->frames()->flush();
        QCOMPARE(cells.at(30)->unknown, std::int64_t{3});
        QCOMPARE(cells.at(30)->picture.open_RyR[99], std::uint8_t{200});
        QCOMPARE(cells.at(30)->picture.state.dyads.open_RyR, 2e4);
        QVERIFY(cells.watched_at(69) && !cells.watched_at(80));
        // a cell that does not fit is said, and the others stay
        f.picture.grid = {1000, 100, 10};
        cells.append(f);
        QVERIFY2(QString::fromStdString(cells.why()).contains("too few frames"),
                 cells.why().c_str());
        QVERIFY(cells.watched_at(69));
    }

    /// Sparks are those that a finder sees which looks at the same times.
    void sparksAreFoundWhileACellIsWatched()
    {
        const auto session = dyad_session::session(); // its RyR are held open from 3 to 5 ms
        Simulation s(build_tissue(session), {{"cpu"}, Precision::double_, 1});
        DyadWatch watch;
        watch.begin(s);
        s.add(watch);
        watch.watch({2.5, 0.5, 0.5});
        QVERIFY(!watch.frame()->sparks); // it was not looked at yet
        std::vector<calcium::Spark> wanted;
        calcium::SparkFinder finder(watch.frame()->picture.grid, calcium::SparkCriteria{},
                                    [&](const auto& spark) { wanted.push_back(spark); });
        while (s.step() < 1600) {
            s.advance(5); // of 0.05 ms
            const auto now = watch.moment();
            if (s.step() % 5 != 0)
                continue;
            std::vector<float> c_myo_mM;
            for (const float uM : now->picture.c_myo_uM)
                c_myo_mM.push_back(1e-3F * uM);
            finder.look<float>(s.time_ms(), now->picture.open_RyR, c_myo_mM);
            if (s.step() == 80) // held open
                QCOMPARE(now->sparks->until().under_way, std::int64_t{1});
        }
        const auto log = watch.frame()->sparks;
        QVERIFY(log && !wanted.empty());
        const auto found = log->sparks();
        QCOMPARE(found.size(), wanted.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            QCOMPARE(found[k].start_ms, wanted[k].start_ms);
            QCOMPARE(found[k].dyads, wanted[k].dyads);
            QCOMPARE(found[k].amplitude(), wanted[k].amplitude());
        }
        QCOMPARE(found[0].dyads, std::int64_t{60}); // all of them
        QVERIFY(found[0].start_ms > 3 && found[0].start_ms <= 3.25 + 1e-9);
        const auto all = log->until();
        QCOMPARE(all.count, static_cast<std::int64_t>(wanted.size()));
        QCOMPARE(all.observed_ms, 80 - 0.25);
        QVERIFY(std::abs(all.per_s() - 1e3 * static_cast<double>(all.count) / 79.75) < 1e-9);
        QVERIFY(all.last && all.last->start_ms >= found[0].start_ms);
        QCOMPARE(log->until(3).count, std::int64_t{0});
        QCOMPARE(log->until(4).count, std::int64_t{1});
        QCOMPARE(log->until(4).observed_ms, 3.75);
        // as a file
        std::ostringstream text;
        write_spark_header(text);
        write_spark(text, found[0]);
        QVERIFY(text.str().find("\n1,3.") != std::string::npos);
        QVERIFY(text.str().find(",60,8,") != std::string::npos); // at once: a site for seven
        watch.restart();
        QVERIFY(!watch.frame()->sparks);
        QCOMPARE(log->until().count, all.count); // it stays as it was
    }

    void keptSparksAreBounded()
    {
        SparkLog log;
        QCOMPARE(log.until().count, std::int64_t{0});
        QVERIFY(std::isnan(log.until().per_s()));
        log.looked(0, 0);
        log.looked(1e4, 2);
        calcium::Spark spark;
        for (std::size_t k = 0; k < SparkLog::most + 3; ++k) {
            spark.start_ms = 0.1 * static_cast<double>(k);
            log.add(spark);
        }
        QCOMPARE(log.dropped(), std::int64_t{3});
        QCOMPARE(log.sparks().size(), SparkLog::most);
        QCOMPARE(log.until().count, static_cast<std::int64_t>(SparkLog::most) + 3);
        QCOMPARE(log.until(1).count, std::int64_t{11});
        QCOMPARE(log.until().under_way, std::int64_t{2});
        QCOMPARE(log.until(1).under_way, std::int64_t{0}); // not known of then
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
