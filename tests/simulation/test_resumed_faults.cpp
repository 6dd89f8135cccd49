// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line says of a run that goes on from a checkpoint, and what it keeps.
#include "tests/several.hpp"
#include "tests/simulation/slab_commands.hpp"

using namespace tawara;
using namespace tawara::test;

class TestResumedFaults : public SlabCommands
{
    Q_OBJECT

  private Q_SLOTS:
    /// Rows of before the checkpoint stay those of the unbroken run, in any folder.
    void resumedRunHasTheWholeEcgAndBeats_data()
    {
        QTest::addColumn<QStringList>("set");
        QTest::newRow("every step") << QStringList();
        QTest::newRow("thinned") << QStringList{"--set", "output.probes_every_ms=0.5"};
    }

    void resumedRunHasTheWholeEcgAndBeats()
    {
        QFETCH(QStringList, set);
        write_session("r.json", "ecg", electrodes(standard_));
        QCOMPARE(run("r.json", "whole", set).status, 0);
        QCOMPARE(run("r.json", "part",
                     QStringList(set) << "--until"
                                      << "5")
                     .status,
                 0);
        QVERIFY(content(path("part/ecg.csv")) != content(path("whole/ecg.csv")));
        const QStringList on = QStringList(set) << "--resume" << path("part") + at_4_ms;
        for (const char* folder : {"part", "elsewhere"}) {
            const auto r = run("r.json", folder, on);
            QVERIFY2(r.status == 0 && !r.err.contains("starts at"), qPrintable(r.shown()));
            for (const char* file : {"/ecg.csv", "/beats.csv", "/probes.csv"})
                QVERIFY2(content(path(folder) + file) == content(path("whole") + file), file);
        }
        QCOMPARE(content(path("part/ecg.csv")).count('\n'), 1 + 11);
        QVERIFY(content(path("part/beats.csv")).count('\n') == 3);
    }

    /// A run that was interrupted leaves the bytes of one that was not, after its last pulse, too.
    void resumedRunLeavesTheSameCheckpoints()
    {
        write_session("c.json", "output", QJsonObject{{"checkpoint_every_ms", 20}});
        const QStringList as{"--threads", "1", "--set", "time.end_ms=60"};
        QCOMPARE(run("c.json", "unbroken", as).status, 0);
        const auto name = [](int ms) { return QString("/checkpoint-000000%1.000ms.tcp").arg(ms); };
        for (const int at : {20, 40}) {
            const auto on = QStringList(as) << "--resume" << path("unbroken") + name(at);
            QCOMPARE(run("c.json", "again", on).status, 0);
            const auto last = content(path("again") + name(60));
            QVERIFY(!last.isEmpty());
            QVERIFY2(last == content(path("unbroken") + name(60)),
                     qPrintable(QString("from %1 ms").arg(at)));
        }
    }

    /// A run that does not come to its end says where, when and how to go on: a command that does.
    void saysHowToGoOn()
    {
        write_session("g.json");
        const QStringList bad{"--set", "stimuli.0.start_ms=5", "--set",
                              "stimuli.0.amplitude_pA_per_pF=1e9"};
        auto r = run("g.json", "it's here", bad);
        QCOMPARE(r.status, 3);
        QVERIFY2(r.err.contains(" mm, region /tissue/regions/0, model ten_tusscher_2006"),
                 qPrintable(r.err));
        const QString checkpoint = path("it's here") + at_4_ms;
        QString quoted = checkpoint;
        quoted.replace("'", "'\\''");
        QVERIFY2(r.err.contains("the last checkpoint is " + checkpoint +
                                "; to go on from there: tawara-cli run "),
                 qPrintable(r.err));
        QVERIFY2(r.err.contains("--set stimuli.0.start_ms=5 --set "
                                "stimuli.0.amplitude_pA_per_pF=1e9 --resume '" +
                                quoted + "'\n"),
                 qPrintable(r.err));
        r = run("g.json", "it's here", bad + QStringList{"--resume", checkpoint});
        QVERIFY2(r.status == 3 && r.err.contains("no checkpoint was written since " + checkpoint +
                                                 "; the same command goes on from there again"),
                 qPrintable(r.shown()));
        // as a run leaves a folder that was killed
        QVERIFY(QFile::remove(path("it's here/report.json")));
        r = run("g.json", "it's here");
        QVERIFY2(r.status == 0 &&
                     r.err.contains("warning: " + checkpoint +
                                    " is of a run here that did not come to its end, which begins "
                                    "anew now; to go on from there: tawara-cli run "),
                 qPrintable(r.shown()));
        // a run that ends before that checkpoint does not name its own end to go on from there
        QVERIFY(QFile::remove(path("it's here/report.json")));
        r = run("g.json", "it's here", {"--until", "3"});
        QVERIFY2(r.status == 0 && r.err.contains("to go on from there: tawara-cli run ") &&
                     !r.err.contains("--until"),
                 qPrintable(r.shown()));
        r = run("g.json", "it's here"); // which came to its end
        QVERIFY2(r.status == 0 && !r.err.contains("did not come to its end"), qPrintable(r.err));
        r = run("g.json", "none", bad + QStringList{"--set", "output.checkpoint_every_ms=0"});
        QVERIFY2(r.status == 3 && r.err.contains("there is no checkpoint to go on from "
                                                 "(output.checkpoint_every_ms writes some); the "
                                                 "same command begins anew"),
                 qPrintable(r.shown()));
    }

