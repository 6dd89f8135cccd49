// SPDX-License-Identifier: GPL-3.0-or-later
// Phase and what waves turn around, of tissue that is computed: scars, holes, planes of the phase.
#include "tests/simulation/live_bar.hpp"

#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/session/presets.hpp"

#include <QtTest>

#include <cmath>
#include <map>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;

namespace {

/// A thin sheet of cells that recover within some 100 ms, paced along its left side at 0.
Session sheet(double size_mm)
{
    Session s;
    s.name = "sheet";
    s.mesh = MeshSlab{{size_mm, size_mm, 1}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].model = "aliev_panfilov_1996";
    s.regions[0].conductivity_S_per_m = {0.14, 0.14, 0.14};
    s.regions[0].parameters = {{"t_unit", 4}};
    s.dt_ms = 0.1;
    s.end_ms = 2000;
    auto s1 = end_of_bar(0, 30);
    s1.region = Box{{0, 0, 0}, {3, size_mm, 1}};
    s1.duration_ms = 3;
    s.stimuli = {s1};
    return s;
}

/// Cells that no wave enters, but which conduct as the others do.
Region scar(Vec3 centre, double radius)
{
    Region r;
    r.model.clear();
    r.kind = "scar_core";
    r.name = "scar";
    r.where = Sphere{centre, radius};
    return r;
}

Region scar_of_cells(Vec3 centre, double radius)
{
    auto r = scar(centre, radius);
    r.scale = {{"g_Na", 0}, {"g_CaL", 0}};
    return r;
}

/// What was seen at the moments of a run between two times: by the phase's time.
std::map<double, Singularities> watched(Engine& e, Inbox& in, double to_ms)
{
    std::map<double, Singularities> out;
    in.clear();
    e.post(RunUntil{to_ms});
    while (!in.wait_state(State::paused, 1))
        if (const auto f = e.newest_frame(); f && f->singularities)
            out[f->phase_time_ms] = *f->singularities;
    return out;
}

std::size_t most_centres(const std::map<double, Singularities>& seen)
{
    std::size_t most = 0;
    for (const auto& [t, s] : seen)
        most = std::max(most, s.centres());
    return most;
}

} // namespace

