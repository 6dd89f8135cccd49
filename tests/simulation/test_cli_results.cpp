// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the command line in other programs' formats.
#include "engine/cli/cli.hpp"
#include "engine/cli/command.hpp"
#include "engine/simulation/run/run.hpp"
#include "tests/simulation/bad_sessions.hpp"
#include "tests/simulation/igb_reader.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stop_token>
#include <vector>

using namespace tawara;

namespace {

struct Result
{
    int status;
    std::string out, err;
};

Result run(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false});
    return {status, out.str(), err.str()};
}

QStringList lines(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly)
               ? QString::fromUtf8(f.readAll()).split('\n', Qt::SkipEmptyParts)
               : QStringList();
}

bool write_text(const QString& file, const QByteArray& text)
{
    QFile f(file);
    return f.open(QIODevice::WriteOnly) && f.write(text) == text.size();
}

constexpr const char* session = R"({"schema": 1, "name": "slab & wave",
  "mesh": {"slab_mm": [3, 2, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
  "diffusion": {"scheme": "SCHEME"}, "time": {"dt_ms": 0.02, "end_ms": 12},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [0.6, 2, 1]]}, "start_ms": 0,
               "duration_ms": 2, "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "far", "position_mm": [3, 2, 1]}],
  "output": {"frames_every_ms": 3, "frames": "vtu"}})";

} // namespace

