// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions with cells that have stochastic dyads: their keys, runs, checkpoints and changes.
#include "engine/calcium/picture.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/core/error.hpp"
#include "engine/device/state_places.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/several.hpp"
#include "tests/simulation/dyad_session.hpp"
#include "tests/simulation/inbox.hpp"
#include "tests/simulation/live_bar.hpp"
#include "tests/simulation/slab_run.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

namespace {

/// The line of the InputError that `body` throws; empty when it throws none.
template <class Body>
QString refusal(Body body)
{
    try {
        body();
    } catch (const InputError& e) {
        return QString::fromStdString(e.what());
    }
    return {};
}

RunOptions options(const std::filesystem::path& out, Precision precision = Precision::double_,
                   const char* devices = "cpu")
{
    RunOptions o;
    o.out = out;
    o.device.precision = precision;
    o.device.devices = devices;
    o.device.threads = 1;
    return o;
}

/// Open RyR of all cells with dyads, by a stepper.
double open_RyR(const device::TissueProblem& p, const device::Stepper& stepper)
{
    device::CellNumbers cell;
    double open = 0;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (const auto* dyads = dyads_of(p.groups[p.group[u]])) {
            stepper.cell_numbers(u, cell);
            open += calcium::dyad_picture(dyads->table()[p.type[u]].parameters, dyads->grid(),
                                          p.dt_ms, cell.v_mV, cell.numbers)
                        .state.dyads.open_RyR;
        }
    return open;
}

std::size_t with_dyads(const device::TissueProblem& p)
{
    std::size_t n = 0;
    for (const auto g : p.group)
        n += dyads_of(p.groups[g]) ? 1 : 0;
    return n;
}

bool same(const device::Snapshot& a, const device::Snapshot& b)
{
    return a.v == b.v && a.states == b.states;
}

} // namespace

