// SPDX-License-Identifier: GPL-3.0-or-later
// Cells paced alone before the tissue starts.
#include "engine/cell/prepacing.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/tissue/prepacing.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <cmath>
#include <set>

using namespace tawara;
using namespace tawara::simulation;
using State = Status::State;

namespace {

Session paced_bar(std::int64_t beats, double cycle_ms)
{
    Session s = test::bar(20);
    s.prepacing = {beats, cycle_ms};
    return s;
}

/// What a cell of the bar reaches when it is paced alone, by the solver of single cells.
cell::SingleCellResult alone(const Session& s)
{
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(s.regions[0].model, s.regions[0].variant, {}, {});
    o.scheme = s.reaction;
    o.dt_ms = s.dt_ms;
    o.stimulus_period_ms = s.prepacing.cycle_length_ms;
    o.end_ms = s.prepacing.cycle_length_ms * static_cast<double>(s.prepacing.beats);
    o.sample_every_ms = 0;
    return cell::run_single_cell(o);
}

bool says(const Notices& notices, const char* text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text.find(text) != std::string::npos; });
}

constexpr double a_step_mV = 2e-3; // the first sample is that after a step

/// V of the first sample at a probe.
double first_mV(const Engine& e)
{
    const auto traces = e.traces();
    return traces.empty() || traces[0].V_mV.empty() ? NAN
                                                    : static_cast<double>(traces[0].V_mV.front());
}

} // namespace

