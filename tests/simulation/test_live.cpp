// SPDX-License-Identifier: GPL-3.0-or-later
// What is changed and computed while a run goes on.
#include "tests/simulation/live_bar.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/presets.hpp"
#include "tests/device/on_gpu.hpp"

#include <QtTest>
#include <cmath>
#include <set>
#include <thread>

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

float highest(const Engine& e, std::size_t probe)
{
    const auto v = e.traces().at(probe).V_mV;
    return *std::max_element(v.begin(), v.end());
}

} // namespace

class TestLive : public QObject
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
        in.answer(
            e.post(Load{read_session(TAWARA_SOURCE_DIR "/resources/sessions/normal_beat.json")}));
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

    void parametersChangeAtTheNextStep()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(5)};
        in.answer(e.post(Load{s}));
        run_to(e, in, 2);
        auto regions = s.regions;
        qint64 quickest = 1000; // of five, since other programs may hold the processor meanwhile
        for (int k = 0; k < 5 && quickest >= 100; ++k) {
            if (k > 0)
                QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
            QElapsedTimer timer;
            timer.start();
            QVERIFY(in.answer(e.post(SetTissue{regions, {{"no sodium", {{"g_Na", 0}}}}})).applied);
            quickest = std::min(quickest, timer.elapsed());
        }
        QVERIFY2(quickest < 100, qPrintable(QString::number(quickest)));
        run_to(e, in, 60);
        QVERIFY(highest(e, 1) < -60); // nothing propagates
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        // a report says that what came before is of another tissue, until the run starts anew
        const auto says = [&](qsizetype changes) {
            return [changes](const Event& x) {
                const auto* c = std::get_if<SceneChanged>(&x);
                return c &&
                       changes == std::count_if(c->scene->notices.begin(), c->scene->notices.end(),
                                                [](const Notice& n) {
                                                    return n.text.find("at 2 and 60 ms. Results") !=
                                                           std::string::npos;
                                                });
            };
        };
        QVERIFY(in.wait(says(1)));
        in.answer(e.post(SetStimuli{{end_of_bar(400)}}));
        run_to(e, in, 450);
        QVERIFY(highest(e, 1) > 0);
        // a change that no step was taken with is no change once it is undone
        in.clear();
        QVERIFY(in.answer(e.post(SetTissue{regions, {{"no potassium", {{"g_Kr", 0}}}}})).applied);
        const auto third = [](const Event& x) {
            const auto* c = std::get_if<SceneChanged>(&x);
            return c && c->scene->tissue_edits.size() == 3 &&
                   c->scene->tissue_edits[2].time_ms == 450 &&
                   c->scene->tissue_edits[2].what == "drug no potassium given";
        };
        QVERIFY(in.wait(third));
        QVERIFY(in.wait(says(0)));
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QVERIFY(in.wait(says(1)));
        regions[0].parameters = {{"g_Nonsense", 1}};
        const auto a = in.answer(e.post(SetTissue{regions, {}}));
        QVERIFY(!a.applied && QString::fromStdString(a.reason).contains("/tissue/regions/0"));
        QVERIFY2(a.where.starts_with("/tissue/regions/0"), a.where.c_str());
        QVERIFY(!a.fault.empty() && a.reason.ends_with(a.fault) && !a.cancelled);
        in.clear();
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QVERIFY(in.wait(says(0)));
    }

    void scarIsLaidWhileRunning()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        run_to(e, in, 5);
        auto regions = s.regions;
        Region scar = tissue_presets()[0].region;
        scar.where = Box{{5, 0, 0}, {6.5, 2, 2}};
        regions.push_back(scar);
        const float before = e.traces()[0].V_mV.back();
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QCOMPARE(e.status().time_ms, 5.0); // state and time are kept
        run_to(e, in, 5.2);
        QVERIFY(std::abs(e.traces()[0].V_mV.back() - before) < 5);
        run_to(e, in, 60);
        QVERIFY(highest(e, 0) > 0);
        QVERIFY(highest(e, 1) < -60); // beyond the scar
        in.answer(e.post(Reset{}));   // the edited tissue stays
        run_to(e, in, 60);
        QVERIFY(highest(e, 0) > 0 && highest(e, 1) < -60);
    }

    /// What making the tissue says is said of the present tissue alone.
    void noticesOfTheTissueGoWithIt()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        const auto s = bar();
        in.answer(e.post(Load{s}));
        const auto idle = [&](qsizetype count) {
            return [count](const Event& x) {
                const auto* c = std::get_if<SceneChanged>(&x);
                const auto lacks = [](const Notice& n) {
                    return n.kind == notice_kind::tissue && n.text.find("g_NaL") != n.text.npos;
                };
                return c && count == std::count_if(c->scene->notices.begin(),
                                                   c->scene->notices.end(), lacks);
            };
        };
        auto regions = s.regions;
        Region part;
        part.scale = {{"g_NaL", 0.5}}; // ten Tusscher's cells have none
        regions.push_back(part);
        for (const double end_mm : {3.0, 4.0}) {
            regions.back().where = Box{{1, 0, 0}, {end_mm, 2, 2}};
            in.clear();
            QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
            QVERIFY(in.wait(idle(1)));
        }
        in.clear();
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        QVERIFY(in.wait(idle(0)));
    }

    void newerTissueTakesThePlaceOfOneUnderWay()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.mesh = MeshSlab{{20, 10, 10}, 0.5};
        in.answer(e.post(Load{s}));
        in.answer(e.post(Play{}));
        auto a = s.regions, b = s.regions;
        a[0].conductivity_S_per_m = {0.2, 0.1, 0.1};
        b[0].conductivity_S_per_m = {0.1, 0.1, 0.1};
        const auto first = e.post(SetTissue{a, {}}), second = e.post(SetTissue{b, {}});
        QVERIFY(!in.answer(first).applied);
        QVERIFY(in.answer(second).applied);
        QCOMPARE(int(e.status().state), int(State::running)); // went on meanwhile
        QVERIFY(!e.status().changing_tissue);
        const auto third = e.post(SetTissue{a, {}});
        in.answer(e.post(Load{bar()}));
        QVERIFY(!in.answer(third).applied);
    }

    void otherModelTakesItsInitialStates()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{bar()}));
        run_to(e, in, 3);
        auto regions = bar().regions;
        regions[0].model = "luo_rudy_1991";
        regions[0].variant.clear();
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        in.answer(e.post(SetStimuli{{end_of_bar(10, 60)}}));
        run_to(e, in, 80);
        QVERIFY(highest(e, 1) > 0);
    }

    void resetIsQuickAndExact()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(30);
        s.stimuli = {end_of_bar(1)};
        in.answer(e.post(Load{s}));
        run_to(e, in, 30);
        const auto first = e.traces();
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QCOMPARE(e.status().step, std::int64_t(0));
        run_to(e, in, 30);
        const auto again = e.traces();
        QVERIFY(first[1].V_mV == again[1].V_mV); // bit for bit
        QVERIFY(first[1].time_ms == again[1].time_ms);
    }

    void initialSnapshotIsTheSteppers()
    {
        auto s = bar();
        s.regions.push_back(s.regions[0]);
        s.regions[1].variant = "endo";
        s.regions[1].where = Box{{0, 0, 0}, {5, 2, 2}};
        const auto t = build_tissue(s);
        const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
        const auto a = stepper->snapshot(), b = initial_snapshot(t.problem);
        QVERIFY(a.v == b.v && a.states == b.states);
        QVERIFY(a.peak_mV == b.peak_mV && a.rest_mV == b.rest_mV);
        QCOMPARE(b.step, std::int64_t(0));
        for (double x : a.activation_ms)
            QVERIFY(std::isnan(x));
    }

    void endCanBeMoved()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{bar(5)}));
        e.post(Play{});
        QVERIFY(in.wait_state(State::finished));
        QVERIFY(!in.answer(e.post(SetEnd{2})).applied);
        QVERIFY(in.answer(e.post(SetEnd{8})).applied);
        in.clear();
        QVERIFY(in.answer(e.post(Play{})).applied);
        QVERIFY(in.wait_state(State::finished));
        QVERIFY(std::abs(e.status().time_ms - 8) < 1e-9);
    }

    void kernelsAndCeilings()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{bar()}));
        run_to(e, in, 5);
        e.post(Play{});
        QTRY_VERIFY(!e.kernels().empty() && e.kernels()[0].calls > 250);
        QCOMPARE(e.kernels()[0].ceiling_GB_per_s, 0.0);
        in.answer(e.post(MeasureCeilings{}));
        const auto step = e.status().step;
        QVERIFY(
            in.wait([](const Event& x) { return std::holds_alternative<CeilingsMeasured>(x); }));
        QTRY_VERIFY(e.status().step > step + 100); // goes on
        const auto k = e.kernels()[0];
        QVERIFY(k.ceiling_GB_per_s > 0 && k.fraction > 0 && !k.bound_by.empty());
        QCOMPARE(k.counted_bytes, 0.0); // by hardware: a GPU's, test_cuda
        const auto cut = e.partition();
        QVERIFY(cut && cut->shards == 1 && cut->shard.size() == e.newest_frame()->values.size());
    }

    /// Where the machine permits it; a run goes on afterwards as if nothing had been.
    void aGpuCountsItsBytes()
    {
        if (!tawara::test::need_gpu())
            return;
        Inbox in;
        auto options = one_thread();
        options.devices = "cuda:0";
        Engine e(in.handler(), options);
        in.answer(e.post(Load{bar()}));
        run_to(e, in, 5);
        const auto step = e.status().step;
        in.answer(e.post(MeasureCeilings{}));
        std::string why;
        QVERIFY(in.wait([&](const Event& x) {
            const auto* c = std::get_if<CeilingsMeasured>(&x);
            if (c)
                why = c->not_counted;
            return c != nullptr;
        }));
        if (!why.empty())
            QSKIP(("the bytes were not counted: " + why).c_str());
        QCOMPARE(e.status().step, step);
        run_to(e, in, 10);
        QTRY_VERIFY(!e.kernels().empty() && e.kernels()[0].counted_bytes > 0);
        for (const auto& k : e.kernels()) // a small bar stays in caches: some of it is seen
            qInfo("%s: %.3g by the data structures, %.3g counted", k.name.c_str(), k.bytes,
                  k.counted_bytes);
    }

    void recordsAndExports()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(20);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        QVERIFY(in.answer(e.post(StartRecording{2, 1 << 26})).applied);
        QVERIFY(e.status().recording);
        run_to(e, in, 20);
        QVERIFY(in.answer(e.post(StopRecording{})).applied);
        const auto r = e.recording();
        QTRY_COMPARE(r->frame_count(), std::size_t(11));
        QVERIFY(std::abs(r->time_of(5) - 10) < 1e-9);
        QTemporaryDir folder;
        QVERIFY(!in.answer(e.post(Export{"nonsense", "x"})).applied);
        const auto file = folder.filePath("maps.csv").toStdString();
        const auto id = e.post(Export{"maps-csv", file});
        QVERIFY(in.answer(id).applied);
        QVERIFY(in.wait([id](const Event& x) {
            const auto* d = std::get_if<Exported>(&x);
            return d && d->command == id && d->error.empty();
        }));
        QFile table(QString::fromStdString(file)); // says which beat it is of
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = table.readAll().split('\n');
        QCOMPARE(lines[0], QByteArray("id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms,"
                                      "period_ms,velocity_m_per_s,beat,time_zero_ms,"
                                      "region,model,variant"));
        QCOMPARE(lines[1].split(',').value(9), QByteArray("1"));
        const auto bad = e.post(Export{"maps-csv", file + "/all.csv"});
        QVERIFY(in.wait([bad](const Event& x) {
            const auto* d = std::get_if<Exported>(&x);
            return d && d->command == bad && !d->error.empty();
        }));
    }

    /// A click reaches the tissue of the built-in heart soon, also where others use the processors.
    void clickReachesTheHeartWithin50ms()
    {
        Inbox in;
        Engine e(in.handler());
        in.answer(e.post(Load{default_session()}));
        in.answer(e.post(WatchMaps{}));
        in.answer(e.post(WatchPhase{}));
        in.answer(e.post(Play{}));
        std::atomic<bool> stop{false};
        std::vector<std::thread> load; // stands in for a window that draws in software
        for (int k = 0; k < 2; ++k)
            load.emplace_back([&] {
                while (!stop)
                    (void)std::chrono::steady_clock::now();
            });
        std::vector<double> ms;
        std::string refused;
#if defined(__SANITIZE_THREAD__)
        constexpr double allowed_ms = 1000; // every access is watched
#else
        constexpr double allowed_ms = 50;
#endif
        // up to four times 30: a host that has other work delays whole seconds
        for (int series = 0; series < 4 && (series == 0 || ms[15] >= allowed_ms); ++series) {
            ms.clear();
            for (int k = 0; k < 30; ++k) {
                QTest::qWait(20);
                QElapsedTimer t;
                t.start();
                const auto a = in.answer(e.post(Stimulate{{27, 0, 0}, 3, 2, 50}));
                refused += a.applied ? "" : a.reason;
                ms.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
            }
            std::sort(ms.begin(), ms.end());
            qInfo("click to tissue under load: median %.1f ms, 90 %% %.1f ms, worst %.1f ms",
                  ms[15], ms[26], ms.back());
        }
        stop = true;
        for (auto& t : load)
            t.join();
        QVERIFY2(refused.empty(), refused.c_str());
        QVERIFY(ms[15] < allowed_ms);
    }
};
QTEST_GUILESS_MAIN(TestLive)
#include "engine/simulation/session/notice_kinds.hpp"
#include "test_live.moc"
