// SPDX-License-Identifier: GPL-3.0-or-later
// What is changed and computed while a run goes on.
#include "tests/simulation/inbox.hpp"

#include "engine/simulation/beat_label.hpp"
#include "engine/simulation/ecg.hpp"
#include "engine/simulation/presets.hpp"
#include "engine/simulation/recording.hpp"

#include <QtTest>
#include <cmath>
#include <set>
#include <thread>

using namespace tawara;
using namespace tawara::simulation;
using State = Status::State;

namespace {

/// A small bar that nobody paces, 12 x 2 x 2 mm.
Session bar(double end_ms = 1000)
{
    Session s;
    s.name = "bar";
    s.mesh = MeshSlab{{12, 2, 2}, 0.5};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].variant = "epi";
    s.reaction = cell::Scheme::rush_larsen; // bears pulses into tissue that is up
    s.end_ms = end_ms;
    s.probes.push_back({"near", {2, 1, 1}});
    s.probes.push_back({"far", {10, 1, 1}});
    return s;
}

/// Small problems: a second thread would wait more than it computes.
EngineOptions one_thread()
{
    EngineOptions o;
    o.devices = "cpu";
    o.threads = 1;
    return o;
}

Stimulus end_of_bar(double start_ms, double amplitude = 50)
{
    Stimulus s;
    s.name = "S1";
    s.region = Box{{0, 0, 0}, {1, 2, 2}};
    s.start_ms = start_ms;
    s.amplitude_pA_per_pF = amplitude;
    return s;
}

void run_to(Engine& e, Inbox& in, double ms)
{
    in.clear();
    e.post(RunUntil{ms});
    const bool there = in.wait_state(State::paused);
    const auto now = e.status();
    QVERIFY2(there, qPrintable(QString("state %1 at %2 ms").arg(int(now.state)).arg(now.time_ms)));
}

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