class TestLivePhase : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A single wave of TT06 over a disc without sodium and calcium current, by both schemes.
    void aWavePastAScar_data()
    {
        QTest::addColumn<bool>("fvm");
        QTest::addColumn<double>("conducts");
        for (const bool fvm : {false, true})
            for (const double by : {1.0, 0.05})
                QTest::addRow("%s, conductivity times %g", fvm ? "fvm" : "p1", by) << fvm << by;
    }
    void aWavePastAScar()
    {
        QFETCH(bool, fvm);
        QFETCH(double, conducts);
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = sheet(20);
        s.scheme = fvm ? diffusion::Scheme::fvm : diffusion::Scheme::p1;
        s.regions[0] = bar().regions[0];
        s.regions[0].conductivity_S_per_m = {0.4, 0.4, 0.4};
        s.reaction = cell::Scheme::rush_larsen;
        s.dt_ms = 0.05;
        s.stimuli[0].amplitude_pA_per_pF = 60;
        s.regions.push_back(scar_of_cells({11, 10, 0.5}, 4));
        s.regions.back().conductivity_scale = conducts;
        in.answer(e.post(FrameInterval{0}));
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchPhase{}));
        in.answer(e.post(LimitSpeed{150}));
        const auto seen = watched(e, in, 110);
        QVERIFY2(seen.size() > 20, qPrintable(QString::number(seen.size())));
        QCOMPARE(most_centres(seen), std::size_t(0));
    }

    /// S2 right behind the wave's tail, between a scar and the side of a sheet: it leaves one way
    /// alone, and goes around the scar, once in some 400 ms.
    void aWaveAroundAScar()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = sheet(40);
        s.regions.push_back(scar({20, 20, 0.5}, 8));
        s.regions.back().conductivity_scale = 0.001;
        auto s2 = s.stimuli[0];
        s2.name = "S2";
        s2.start_ms = 206;
        s2.region = Box{{18, 0, 0}, {22, 12.5, 1}};
        s.stimuli.push_back(s2);
        in.answer(e.post(FrameInterval{0}));
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchPhase{}));
        in.answer(e.post(LimitSpeed{500}));
        const auto seen = watched(e, in, 1100);
        std::size_t moments = 0, there = 0, filaments = 0;
        double turned_ms = -1;
        for (const auto& [t, x] : seen) {
            if (t < 200)
                QCOMPARE(x.centres(), std::size_t(0)); // S1's wave has passed
            if (x.turned > 0 && turned_ms < 0)
                turned_ms = t;
            if (t < 280) // S2's wave comes to the scar with its other end too
                continue;
            ++moments;
            there += x.obstacles == 1 && x.around_mm.size() == 2 ? 1 : 0;
            filaments += x.filaments_mm.empty() ? 0 : 1;
        }
        qInfo("around the scar in %zu of %zu moments, filaments in %zu, turned at %.0f ms", there,
              moments, filaments, turned_ms);
        QVERIFY(moments > 100);
        QCOMPARE(there, moments);
        QCOMPARE(filaments, std::size_t(0));
        QVERIFY(turned_ms > 550 && turned_ms < 800);
    }

    /// The same wave by another plane; a cell without one is refused by its name.
    void thePlaneOfVAndRecovery()
    {
        for (const auto* model : {"aliev_panfilov_1996", "ten_tusscher_2006"}) {
            Inbox in;
            Engine e(in.handler(), one_thread());
            auto s = bar(200);
            s.stimuli = {end_of_bar(0)};
            if (std::string(model) != "ten_tusscher_2006") {
                s.regions[0] = sheet(10).regions[0];
                s.stimuli[0].duration_ms = 3;
            }
            in.answer(e.post(Load{s}));
            QVERIFY(in.answer(e.post(WatchPhase{true, {PhasePlane::Kind::recovery, 25}})).applied);
            QTRY_VERIFY(e.newest_frame() && e.newest_frame()->phase); // of rest, at once
            const auto lowest = [&] {
                const auto p = *e.newest_frame()->phase;
                return *std::min_element(p.begin(), p.end());
            };
            QVERIFY(lowest() < -2); // 3/4 of pi before 0
            run_to(e, in, 20);
            QTRY_COMPARE(e.newest_frame()->phase_time_ms, e.status().time_ms);
            const auto front = *e.newest_frame()->phase;
            const auto [least, most] = std::minmax_element(front.begin(), front.end());
            // rest ahead of the front, then V up with the cell not recovering yet
            QVERIFY2(*least < -1.5F && *most > -1 && *most < 1.2F,
                     qPrintable(QString("%1: %2 %3").arg(model).arg(*least).arg(*most)));
        }
    }

    /// What nobody has stimulated yet, by V and V before: its phase is that of rest.
    void restHasItsPhaseBeforeAnythingFires()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{bar(200)}));
        in.answer(e.post(WatchPhase{true, {PhasePlane::Kind::delayed, 5}}));
        run_to(e, in, 20);
        QTRY_VERIFY(e.newest_frame()->phase && e.newest_frame()->phase_time_ms == 20);
        for (const float p : *e.newest_frame()->phase)
            QVERIFY2(p > -2.6F && p < -2.1F, qPrintable(QString::number(p)));
    }

    /// The delay can be any that is kept; a longer one is known at once.
    void theDelayIsChosen()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(200);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        const auto watch = [&](double delay_ms) {
            in.answer(e.post(WatchPhase{true, {PhasePlane::Kind::delayed, delay_ms}}));
        };
        const auto behind_front = [&] { // share of what is just activated; 0: no phase yet
            const auto f = e.newest_frame();
            if (!f || !f->phase || f->phase_time_ms != e.status().time_ms)
                return 0.0;
            const auto n = std::ranges::count_if(
                *f->phase, [](float p) { return p > -1.5F && p < 0; }); // V up now, down then
            return static_cast<double>(n) / static_cast<double>(f->phase->size());
        };
        run_to(e, in, 30);
        watch(40);
        QTest::qWait(50);
        QVERIFY(!e.newest_frame()->phase); // 40 ms before there was nothing
        // The analyst answers later than WatchPhase: each share is waited for.
        watch(5);
        QTRY_VERIFY(behind_front() > 0.02);
        const double narrow = behind_front();
        QVERIFY2(narrow < 0.3, qPrintable(QString::number(narrow)));
        watch(25);
        QTRY_VERIFY(behind_front() > 2 * narrow);
    }
};

QTEST_GUILESS_MAIN(TestLivePhase)
#include "test_live_phase.moc"
