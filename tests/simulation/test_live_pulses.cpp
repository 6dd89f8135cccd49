// SPDX-License-Identifier: GPL-3.0-or-later
// Stimuli that are given and changed while a run goes on, and whether their pulses captured.
#include "tests/several.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;

namespace {

std::vector<CaptureEvent> captures(Inbox& in)
{
    std::vector<CaptureEvent> out;
    for (const auto& e : in.all())
        if (const auto* c = std::get_if<CaptureEvent>(&e))
            out.push_back(*c);
    return out;
}

} // namespace

class TestLivePulses : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void stimuliAreReplacedWhileRunning()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{bar()})).applied);
        run_to(e, in, 5);
        QVERIFY(highest(e, 0) < -80); // nothing paces it
        QVERIFY(in.answer(e.post(SetStimuli{{end_of_bar(8)}})).applied);
        run_to(e, in, 60);
        QVERIFY(highest(e, 0) > 0 && highest(e, 1) > 0);
        const auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(1));
        QVERIFY(seen[0].captured && seen[0].stimulus == 0 && seen[0].pulse == 0);
        QCOMPARE(seen[0].time_ms, 8.0);
        // the scene tells the edited session
        in.clear();
        e.post(SetStimuli{{}});
        QVERIFY(in.wait([](const Event& x) {
            const auto* c = std::get_if<SceneChanged>(&x);
            return c && c->scene->session.stimuli.empty() && c->scene->run == 1;
        }));
    }

    void aPulseUnderWayEnds()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(1)};
        in.answer(e.post(Load{s}));
        run_to(e, in, 1.5); // a quarter of the pulse
        QVERIFY(in.answer(e.post(SetStimuli{{}})).applied);
        run_to(e, in, 40);
        QVERIFY(highest(e, 1) > 0); // the rest of it came
    }

    void switchedOffAndMoved()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        auto train = end_of_bar(0);
        train.protocol = Protocol{Protocol::Kind::train, 20, 0, {}, 0, 1, 1000};
        train.on = false;
        s.stimuli = {train};
        in.answer(e.post(Load{s}));
        run_to(e, in, 10);
        QVERIFY(highest(e, 0) < -80);
        train.on = true;
        train.region = Box{{11, 0, 0}, {12, 2, 2}};
        in.answer(e.post(SetStimuli{{train}}));
        run_to(e, in, 24);
        const auto t = e.traces();
        QVERIFY(highest(e, 1) > 0 && t[0].V_mV.back() < -60); // from the other end, at 20 ms
    }

    void weakOrEarlyPulsesDoNotCapture()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(0, 3)}; // below threshold
        in.answer(e.post(Load{s}));
        run_to(e, in, 80);
        auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(1));
        QVERIFY(!seen[0].captured);
        auto strong = end_of_bar(90);
        strong.protocol = Protocol{Protocol::Kind::s1s2, 600, 1, {150}, 0, 1, 1000}; // refractory
        in.answer(e.post(SetStimuli{{strong}}));
        run_to(e, in, 320);
        seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(2));
        QVERIFY(seen[0].captured && !seen[1].captured);
        QCOMPARE(seen[1].time_ms, 240.0);
        QCOMPARE(seen[1].pulse, 1);
    }

    /// A wave that comes to a site from elsewhere is not what the site's pulse captures.
    void aPassingWaveIsNoCapture()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        auto dud = end_of_bar(5, 0.01), lasting = end_of_bar(0, 0.1);
        dud.region = Box{{9, 0, 0}, {10, 2, 2}};
        lasting.region = Box{{5, 0, 0}, {6, 2, 2}};
        lasting.duration_ms = 20;
        s.stimuli = {end_of_bar(0), dud, lasting};
        in.answer(e.post(Load{s}));
        run_to(e, in, 90);
        QVERIFY(highest(e, 1) > 0); // the wave has passed both
        const auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(3));
        for (const auto& c : seen) {
            QCOMPARE(c.captured, c.stimulus == 0);
            QCOMPARE(c.overtaken, c.stimulus != 0);
        }
    }

    /// From whatever side, however small the site; a pulse into the arriving front is a dud too.
    void aWaveOverBallsInASheet()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.mesh = MeshSlab{{14, 14, 1}, 0.5};
        s.regions[0].conductivity_S_per_m = {0.2, 0.1, 0.1};
        s.probes = {{"middle", {7, 7, 0.5}}, {"far", {13, 13, 0.5}}};
        auto corner = end_of_bar(0);
        corner.region = Sphere{{0, 0, 0}, 2.5};
        s.stimuli = {corner};
        for (double at : {1.0, 10.0, 20.0, 32.0, 45.0})
            for (const auto& ball :
                 {Sphere{{7, 7, 0.5}, 3}, Sphere{{4, 10, 0.5}, 2}, Sphere{{10, 4, 1}, 1.2},
                  Sphere{{12, 12, 0}, 0.6}, Sphere{{7, 5, 0.5}, 0.9}}) {
                auto dud = end_of_bar(at, 0.05);
                dud.region = ball;
                s.stimuli.push_back(dud);
            }
        in.answer(e.post(Load{s}));
        run_to(e, in, 140);
        QVERIFY2(highest(e, 0) > 0 && highest(e, 1) > 0,
                 qPrintable(QString("%1 %2 mV").arg(highest(e, 0)).arg(highest(e, 1))));
        const auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(26));
        for (const auto& c : seen)
            QVERIFY2(c.captured == (c.stimulus == 0),
                     qPrintable(QString("stimulus %1 at %2 ms").arg(c.stimulus).arg(c.time_ms)));
    }

    void sitesThatFireAtOnceAllCapture()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        auto other = end_of_bar(0, 70), next = end_of_bar(0);
        other.region = Box{{11, 0, 0}, {12, 2, 2}};
        next.region = Box{{1.5, 0, 0}, {2.5, 2, 2}}; // right beside the first
        s.stimuli = {end_of_bar(0), other, next};
        in.answer(e.post(Load{s}));
        run_to(e, in, 70);
        const auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(3));
        for (const auto& c : seen)
            QVERIFY2(c.captured && !c.overtaken, qPrintable(QString::number(c.stimulus)));
    }

    /// The heart of the example: a wave is about to reach one site when it is paced.
    void strongPulsesCaptureBeforeAWaveArrives()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(
            Load{read_session(TAWARA_SOURCE_DIR "/resources/sessions/bundle_activation.json")}));
        run_to(e, in, 40);
        const auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(6));
        double around_mV = -100;
        for (const auto& c : seen) {
            QVERIFY2(c.captured && !c.overtaken, qPrintable(QString::number(c.stimulus)));
            around_mV = std::max(around_mV, c.around_mV);
        }
        QVERIFY2(around_mV > -75, qPrintable(QString::number(around_mV))); // some of it is up
    }

    /// Ever nearer to the threshold, where the wave leaves late.
    void captureAtTheThreshold()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        double no = 3, yes = 50;
        int captured = 0;
        for (int k = 0; k < 12; ++k) {
            auto s = bar();
            s.stimuli = {end_of_bar(0, 0.5 * (no + yes))};
            in.answer(e.post(Load{s}));
            run_to(e, in, 80);
            const auto seen = captures(in);
            QCOMPARE(seen.size(), std::size_t(1));
            QVERIFY2(seen[0].captured == (highest(e, 1) > 0),
                     qPrintable(QString::number(s.stimuli[0].amplitude_pA_per_pF)));
            QVERIFY(!seen[0].overtaken);
            captured += seen[0].captured ? 1 : 0;
            (seen[0].captured ? yes : no) = s.stimuli[0].amplitude_pA_per_pF;
        }
        QVERIFY(captured > 0 && captured < 12);
    }

    /// A pulse given at once by a site is told as the site's, also after it was renumbered.
    void aPulseAtOnceIsOfItsSite()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(500)};
        in.answer(e.post(Load{s}));
        const auto weak = e.post(Stimulate{{0, 1, 1}, 1.5, 2, 1, "S1"});
        QVERIFY(in.answer(weak).applied);
        auto first = end_of_bar(600);
        first.name = "another";
        QVERIFY(in.answer(e.post(SetStimuli{{first, s.stimuli[0]}})).applied);
        run_to(e, in, 80);
        auto seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(1));
        QVERIFY(seen[0].stimulus == 1 && seen[0].command == weak && !seen[0].captured);
        const auto gone = e.post(Stimulate{{0, 1, 1}, 1.5, 2, 60, "no such site"});
        QVERIFY(in.answer(gone).applied);
        run_to(e, in, 150);
        seen = captures(in);
        QCOMPARE(seen.size(), std::size_t(1));
        QVERIFY(seen[0].stimulus == -1 && seen[0].command == gone && seen[0].captured);
    }

    void badStimuliAreRefusedAsAWhole()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(10)};
        in.answer(e.post(Load{s}));
        auto nowhere = end_of_bar(0);
        nowhere.region = Box{{90, 90, 90}, {91, 91, 91}};
        const auto a = in.answer(e.post(SetStimuli{{end_of_bar(100), nowhere}}));
        QVERIFY(!a.applied && QString::fromStdString(a.reason).contains("/stimuli/1/region"));
        run_to(e, in, 30);
        QVERIFY(highest(e, 0) > 0); // the old one stayed
    }

    void clickedStimulusTellsWhetherItCaptured()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{bar()}));
        in.answer(e.post(Play{}));
        const auto id = e.post(Stimulate{{11, 1, 1}, 1.2, 2, 60});
        QVERIFY(in.answer(id).applied);
        QVERIFY(in.wait([id](const Event& x) {
            const auto* c = std::get_if<CaptureEvent>(&x);
            return c && c->stimulus == -1 && c->command == id && c->captured;
        }));
    }
};
static const tawara::test::Further<TestLivePulses> further;
#include "test_live_pulses.moc"
