// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line says of a run that is not as it may have been meant, and what it keeps.
#include "engine/cli/cli.hpp"
#include "engine/core/folder_lock.hpp"
#include "tests/several.hpp"
#include "tests/simulation/slab_commands.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <csignal>
#include <sstream>
#include <sys/resource.h>

using namespace tawara;
using namespace tawara::test;

class TestRunFaults : public SlabCommands
{
    Q_OBJECT

  private Q_SLOTS:
    void electrodesThatTheProgramPlaces_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const QString others = "at the end of this list";
        QTest::newRow("none") << QStringList() << 0
                              << "note: 12-lead ECG: the program placed its electrodes, RA, LA, ";
        QTest::newRow("all") << standard_ << 0 << "";
        QTest::newRow("one missing")
            << without(standard_, "V6") << 0
            << "warning: 12-lead ECG: V6 is not among the session's electrodes; the program";
        QTest::newRow("own names")
            << QStringList{"R", "L", "HRA", "RVA", "E1"} << 0
            << "warning: 12-lead ECG: RA, LA, LL, V1, V2, V3, V4, V5 and V6 are not among";
        QTest::newRow("right side") << without(standard_, "V3", "V3R") << 0 << "ECG: V3 is not";
        QTest::newRow("back") << without(standard_, "V1", "V7") << 0 << "ECG: V1 is not";
        QTest::newRow("case") << QStringList{"la"} << 2
                              << "/ecg/electrodes/0: electrode 'la': did you mean 'LA'?";
        QTest::newRow("space") << QStringList{"RA", "V 1"} << 2
                               << "/ecg/electrodes/1: electrode 'V 1': did you mean 'V1'?";
        QTest::newRow("near") << without(standard_, "LL", "LLL") << 2
                              << "/ecg/electrodes/8: electrode 'LLL': did you mean 'LL'?";
    }

    void electrodesThatTheProgramPlaces()
    {
        QFETCH(QStringList, names);
        QFETCH(int, status);
        QFETCH(QString, says);
        write_session("e.json", "ecg", electrodes(names));
        const auto r = run("e.json", "e", {"--until", "0.1"});
        QVERIFY2(r.status == status, qPrintable(r.shown()));
        QVERIFY2(says.isEmpty() ? !r.err.contains("12-lead") : r.err.contains(says),
                 qPrintable(r.err));
        if (status == 0) // the report has it too
            QCOMPARE(content(path("e/report.json")).contains("12-lead"), !says.isEmpty());
    }

    void intervalsAndThresholdsThatDoNotFitAreSaid()
    {
        write_session("fit.json");
        auto r = run("fit.json", "fit", {"--until", "5", "--set", "output.probes_every_ms=0.03"});
        QVERIFY2(r.status == 0 && r.err.contains("output.probes_every_ms: 0.03 ms is no whole "
                                                 "number of steps; every 0.04 ms"),
                 qPrintable(r.shown()));
        r = run(
            "fit.json", "fit",
            {"--until", "5", "--set", "output.frames_every_ms=1", "--set", "output.frames=none"});
        QVERIFY2(r.status == 0 && r.err.contains("no frames: output.frames is \"none\""),
                 qPrintable(r.shown()));
        r = run("fit.json", "fit",
                {"--set", "output.activation_threshold_mV=-40", "--resume", path("fit") + at_4_ms});
        QVERIFY2(r.status == 0 &&
                     r.err.contains("maps keep the activations that the checkpoint found at 0 mV"),
                 qPrintable(r.shown()));
        QVERIFY(!r.err.contains("no whole number"));
        // a list of frames that no report names, as a run leaves that was killed
        r = run("fit.json", "fit", {"--until", "1", "--set", "output.frames_every_ms=1"});
        QVERIFY(QFile::remove(path("fit/report.json")) && QFile::exists(path("fit/frames.pvd")));
        r = run("fit.json", "fit", {"--until", "1", "--set", "output.frames=none"});
        QVERIFY(r.status == 0 && !QFile::exists(path("fit/frames.pvd")));
    }

    void twoRunsDoNotMixInAFolder()
    {
        write_session("two.json");
        QCOMPARE(run("two.json", "two", {"--until", "1"}).status, 0);
        const auto before = content(path("two/report.json"));
        {
            FolderLock other;
            other.take(path("two").toStdString());
            const auto r = run("two.json", "two", {"--until", "2"});
            QVERIFY2(r.status == 2 && r.err.contains("another run is writing into this folder"),
                     qPrintable(r.shown()));
            QCOMPARE(content(path("two/report.json")), before);
        }
        QCOMPARE(run("two.json", "two", {"--until", "2"}).status, 0);
    }

    void namesSitesThatDoNotCapture()
    {
        const auto site = [](const char* name, double x, double amplitude) {
            const QJsonArray box{QJsonArray{x, 0, 0}, QJsonArray{x + 1, 2, 1}};
            return QJsonObject{{"name", name},
                               {"region", QJsonObject{{"box_mm", box}}},
                               {"start_ms", 0},
                               {"duration_ms", 1},
                               {"period_ms", 10},
                               {"count", 3},
                               {"amplitude_pA_per_pF", amplitude}};
        };
        auto once = site("once", 0, 50);
        once.remove("period_ms");
        once.remove("count");
        write_session("c.json", "stimuli",
                      QJsonArray{site("apex", 4, 0.5), site("base", 0, 50), once});
        const auto r = run("c.json", "c", {"--until", "90"});
        QCOMPARE(r.status, 0);
        QVERIFY2(r.err.contains("warning: site 'apex': none of its 3 pulses captured (amplitude "
                                "0.5 pA/pF for 1 ms; at 0, 10, 20 ms"),
                 qPrintable(r.err));
        QVERIFY2(r.err.contains("warning: site 'base': 2 of its 3 pulses did not capture "
                                "(amplitude 50 pA/pF for 1 ms; at 10, 20 ms; the tissue was not "
                                "back at rest)"),
                 qPrintable(r.err));
        QVERIFY(!r.err.contains("'once'"));
        const auto report = QJsonDocument::fromJson(content(path("c/report.json"))).object();
        QStringList notices;
        for (const auto& n : report["notices"].toArray())
            notices << n.toString();
        QCOMPARE(notices.filter("site 'base': 2 of its 3 pulses did not capture").size(), 1);
    }

    void saysWhichProbesLieOutside()
    {
        const auto probe = [](const char* name, double y) {
            return QJsonObject{{"name", name}, {"position_mm", QJsonArray{2, y, 0.5}}};
        };
        write_session("o.json", "probes", QJsonArray{probe("in", 0.5), probe("off", -0.4)});
        const auto r = run("o.json", "o", {"--until", "1"});
        QCOMPARE(r.status, 0);
        QVERIFY2(r.err.contains("warning: probe 'off' lies 0.4 mm outside the tissue; it shows the "
                                "nearest place, (2, 0, 0.5) mm"),
                 qPrintable(r.err));
        QVERIFY(!r.err.contains("probe 'in'"));
        QVERIFY(content(path("o/report.json")).contains("probe 'off' lies 0.4 mm outside"));
    }

    void nullTakesAKeyOut_data()
    {
        QTest::addColumn<QStringList>("set");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QStringList& set, int status,
                            const char* says) { QTest::newRow(name) << set << status << says; };
        row("mass", {"diffusion.scheme=fvm", "diffusion.mass=null"}, 0, "");
        row("scheme alone", {"diffusion.scheme=fvm"}, 2,
            "/diffusion/mass: is for scheme \"p1\" alone; leave it out, or set scheme to \"p1\" "
            "(leave out by --set diffusion.mass=null)");
        row("mass given", {"diffusion.scheme=fvm", "diffusion.mass=lumped"}, 2,
            "set scheme to \"p1\" (from --set diffusion.mass=lumped)");
        row("in a list's element", {"stimuli.0.start_ms=null"}, 0, "");
        row("needed", {"stimuli.0.duration_ms=null"}, 2, "/stimuli/0/duration_ms: is missing");
        row("other amplitude",
            {"stimuli.0.amplitude_uA_per_cm3=7000", "stimuli.0.amplitude_pA_per_pF=null"}, 0, "");
        row("two amplitudes", {"stimuli.0.amplitude_uA_per_cm3=7000"}, 2,
            "(leave out by --set stimuli.0.amplitude_pA_per_pF=null)");
        row("two meshes", {"mesh.embedded=true"}, 2,
            "(leave out by --set mesh.slab_mm=null mesh.spacing_mm=null)");
        row("element", {"probes.1=null"}, 2,
            "/probes/1 is an element of a list, and null takes out "
            "keys of objects alone; give the list without it");
        row("no such index", {"probes.2.name=null"}, 2, "'2' is no index of /probes, which has 2");
        row("no such key", {"diffusion.mas=null"}, 2,
            "/diffusion has no key 'mas' that null could take out; the nearest is 'mass'");
        row("no such object", {"drugs.x=null"}, 2, "the session has no key 'drugs'");
    }

    void nullTakesAKeyOut()
    {
        QFETCH(QStringList, set);
        QFETCH(int, status);
        QFETCH(QString, says);
        write_session("n.json");
        const auto r = run("n.json", "n", QStringList{"--until", "0.1", "--set"} + set);
        QVERIFY2(r.status == status && r.err.contains(says), qPrintable(r.shown()));
        if (status != 0)
            QCOMPARE(r.err.count('\n'), 1);
    }

    void keyGivenTwiceIsPlaced()
    {
        QFile f(path("twice.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        QByteArray text = slab;
        text.replace("\"tissue\": {", "\"tissue\": {\"r\\u0065gions\": [],\n   ");
        f.write(text);
        f.close();
        const auto r = run("twice.json", "t");
        QVERIFY2(r.status == 2 &&
                     r.err.contains("twice.json:4: at column 4, key 'regions' is given "
                                    "twice in one object, first in line 3; keep one"),
                 qPrintable(r.shown()));
    }

    /// What was exported into the folder of a run goes with it, the whole mesh of the frames.
    void exportedMeshesGoWithTheRun()
    {
        write_session("x.json", "output", QJsonObject{{"frames_every_ms", 1}});
        QCOMPARE(run("x.json", "x", {"--until", "2"}).status, 0);
        std::ostringstream out, err;
        const auto to = [&](const QStringList& more) {
            std::vector<std::string> args{"export", path("x").toStdString(), "--to", "frames-igb"};
            for (const auto& w : more)
                args.push_back(w.toStdString());
            return cli::run(args, {out, err, {}, false});
        };
        QCOMPARE(to({}), 0);
        for (const char* file : {"x/frames.igb", "x/frames.pts", "x/frames.elem", "x/frames.lon"})
            QVERIFY2(QFile::exists(path(file)), file);
        // one that does not come to its end takes what it has written away
        const QDir frames(path("x/frames"));
        const auto last = frames.entryList(QDir::Files, QDir::Name).constLast();
        QVERIFY(QFile::resize(frames.filePath(last), 100));
        QCOMPARE(to({"--out", path("half.igb")}), 2);
        for (const char* file : {"half.igb", "half.pts", "half.elem", "half.lon"})
            QVERIFY2(!QFile::exists(path(file)), file);
        QCOMPARE(run("x.json", "x", {"--until", "0.1"}).status, 0);
        for (const char* file : {"x/frames.igb", "x/frames.pts", "x/frames.elem", "x/frames.lon"})
            QVERIFY2(!QFile::exists(path(file)), file);
        // a copy of a run's own frames brings the whole mesh along
        QCOMPARE(run("x.json", "x", {"--until", "2", "--set", "output.frames=igb"}).status, 0);
        QCOMPARE(to({"--out", path("copy.igb")}), 0);
        for (const char* file : {"elem", "lon"})
            QCOMPARE(content(path("copy.") + file), content(path("x/frames.") + file));
    }

    /// What is found when the mesh is there is told by the file as well, not by the session's name.
    void errorsOfTissueNameTheFile()
    {
        const QJsonArray regions{
            QJsonObject{{"label", 77},
                        {"model", "ten_tusscher_2006"},
                        {"conductivity_S_per_m",
                         QJsonObject{{"fibre", 0.1}, {"sheet", 0.02}, {"normal", 0.02}}}}};
        write_session("t.json", "tissue", QJsonObject{{"regions", regions}});
        const auto r = run("t.json", "t");
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains("t.json:/tissue/regions") && !r.err.contains("slab:/"),
                 qPrintable(r.err));
    }

    void velocityIsReported()
    {
        write_session("v.json");
        QCOMPARE(run("v.json", "v").status, 0);
        const auto report = QJsonDocument::fromJson(content(path("v/report.json"))).object();
        const auto v = report["conduction_velocity_m_per_s"].toObject();
        QVERIFY2(v["median"].toDouble() > 0.3 && v["median"].toDouble() < 0.8,
                 qPrintable(QString::number(v["median"].toDouble())));
        QVERIFY(v["p5"].toDouble() <= v["median"].toDouble() &&
                v["p95"].toDouble() >= v["median"].toDouble());
        QCOMPARE(run("v.json", "none", {"--set", "stimuli=[]"}).status, 0);
        const auto quiet = QJsonDocument::fromJson(content(path("none/report.json"))).object();
        QVERIFY(quiet["conduction_velocity_m_per_s"].isNull());
    }

    /// What does not fit on the disk takes nothing else along: neither the tables and the report of
    /// the end, nor, where it is a checkpoint half way, the run, which says it once and goes on.
    void aFullDiskLosesOnlyWhatDoesNotFit_data()
    {
        QTest::addColumn<QString>("interval");
        QTest::addColumn<QString>("too_large");
        QTest::addColumn<int>("status");
        QTest::newRow("at the end") << "output.checkpoint_every_ms=0"
                                    << "activation.csv" << 2;
        QTest::newRow("half way") << "output.checkpoint_every_ms=4" << QString(at_4_ms.mid(1)) << 0;
    }

    void aFullDiskLosesOnlyWhatDoesNotFit()
    {
        QFETCH(QString, interval);
        QFETCH(QString, too_large);
        QFETCH(int, status);
        write_session("s.json", "mesh",
                      QJsonObject{{"slab_mm", QJsonArray{20, 7, 3}}, {"spacing_mm", 1}});
        const QStringList options{"--set", interval};
        QCOMPARE(run("s.json", "fits", options).status, 0);
        const auto size = QFileInfo(path("fits/" + too_large)).size();
        QVERIFY(size > QFileInfo(path("fits/report.json")).size() + 1000);
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit small = before;
        small.rlim_cur = static_cast<rlim_t>(size - 500);
        setrlimit(RLIMIT_FSIZE, &small);
        const auto r = run("s.json", "full", options);
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        QCOMPARE(r.status, status);
        QCOMPARE(r.err.count("writing failed: "), 1);
        QVERIFY2(r.err.contains(too_large + ": writing failed: ") &&
                     r.err.contains("is the disk full?"),
                 qPrintable(r.err));
        QVERIFY(!QFile::exists(path("full/" + too_large)));
        for (const char* f : {"probes.csv", "beats.csv", "activation.csv", "activation.vtu"})
            QVERIFY2(QFile::exists(path("full/") + f) == (too_large != f), f);
        const auto report = QJsonDocument::fromJson(content(path("full/report.json"))).object();
        const auto ended = report["ended"].toString();
        QVERIFY2(status == 0 ? ended == "end" : ended.contains(too_large), qPrintable(ended));
        QCOMPARE(content(path("full/report.json"))
                     .contains("a checkpoint could not be written, "
                               "and the run went on without: "),
                 status == 0);
        QVERIFY(!report["files"].toArray().contains(too_large));
        QVERIFY(report["files"].toArray().contains(
            too_large == "activation.csv" ? "activation.vtu" : "activation.csv"));
        QVERIFY(QDir(path("full")).entryList({"*.part*", "*.tmp*", ".*"}, QDir::Files).isEmpty());
    }

    /// Beats are measured on every step, however seldom probes.csv has a row.
    void beatsDoNotDependOnTheRowsOfProbes()
    {
        write_session("b.json");
        QCOMPARE(run("b.json", "b0", {"--report", path("b0.html")}).status, 0);
        const auto beats = content(path("b0/beats.csv"));
        QCOMPARE(beats.count('\n'), 3);
        QVERIFY(beats.split('\n')[2].split(',')[3].toDouble() > 150); // upstroke [mV/ms]
        for (const char* every : {"0.5", "3", "0.07"}) {
            const auto set = QString("output.probes_every_ms=") + every;
            QCOMPARE(run("b.json", "b1", {"--set", set, "--report", path("b1.html")}).status, 0);
            QCOMPARE(content(path("b1/beats.csv")), beats);
        }
        const auto row = [&](const char* file) { // of the table of beats on the page
            const QByteArray page = content(path(file));
            const auto from = page.indexOf("<td>far</td>");
            return from < 0 ? QByteArray() : page.mid(from, 200);
        };
        QVERIFY(!row("b0.html").isEmpty());
        QCOMPARE(row("b1.html"), row("b0.html"));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestRunFaults>(argc, argv);
}
#include "test_run_faults.moc"