class TestCliResults : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const QString& name) const { return (dir_.path() + "/" + name).toStdString(); }
    void write_session(const QString& name, const QString& scheme) const
    {
        QVERIFY(write_text(dir_.filePath(name),
                           QByteArray(session).replace("SCHEME", scheme.toUtf8())));
    }

  private Q_SLOTS:
    /// Before a run begins, remarks wait until all input was found good; then none waits.
    void remarksOfARunAreShownAtOnce()
    {
        std::ostringstream out, err;
        const cli::Console console{out, err, {}, false};
        const cli::Context c(console, false, {});
        c.notice({Notice::Level::info, "of the input"});
        c.progress().at(0.5, "reading");
        QCOMPARE(err.str(), std::string());
        c.progress().at(0, "running");
        QVERIFY(err.str().find("note: of the input\n") != std::string::npos);
        c.notice({Notice::Level::warning, "a checkpoint could not be written"});
        QVERIFY(err.str().find("warning: a checkpoint could not be written\n") !=
                std::string::npos);
    }

    /// From when a run takes its folder a stop is waited for, the first step included, and the
    /// folder has a report.
    void aStopBeforeTheFirstStepLeavesAReport()
    {
        std::ostringstream out, err;
        std::atomic<bool> begun{false};
        const cli::Console console{out, err, {}, false, nullptr, &begun};
        const cli::Context c(console, false, {});
        std::stop_source asked;
        std::vector<std::string> after; // stages
        auto progress = c.progress();
        progress.stop = asked.get_token();
        progress.report = [&, say = progress.report](double fraction, std::string_view stage) {
            say(fraction, stage);
            if (begun) {
                after.emplace_back(stage);
                asked.request_stop();
            }
        };
        simulation::RunOptions o;
        o.out = path("stopped");
        o.device.devices = device::Devices("cpu");
        QVERIFY_THROWS_EXCEPTION(
            Cancelled,
            run_session(simulation::parse_session(bad_sessions::good, "s.json"), o, progress));
        QCOMPARE(after, std::vector<std::string>{"taking the output folder"});
        QVERIFY(QFile::exists(dir_.filePath("stopped/report.json")));
    }

    /// The time left is of the whole stage, though its name counts; what was done before it began
    /// took none of it.
    void timeLeftOfAStageThatCounts()
    {
        std::ostringstream out, err;
        const cli::Console console{out, err, {}, true};
        const cli::Context c(console, false, {});
        const auto progress = c.progress();
        progress.at(0.8, "16 of 20 runs done"); // by an earlier program
        QTest::qSleep(1200);
        progress.at(0.85, "17 of 20 runs done");
        const auto said = err.str();
        const auto at = said.find("17 of 20 runs done: 85 %, ");
        QVERIFY2(at != std::string::npos, said.c_str());
        const int left_s = std::atoi(said.c_str() + said.find("%, ", at) + 3);
        QVERIFY2(left_s >= 3 && left_s < 60, said.c_str()); // 0.15 of it, at 0.05 in 1.2 s
    }

    void carpFormats_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::newRow("fvm") << "fvm";
        QTest::newRow("p1") << "p1";
    }
    void carpFormats()
    {
        QFETCH(QString, scheme);
        write_session("s.json", scheme);
        auto r = run({"run", path("s.json"), "--out", path("vtu"), "--report", path("r.html")});
        QVERIFY2(r.status == 0, r.err.c_str());
        r = run({"run", path("s.json"), "--out", path("igb"), "--set", "output.frames=igb"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(path("igb/frames"))));
        // a mesh of 7 x 5 x 3 vertices, and as many values a frame
        const auto a = test::read_igb(path("igb/frames.igb"));
        QCOMPARE(a.x, 105);
        QCOMPARE(a.t, 5);
        QCOMPARE(a.org_t, 0.0);
        QCOMPARE(a.inc_t, 3.0);
        QCOMPARE(lines(QString::fromStdString(path("igb/frames.pts"))).size(), 106);
        for (float v : a.frames[0])
            QVERIFY(std::fabs(v + 85.23) < 0.5);
        QVERIFY(a.frames[4][0] > -20); // under the stimulus
        // what was written as VTU converts to the same
        r = run({"export", path("vtu"), "--to", "frames-igb"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto b = test::read_igb(path("vtu/frames.igb"));
        QCOMPARE(b.t, a.t);
        for (std::size_t k = 0; k < a.frames.size(); ++k)
            for (std::size_t i = 0; i < a.frames[k].size(); ++i)
                QVERIFY(std::fabs(a.frames[k][i] - b.frames[k][i]) < 1e-3);
        // a run that has written them itself: they are there, or are copied
        r = run({"export", path("igb"), "--to", "frames-igb"});
        QVERIFY2(r.status == 0, r.err.c_str());
        r = run({"export", path("igb"), "--to", "frames-igb", "--out", path("copy.igb")});
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(test::read_igb(path("copy.igb")).frames, a.frames);
        QCOMPARE(lines(QString::fromStdString(path("copy.pts"))).size(), 106);
        // what is exported into the run's folder belongs to the run: the next one replaces it
        r = run({"export", path("vtu"), "--to", "activation-dat"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto listed = lines(QString::fromStdString(path("vtu/report.json"))).join('\n');
        for (const char* file : {"\"activation.dat\"", "\"frames.igb\"", "\"frames.pts\""})
            QCOMPARE(listed.count(file), 1);
        r = run({"export", path("vtu"), "--to", "activation-dat", "--out", path("act.dat")});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto values = lines(QString::fromStdString(path("act.dat")));
        QCOMPARE(values.size(), 105);
        QVERIFY(values[0].toDouble() > 0 && values[0].toDouble() < 2);
        r = run({"export", path("vtu"), "--to", "apd90-dat", "--out", path("apd.dat")});
        QCOMPARE(r.status, 0);
        QCOMPARE(lines(QString::fromStdString(path("apd.dat")))[3], QString("-1")); // not yet
        const QString html = lines(QString::fromStdString(path("r.html"))).join('\n');
        for (const char* wanted : {"slab &amp; wave", "activated", "m/s", "far", "Kernels"})
            QVERIFY2(html.contains(wanted), wanted);
    }

    /// What a run has left goes when another one writes there; what others put there stays.
    /// What report.json has of the newest beat, or why there is none.
    void theEcgIsSaid()
    {
        QByteArray text(session);
        text.replace("SCHEME", "p1");
        text.replace("\"output\"",
                     R"("ecg": {"leads": "none", "electrodes": [
            {"name": "A", "position_mm": [40, 0, 0]}, {"name": "B", "position_mm": [0, 40, 0]}]},
            "output")");
        QVERIFY(write_text(dir_.filePath("ecg.json"), text));
        const auto r = run({"run", path("ecg.json"), "--devices", "cpu", "--out", path("ecg")});
        QVERIFY2(r.status == 0, r.err.c_str());
        QFile file(dir_.filePath("ecg/report.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto ecg = QJsonDocument::fromJson(file.readAll()).object()["ecg"].toObject();
        const auto beats = ecg["beats"].toArray();
        const auto qrs = beats.isEmpty() ? QJsonValue() : beats.last().toObject()["qrs_ms"];
        const auto want = beats.isEmpty()  ? "ECG: " + ecg["no_beats"].toString() + "\n"
                          : qrs.isDouble() ? "QRS " + QString::number(qrs.toDouble(), 'g', 4)
                                           : QString("ECG: no interval of the beat is known");
        QVERIFY2(QString::fromStdString(r.out).contains(want), r.out.c_str());
    }

    void foldersOfEarlierRuns()
    {
        write_session("e.json", "p1");
        const QDir out(QString::fromStdString(path("e")));
        const auto frames = [&] { return QDir(out.filePath("frames")).entryList(QDir::Files); };
        const auto listed = [&] { return lines(out.filePath("frames.pvd")).filter("<DataSet"); };
        const auto again = [&](std::vector<std::string> more) {
            std::vector<std::string> args{"run", path("e.json"), "--out", path("e")};
            args.insert(args.end(), more.begin(), more.end());
            const auto r = run(args);
            return std::pair(r.status, QString::fromStdString(r.err));
        };
        QCOMPARE(again({"--set", "output.checkpoint_every_ms=6"}).first, 0); // to 12 ms
        QCOMPARE(frames().size(), 5);
        const auto whole = listed();
        for (const char* own : {"notes.txt", "frames/mine.vtu", "frames/000000007.vtu"})
            QVERIFY(write_text(out.filePath(own), "mine"));

        // input that is refused removes nothing
        QCOMPARE(again({"--resume", path("e/notes.txt")}).first, 2);
        QCOMPARE(frames().size(), 7);

        // from the checkpoint at 6 ms: earlier frames stay and stay listed
        const auto tcp = out.entryList({"*006.000ms.tcp"});
        QCOMPARE(tcp.size(), 1);
        QCOMPARE(again({"--resume", out.filePath(tcp[0]).toStdString()}).first, 0);
        QCOMPARE(listed(), whole);

        // fewer frames: those of before are gone
        const auto [status, said] = again({"--until", "4"});
        QVERIFY2(status == 0, qPrintable(said));
        QVERIFY2(said.contains("2 checkpoints of an earlier run stayed"), qPrintable(said));
        QCOMPARE(listed().size(), 2);
        QCOMPARE(frames().size(), 4);
        QCOMPARE(again({"--until", "4", "--set", "output.frames=igb"}).first, 0);
        QCOMPARE(frames(), QStringList({"000000007.vtu", "mine.vtu"}));
        QVERIFY(!out.exists("frames.pvd") && out.exists("frames.igb"));
        QCOMPARE(again({"--until", "1", "--set", "output.frames=none", "probes=[]"}).first, 0);
        for (const char* gone : {"frames.igb", "frames.pts", "frames.elem", "beats.csv"})
            QVERIFY2(!out.exists(gone), gone);
        QVERIFY(out.exists("notes.txt") && out.exists("report.json"));
    }

    void exportsLeaveWhatTheyAreMadeFrom()
    {
        write_session("source.json", "p1");
        QCOMPARE(run({"run", path("source.json"), "--out", path("source")}).status, 0);
        for (const auto& [kind, file] : {std::pair{"activation-dat", "source/activation.vtu"},
                                         {"activation-dat", "source/report.json"},
                                         {"frames-igb", "source/frames.pvd"},
                                         {"frames-igb", "source/frames/000000150.vtu"}}) {
            const auto before = lines(dir_.filePath(file));
            QVERIFY2(!before.isEmpty(), file);
            const auto r = run({"export", path("source"), "--to", kind, "--out", path(file)});
            QCOMPARE(r.status, 2);
            QVERIFY2(r.err.find("which the export is made from") != std::string::npos,
                     r.err.c_str());
            QCOMPARE(lines(dir_.filePath(file)), before);
        }
    }

    /// What a run reads is neither removed as a file of an earlier run nor replaced by its own.
    void whatARunReadsStays()
    {
        write_session("first.json", "p1");
        QCOMPARE(run({"run", path("first.json"), "--out", path("own")}).status, 0);
        const auto text = QByteArray(session).replace("SCHEME", "p1");
        const QByteArray slab = R"("slab_mm": [3, 2, 1], "spacing_mm": 0.5)";
        QVERIFY(text.contains(slab));
        QVERIFY(write_text(dir_.filePath("of-mesh.json"),
                           QByteArray(text).replace(slab, R"("file": "own/activation.vtu")")));
        const auto before = lines(dir_.filePath("own/activation.vtu"));
        auto r = run({"run", path("of-mesh.json"), "--out", path("own"), "--until", "0.1"});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.find("is a file that the session of this run names, which would replace or "
                            "remove it") != std::string::npos,
                 r.err.c_str());
        QVERIFY(!before.isEmpty());
        QCOMPARE(lines(dir_.filePath("own/activation.vtu")), before);
        QVERIFY(QFile::exists(dir_.filePath("own/probes.csv"))); // nothing was removed
        QVERIFY(QFile::link(dir_.filePath("own"), dir_.filePath("link-to-own")));
        QVERIFY(write_text(dir_.filePath("own/report.json"), text));
        r = run({"run", path("own/report.json"), "--out", path("link-to-own")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.find("is the session of this run, which would replace") != std::string::npos,
                 r.err.c_str());
        QVERIFY(write_text(dir_.filePath("s.html"), text));
        r = run({"run", path("s.html"), "--out", path("new"), "--report", path("s.html")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.find("whose report would replace it") != std::string::npos, r.err.c_str());
        for (const char* kept : {"own/report.json", "s.html"}) {
            QFile f(dir_.filePath(kept));
            QVERIFY(f.open(QIODevice::ReadOnly));
            QCOMPARE(f.readAll(), text);
        }
    }

    void refuses()
    {
        write_session("s.json", "p1");
        const auto line = [](const Result& r) { return QString::fromStdString(r.err); };
        auto r = run({"export", path("nowhere"), "--to", "apd90-dat"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("no folder"));
        r = run({"export", dir_.path().toStdString(), "--to", "wav"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("frames-igb"));
        r = run({"export", dir_.path().toStdString(), "--to", "frames-igb"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("frames.pvd"));
        r = run({"run", path("s.json"), "--out", path("x"), "--report", path("r.doc")});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains(".html"));
        // before any work: what cannot be written to
        QVERIFY(write_text(dir_.filePath("file"), "x"));
        for (const char* out : {"file", "file/below"}) {
            r = run({"run", path("s.json"), "--out", path(out)});
            QCOMPARE(r.status, 2);
            QVERIFY2(line(r).contains("is a file, not a folder"), r.err.c_str());
            QCOMPARE(line(r).count('\n'), 1);
        }
        r = run({"run", path("s.json"), "--out", path("x"), "--report", path("file/r.html")});
        QCOMPARE(r.status, 2);
        QVERIFY(!QFile::exists(QString::fromStdString(path("x"))));
    }
};

QTEST_GUILESS_MAIN(TestCliResults)
#include "test_cli_results.moc"