class TestPrepacing : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// Several types in one kernel are what each is alone.
    void cellsAreThoseOfSingleRuns()
    {
        std::vector<cell::CellType> types;
        for (const char* variant : {"epi", "endo", "m"})
            types.push_back(cell::make_cell_type("ten_tusscher_2006", variant, {}, {}));
        cell::PaceOptions o;
        o.cycle_length_ms = 500;
        o.beats = 3;
        const auto paced = cell::pace_cells(types, o);
        QCOMPARE(paced.size(), types.size());
        std::set<double> potassium;
        for (std::size_t k = 0; k < types.size(); ++k) {
            cell::SingleCellOptions one;
            one.type = types[k];
            one.dt_ms = o.dt_ms;
            one.stimulus_period_ms = o.cycle_length_ms;
            one.end_ms = 1500;
            one.sample_every_ms = 0;
            const auto r = cell::run_single_cell(one);
            QCOMPARE(paced[k].state.size(), r.final_state.size());
            for (std::size_t s = 0; s < r.final_state.size(); ++s)
                QVERIFY2(std::abs(paced[k].state[s] - r.final_state[s]) <=
                             1e-9 * (1e-3 + std::abs(r.final_state[s])),
                         qPrintable(QString("type %1, state %2").arg(k).arg(s)));
            QCOMPARE(r.beats.size(), std::size_t{3});
            QVERIFY(std::abs(paced[k].apd90_ms - r.beats[2].apd90_ms) < 1e-6);
            QVERIFY(std::abs(paced[k].apd90_change_ms -
                             (r.beats[2].apd90_ms - r.beats[1].apd90_ms)) < 1e-6);
            QCOMPARE(paced[k].missed, 0L);
            potassium.insert(paced[k].state[1]);
        }
        QCOMPARE(potassium.size(), types.size()); // each its own
    }

    void aRhythmThatIsTooFastIsSaid()
    {
        const std::vector types{cell::make_cell_type("ten_tusscher_2006", "epi", {}, {})};
        cell::PaceOptions o;
        o.cycle_length_ms = 200; // every second pulse falls onto the plateau
        o.beats = 12;
        const auto paced = cell::pace_cells(types, o);
        QCOMPARE(paced[0].looked_at, 10L);
        QVERIFY2(paced[0].missed >= 4, qPrintable(QString::number(paced[0].missed)));
        auto s = paced_bar(12, 200);
        auto t = build_tissue(s);
        QVERIFY(says(t.notices, "made no action potential"));
    }

    /// APD90 hardly changes from beat to beat while sodium is far from its steady value.
    void driftOfConcentrationsIsSaid()
    {
        const auto s = paced_bar(40, 500);
        const auto t = build_tissue(s);
        const auto& n = *t.prepaced;
        QCOMPARE(n.level, Notice::Level::warning);
        QVERIFY2(n.text.find("not steady") != std::string::npos, n.text.c_str());
        QVERIFY2(n.text.find("% a beat") != std::string::npos, n.text.c_str());
        QVERIFY2(n.text.find("until_steady") != std::string::npos, n.text.c_str());
        qInfo("%s", n.text.c_str());
    }

    void pacingCanEndWhenSteady()
    {
        const std::vector types{cell::make_cell_type("beeler_reuter_1977", "", {}, {})};
        cell::PaceOptions o;
        o.cycle_length_ms = 500;
        o.dt_ms = 0.05;
        o.beats = 1000;
        o.until_steady = true;
        const auto p = cell::pace_cells(types, o)[0];
        QVERIFY2(p.beats >= 70 && p.beats < 500, qPrintable(QString::number(p.beats)));
        QVERIFY2(p.drift.steady(), p.drift.words().c_str());
        QCOMPARE(p.looked_at, 10L);
        QCOMPARE(p.missed, 0L);
        o.until_steady = false;
        o.beats = p.beats;
        QCOMPARE(cell::pace_cells(types, o)[0].state, p.state);
        o.until_steady = true;
        o.beats = 20;
        QCOMPARE(cell::pace_cells(types, o)[0].beats, 20L);
    }

    void tissueStartsWithTheStatesReached()
    {
        const auto s = paced_bar(4, 400);
        const auto plain = build_tissue(test::bar());
        const auto t = build_tissue(s);
        const auto expected = alone(s).final_state;
        const auto& initial = t.problem.groups[0].types[0].initial;
        for (std::size_t k = 0; k < expected.size(); ++k)
            QVERIFY(std::abs(initial[k] - expected[k]) <= 1e-9 * (1e-3 + std::abs(expected[k])));
        QVERIFY(initial != plain.problem.groups[0].types[0].initial);
        QVERIFY2(says(t.notices, "cells paced alone before the run, 4 beats every 400 ms: APD90"),
                 "said");
        QVERIFY(!says(plain.notices, "paced alone"));
        // what was laid stays as the regions say, so that it can be paced again or not at all
        QCOMPARE(t.cells.groups[0].types[0].initial, plain.problem.groups[0].types[0].initial);
    }

    void sessionsKeepIt()
    {
        const auto s = paced_bar(100, 600);
        QCOMPARE(parse_session(to_json(s), "s.json").prepacing, s.prepacing);
        auto until = s;
        until.prepacing.until_steady = true;
        QCOMPARE(parse_session(to_json(until), "s.json").prepacing, until.prepacing);
        const auto refused = [&](const char* text) -> QString {
            auto j = QJsonDocument::fromJson(QByteArray::fromStdString(to_json(s))).object();
            auto tissue = j["tissue"].toObject();
            tissue["prepacing"] = QJsonDocument::fromJson(text).object();
            j["tissue"] = tissue;
            try {
                (void)parse_session(QJsonDocument(j).toJson().toStdString(), "s.json");
            } catch (const InputError& e) {
                return e.what();
            }
            return {};
        };
        QVERIFY(refused(R"({"cycle_length_ms": 20, "beats": 3})").contains("from 50 to 10000 ms"));
        QVERIFY(refused(R"({"cycle_length_ms": 600, "beats": -1})").contains("/prepacing/beats"));
        QVERIFY(refused(R"({"beats": 3})").contains("cycle_length_ms"));
        QVERIFY(refused(R"({"cycle_length_ms": 600, "beat": 3})").contains("beats"));
    }

    void runsReportItAndGoOnWithoutIt()
    {
        QTemporaryDir dir;
        auto s = paced_bar(3, 400);
        s.end_ms = 2;
        s.output->checkpoint_every_ms = 1;
        RunOptions o;
        o.out = dir.filePath("whole").toStdString();
        o.device = {"cpu", Precision::double_, 1};
        const auto whole = run_session(s, o, {});
        const auto report = QJsonDocument::fromJson(QByteArray::fromStdString(whole.json)).object();
        QCOMPARE(report["prepacing"].toObject()["beats"].toInt(), 3);
        QCOMPARE(report["prepacing"].toObject()["cycle_length_ms"].toDouble(), 400.0);
        QVERIFY(report["prepacing"].toObject()["reached"].toString().contains("3"));
        QFile probes(dir.filePath("whole/probes.csv"));
        QVERIFY(probes.open(QIODevice::ReadOnly));
        const auto rows = probes.readAll().split('\n');
        QVERIFY(std::abs(rows[1].split(',')[1].toDouble() - alone(s).final_state[0]) < a_step_mV);
        o.resume = dir.filePath("whole/checkpoint-00000001.000ms.tcp").toStdString();
        o.out = dir.filePath("rest").toStdString();
        std::set<std::string> stages;
        Progress progress;
        progress.report = [&](double, std::string_view stage) { stages.emplace(stage); };
        const auto rest = run_session(s, o, progress);
        QVERIFY(!stages.contains("pacing cells before the run"));
        QFile again(dir.filePath("rest/probes.csv"));
        QVERIFY(again.open(QIODevice::ReadOnly));
        QCOMPARE(again.readAll().split('\n'), rows);
    }

    /// Cells of ischaemia begin below their rest, so that APD90's level is never reached; a run
    /// says so, and has APD90 once they are paced.
    void cellsThatBeginBelowTheirRestAreSaid()
    {
        QTemporaryDir dir;
        auto s = paced_bar(0, 1000);
        s.mesh = MeshSlab{{6, 1, 1}, 0.5};
        s.probes.clear();
        s.stimuli = {test::end_of_bar(0, 80)};
        s.regions[0].parameters = {{"K_o", 9}, {"g_KATP", 0.012}, {"shift_Na", 3.4}};
        s.end_ms = 420;
        RunOptions o;
        o.device = {"cpu", Precision::double_, 1};
        const auto notices = [&](const char* folder) {
            o.out = dir.filePath(folder).toStdString();
            return QString::fromStdString(run_session(s, o, {}).json);
        };
        const auto unpaced = notices("unpaced");
        QVERIFY2(
            unpaced.contains("activated unknowns have no APD90, though they are back at rest."),
            qPrintable(unpaced));
        s.prepacing.beats = 5;
        QVERIFY(!notices("paced").contains("have no APD90"));
        s.prepacing.beats = 0;
        s.regions[0].parameters.clear();
        QVERIFY(!notices("healthy").contains("have no APD90"));
    }

    /// In the window: it counts from the next start, and can be taken away again.
    void liveItCountsFromTheNextStart()
    {
        Inbox in;
        Engine e(in.handler(), test::one_thread());
        const auto plain = test::bar(100);
        QVERIFY(in.answer(e.post(Load{plain})).applied);
        test::run_to(e, in, 1);
        const double unpaced = first_mV(e);
        QVERIFY(in.answer(e.post(SetTissue{plain.regions, {}, Prepacing{4, 400}})).applied);
        QVERIFY(in.answer(e.post(Reset{})).applied);
        test::run_to(e, in, 1);
        const double expected = alone(paced_bar(4, 400)).final_state[0];
        QVERIFY2(std::abs(first_mV(e) - expected) < a_step_mV,
                 qPrintable(QString("%1, not %2").arg(first_mV(e)).arg(expected)));
        QVERIFY(std::abs(expected - unpaced) > 0.05);
        // a change while it runs, and a start anew: paced again, with the changed cells
        auto regions = plain.regions;
        regions[0].parameters = {{"g_K1", 4}};
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QVERIFY(in.answer(e.post(Reset{})).applied);
        test::run_to(e, in, 1);
        const double other = first_mV(e);
        QVERIFY(std::abs(other - expected) > 0.05);
        QVERIFY(in.answer(e.post(SetTissue{plain.regions, {}, Prepacing{}})).applied);
        QVERIFY(in.answer(e.post(Reset{})).applied);
        test::run_to(e, in, 1);
        QCOMPARE(first_mV(e), unpaced);
        int said = 0;
        for (const auto& event : in.all())
            if (const auto* c = std::get_if<SceneChanged>(&event))
                said = says(c->scene->notices, "paced alone");
        QCOMPARE(said, 0);
    }

    void pacingCanBeCancelled()
    {
        Inbox in;
        Engine e(in.handler(), test::one_thread());
        const auto plain = test::bar(100);
        QVERIFY(in.answer(e.post(Load{plain})).applied);
        QVERIFY(in.answer(e.post(SetTissue{plain.regions, {}, Prepacing{5000, 1000}})).applied);
        const auto play = e.post(Play{});
        QVERIFY(in.wait([](const Event& event) {
            const auto* l = std::get_if<Loading>(&event);
            return l && l->stage == "pacing cells before the run" && l->fraction > 0;
        }));
        e.post(CancelLoad{});
        const auto answer = in.answer(play);
        QVERIFY(!answer.applied);
        QVERIFY2(answer.reason.find("cancelled") != std::string::npos, answer.reason.c_str());
        QCOMPARE(e.status().state, State::paused);
        QCOMPARE(e.status().step, std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestPrepacing)
#include "test_prepacing.moc"
