// SPDX-License-Identifier: GPL-3.0-or-later
// What is changed and computed while a run goes on.
#include "tests/several.hpp"
#include "tests/simulation/live_bar.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/presets.hpp"
#include "tests/device/on_gpu.hpp"

#include <QtTest>
#include <cmath>
#include <ctime>
#include <thread>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using State = Status::State;

class TestLive : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void parametersChangeAtTheNextStep()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(5)};
        in.answer(e.post(Load{s}));
        run_to(e, in, 2);
        auto regions = s.regions;
        double most_ms = 0; // of the processor's time, which other programs do not take
        for (int k = 0; k < 5; ++k) {
            if (k > 0)
                QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
            const auto from = std::clock();
            QVERIFY(in.answer(e.post(SetTissue{regions, {{"no sodium", {{"g_Na", 0}}}}})).applied);
            most_ms =
                std::max(most_ms, 1e3 * static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC);
        }
        QVERIFY2(most_ms < 100, qPrintable(QString::number(most_ms)));
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

    void anEndWithoutActivationSaysWhy()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        const auto said = [&](Stimulus site) { // until the run ended
            auto s = bar(20);
            s.stimuli = {std::move(site)};
            in.clear();
            in.answer(e.post(Load{s}));
            e.post(Play{});
            std::string all;
            in.wait([&](const Event& x) {
                if (const auto* c = std::get_if<SceneChanged>(&x)) {
                    all.clear();
                    for (const auto& n : c->scene->notices)
                        if (n.kind == notice_kind::unexcited)
                            all += n.text;
                }
                const auto* c = std::get_if<StateChanged>(&x);
                return c != nullptr && c->state == State::finished;
            });
            return all;
        };
        const auto weak = said(end_of_bar(1, 0.01));
        QVERIFY2(weak.find("activated nothing") != std::string::npos &&
                     weak.find("far below threshold") != std::string::npos,
                 weak.c_str());
        in.clear();
        QVERIFY(in.answer(e.post(SetEnd{25})).applied); // it may still be
        QVERIFY(in.wait([](const Event& x) {
            const auto* c = std::get_if<SceneChanged>(&x);
            return c != nullptr && !has_kind(c->scene->notices, notice_kind::unexcited);
        }));
        const auto strong = said(end_of_bar(1));
        QVERIFY2(strong.empty(), strong.c_str());
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

int main(int argc, char** argv)
{
    return tawara::test::run<TestLive>(argc, argv);
}
#include "test_live.moc"
