// SPDX-License-Identifier: GPL-3.0-or-later
// The electrocardiogram that is computed beside a run.
#include "tests/several.hpp"
#include "tests/simulation/live_bar.hpp"
#include "tests/simulation/live_sheet.hpp"
#include "tests/slowdown.hpp"

#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/observe/ecg.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;

class TestLiveEcg : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// The leads' weights, which take long, are prepared while samples go on: a run's beats are
    /// what they are without leads.
    void leadsCostNoSamples()
    {
        auto s = sheet();
        s.mesh = MeshSlab{{60, 60, 2}, 0.5}; // 70 000 vertices: weights take long
        s.leads.kind = Leads::Kind::twelve_lead;
        const Tissue t = build_tissue(s);
        auto results = std::make_shared<AnalystResults>();
        Analyst analyst(t, s, 1, results);
        analyst.electrodes(ecg_layout(t, {}, s.leads, s.name), t.patches, 0.2, 1);
        Sample sample;
        sample.v.assign(t.problem.size(), -85);
        int before = 0;
        QElapsedTimer clock;
        clock.start();
        for (; sample.step < 40; ++sample.step) { // none waits for leads
            sample.time_ms = static_cast<double>(sample.step);
            sample.ecg = true;
            while (!analyst.submit(sample) && clock.elapsed() < 60'000) {
                sample.ecg = false; // its row is taken although it was refused
                QThread::msleep(1);
            }
            std::lock_guard hold(results->ecg_mutex);
            before += results->ecg.leads.empty();
        }
        QVERIFY2(before > 20, qPrintable(QString::number(before)));
        analyst.finish();
        const auto& e = results->ecg; // those that waited for the weights too
        QCOMPARE(e.leads.size(), std::size_t(12));
        QCOMPARE(e.time_ms.size(), std::size_t(40));
        QVERIFY(!e.activated); // -85 mV everywhere, from 0 ms on
        for (std::size_t k = 0; k < e.time_ms.size(); ++k)
            QCOMPARE(e.time_ms[k], static_cast<double>(k));
    }

    /// An analysis that comes too late costs samples, but never as many as would lose a beat: the
    /// solver waits before. Rows of the electrocardiogram it costs none.
    void aSlowAnalysisLosesNoBeat()
    {
        auto s = sheet();
        s.electrodes = {{"E", {30, 30, 20}}};
        const Tissue t = build_tissue(s);
        const auto results = std::make_shared<AnalystResults>();
        Analyst analyst(t, s, 1, results);
        analyst.electrodes(ecg_layout(t, s.electrodes, {}, s.name), t.patches, 0.2, 1);
        analyst.finish();
        QVERIFY(analyst.tracks_always());
        for (int k = 0; k < 3; ++k) { // the system gave it no time
            analyst.then([] { QThread::msleep(100); });
            Sample sample;
            sample.v.assign(t.problem.size(), -85);
            sample.ecg = true;
            const double from = k == 2 ? 0 : 100 * k; // set back to the start at last
            double taken_ms = from, longest = 0;
            int refused = 0;
            for (; sample.step < 100; ++sample.step) {
                sample.time_ms = from + static_cast<double>(sample.step);
                longest = std::max(longest, sample.time_ms - taken_ms);
                if (analyst.submit(sample))
                    taken_ms = sample.time_ms;
                else
                    ++refused;
            }
            QVERIFY(refused > 0);
            QVERIFY2(longest <= Analyst::most_gap_ms, qPrintable(QString::number(longest)));
            analyst.finish();
            const auto& rows = results->ecg.time_ms;
            QCOMPARE(rows.size(), std::size_t(k == 1 ? 200 : 100));
            for (std::size_t i = 0; i < rows.size(); ++i)
                QCOMPARE(rows[i], static_cast<double>(i));
            if (k == 1)
                analyst.restart();
        }
    }

    void electrocardiogramOfABar()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(40);
        s.stimuli = {end_of_bar(0)};
        s.electrodes = {{"ahead", {40, 1, 1}}, {"behind", {-30, 1, 1}}};
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchMaps{true, 50})); // another sample of the start: no other row
        run_to(e, in, 40);
        Ecg g;
        QTRY_COMPARE((g = e.ecg(0)).time_ms.size(), std::size_t(41));
        QCOMPARE(g.leads, (std::vector<std::string>{"ahead", "behind"}));
        const auto at = std::size_t(12); // the front is in the middle
        QVERIFY(g.mV[0][at] > 0 && g.mV[1][at] < 0);
        QVERIFY(e.ecg(30).time_ms.size() == 11);
        QVERIFY(g.activated);
        // others, placed in the tissue: refused; then outside
        QVERIFY(!in.answer(e.post(SetElectrodes{{{"in", {6, 1, 1}}}, {}, 1})).applied);
        Leads leads;
        leads.kind = Leads::Kind::list;
        leads.list = {{"across", {{"a", 1}, {"b", -1}}}};
        QVERIFY(in.answer(e.post(SetElectrodes{{{"a", {40, 1, 1}}, {"b", {-30, 1, 1}}}, leads, 2}))
                    .applied);
        QTRY_VERIFY(e.ecg(0).generation > g.generation);
        in.answer(e.post(Reset{}));
        run_to(e, in, 40);
        Ecg h;
        QTRY_COMPARE((h = e.ecg(0)).time_ms.size(), std::size_t(21));
        QVERIFY(std::abs(h.mV[0][6] - (g.mV[0][at] - g.mV[1][at])) < 1e-3 * std::abs(h.mV[0][6]));
        // an electrode that no lead is of: what was recorded stays, and goes on
        std::vector<Electrode> more{{"a", {40, 1, 1}}, {"b", {-30, 1, 1}}, {"c", {6, 30, 1}}};
        QVERIFY(in.answer(e.post(SetElectrodes{more, leads, 2})).applied);
        run_to(e, in, 60);
        Ecg i;
        QTRY_COMPARE((i = e.ecg(0)).time_ms.size(), std::size_t(31));
        QCOMPARE(i.generation, h.generation);
        QCOMPARE(i.mV[0][6], h.mV[0][6]);
        QCOMPARE(i.electrodes.size(), std::size_t(3));
        more[0].position_mm = {45, 1, 1}; // another lead by the same name
        QVERIFY(in.answer(e.post(SetElectrodes{more, leads, 2})).applied);
        QTRY_VERIFY(e.ecg(0).generation > i.generation);
    }

    /// An electrode placed beside the twelve leads later: theirs go on, its own begins then.
    void aLeadThatComesLaterLeavesTheOthers()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(40);
        s.stimuli = {end_of_bar(0)};
        s.leads.kind = Leads::Kind::twelve_lead;
        in.answer(e.post(Load{s}));
        run_to(e, in, 20);
        Ecg g;
        QTRY_COMPARE_WITH_TIMEOUT((g = e.ecg(0)).time_ms.size(), std::size_t(21),
                                  5000 * tawara::test::slowdown);
        const std::vector<Electrode> own{{"E1", {30, 1, 1}}};
        QVERIFY(in.answer(e.post(SetElectrodes{own, s.leads, s.ecg_every_ms})).applied);
        run_to(e, in, 40);
        Ecg h;
        QTRY_COMPARE_WITH_TIMEOUT((h = e.ecg(0)).time_ms.size(), std::size_t(41),
                                  5000 * tawara::test::slowdown);
        QVERIFY(h.generation > g.generation);
        QCOMPARE(h.leads.size(), std::size_t(13));
        QCOMPARE(h.leads.back(), std::string("E1"));
        QCOMPARE(std::vector<float>(h.mV[1].begin(), h.mV[1].begin() + 21), g.mV[1]);
        QVERIFY(std::isnan(h.mV[12][19]) && std::isfinite(h.mV[12][40]));
        QVERIFY(in.answer(e.post(SetElectrodes{{}, s.leads, s.ecg_every_ms})).applied);
        QTRY_COMPARE_WITH_TIMEOUT(e.ecg(0).leads.size(), std::size_t(12),
                                  5000 * tawara::test::slowdown);
        QCOMPARE(e.ecg(0).mV[1], h.mV[1]);
        QVERIFY(in.answer(e.post(SetElectrodes{{}, {}, s.ecg_every_ms})).applied);
        QTRY_VERIFY_WITH_TIMEOUT(e.ecg(0).leads.empty() && e.ecg(0).time_ms.empty(),
                                 5000 * tawara::test::slowdown);
    }
};
static const tawara::test::Further<TestLiveEcg> further;
#include "test_live_ecg.moc"
