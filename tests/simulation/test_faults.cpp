// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a run and of the window's engine when a device, memory or a listener fails.
#include "engine/simulation/session/output_keys.hpp"
#include "tests/several.hpp"
#include "tests/simulation/fault_runs.hpp"
#include "tests/simulation/faults.hpp"

#include "engine/core/thread_pool.hpp"
#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/run/checkpoint_store.hpp"
#include "engine/simulation/run/run_on.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
using tawara::test::faults;
using State = Status::State;
namespace fs = std::filesystem;

class TestFaults : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { faults().test = std::this_thread::get_id(); }
    void cleanup() { faults().clear(); }

    /// A device that fails half way: tables, report and checkpoints of what was reached stay, and
    /// the run goes on from there.
    void runKeepsWhatADeviceHasReached()
    {
        Runs whole, r;
        run_session(slab_session(), whole.o);
        faults().at_step = 110;
        QVERIFY_THROWS_EXCEPTION(DeviceError, run_session(slab_session(), r.o));
        const auto report = r.report();
        QVERIFY2(report["ended"].toString().contains("unspecified launch failure"),
                 qPrintable(report["ended"].toString()));
        QVERIFY(report["maps_not_known"].toString().contains("unspecified launch failure"));
        QVERIFY(report.contains("ceilings_not_measured"));
        QVERIFY(content(r.o.out / "probes.csv").count('\n') > 100);
        QVERIFY(report["files"].toArray().contains("probes.csv") &&
                report["files"].toArray().contains("beats.csv") &&
                !report["files"].toArray().contains("activation.csv"));
        const auto last = r.o.out / checkpoint_name(2);
        QVERIFY2(r.was_said("the last checkpoint is " + last.string()), r.said.back().c_str());
        faults().clear();
        r.o.resume = last;
        run_session(slab_session(), r.o);
        for (const char* f : {"probes.csv", "activation.csv", "beats.csv"})
            QVERIFY2(content(r.o.out / f) == content(whole.o.out / f), f);
    }

    /// Where it may, the run goes on from there by itself, to the same results.
    void runGoesOnWithoutADevice_data()
    {
        QTest::addColumn<double>("every_ms");
        QTest::addColumn<QString>("says");
        QTest::newRow("from a checkpoint") << 1.0 << "checkpoint-00000002.000ms.tcp";
        QTest::newRow("anew") << 0.0 << "from its start: there is no checkpoint";
    }
    void runGoesOnWithoutADevice()
    {
        QFETCH(double, every_ms);
        QFETCH(QString, says);
        if (!device::usable_gpus().empty())
            QSKIP("a GPU would take over, and not the CPU");
        auto s = slab_session();
        s.output->checkpoint_every_ms = every_ms;
        Runs whole, r;
        run_session(s, whole.o);
        r.o.device.devices = "auto";
        const auto keep = r.o.notice;
        r.o.notice = [&](const Notice& n) {
            keep(n);
            if (n.text.find("the run goes on with the CPU") != std::string::npos)
                faults().clear(); // what comes next is another device
        };
        faults().at_step = 110;
        QVERIFY_THROWS_EXCEPTION(DeviceError, run_on(s, r.o, {}));
        faults().clear();
        faults().at_step = 110;
        run_on(s, r.o, {.outlive = true});
        QVERIFY(r.was_said("unspecified launch failure; the run goes on with the CPU, from"));
        QVERIFY(r.was_said(says.toStdString()));
        for (const char* f : {"probes.csv", "activation.csv", "beats.csv"})
            QVERIFY2(content(r.o.out / f) == content(whole.o.out / f), f);
        // the CPU has none to take its place
        r.o.device.devices = "cpu";
        faults().at_step = 110;
        QVERIFY_THROWS_EXCEPTION(DeviceError, run_on(s, r.o, {.outlive = true}));
    }

    void runFitsWhereItMay()
    {
        Runs r;
        faults().small = true;
        QVERIFY_THROWS_EXCEPTION(device::NoMemory, run_on(slab_session(), r.o, {}));
        run_on(slab_session(), r.o, {.fit = true});
        QVERIFY(r.was_said("out of memory; there is room for it in single precision on the CPU "
                           "(about 1 GB of 1.5 GB free); computed in single precision"));
        QCOMPARE(r.report()["precision"].toString(), QString("single"));
        // what went on in double precision is not continued in single
        r.o.resume = r.o.out / checkpoint_name(2);
        r.o.device.precision = Precision::double_;
        QVERIFY_THROWS_EXCEPTION(device::NoMemory, run_on(slab_session(), r.o, {.fit = true}));
        // a run that fails later says how to go on with what computed it
        r.o.resume.clear();
        device::StepperOptions now;
        r.o.go_on_by = [&](const RunOptions& o, const fs::path&) {
            now = o.device;
            return std::string("COMMAND");
        };
        faults().at_step = 110;
        QVERIFY_THROWS_EXCEPTION(DeviceError, run_on(slab_session(), r.o, {.fit = true}));
        QVERIFY(r.was_said("; to go on from there: COMMAND"));
        QVERIFY(now.precision == Precision::single && now.devices == device::Devices("cpu"));
        // a plan that had no room after all is not tried again
        faults().tiny = true;
        QVERIFY_THROWS_EXCEPTION(device::NoMemory, run_on(slab_session(), r.o, {.fit = true}));
    }

    /// Memory that ends after the stepper was made: where a graph is made, or later.
    void runFitsWhereMemoryEndsLater_data()
    {
        QTest::addColumn<int>("at_step");
        QTest::newRow("at the first step") << 0;
        QTest::newRow("after a checkpoint") << 110;
    }
    void runFitsWhereMemoryEndsLater()
    {
        QFETCH(int, at_step);
        if (!device::usable_gpus().empty())
            QSKIP("a GPU would take over, and not the CPU");
        const auto s = slab_session();
        Runs whole, r;
        run_session(s, whole.o);
        r.o.device.devices = "auto";
        faults().full = true;
        faults().at_step = at_step;
        QVERIFY_THROWS_EXCEPTION(device::NoMemory, run_on(s, r.o, {}));
        faults().at_step = at_step;
        run_on(s, r.o, {.fit = true});
        QVERIFY(r.was_said("out of memory; there is room for it in double precision on the CPU"));
        QVERIFY(r.was_said("; computed in double precision on the CPU"));
        const auto last = r.o.out / checkpoint_name(2);
        QVERIFY(r.was_said(at_step > 0 ? " free), from " + last.string()
                                       : " free), from its start: there is no checkpoint"));
        faults().at_step = at_step;
        run_on(s, r.o, {.outlive = true});
        QVERIFY(r.was_said("the run goes on with the CPU, from "));
        for (const char* f : {"probes.csv", "activation.csv", "beats.csv"})
            QVERIFY2(content(r.o.out / f) == content(whole.o.out / f), f);
    }

    /// The window's engine says what fits, and computes by it when it is told to.
    void engineOffersWhatFits()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{slab_session(1000)})).applied);
        faults().small = true;
        const auto a = in.answer(e.post(Load{slab_session(1000)}));
        QVERIFY(!a.applied && a.plans.size() == 1);
        QVERIFY2(a.reason.find("there is room for it in single precision on the CPU") !=
                     std::string::npos,
                 a.reason.c_str());
        QCOMPARE(int(e.status().state), int(State::paused)); // what was there is there
        QVERIFY(in.answer(e.post(Load{slab_session(1000), {}, a.plans[0]})).applied);
        run_to(e, in, 1);
        const auto scene = [&] {
            std::shared_ptr<const Scene> out;
            in.wait(
                [&](const Event& x) {
                    if (const auto* l = std::get_if<Loaded>(&x))
                        out = l->scene;
                    return false;
                },
                1);
            return out;
        }();
        QVERIFY(!scene || scene->device.find("single") != std::string::npos);
    }

    void runKeepsWhatItReachedWhenMemoryEnds()
    {
        Runs r;
        faults().at_step = 110;
        faults().memory = true;
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, run_session(slab_session(), r.o));
        const auto report = r.report();
        QCOMPARE(report["ended"].toString(), QString("not enough memory"));
        for (const char* f : {"probes.csv", "activation.csv", "activation.vtu", "beats.csv"})
            QVERIFY2(fs::exists(r.o.out / f) && report["files"].toArray().contains(f), f);
    }

    void ceilingsThatCannotBeMeasuredLoseNothing()
    {
        Runs r;
        faults().no_ceilings = true;
        run_session(slab_session(), r.o);
        const auto report = r.report();
        QCOMPARE(report["ended"].toString(), QString("end"));
        QVERIFY(report["ceilings_not_measured"].toString().contains("unspecified launch failure"));
        QVERIFY(!report.contains("ceilings"));
        QVERIFY(report["kernels"].toArray().size() > 0);
    }

    void oldCheckpointsAreRemoved_data()
    {
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("left");
        QTest::addRow("by default") << -1 << 5;
        QTest::addRow("one") << 1 << 1;
        QTest::addRow("all") << 0 << 8;
    }
    void oldCheckpointsAreRemoved()
    {
        QFETCH(int, kept);
        QFETCH(int, left);
        auto s = slab_session();
        s.output->checkpoint_every_ms = 0.5;
        if (kept >= 0)
            s.output->checkpoints_kept = kept;
        Runs r;
        fs::create_directories(r.o.out);
        std::ofstream(r.o.out / "checkpoint-mine.tcp") << "not the run's";
        run_session(s, r.o);
        auto names = r.checkpoints();
        QVERIFY(names.removeOne("checkpoint-mine.tcp"));
        QCOMPARE(names.size(), left);
        QCOMPARE(names.last().toStdString(), checkpoint_name(4));
        // a run that goes on counts them among its own, but for the one that it goes on from
        r.o.resume = r.o.out / names.first().toStdString();
        s.end_ms = 6;
        run_session(s, r.o);
        auto now = r.checkpoints();
        QVERIFY(now.removeOne("checkpoint-mine.tcp") && now.contains(names.first()));
        QVERIFY2(kept == 0 || now.size() <= left + 1, qPrintable(now.join(' ')));
        QCOMPARE(now.last().toStdString(), checkpoint_name(6));
    }

    /// What was written because the run was stopped there is no periodic checkpoint: it stays.
    void checkpointsOfStopsStay()
    {
        auto s = slab_session(8);
        s.output->checkpoint_every_ms = 0.5;
        s.output->checkpoints_kept = 1;
        Runs r;
        std::stop_source asked;
        Progress p;
        p.stop = asked.get_token();
        p.report = [&](double done, std::string_view stage) {
            if (stage == "running" && done > 0)
                asked.request_stop();
        };
        QVERIFY_THROWS_EXCEPTION(Cancelled, run_session(s, r.o, p));
        QCOMPARE(r.checkpoints().size(), 1);
        const auto stopped = r.checkpoints().first();
        QVERIFY2(stopped.toStdString() < checkpoint_name(0.5), qPrintable(stopped));
        r.o.resume = r.o.out / stopped.toStdString();
        r.o.until_ms = 2;
        run_session(s, r.o);
        r.o.resume = r.o.out / checkpoint_name(2);
        r.o.until_ms = 4;
        run_session(s, r.o);
        const auto left = r.checkpoints();
        QVERIFY2(left.size() == 3 && left[0] == stopped &&
                     left[1].toStdString() == checkpoint_name(2) && // which it went on from
                     left[2].toStdString() == checkpoint_name(4),
                 qPrintable(left.join(' ')));
    }

    /// The n-th request for memory after the first step fails, for many n, on whichever thread and
    /// in whichever library (all C++ of the program asks the test's operator new) but three that
    /// cannot go on then (faults.hpp, in_what_libraries_made_noexcept()): the run ends or says why
    /// not, leaves its tables and its report, and nothing half written.
    void memoryThatEndsAnywhereInARun()
    {
        int failed = 0, whole = 0;
        for (long n = 0; n < 4000; n += next_request(n < 60 ? 1 : n < 700 ? 23 : 331)) {
            Runs r;
            faults().no_ceilings = true; // they take half a second
            auto s = slab_session(1);
            s.output->checkpoint_every_ms = 0.25;
            s.output->frames_every_ms = 0.5;
            bool ended = false;
            std::string other;
            std::thread run([&] {
                Progress p;
                p.report = [&](double, std::string_view stage) {
                    if (stage == "running" && faults().allocation < 0 && !ended)
                        ended = true, faults().allocation = n;
                };
                try {
                    run_session(s, r.o, p);
                    ++whole;
                } catch (const std::bad_alloc&) {
                    ++failed;
                } catch (const InputError& e) { // a frame or a table: it says why
                    ++failed;
                } catch (const std::exception& e) {
                    other = e.what();
                }
            });
            run.join();
            const auto request = "request " + std::to_string(n) + ": ";
            faults().clear();
            QVERIFY2(other.empty(), (request + other).c_str());
            for (const auto& f : what_is_amiss(r))
                QVERIFY2(false, (request + f).c_str());
        }
        qInfo("%d runs failed, %d went through", failed, whole);
        QVERIFY(failed > 5);
    }

    void engineShowsWhatADeviceHasReached()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{slab_session(1000)})).applied);
        faults().at_step = 200;
        e.post(Play{});
        QVERIFY(in.wait_state(State::failed));
        QVERIFY(in.wait([](const Event& x) {
            const auto* f = std::get_if<Failed>(&x);
            return f && f->what.find("unspecified launch failure") != std::string::npos;
        }));
        QVERIFY(e.newest_frame() && e.traces().at(0).time_ms.size() > 10);
        // commands that need the device are refused, one by one, and the thread goes on
        for (const auto& c : std::initializer_list<Command>{
                 AddProbe{"x", {1, 0.5, 0.5}}, Reset{}, Export{"probes-csv", "none"}, StepOnce{1},
                 SetTissue{slab_session().regions, {}, {}}}) {
            const auto a = in.answer(e.post(c));
            QVERIFY2(!a.applied && !a.reason.empty(), a.reason.c_str());
        }
        QCOMPARE(e.status().state, State::failed);
        faults().clear(); // as after another device was chosen
        QVERIFY(in.answer(e.post(Reset{})).applied);
        run_to(e, in, 5);
    }

    /// What a listener throws does not end the engine, and is said.
    void aHandlerThatThrowsEndsNothing()
    {
        Inbox in;
        std::atomic<int> throws{0};
        const auto deliver = in.handler();
        Engine e(
            [&](const Event& event) {
                if (throws.fetch_sub(1) > 0)
                    throw std::runtime_error("the window is gone");
                deliver(event);
            },
            one_thread());
        QVERIFY(in.answer(e.post(Load{slab_session(1000)})).applied);
        in.clear();
        throws = 2;
        e.post(RunUntil{3}); // that it runs, and the answer, are lost
        QVERIFY(in.wait_state(State::paused));
        QVERIFY(in.answer(e.post(Pause{})).applied);
        QVERIFY(in.wait([](const Event& x) {
            return has_note(std::get_if<SceneChanged>(&x), "an event could not be delivered");
        }));
        QCOMPARE(e.status().state, State::paused);
    }

    /// A part with threads of its own that cannot start all of them, or has no memory for its first
    /// work, ends those that it has started.
    void partsThatCannotStart()
    {
        const auto session = slab_session();
        const auto tissue = build_tissue(session, {});
        const auto results = std::make_shared<AnalystResults>();
        const std::vector<std::pair<const char*, std::function<void()>>> parts{
            {"pool", [] { const ThreadPool pool(4); }},
            {"analyst", [&] { const Analyst analyst(tissue, session, 1, results); }},
            {"store", [] { const CheckpointStore store("out", 1, 1); }},
        };
        for (const auto& [name, make] : parts) {
            const auto apart = [](const std::function<void()>& work) { // not on the test's thread
                std::thread(work).join();
                return faults().allocation.exchange(-1);
            };
            constexpr long many = 1L << 40;
            const long requests = many - apart([&, part = &make] {
                                      faults().allocation = many;
                                      (*part)();
                                  });
            int failed = 0;
            for (long n = std::max(0L, requests - 60); n < requests; ++n)
                apart([&, part = &make] {
                    faults().allocation = n;
                    try {
                        (*part)();
                    } catch (const std::bad_alloc&) {
                        ++failed;
                    }
                });
            QVERIFY2(failed > 0, name);
        }
    }

    /// The n-th request for memory on the engine's or its helpers' threads fails, for many n.
    void memoryThatEndsAnywhereInTheEngine()
    {
        int failed = 0;
        for (long n = 0; n < 3000; n += next_request(n < 40 ? 1 : 113)) {
            Inbox in;
            Engine e(in.handler(), one_thread());
            auto s = slab_session(1000);
            s.electrodes = {{"RA", {-50, 0, 0}}};
            QVERIFY(in.answer(e.post(Load{s})).applied);
            for (const Command& c :
                 {Command(WatchMaps{true}), Command(WatchPhase{true}), Command(WatchVolume{true})})
                in.answer(e.post(c));
            faults().no_ceilings = true;
            faults().allocation = n;
            e.post(RunUntil{3});
            e.post(MeasureCeilings{});
            e.post(StartRecording{});
            QElapsedTimer patience; // the command may be what failed, and events be lost
            patience.start();
            while (patience.elapsed() < 2000 && e.status().state != State::failed &&
                   e.status().time_ms < 3 - 1e-9)
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            failed += e.status().state == State::failed;
            faults().clear();
            QVERIFY(in.answer(e.post(Reset{})).applied);
            run_to(e, in, 1);
        }
        qInfo("%d of the runs failed, each went on after a reset", failed);
        QVERIFY(failed > 0);
    }

    /// Of the samples that the analyst is given while it is busy so many wait, and no more.
    void tooManySamplesAreRefused()
    {
        const auto session = slab_session();
        const auto tissue = build_tissue(session, {});
        Analyst analyst(tissue, session, 1, std::make_shared<AnalystResults>());
        std::atomic<bool> hold{true};
        analyst.then([&] {
            while (hold)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        const auto n = tissue.problem.position_mm.size();
        std::size_t taken = 0;
        for (int k = 0; k < 20; ++k) { // at one time: none is waited for
            Sample s;
            s.v.assign(n, -80);
            taken += analyst.submit(std::move(s)) ? 1 : 0;
        }
        hold = false;
        analyst.finish();
        QCOMPARE(taken, Analyst::waiting);
    }

    /// A queue that nobody empties does not grow without end; what it refuses is answered.
    void tooManyCommandsAreRefused()
    {
        Inbox in;
        std::atomic<bool> hold{true};
        const auto deliver = in.handler();
        Engine e(
            [&](const Event& event) {
                while (hold && std::holds_alternative<Loaded>(event))
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                deliver(event);
            },
            one_thread());
        const auto loaded = e.post(Load{slab_session(1000)});
        std::uint64_t last = 0;
        for (int k = 0; k < 10'000; ++k)
            last = e.post(LimitSpeed{1.0 + k});
        const auto pause = e.post(Pause{});
        hold = false;
        QVERIFY(in.answer(loaded).applied);
        const auto a = in.answer(last);
        QVERIFY2(!a.applied && a.reason.find("too many commands wait") == 0, a.reason.c_str());
        QVERIFY(in.answer(pause).applied);
    }
};
int main(int argc, char** argv)
{
    return tawara::test::run<TestFaults>(argc, argv);
}
#include "test_faults.moc"