class TestDyadSessions : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void sessionTextComesBack()
    {
        const auto s = dyad_session::session();
        const Region& r = s.regions[1];
        QVERIFY((r.dyads == Dyads{5, 4, 3, 7}));
        QCOMPARE(r.forced_opening_ms->size(), std::size_t(2));
        QVERIFY((r.forced_opening_ms->back() == ForcedOpening{8, 8.5}));
        const auto again = parse_session(to_json(s), "again");
        QCOMPARE(QString::fromStdString(to_json(again)), QString::fromStdString(to_json(s)));
        QVERIFY(again.regions == s.regions);
        const std::string set[] = {"tissue.regions.1.dyads=300", "tissue.regions.1.seed=11",
                                   "tissue.regions.1.forced_opening_ms=[]",
                                   "tissue.regions.1.variant=isoproterenol"};
        const auto other = parse_session(dyad_session::text, "dyads.json", set);
        QVERIFY((other.regions[1].dyads == Dyads{3, 10, 10, 11}));
        QVERIFY(other.regions[1].forced_opening_ms->empty());
        // other models' sessions say nothing of dyads
        Session plain;
        QVERIFY(to_json(plain).find("seed") == std::string::npos);
        QVERIFY(to_json(plain).find("dyads") == std::string::npos);
    }

    void badKeysAreNamed_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* from, const char* to, const char* says) {
            QTest::newRow(name) << from << to << says;
        };
        row("two numbers", "[5, 4, 3]", "[5, 4]",
            "/regions/1/dyads: is a list of 2; it should be three");
        row("none", "[5, 4, 3]", "[5, 0, 3]", "/regions/1/dyads/1: is 0; it should be a whole");
        row("not of hundreds", "[5, 4, 3]", "150", "/regions/1/dyads: is 150; it should be three");
        row("too many", "[5, 4, 3]", "[100000, 100000, 10]", "at most 2^28");
        row("other model", "\"epi\",", "\"epi\", \"dyads\": [1, 1, 1],",
            "/regions/0/dyads: is for regions with \"model\": \"ohara_rudy_dyads_2011\"");
        row("seed of another", "\"epi\",", "\"epi\", \"seed\": 3,", "/regions/0/seed: is for");
        row("bad seed", "\"seed\": 7", "\"seed\": -1", "/regions/1/seed");
        row("variant", "low_IK1", "low_IK", "unknown variant 'low_IK'; the nearest known is");
        row("parameter", "refractory", "refractoriness",
            "/regions/1/parameters/refractoriness: unknown parameter");
        row("range", "\"sums_over_all\": 0", "\"RyR\": 300",
            "'RyR' is 300; it should be a whole number from 0 to 255");
        row("state", "c_nsr", "c_nse", "/regions/1/initial/c_nse: unknown state 'c_nse'");
        row("gate", "\"c_nsr\": 2.5", "\"m\": 2", "'m' is 2; it should be a number from 0 to 1");
        row("forced", "[3, 5]", "[5, 3]",
            "/forced_opening_ms/0: is a list of 2; it should be [from");
        row("one time", "[3, 5]", "[5]", "two times in ms");
    }
    void badKeysAreNamed()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, says);
        const auto text = dyad_session::with(from.toStdString(), to.toStdString());
        const auto line = refusal([&] { dyad_session::session(text); });
        QVERIFY2(line.contains(says), qPrintable(line));
        QVERIFY(!line.contains('\n'));
    }

    void velocitiesAreRefused()
    {
        const auto text = dyad_session::with(
            R"("seed": 7,
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2})",
            R"("seed": 7, "velocity_m_per_s": 0.5)");
        const auto line = refusal([&] { dyad_session::session(text); });
        QVERIFY2(line.contains("/regions/1/velocity_m_per_s") &&
                     line.contains("give \"conductivity_S_per_m\""),
                 qPrintable(line));
        const auto s = dyad_session::session();
        QVERIFY(refusal([&] { estimate_velocity(s, s.regions[1], 0.5); }).contains("two probes"));
    }

    /// What a tissue of such cells does not do is said at the key that asks for it.
    void tissueRefusesWhatDoesNotGo()
    {
        const auto build = [](const std::string& from, const std::string& to) {
            return refusal([&] {
                const auto t = build_tissue(dyad_session::session(dyad_session::with(from, to)));
                device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
            });
        };
        auto line = build("\"dt_ms\": 0.05", "\"dt_ms\": 0.2");
        QVERIFY2(line.contains("/time/dt_ms: is 0.2 ms") && line.contains("at most 0.1 ms"),
                 qPrintable(line));
        line = build("\"end_ms\": 6", "\"end_ms\": 1e9");
        QVERIFY2(line.contains("/time/end_ms"), qPrintable(line));
        line = build("\"rush_larsen\"", "\"rush_larsen\", \"rest_tolerance_mV\": 0.01");
        QVERIFY2(line.contains("/reaction/rest_tolerance_mV") &&
                     line.contains("ohara_rudy_dyads_2011"),
                 qPrintable(line));
        line = build("\"scheme\": \"p1\"", "\"scheme\": \"p1\", \"stepping\": \"newton\"");
        QVERIFY2(line.contains("/diffusion/stepping"), qPrintable(line));
        // openings without a model need dyads beneath
        line = build(R"("forced_opening_ms": [[3, 5], [8, 8.5]]})",
                     R"("name": "x"}, {"label": "*", "forced_opening_ms": [[1, 2]]})");
        QVERIFY2(line.contains("/tissue/regions/2/forced_opening_ms") &&
                     line.contains("ten_tusscher_2006"),
                 qPrintable(line));
        // more memory than any machine has
        const auto t = build_tissue(
            dyad_session::session(dyad_session::with("[5, 4, 3]", "[16000, 16000, 1]")));
        line = refusal([&] { need_memory_for_dyads(t.problem, {"cpu"}); });
        QVERIFY2(line.contains("/tissue/regions: cells with dyads take ") &&
                     line.contains("dyads a cell fit") && !line.contains('\n'),
                 qPrintable(line));
        QVERIFY(std::any_of(t.notices.begin(), t.notices.end(), [](const auto& n) {
            return n.text.starts_with("a copy of the dyads' states");
        }));
    }

    /// The last match wins, each model where its region is; what is said and taken.
    void modelsLieBesideEachOther()
    {
        const auto s = dyad_session::session();
        const auto t = build_tissue(s);
        const auto& p = t.problem;
        QCOMPARE(p.groups.size(), std::size_t(2));
        for (std::size_t u = 0; u < p.size(); ++u) {
            const bool here = dyads_of(p.groups[p.group[u]]) != nullptr;
            if (std::abs(p.position_mm[u][0] - 1.5) > 0.1)
                QCOMPARE(here, p.position_mm[u][0] > 1.5);
        }
        std::size_t g = dyads_of(p.groups[0]) ? 0 : 1;
        const auto m = dyad_memory(p, g, Precision::double_);
        QCOMPARE(m.cells, std::int64_t(with_dyads(p)));
        QCOMPARE(m.bytes_of_cell, 8.0 * (31 + 10 * 64)); // 60 dyads, in rows of 64
        QCOMPARE(dyad_memory(p, g, Precision::single).bytes_of_cell, 4.0 * (2 * 31 + 13 * 64));
        const bool said = std::any_of(t.notices.begin(), t.notices.end(), [](const Notice& n) {
            return n.text.find("5 x 4 x 3 stochastic dyads each: 5.37 kB a cell") !=
                   std::string::npos;
        });
        QVERIFY(said);
        // it starts where a stepper does, with V and calcium as they are given
        for (const auto precision : {Precision::double_, Precision::single}) {
            const auto stepper = device::make_stepper(p, {"cpu", precision, 1});
            const auto begun = stepper->snapshot();
            stepper->advance(1);
            QVERIFY(!same(stepper->snapshot(), begun));
            stepper->restore(initial_snapshot(p, precision)); // rounded to the precision
            QVERIFY(same(stepper->snapshot(), begun));
        }
        const auto type = p.groups[g].types.front();
        QCOMPARE(type.initial.front(), -86.0);
        const auto parameters = calcium::dyad_type(type).parameters;
        QCOMPARE(parameters.sums_over_all, 0.0);
        QCOMPARE(parameters.g_K1, 0.4 * calcium::Parameters{}.g_K1);
    }

    void bitsDoNotDependOnThreads()
    {
        const auto t = build_tissue(dyad_session::session());
        for (const auto precision : {Precision::double_, Precision::single}) {
            std::optional<device::Snapshot> first;
            for (const unsigned threads : {1U, 2U, 3U}) {
                const auto stepper = device::make_stepper(t.problem, {"cpu", precision, threads});
                stepper->advance(100);
                const auto now = stepper->snapshot();
                if (!first)
                    first = now;
                QVERIFY(same(now, *first));
            }
        }
    }

    void runsAndGoesOn_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<QByteArray>("devices");
        for (const char* devices : {"cpu", "cuda:0"})
            for (const auto precision : {Precision::double_, Precision::single})
                QTest::addRow("%s, %s", std::string(name(precision)).c_str(), devices)
                    << int(precision) << QByteArray(devices);
    }
    void runsAndGoesOn()
    {
        QFETCH(int, precision);
        QFETCH(QByteArray, devices);
        if (devices != "cpu" && !tawara::test::need_gpu())
            return;
        QTemporaryDir dir;
        auto s = dyad_session::session();
        s.output->checkpoint_every_ms = 2;
        auto whole = options(path(dir) / "whole", static_cast<Precision>(precision), devices);
        whole.html = path(dir) / "report.html";
        run_session(s, whole);
        auto part = options(path(dir) / "part", static_cast<Precision>(precision), devices);
        part.until_ms = 3;
        run_session(s, part);
        part.until_ms = -1;
        part.resume = part.out / "checkpoint-00000002.000ms.tcp";
        run_session(s, part);
        for (const char* file : {"probes.csv", "calcium.csv", "activation.csv"})
            QCOMPARE(content(part.out / file), content(whole.out / file));
        // from a file of the former layout too, with a value of each state for every unknown
        auto former = read_checkpoint(whole.out / "checkpoint-00000002.000ms.tcp");
        const auto problem = build_tissue(s).problem;
        const device::StatePlaces places(problem, static_cast<Precision>(precision));
        const auto packed = former.state.states;
        QCOMPARE(packed.back().size(), with_dyads(problem));
        for (std::size_t k = 0; k < packed.size(); ++k) {
            QCOMPARE(packed[k].size(), places.length(k));
            former.state.states[k].assign(problem.size(), 0);
            for (std::size_t u = 0; u < problem.size(); ++u)
                if (places.has(k, u))
                    former.state.states[k][u] = places.of(packed, k, u);
        }
        auto again = options(path(dir) / "again", static_cast<Precision>(precision), devices);
        again.resume = path(dir) / "former.tcp";
        write_checkpoint(former, again.resume);
        run_session(s, again);
        for (const char* file : {"probes.csv", "calcium.csv", "activation.csv"})
            QCOMPARE(content(again.out / file), content(whole.out / file));
        const auto lines = content(whole.out / "calcium.csv").trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype(1 + 13));
        QVERIFY2(lines[0].startsWith("time_ms,dyads.V_mV,dyads.c_myo_uM"), lines[0].constData());
        const auto value = [&](qsizetype row, int column) {
            return lines[row].split(',').at(column).toDouble();
        };
        QVERIFY(value(5, 6) < 0.5 * 6000 && value(9, 6) == 6000); // held open from 3 to 5 ms
        QVERIFY(value(9, 5) < 0.7 * value(5, 5));                 // which empties the SR
        const auto page = content(whole.html);
        QVERIFY(page.contains("<h2>Calcium</h2>"));
        const auto report =
            QJsonDocument::fromJson(content(whole.out / "report.json")).object()["dyads"];
        QCOMPARE(report.toArray().size(), qsizetype(1));
        QCOMPARE(report.toArray()[0].toObject()["seed"].toInt(), 7);
        if (devices != "cpu") { // what a GPU wrote goes on on the CPU
            auto moved = options(path(dir) / "moved", static_cast<Precision>(precision));
            moved.resume = part.resume;
            run_session(s, moved);
            const auto there = content(moved.out / "calcium.csv").trimmed().split('\n');
            QCOMPARE(there.size(), lines.size());
            const double V = there[9].split(',').at(1).toDouble();
            QVERIFY2(std::abs(V - value(9, 1)) < 1, there[9].constData());
        }
        // openings are a protocol and may differ; dyads and parameters may not
        auto other = s;
        other.regions[1].forced_opening_ms.reset();
        part.out = path(dir) / "other";
        run_session(other, part);
        other.regions[1].dyads.seed = 8;
        auto line = refusal([&] { run_session(other, part); });
        QVERIFY2(line.contains("dyads are 5x4x3,RyR=100,seed=7, here 5x4x3,RyR=100,seed=8"),
                 qPrintable(line));
        part.branch = true;
        line = refusal([&] { run_session(other, part); });
        QVERIFY2(line.contains("cell models"), qPrintable(line));
        part.device.precision =
            precision == int(Precision::single) ? Precision::double_ : Precision::single;
        line = refusal([&] { run_session(s, part); });
        QVERIFY2(line.contains(
                     "branch off with --precision " +
                     QString::fromStdString(std::string(name(static_cast<Precision>(precision))))),
                 qPrintable(line));
    }

    /// A changed parameter, variant or opening keeps the state, and acts from the next step on.
    void changesKeepTheState()
    {
        auto s = dyad_session::session();
        auto t = build_tissue(s);
        const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
        stepper->advance(20);
        const auto before = stepper->snapshot();
        const double all = 100.0 * 60 * static_cast<double>(with_dyads(t.problem));
        QVERIFY(open_RyR(t.problem, *stepper) < 0.5 * all);
        s.regions[1].variant = "isoproterenol";
        s.regions[1].parameters = {{"g_release", 3}};
        s.regions[1].forced_opening_ms = {{1, 1.5}};
        QVERIFY(same_places(dyad_session::session().regions, s.regions));
        QVERIFY(update_types(s, t));
        for (std::size_t g = 0; g < t.problem.groups.size(); ++g)
            stepper->set_types(g, t.problem.groups[g].types);
        QVERIFY(same(before, stepper->snapshot()));
        stepper->advance(1);
        QCOMPARE(open_RyR(t.problem, *stepper), all);
        // a stepper that is made of the changed tissue goes on in the same way
        const auto fresh = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
        fresh->restore(before);
        fresh->advance(1);
        QVERIFY(same(fresh->snapshot(), stepper->snapshot()));
        // steps too long, other dyads: no such change
        auto fine = s;
        fine.regions[1].parameters = {{"k_open", 90}};
        QVERIFY(refusal([&] { update_types(fine, t); }).contains("/time/dt_ms"));
        for (const char* change : {"seed", "RyR"}) {
            auto others = s;
            if (change[0] == 's')
                others.regions[1].dyads.seed = 5;
            else
                others.regions[1].parameters = {{"RyR", 50}};
            QVERIFY(!update_types(others, t));
            auto next = t;
            make_problem(others, next);
            const auto state = carried(before, t.problem, next.problem);
            const auto begun = initial_snapshot(next.problem);
            const device::StatePlaces places(next.problem, Precision::double_),
                former(t.problem, Precision::double_);
            for (std::size_t u = 0; u < t.problem.size(); ++u) {
                const bool dyads = dyads_of(t.problem.groups[t.problem.group[u]]) != nullptr;
                QCOMPARE(state.v[u], before.v[u]);
                for (std::size_t k = 0; places.has(k, u); ++k)
                    QCOMPARE(places.of(state.states, k, u), dyads ? places.of(begun.states, k, u)
                                                                  : former.of(before.states, k, u));
            }
        }
        // other conductivities make another problem, in which the dyads go on
        auto slow = s;
        slow.regions[1].conductivity_S_per_m = {0.1, 0.1, 0.1};
        QVERIFY(!update_types(slow, t));
        auto next = t;
        make_problem(slow, next);
        QVERIFY(same(carried(before, t.problem, next.problem), before));
    }

    /// A place of its own is held open, others not.
    void openingsLieOnRegions()
    {
        const auto s = dyad_session::session(
            dyad_session::with(R"("forced_opening_ms": [[3, 5], [8, 8.5]]})",
                               R"("name": "dyads"}, {"where": {"box_mm": [[2.4, 0, 0], [3, 1, 1]]},
                "forced_opening_ms": [[0, 1]]})"));
        const auto again = parse_session(to_json(s), "again");
        QVERIFY(again.regions == s.regions);
        const auto t = build_tissue(s);
        QCOMPARE(t.problem.groups.size(), std::size_t(2));
        const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::single, 2});
        stepper->advance(4);
        device::CellNumbers cell;
        int held = 0, free = 0;
        for (std::size_t u = 0; u < t.problem.size(); ++u) {
            const auto* dyads = dyads_of(t.problem.groups[t.problem.group[u]]);
            if (!dyads)
                continue;
            stepper->cell_numbers(u, cell);
            const auto picture =
                calcium::dyad_picture(dyads->table()[t.problem.type[u]].parameters, dyads->grid(),
                                      0.05, cell.v_mV, cell.numbers);
            const bool all = picture.state.dyads.open_RyR == 6000;
            QVERIFY(all || picture.state.dyads.open_RyR < 600);
            ++(all ? held : free);
            if (std::abs(t.problem.position_mm[u][0] - 2.5) > 0.1)
                QCOMPARE(all, t.problem.position_mm[u][0] > 2.5);
        }
        QVERIFY(held > 0 && free > 0);
    }

    /// In a run under way RyR are held open at once, go on through another operator, and start
    /// anew.
    void runsChangeWhileTheyGoOn()
    {
        auto s = dyad_session::session();
        s.stimuli.clear();
        s.regions[1].forced_opening_ms.reset();
        s.end_ms = 100;
        s.probes.erase(s.probes.begin());
        const auto newest = [](const Engine& e) {
            return static_cast<double>(e.traces().at(0).V_mV.back());
        };
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 2);
        const double at_2 = newest(e);
        run_to(e, in, 12);
        const double plain = newest(e);
        QVERIFY(in.answer(e.post(Reset{})).applied);
        run_to(e, in, 2);
        QCOMPARE(newest(e), at_2);
        auto held = s.regions;
        held[1].forced_opening_ms = {{2, 50}};
        QVERIFY(in.answer(e.post(SetTissue{held, {}})).applied);
        run_to(e, in, 12);
        const double forced = newest(e);
        QVERIFY2(forced > plain + 0.5, qPrintable(QString("%1 %2").arg(forced).arg(plain)));
        held[1].conductivity_S_per_m = {0.1, 0.1, 0.1};
        QVERIFY(in.answer(e.post(SetTissue{held, {}})).applied);
        run_to(e, in, 12.5);
        QVERIFY(std::abs(newest(e) - forced) < 2);
        held[1].dyads = {200, 200, 5000, 1};
        const auto refused = in.answer(e.post(SetTissue{held, {}}));
        QVERIFY(!refused.applied);
        QVERIFY2(refused.reason.find("cells with dyads take ") != std::string::npos,
                 refused.reason.c_str());
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        QVERIFY(in.answer(e.post(Reset{})).applied);
        run_to(e, in, 12);
        QCOMPARE(newest(e), plain);
    }

    void cellsAreNotPacedBeforehand()
    {
        auto s = dyad_session::session();
        s.prepacing = {2, 500, false};
        const auto t = build_tissue(s);
        QVERIFY(t.prepaced && t.prepaced->level == Notice::Level::warning);
        QVERIFY(t.prepaced->text.find("stochastic dyads are not paced") != std::string::npos);
        QVERIFY(t.prepaced->text.find("2 beats every 500 ms") != std::string::npos);
        s.regions.erase(s.regions.begin());
        s.regions[0].where.reset();
        const auto all = build_tissue(s);
        QVERIFY(all.prepaced->text.starts_with("cells with stochastic dyads are not paced"));
    }
};

static const tawara::test::Further<TestDyadSessions> further;
#include "test_dyad_sessions.moc"
