// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that go on from checkpoints, and what is left of runs that do not come to their end.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/checkpoint_room.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/several.hpp"
#include "tests/simulation/igb_reader.hpp"
#include "tests/simulation/slab_run.hpp"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <csignal>
#include <fstream>
#include <sys/resource.h>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
namespace fs = std::filesystem;

namespace {

/// Of a slab: frames and checkpoints at these intervals.
Session session_with_frames(double end_ms, FrameFormat format, double frames_every_ms,
                            double checkpoint_every_ms)
{
    auto s = slab_session(end_ms);
    s.output->frames = format;
    s.output->frames_every_ms = frames_every_ms;
    s.output->checkpoint_every_ms = checkpoint_every_ms;
    return s;
}

} // namespace

class TestRunCheckpoints : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// What a file unpacked holds, but for names and tables.
    void sizeIsThatOfTheNumbers()
    {
        QTemporaryDir dir;
        auto s = slab_session(1);
        s.output->checkpoint_every_ms = 1;
        RunOptions o;
        o.out = path(dir) / "run";
        o.device.devices = "cpu";
        run_session(s, o);
        const auto c = read_checkpoint(o.out / "checkpoint-00000001.000ms.tcp").state;
        std::size_t numbers = c.v.size() + c.activation_ms.size() + c.repolarisation_ms.size() +
                              c.peak_mV.size() + c.rest_mV.size();
        for (const auto& state : c.states)
            numbers += state.size();
        QCOMPARE(checkpoint_bytes(build_tissue(s).problem, o.device.precision),
                 8.0 * static_cast<double>(numbers));
        QVERIFY(disk_left_bytes(path(dir) / "none" / "yet") > 0);
    }

    /// Large ones are said, and refused where there is no room for one.
    void roomIsSaidAhead()
    {
        const auto said = [](const CheckpointRoom& room) -> std::string {
            try {
                const auto notices = what_checkpoints_take(room);
                return notices.empty()
                           ? ""
                           : (notices[0].level == Notice::Level::warning ? "warning: " : "info: ") +
                                 notices[0].text;
            } catch (const InputError& e) {
                return e.what();
            }
        };
        QCOMPARE(said({9e8, 10, 5, 1e6, 1e6, "out"}), std::string());
        const auto has = [&](const CheckpointRoom& room, const char* text) {
            const auto line = said(room);
            return line.find(text) != std::string::npos && line.find('\n') == std::string::npos;
        };
        QVERIFY(has({11.06e9, 0, 5, 1e6, 1e6, "out"}, "info: a checkpoint takes up to 11.1 GB"));
        QVERIFY(has({11.06e9, 10, 5, 64e9, 1e12, "out"}, "info: a checkpoint takes up to 11.1 GB"));
        QVERIFY(has({11.06e9, 10, 5, 64e9, 1e12, "out"}, "up to 66.4 GB"));
        QVERIFY(has({11.06e9, 10, 5, 0, -1, "out"}, "info: ")); // nothing is known
        QVERIFY(has({11.06e9, 10, 5, 64e9, 50e9, "out"}, "warning: "));
        QVERIFY(has({11.06e9, 10, 5, 15e9, 1e12, "out"}, "two may be in memory at once"));
        QVERIFY(has({11.06e9, 10, 5, 10e9, 1e12, "out"},
                    "/output/checkpoint_every_ms: a checkpoint takes up to 11.1 GB of memory"));
        QVERIFY(has({11.06e9, 10, 5, 64e9, 5e9, "out"}, "out has room for 5 GB"));
    }

    /// One pacing, several tissues: with the checkpoint's own parameters the branch is the unbroken
    /// run; with others it goes on from the same state, and says so.
    void resumedRunIsTheUnbrokenOne_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("frames");
        QTest::addRow("double fvm") << int(Precision::double_) << 0 << int(FrameFormat::vtu);
        QTest::addRow("single p1") << int(Precision::single) << 1 << int(FrameFormat::igb);
    }

    void resumedRunIsTheUnbrokenOne()
    {
        QFETCH(int, precision);
        QFETCH(int, scheme);
        QFETCH(int, frames);
        QTemporaryDir dir;
        auto s = session_with_frames(10, static_cast<FrameFormat>(frames), 0.5, 4);
        s.scheme = static_cast<diffusion::Scheme>(scheme);
        RunOptions whole;
        whole.out = path(dir) / "whole";
        whole.device.precision = static_cast<Precision>(precision);
        run_session(s, whole);
        RunOptions part = whole;
        part.out = path(dir) / "part";
        part.until_ms = 5;
        run_session(s, part);
        part.until_ms = -1;
        part.resume = part.out / "checkpoint-00000004.000ms.tcp";
        std::string said;
        part.notice = [&said](const Notice& n) { said += n.text + '\n'; };
        run_session(s, part);
        const char* list = s.output->frames == FrameFormat::igb ? "frames.igb" : "frames.pvd";
        for (const char* f : {"probes.csv", "activation.csv", list})
            QVERIFY2(content(whole.out / f) == content(part.out / f), f);
        QVERIFY(!content(whole.out / "probes.csv").isEmpty() &&
                !content(whole.out / list).isEmpty());
        QVERIFY2(said.find("frames start") == std::string::npos, said.c_str());
        // frames that lie further apart cannot follow those; a new folder has none
        s.output->frames_every_ms = s.output->frames == FrameFormat::igb ? 1 : 0.5;
        if (s.output->frames == FrameFormat::vtu)
            part.out = path(dir) / "new";
        run_session(s, part);
        QVERIFY2(said.find("frames start at 4 ms") != std::string::npos, said.c_str());
        if (s.output->frames == FrameFormat::igb) {
            const auto igb = tawara::test::read_igb((part.out / list).string());
            QVERIFY(igb.org_t == 4 && igb.inc_t == 1 && igb.t == 7);
        }

        auto other = s;
        other.dt_ms = 0.01;
        QVERIFY_THROWS_EXCEPTION(InputError, run_session(other, part));
    }

    /// A run that is killed has frames.igb under its temporary name alone: the run that goes on
    /// from a checkpoint there takes the frames before that from it, and of no other run.
    void framesOfAKilledRunAreGoneOnFrom()
    {
        QTemporaryDir dir;
        auto s = session_with_frames(10, FrameFormat::igb, 0.5, 4);
        const auto killed = path(dir) / "killed", other = path(dir) / "other";
        RunOptions o;
        o.out = path(dir) / "whole";
        Progress p;
        p.report = [&](double f, std::string_view stage) {
            if (stage != "running" || f < 0.6 || fs::exists(killed))
                return;
            const auto checkpoint = o.out / "checkpoint-00000004.000ms.tcp";
            QTRY_VERIFY(fs::exists(checkpoint));
            for (const auto& to : {killed, other}) { // as if it had been killed now
                fs::create_directories(to);
                fs::copy_file(checkpoint, to / checkpoint.filename());
                for (const auto& e : fs::directory_iterator(o.out))
                    if (is_part_of(e.path().filename().string(), igb_file))
                        fs::copy_file(e.path(), to / e.path().filename());
            }
        };
        run_session(s, o, p);
        QVERIFY(!fs::exists(killed / "frames.igb"));
        std::string said;
        o.notice = [&said](const Notice& n) { said += n.text + '\n'; };
        o.out = killed;
        o.resume = killed / "checkpoint-00000004.000ms.tcp";
        run_session(s, o);
        for (const char* f : {"frames.igb", "probes.csv", "activation.csv"})
            QVERIFY2(content(killed / f) == content(path(dir) / "whole" / f), f);
        QVERIFY2(said.find("frames start") == std::string::npos, said.c_str());
        const auto left = [](const fs::path& out) {
            return QDir(QString::fromStdString(out.string()))
                .entryList({".*"}, QDir::Files | QDir::Hidden);
        };
        QVERIFY(left(killed).isEmpty());
        QVERIFY(said.find("removed 1 file in " + killed.string()) != std::string::npos);
        // frames whose header names another run are not taken
        for (const auto& name : left(other)) {
            QFile part(QString::fromStdString((other / name.toStdString()).string()));
            QVERIFY(part.open(QIODevice::ReadWrite));
            auto head = part.read(1024);
            const auto run = head.indexOf("run:");
            QVERIFY(run > 0);
            head[run + 4] = head[run + 4] == '0' ? '1' : '0';
            QVERIFY(part.seek(0) && part.write(head) == 1024);
        }
        o.out = other;
        o.resume = other / "checkpoint-00000004.000ms.tcp";
        run_session(s, o);
        QVERIFY2(said.find("frames start at 4 ms") != std::string::npos, said.c_str());
        QVERIFY(left(other).isEmpty());
    }

    /// Frames before the one for which the disk had no room are a file.
    void aFullDiskLeavesWholeFrames()
    {
        QTemporaryDir dir;
        const auto file = path(dir) / "frames.igb";
        const std::vector<float> frame(1000, 1.5F);
        IgbWriter igb(file, frame.size(), 0, 1, "mV");
        struct Disk
        {
            rlimit before{};
            explicit Disk(rlim_t bytes)
            {
                std::signal(SIGXFSZ, SIG_IGN);
                getrlimit(RLIMIT_FSIZE, &before);
                const rlimit now{bytes, before.rlim_max};
                setrlimit(RLIMIT_FSIZE, &now);
            }
            ~Disk()
            {
                setrlimit(RLIMIT_FSIZE, &before);
                std::signal(SIGXFSZ, SIG_DFL);
            }
        };
        igb.add(frame);
        igb.add(frame);
        {
            const Disk full(igb_header_bytes + 10'000);
            QVERIFY_THROWS_EXCEPTION(InputError, igb.add(frame));
        }
        igb.finish();
        const auto read = tawara::test::read_igb(file.string());
        QVERIFY(read.t == 2 && read.frames.size() == 2 && read.frames[1] == frame);
        // one that goes on from it is full among its frames: these have their own times
        IgbWriter next(path(dir) / "next.igb", frame.size(), 2, 1, "mV");
        {
            const Disk full(igb_header_bytes + 6'000);
            QVERIFY_THROWS_EXCEPTION(InputError, next.go_on_from(file));
        }
        next.finish();
        const auto begun = tawara::test::read_igb((path(dir) / "next.igb").string());
        QVERIFY(begun.t == 1 && begun.org_t == 0);
    }

    /// Of a run that goes on, and ends before its next frame.
    void framesStayListedWhereNoneFollows()
    {
        QTemporaryDir dir;
        auto s = session_with_frames(2, FrameFormat::vtu, 1, 0.5);
        RunOptions o;
        o.out = path(dir) / "o";
        o.until_ms = 1.5;
        run_session(s, o);
        const auto list = listed_frames(o.out / "frames.pvd");
        QCOMPARE(list.size(), std::size_t(2));
        o.resume = o.out / "checkpoint-00000001.500ms.tcp";
        o.until_ms = 1.8;
        run_session(s, o);
        const auto then = listed_frames(o.out / "frames.pvd");
        QCOMPARE(then.size(), list.size());
        for (std::size_t k = 0; k < list.size(); ++k)
            QVERIFY(then[k].file == list[k].file && fs::exists(o.out / list[k].file));
    }

    /// From a checkpoint of another folder: frames that another run has there are not its own.
    void framesOfAnotherRunAreNotGoneOnFrom_data()
    {
        QTest::addColumn<int>("frames");
        QTest::newRow("vtu") << int(FrameFormat::vtu);
        QTest::newRow("igb") << int(FrameFormat::igb);
    }
    void framesOfAnotherRunAreNotGoneOnFrom()
    {
        QFETCH(int, frames);
        QTemporaryDir dir;
        auto s = session_with_frames(3, static_cast<FrameFormat>(frames), 1, 2);
        RunOptions o;
        o.out = path(dir) / "there";
        run_session(s, o);
        s.stimuli[0].duration_ms *= 2; // of which the frames there know nothing
        o.out = path(dir) / "own";
        run_session(s, o);
        std::string said;
        o.notice = [&said](const Notice& n) { said += n.text + '\n'; };
        o.out = path(dir) / "there";
        o.resume = path(dir) / "own" / "checkpoint-00000002.000ms.tcp";
        run_session(s, o);
        QVERIFY2(said.find("frames start at 2 ms") != std::string::npos, said.c_str());
        if (s.output->frames == FrameFormat::igb) {
            const auto igb = tawara::test::read_igb((o.out / "frames.igb").string());
            QVERIFY(igb.org_t == 2 && igb.t == 2);
        } else {
            QCOMPARE(listed_frames(o.out / "frames.pvd").size(), std::size_t(2));
            QVERIFY(!fs::exists(o.out / frame_name(0)));
        }
    }

    void mapsOfALaterBeat()
    {
        QTemporaryDir dir;
        auto s = slab_session(430);
        s.stimuli[0].period_ms = 400;
        s.stimuli[0].count = 2;
        s.output->checkpoint_every_ms = 300;
        std::string said;
        RunOptions o;
        o.notice = [&said](const Notice& n) { said += n.text + '\n'; };
        const auto run = [&](const char* folder, double from_ms) {
            s.output->maps_from_ms = from_ms;
            o.out = path(dir) / folder;
            said.clear();
            run_session(s, o);
            std::vector<double> at;
            for (const auto& row : content(o.out / "activation.csv").split('\n').mid(1))
                if (row.count(',') == 9)
                    at.push_back(row.split(',')[4].isEmpty() ? -1 : row.split(',')[4].toDouble());
            return at;
        };
        const auto first = run("first", 0), second = run("second", 200);
        QCOMPARE(second.size(), std::size_t(480));
        for (std::size_t u = 0; u < second.size(); ++u) { // it conducts a little more slowly
            const double later = second[u] - first[u] - 400;
            QVERIFY2(later > -0.5 && later < 5, qPrintable(QString::number(later)));
        }
        for (const char* f : {"probes.csv", "beats.csv"}) // all else is as it was
            QVERIFY2(content(path(dir) / "first" / f) == content(path(dir) / "second" / f), f);
        const auto report = QJsonDocument::fromJson(content(o.out / "report.json")).object();
        QCOMPARE(report["maps_from_ms"].toDouble(), 200.0);
        // from a checkpoint that has other maps, and one that has these
        o.resume = path(dir) / "first" / "checkpoint-00000300.000ms.tcp";
        QCOMPARE(run("resumed", 200), second);
        QVERIFY2(said.find("maps begin at the checkpoint's 300 ms") != std::string::npos,
                 said.c_str());
        o.resume = path(dir) / "second" / "checkpoint-00000300.000ms.tcp";
        QCOMPARE(run("resumed", 200), second);
        QVERIFY2(said.find("maps begin") == std::string::npos, said.c_str());
        o.resume.clear();
        s.end_ms = 1;
        const auto none = run("none", 200);
        QVERIFY2(said.find("maps stay empty") != std::string::npos, said.c_str());
        QCOMPARE(std::count(none.begin(), none.end(), -1), 480);
    }

    /// Checkpoints inside of a long step by Newton's method go on as the unbroken run.
    void aLongStepGoesOn()
    {
        QTemporaryDir dir;
        auto s = slab_session(40);
        s.scheme = diffusion::Scheme::p1;
        s.stepping = Stepping::newton;
        s.dt_ms = 0.1;
        s.newton.dt_max_ms = 10;
        s.output->checkpoint_every_ms = 3;
        RunOptions whole;
        whole.out = path(dir) / "whole";
        run_session(s, whole);
        int inside = 0;
        for (const char* at : {"27", "30", "33", "36", "39"}) {
            RunOptions part;
            part.out = path(dir) / at;
            part.resume = whole.out / (std::string("checkpoint-000000") + at + ".000ms.tcp");
            const auto implicit = read_checkpoint(part.resume).state.implicit;
            inside += implicit.at(0).at(3) > 0 ? 1 : 0;
            run_session(s, part);
            QVERIFY2(content(whole.out / "activation.csv") == content(part.out / "activation.csv"),
                     at);
            const auto rows = content(part.out / "probes.csv").split('\n');
            QVERIFY2(content(whole.out / "probes.csv").endsWith(rows.at(rows.size() - 2) + '\n'),
                     at);
        }
        QVERIFY2(inside >= 2, qPrintable(QString::number(inside)));
    }

    void damagedCheckpointsAreRefused()
    {
        QTemporaryDir dir;
        auto s = slab_session(2);
        s.output->checkpoint_every_ms = 1;
        RunOptions o;
        o.out = path(dir) / "o";
        run_session(s, o);
        const auto good = content(o.out / "checkpoint-00000001.000ms.tcp");
        QVERIFY(good.size() > 100);
        for (const auto& bad :
             {QByteArray(), QByteArray("TAWARAC1"), good.left(good.size() / 2),
              QByteArray("x") + good, QByteArray(good).replace(40, 8, "spoiled!")}) {
            const auto f = path(dir) / "bad.tcp";
            std::ofstream(f, std::ios::binary).write(bad.data(), bad.size());
            QVERIFY_THROWS_EXCEPTION(InputError, read_checkpoint(f));
        }
        QVERIFY_THROWS_EXCEPTION(InputError, read_checkpoint(path(dir) / "none.tcp"));
    }

    void cancelledRunLeavesWhatWasReached()
    {
        QTemporaryDir dir;
        std::stop_source stop;
        Progress p;
        p.stop = stop.get_token();
        p.report = [&](double f, std::string_view stage) {
            if (stage == "running" && f > 0.001)
                stop.request_stop();
        };
        RunOptions o;
        o.out = path(dir) / "o";
        QVERIFY_THROWS_EXCEPTION(Cancelled, run_session(slab_session(1e5), o, p));
        QVERIFY(content(o.out / "probes.csv").count('\n') > 10);
        QVERIFY(content(o.out / "report.json").contains("cancelled"));
        // and a checkpoint, from which it goes on as if it had not been stopped
        const auto names = QDir(QString::fromStdString(o.out.string())).entryList({"*.tcp"});
        QCOMPARE(names.size(), 1);
        const auto checkpoint = o.out / names[0].toStdString();
        const auto reached = read_checkpoint(checkpoint).state.step;
        QVERIFY(reached > 0);
        auto s = slab_session(static_cast<double>(reached) * slab_session(1).dt_ms + 1);
        RunOptions whole, on;
        whole.out = path(dir) / "whole";
        run_session(s, whole);
        on.out = path(dir) / "on";
        on.resume = checkpoint;
        run_session(s, on);
        for (const char* f : {"probes.csv", "activation.csv"})
            QVERIFY2(content(whole.out / f) == content(on.out / f), f);
    }

    void failedRunLeavesItsLastCheckpoint()
    {
        QTemporaryDir dir;
        auto s = slab_session(10);
        s.output->checkpoint_every_ms = 1;
        s.stimuli[0].start_ms = 5;
        s.stimuli[0].amplitude_pA_per_pF = 1e12;
        RunOptions o;
        o.out = path(dir) / "o";
        QVERIFY_THROWS_EXCEPTION(NumericsError, run_session(s, o));
        QVERIFY(fs::exists(o.out / "checkpoint-00000004.000ms.tcp"));
        const auto ended = content(o.out / "report.json");
        QVERIFY2(ended.contains("stopped being finite") || ended.contains("left its range"),
                 ended.constData());
    }
};
static const tawara::test::Further<TestRunCheckpoints> further;
#include "test_run_checkpoints.moc"