    void saysWhereOtherLeadsAndProbesBegin()
    {
        write_session("r.json", "ecg", electrodes(standard_));
        QCOMPARE(run("r.json", "other", {"--until", "5"}).status, 0);
        const QStringList on{"--resume", path("other") + at_4_ms};
        auto r = run("r.json", "n1",
                     QStringList(on) << "--set"
                                     << "ecg.leads=none");
        QVERIFY2(r.status == 0 && r.err.contains("ecg.csv starts at the checkpoint's 4 ms"),
                 qPrintable(r.shown()));
        QVERIFY(content(path("n1/ecg.csv")).split('\n')[1].startsWith("4,"));
        // an electrode that stands elsewhere
        r = run("r.json", "n2",
                QStringList(on) << "--set"
                                << "ecg.electrodes.0.position_mm.0=99");
        QVERIFY2(r.status == 0 && r.err.contains("ecg.csv starts at the checkpoint's 4 ms"),
                 qPrintable(r.shown()));
        r = run("r.json", "n3",
                QStringList(on) << "--set"
                                << "probes.0.position_mm.0=3");
        QVERIFY2(r.status == 0 &&
                     r.err.contains("probes.csv and beats.csv start at the checkpoint"),
                 qPrintable(r.shown()));
        QVERIFY(content(path("n3/probes.csv")).split('\n')[1].startsWith("4.02,"));
        // a checkpoint of a run without any
        write_session("plain.json");
        QCOMPARE(run("plain.json", "plain", {"--until", "5"}).status, 0);
        r = run("r.json", "n4", {"--resume", path("plain") + at_4_ms});
        QVERIFY2(r.status == 0 && r.err.contains("the checkpoint has no rows of it"),
                 qPrintable(r.shown()));
    }

    void refusesAnEndBeforeTheCheckpoint()
    {
        write_session("u.json");
        QCOMPARE(run("u.json", "u").status, 0);
        const auto before = content(path("u/report.json"));
        const auto r = run("u.json", "u", {"--until", "1", "--resume", path("u") + at_4_ms});
        QVERIFY2(r.status == 2 && r.err.contains("the checkpoint is at 4 ms, after --until 1 ms; "
                                                 "give a later end"),
                 qPrintable(r.shown()));
        QCOMPARE(content(path("u/report.json")), before);
        QCOMPARE(run("u.json", "u", {"--until", "4", "--resume", path("u") + at_4_ms}).status, 0);
    }

    void saysHowACheckpointIsAnother_data()
    {
        QTest::addColumn<QStringList>("with");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QStringList& with, const char* says) {
            QTest::newRow(name) << with << says;
        };
        row("step", {"--set", "time.dt_ms=0.01"}, "time step is 0.02 ms, here 0.01 ms. Resume");
        row("nearly the same step", {"--set", "time.dt_ms=0.0200000001"},
            "time step is 0.02 ms, here 0.0200000001 ms. ");
        row("precision", {"--precision", "single"}, "precision is double, here single. ");
        row("mesh", {"--set", "mesh.slab_mm=[5,2,2]"},
            "mesh or diffusion.scheme differ (165 unknowns, here 275). ");
        row("splitting", {"--set", "diffusion.splitting=strang"}, "diffusion.splitting differs. ");
        row("cells", {"--set", "reaction.scheme=rush_larsen"},
            "cell models or reaction.scheme differ. ");
        row("one region more",
            {"--set", R"(tissue.regions.1={"where": {"sphere_mm": {"centre": [1, 1, 1],
             "radius": 1}}, "name": "scar", "conductivity_scale": 0.1})"},
            "mesh, tissue, conductivities, ");
        row("as many unknowns of another mesh",
            {"--set", "mesh.slab_mm=[4.8,1.92,0.96]", "--set", "mesh.spacing_mm=0.48"},
            "mesh, tissue, conductivities, ");
        row("drug", {"--set", R"(drugs=[{"name": "d", "factors": {"g_Kr": 0.5}}])"},
            "mesh, tissue, conductivities, parameters, drugs, mass, tables, rest tolerance "
            "or the Purkinje network differ. Resume with the session and precision that wrote the "
            "checkpoint; stimuli, "
            "probes, ECG, outputs and end may differ");
        for (const char* set : {"diffusion.mass=consistent", "reaction.tables_mV=0.05",
                                "reaction.rest_tolerance_mV=0.1"})
            row(set, {"--set", set},
                "mesh, tissue, conductivities, parameters, drugs, mass, tables, ");
    }

    void saysHowACheckpointIsAnother()
    {
        QFETCH(QStringList, with);
        QFETCH(QString, says);
        write_session("o.json");
        if (!QFile::exists(path("o") + at_4_ms))
            QCOMPARE(run("o.json", "o", {"--until", "4"}).status, 0);
        const auto r = run("o.json", "o2", QStringList(with) << "--resume" << path("o") + at_4_ms);
        QVERIFY2(r.status == 2 && r.err.contains("belongs to another simulation: " + says),
                 qPrintable(r.shown()));
        QCOMPARE(r.err.count('\n'), 1);
        QVERIFY2(!r.err.contains("crc") && !r.err.contains("split 0"), qPrintable(r.err));
    }
};
static const tawara::test::Further<TestResumedFaults> further;
#include "test_resumed_faults.moc"