/// A thin sheet in which a spiral turns from about 300 ms on, once in 160 ms.
Session sheet()
{
    Session s;
    s.name = "sheet";
    s.mesh = MeshSlab{{60, 60, 1}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].model = "aliev_panfilov_1996";
    s.regions[0].conductivity_S_per_m = {0.14, 0.14, 0.14};
    s.regions[0].parameters = {{"t_unit", 4}};
    s.dt_ms = 0.1;
    s.end_ms = 900;
    Stimulus s1 = end_of_bar(0, 30), s2 = end_of_bar(210, 30);
    s1.region = Box{{0, 0, 0}, {3, 60, 1}};
    s2.region = Box{{0, 0, 0}, {60, 30, 1}};
    s1.duration_ms = s2.duration_ms = 3;
    s.stimuli = {s1, s2};
    return s;
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
        QElapsedTimer timer;
        timer.start();
        QVERIFY(in.answer(e.post(SetTissue{regions, {{"no sodium", {{"g_Na", 0}}}}})).applied);
        QVERIFY2(timer.elapsed() < 100, qPrintable(QString::number(timer.elapsed())));
        run_to(e, in, 60);
        QVERIFY(highest(e, 1) < -60); // nothing propagates
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        in.answer(e.post(SetStimuli{{end_of_bar(400)}}));
        run_to(e, in, 450);
        QVERIFY(highest(e, 1) > 0);
        regions[0].parameters = {{"g_Nonsense", 1}};
        const auto a = in.answer(e.post(SetTissue{regions, {}}));
        QVERIFY(!a.applied && QString::fromStdString(a.reason).contains("/tissue/regions/0"));
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

    void mapsOfTwoBeats()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(420);
        auto train = end_of_bar(0);
        train.period_ms = 350;
        train.count = 0;
        s.stimuli = {train};
        in.answer(e.post(Load{s}));
        run_to(e, in, 400);
        in.answer(e.post(WatchMaps{true, 50})); // late: the second beat is known all the same
        std::shared_ptr<const MapFrame> m;
        QTRY_VERIFY((m = e.newest_maps()) && m->time_ms > 399.9);
        QCOMPARE(m->activated, m->unknowns);
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            QVERIFY2(m->activation[k] > 349, qPrintable(QString::number(m->activation[k])));
            QVERIFY(std::abs(m->period[k] - 350) < 20); // the second wave is the slower
            QVERIFY(std::isnan(m->repolarisation[k]) && std::isnan(m->apd90[k])); // not yet
            QCOMPARE(m->activations[k], 2);
        }
        // the front runs along the bar, at the same speed in both beats
        int forward = 0, known = 0;
        for (const auto& v : m->velocity)
            if (!std::isnan(v[0])) {
                ++known;
                forward += v[0] > 0.2F && v[0] < 1.2F;
            }
        QVERIFY(known > 100 && forward > 0.8 * known);
        QCOMPARE(m->beat, 2);
        QCOMPARE(m->beats.size(), std::size_t(2));
        QVERIFY(m->beats[1].from_ms > 349 && m->beats[1].from_ms < 353);
        QCOMPARE(m->beats[1].share, 1.0);
        QVERIFY(!m->beats[1].turns);
        // the beat before, while the run is paused
        in.answer(e.post(WatchMaps{true, 50, 1}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 1);
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            QVERIFY(m->activation[k] < 40 && std::isnan(m->period[k]));
            QVERIFY(m->apd90[k] > 250 && m->apd90[k] < 330);
            QVERIFY(std::abs(m->repolarisation[k] - m->activation[k] - m->apd90[k]) < 1e-3F);
        }
        QVERIFY(QString::fromStdString(beat_label(*m)).startsWith("beat 1 of 2, from "));
        const auto beats = e.beats(e.traces()[1].probe);
        QCOMPARE(beats.size(), std::size_t(2));
        QVERIFY(std::abs(beats[1].cycle_ms - 350) < 20);
        QVERIFY(std::abs(beats[1].diastolic_ms - (beats[1].cycle_ms - beats[0].apd90_ms)) < 1e-6);
        in.answer(e.post(WatchMaps{false, 50}));
        QTRY_VERIFY(!e.newest_maps());
    }

    /// A pulse that reaches a patch alone is a beat like any other, in every map; the one before it
    /// can still be had whole.
    void localCaptureIsABeat()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(700);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchMaps{true, 1}));
        run_to(e, in, 420);
        // tissue that has just recovered where the wave began, refractory ahead of it: the middle
        // of a short pulse stays local because the conductivities are taken away
        auto regions = s.regions;
        for (auto& r : regions)
            r.conductivity_S_per_m = {1e-4, 1e-4, 1e-4};
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QVERIFY(in.answer(e.post(Stimulate{{0, 0, 0}, 2, 2, 60})).applied);
        run_to(e, in, 440);
        std::shared_ptr<const MapFrame> m;
        QTRY_VERIFY((m = e.newest_maps()) && m->time_ms > 439);
        QCOMPARE(m->beat, 2);
        QVERIFY2(m->beats.back().share < 0.5, qPrintable(QString::number(m->beats.back().share)));
        QVERIFY(QString::fromStdString(beat_label(*m)).endsWith(" % of the heart"));
        int part = 0;
        for (std::size_t k = 0; k < m->activation.size(); ++k) {
            part += std::isfinite(m->activation[k]);
            // no map shows another beat where this one was not
            QVERIFY(std::isfinite(m->activation[k]) || std::isnan(m->apd90[k]));
            QVERIFY(std::isfinite(m->activation[k]) || std::isnan(m->period[k]));
        }
        QVERIFY(part > 0 && part < 0.5 * static_cast<double>(m->activation.size()));
        in.answer(e.post(WatchMaps{true, 1, 1}));
        QTRY_VERIFY((m = e.newest_maps()) && m->beat == 1);
        for (std::size_t k = 0; k < m->activation.size(); ++k)
            QVERIFY(m->activation[k] < 60 && m->apd90[k] > 200);
    }

    /// Asked for while paused: the phase of the state as it is.
    void phaseWhilePaused()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(50);
        s.stimuli = {end_of_bar(0)};
        in.answer(e.post(Load{s}));
        in.answer(e.post(WatchPhase{})); // nothing has happened yet
        QVERIFY(e.newest_frame() && !e.newest_frame()->phase);
        in.answer(e.post(WatchPhase{false}));
        run_to(e, in, 20);
        in.answer(e.post(WatchPhase{}));
        std::shared_ptr<const Frame> f;
        QTRY_VERIFY((f = e.newest_frame()) && f->phase);
        QVERIFY(std::abs(f->phase_time_ms - 20) < 0.1);
        QVERIFY(*std::max_element(f->phase->begin(), f->phase->end()) > 0);
    }

    void spiralHasOneSingularity()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(FrameInterval{0}));
        in.answer(e.post(Load{sheet()}));
        run_to(e, in, 450);
        in.answer(e.post(WatchPhase{}));
        in.answer(e.post(LimitSpeed{200}));
        in.clear();
        e.post(RunUntil{900});
        std::map<double, std::size_t> lines;
        double x = 0, y = 0;
        while (!in.wait_state(State::paused, 1)) {
            const auto f = e.newest_frame();
            if (f && f->singularities) {
                lines[f->phase_time_ms] = f->singularities->filaments_mm.size();
                QCOMPARE(f->phase->size(), f->values.size());
                for (const auto& p : f->singularities->points_mm)
                    x = p[0], y = p[1];
            }
        }
        std::size_t one = 0;
        for (const auto& [t, n] : lines)
            one += n == 1;
        qInfo("one filament in %zu of %zu frames, last at %.1f, %.1f mm", one, lines.size(), x, y);
        QVERIFY(lines.size() > 60);
        QVERIFY(static_cast<double>(one) > 0.95 * static_cast<double>(lines.size()));
    }

    void volumeComesWithFrames()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(0)};
        for (auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            s.scheme = scheme;
            in.answer(e.post(Load{s}));
            in.answer(e.post(WatchVolume{}));
            run_to(e, in, 6);
            std::shared_ptr<const Frame> f;
            QTRY_VERIFY((f = e.newest_frame()) && f->volume);
            QCOMPARE(f->volume->size(), std::size_t(25 * 5 * 5));
            QVERIFY(*std::max_element(f->volume->begin(), f->volume->end()) > 0);
        }
    }

    void mapsAndPhaseInsideTheWall()
    {
        for (auto scheme : {diffusion::Scheme::p1, diffusion::Scheme::fvm}) {
            Inbox in;
            Engine e(in.handler(), one_thread());
            auto s = bar();
            s.scheme = scheme;
            s.stimuli = {end_of_bar(0)};
            in.answer(e.post(Load{s}));
            std::shared_ptr<const Scene> scene;
            for (const auto& event : in.all())
                if (const auto* l = std::get_if<Loaded>(&event))
                    scene = l->scene;
            QVERIFY(scene);
            in.answer(e.post(WatchMaps{true, 1}));
            in.answer(e.post(WatchPhase{}));
            run_to(e, in, 12);
            std::shared_ptr<const MapFrame> m;
            QTRY_VERIFY((m = e.newest_maps()) && m->activated > 0);
            QVERIFY(!m->volume);
            QVERIFY(e.newest_frame() && !e.newest_frame()->phase_volume);
            // asked for while paused: it comes although nothing runs
            in.answer(e.post(WatchVolume{}));
            QTRY_VERIFY((m = e.newest_maps()) && m->volume);
            std::shared_ptr<const Frame> f;
            QTRY_VERIFY((f = e.newest_frame()) && f->phase_volume && f->volume);
            const auto& surface = *scene->surface;
            QCOMPARE(m->volume->activation.size(), scene->mesh->vertex_count());
            QCOMPARE(f->phase_volume->size(), scene->mesh->vertex_count());
            const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
            for (std::size_t k = 0; k < surface.vertices.size(); ++k) {
                const auto v = static_cast<std::size_t>(surface.vertices[k]);
                QVERIFY(same(m->volume->activation[v], m->activation[k]));
                QVERIFY(same(m->volume->apd90[v], m->apd90[k]));
                QVERIFY(same(m->volume->period[v], m->period[k]));
                QVERIFY(same((*f->phase_volume)[v], (*f->phase)[k]));
            }
            // inside the wave is where its neighbours on the wall say
            int inside = 0;
            for (std::size_t v = 0; v < scene->mesh->vertex_count(); ++v) {
                const Vec3 p = scene->mesh->vertex(v);
                const float a = m->volume->activation[v];
                if (std::find(surface.vertices.begin(), surface.vertices.end(),
                              static_cast<std::int32_t>(v)) != surface.vertices.end() ||
                    !std::isfinite(a))
                    continue;
                for (std::size_t k = 0; k < surface.vertices.size(); ++k) {
                    const Vec3 q =
                        scene->mesh->vertex(static_cast<std::size_t>(surface.vertices[k]));
                    if (norm(q - p) < 0.6 && std::abs(q[0] - p[0]) < 1e-9)
                        inside += std::abs(m->activation[k] - a) < 1.5F;
                }
            }
            QVERIFY(inside > 20);
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
        run_to(e, in, 40);
        Ecg g;
        QTRY_COMPARE((g = e.ecg(0)).time_ms.size(), std::size_t(41));
        QCOMPARE(g.leads, (std::vector<std::string>{"ahead", "behind"}));
        const auto at = std::size_t(12); // the front is in the middle
        QVERIFY(g.mV[0][at] > 0 && g.mV[1][at] < 0);
        QVERIFY(e.ecg(30).time_ms.size() == 11);
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
        const auto cut = e.partition();
        QVERIFY(cut && cut->shards == 1 && cut->shard.size() == e.newest_frame()->values.size());
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
        QVERIFY2(lines[0].startsWith("# beat 1 of 1, from "), lines[0].constData());
        QCOMPARE(lines[1], QByteArray("id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms,"
                                      "period_ms"));
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
        for (int k = 0; k < 30; ++k) {
            QTest::qWait(20);
            QElapsedTimer t;
            t.start();
            const auto a = in.answer(e.post(Stimulate{{27, 0, 0}, 3, 2, 50}));
            refused += a.applied ? "" : a.reason;
            ms.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
        }
        stop = true;
        for (auto& t : load)
            t.join();
        QVERIFY2(refused.empty(), refused.c_str());
        std::sort(ms.begin(), ms.end());
        qInfo("click to tissue under load: median %.1f ms, 90 %% %.1f ms, worst %.1f ms", ms[15],
              ms[26], ms.back());
#if defined(__SANITIZE_THREAD__)
        constexpr double allowed_ms = 1000; // every access is watched
#else
        constexpr double allowed_ms = 50;
#endif
        QVERIFY(ms[15] < allowed_ms);
    }
};
QTEST_GUILESS_MAIN(TestLive)
#include "test_live.moc"
