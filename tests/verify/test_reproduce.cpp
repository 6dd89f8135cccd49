// SPDX-License-Identifier: GPL-3.0-or-later
// `run --reproduce`: a run's report does it again, and tells whether the results are the same.
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/results/comparison.hpp"
#include "engine/simulation/results/table_difference.hpp"
#include "tests/simulation/command_line.hpp"
#include "tests/simulation/slab_commands.hpp"

#include <QtTest>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::test;

class TestReproduce : public SlabCommands
{
    Q_OBJECT
    std::string file(const QString& name) const { return path(name).toStdString(); }
    QJsonObject report(const QString& folder) const
    {
        return QJsonDocument::fromJson(content(path(folder + "/report.json"))).object();
    }
    void put(const QString& folder, const QJsonObject& report) const
    {
        QFile f(path(folder + "/report.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(QJsonDocument(report).toJson());
    }

  private Q_SLOTS:
    void initTestCase()
    {
        write_session("slab.json", "output",
                      QJsonObject{{"checkpoint_every_ms", 4}, {"frames_every_ms", 5}});
        const auto r = SlabCommands::run("slab.json", "first", {"--threads", "2"});
        QVERIFY2(r.status == 0, qPrintable(r.shown()));
        const auto kept = report("first")["reproduction"].toObject();
        QCOMPARE(kept["session"].toObject()["name"].toString(), QString("slab"));
        QCOMPARE(kept["devices"].toString(), QString("cpu"));
        QCOMPARE(kept["mesh_sha256"].toString().size(), 64);
        QVERIFY(kept["tables_sha256"].toObject().contains("probes.csv"));
        QVERIFY(kept["tables_sha256"].toObject().contains("activation.csv"));
        QVERIFY(kept["files_sha256"].toObject().contains("activation.vtu"));
        QCOMPARE(kept["frames_sha256"].toObject().size(), 3); // 0, 5, 10 ms
    }

    void theSameBitsAreSaid()
    {
        const auto r = test::run({"run", "--reproduce", file("first/report.json")});
        QVERIFY2(r.status == 0, (r.out + r.err).c_str());
        for (const char* says :
             {"activation: the same bits", "activation.csv: the same bits",
              "frames: the same bits, 3 of them", "repolarisation: not compared, since neither run",
              "activation.vtu, frames.pvd: not compared; made of the results above",
              "reproduced: all that was compared has the bits of"})
            QVERIFY2(r.out.find(says) != std::string::npos, (says + r.out).c_str());
        QVERIFY(r.out.find("repolarisation: the same") == std::string::npos);
        QVERIFY(r.out.find("beside it") == std::string::npos);
        QVERIFY(QFile::exists(path("first-again/report.json")));
        QCOMPARE(content(path("first-again/probes.csv")), content(path("first/probes.csv")));

        const auto j = test::run({"run", "--reproduce", file("first/report.json"), "--out",
                                  file("as-json"), "--threads", "1", "--json"});
        QCOMPARE(j.status, 0);
        QVERIFY(j.json()["reproduced"].toObject()["same"].toBool());
    }

    /// The recorded session conducts less than the one that was run.
    void aChangedRunIsTold()
    {
        QVERIFY(QDir().mkpath(path("changed")));
        QVERIFY(QFile::copy(path("first/activation.csv"), path("changed/activation.csv")));
        auto text = content(path("first/report.json"));
        QVERIFY(text.contains("\"fibre\": 0.1334"));
        text.replace("\"fibre\": 0.1334", "\"fibre\": 0.1234");
        auto report = QJsonDocument::fromJson(text).object();
        auto record = report["reproduction"].toObject();
        record.remove("session_sha256"); // which would tell it
        report["reproduction"] = record;
        put("changed", report);
        const auto r = test::run({"run", "--reproduce", file("changed/report.json")});
        QVERIFY2(r.status == 5, (r.out + r.err).c_str());
        QVERIFY(r.out.find("mesh: the same bits") != std::string::npos);
        QVERIFY2(r.out.find("activation: DIFFERS, RMS ") != std::string::npos, r.out.c_str());
        QVERIFY(r.out.find("probes.csv: DIFFERS") != std::string::npos);
        QVERIFY(r.out.find("not reproduced") != std::string::npos);
    }

    /// Single precision has other bits, and says why.
    void anotherPrecisionIsTold()
    {
        const auto r = test::run({"run", "--reproduce", file("first/report.json"), "--precision",
                                  "single", "--out", file("single")});
        QVERIFY2(r.status == 5, (r.out + r.err).c_str());
        QVERIFY(r.out.find("precision: \"double\" before, \"single\" now") != std::string::npos);
        for (const char* says :
             {"V at the end: DIFFERS, RMS ", " mV (of frames/000000500.vtu)",
              "activation: DIFFERS, RMS ", "probes.csv: DIFFERS, near: RMS ", "; far: RMS ",
              "frames: DIFFERS, 2 of 3, the first frames/000000250.vtu; most in ",
              "beats.csv: DIFFERS, upstroke_mV_per_ms: RMS ", " mV/ms; peak_mV: RMS "})
            QVERIFY2(r.out.find(says) != std::string::npos, (says + r.out).c_str());
    }

    /// A table, a frame and a model file that were changed since; nothing is measured on those.
    void whatWasChangedIsTold()
    {
        QFile model(path("m.mmt"));
        QVERIFY(model.open(QIODevice::WriteOnly));
        model.write("[[model]]\nname: m\n# Initial values\nmembrane.V = -80\n\n"
                    "[engine]\ntime = 0 bind time\npace = 0 bind pace\n\n"
                    "[membrane]\ndot(V) = -(V + 80) / 20 + 30 * engine.pace\n    label "
                    "membrane_potential\n");
        model.close();
        auto s = QJsonDocument::fromJson(slab).object();
        auto tissue = s["tissue"].toObject();
        auto regions = tissue["regions"].toArray();
        auto region = regions[0].toObject();
        region["model"] = "m.mmt";
        region.remove("variant");
        regions[0] = region;
        tissue["regions"] = regions;
        s["tissue"] = tissue;
        s["output"] = QJsonObject{{"frames_every_ms", 5}};
        QFile f(path("m.json"));
        QVERIFY(f.open(QIODevice::WriteOnly) && f.write(QJsonDocument(s).toJson()) > 0);
        f.close();
        const auto first = SlabCommands::run("m.json", "model");
        QVERIFY2(first.status == 0, qPrintable(first.shown()));
        const auto kept = report("model")["reproduction"].toObject();
        QCOMPARE(kept["models_sha256"].toObject()["m.mmt"].toString().size(), 64);

        const auto put = [&](const QString& name, const QByteArray& bytes) {
            QFile to(path(name));
            QVERIFY(to.open(QIODevice::WriteOnly) && to.write(bytes) == bytes.size());
        };
        put("model/probes.csv", content(path("model/probes.csv")).replace("0", "1"));
        QVERIFY(QFile::remove(path("model/frames/000000250.vtu")));
        auto r = test::run({"run", "--reproduce", file("model/report.json"), "--precision",
                            "single", "--out", file("model-single")});
        QVERIFY2(r.status == 5, (r.out + r.err).c_str());
        for (const char* says :
             {"changed since the run before, or not there any more: probes.csv, 1 frame",
              "m.mmt: the same bits", "probes.csv: DIFFERS, by how much is not known: "})
            QVERIFY2(r.out.find(says) != std::string::npos, (says + r.out).c_str());

        put("m.mmt", content(path("m.mmt")).replace("20", "30"));
        r = test::run({"run", "--reproduce", file("model/report.json"), "--out", file("other")});
        QCOMPARE(r.status, 5);
        QVERIFY2(r.out.find("m.mmt: DIFFERS") != std::string::npos, r.out.c_str());

        auto changed = report("model");
        auto record = changed["reproduction"].toObject();
        auto session = record["session"].toObject();
        session["name"] = "another";
        record["session"] = session;
        changed["reproduction"] = record;
        put("model/report.json", QJsonDocument(changed).toJson());
        r = test::run({"run", "--reproduce", file("model/report.json"), "--out", file("no")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.find("/reproduction/session: is another session than its run had") !=
                     std::string::npos,
                 r.err.c_str());
    }

    void whatGoesOnFromACheckpoint()
    {
        const auto resumed =
            SlabCommands::run("slab.json", "resumed", {"--resume", path("first" + at_4_ms)});
        QVERIFY2(resumed.status == 0, qPrintable(resumed.shown()));
        auto r = test::run({"run", "--reproduce", file("resumed/report.json")});
        QVERIFY2(r.status == 0, (r.out + r.err).c_str());

        // a report of others may call any file its checkpoint, however long it is
        QFile sparse(path("sparse.tcp"));
        QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(qint64(5) << 30));
        auto other = report("resumed");
        auto record = other["reproduction"].toObject();
        record.remove("session_sha256"); // keys are in another order now
        record["resume"] = path("sparse.tcp");
        other["reproduction"] = record;
        QVERIFY(QDir().mkpath(path("sparse")));
        put("sparse", other);
        r = test::run({"run", "--reproduce", file("sparse/report.json")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.find(file("sparse.tcp") + ": is no Tawara checkpoint") != std::string::npos,
                 r.err.c_str());
    }

    /// A folder with session, mesh and results that has another name now; then one of results
    /// alone.
    void whatWasMoved()
    {
        QVERIFY(QDir().mkpath(path("there")));
        mesh::io::write(mesh::slab({5, 2, 1}, 0.5), file("there/slab.vtu"));
        write_session("there/slab.json", "mesh", QJsonObject{{"file", "slab.vtu"}});
        auto first = SlabCommands::run("there/slab.json", "there/results");
        QVERIFY2(first.status == 0, qPrintable(first.shown()));
        first = SlabCommands::run("there/slab.json", "there/resumed",
                                  {"--resume", path("there/results" + at_4_ms)});
        QVERIFY2(first.status == 0, qPrintable(first.shown()));
        QVERIFY(QDir().rename(path("there"), path("here")));
        for (const char* results : {"here/results", "here/resumed"}) {
            const auto r = test::run({"run", "--reproduce", file(results) + "/report.json"});
            QVERIFY2(r.status == 0, (r.out + r.err).c_str());
            QVERIFY2(r.err.find(file("there") + " is not there any more; " + file("here") +
                                " is taken") != std::string::npos,
                     r.err.c_str());
        }
        QVERIFY(QDir().mkpath(path("alone/deep")));
        QVERIFY(QFile::remove(path("here/results" + at_4_ms)));
        const auto lost = test::run({"run", "--reproduce", file("here/resumed") + "/report.json"});
        QCOMPARE(lost.status, 2);
        QVERIFY2(lost.err.find(" is not there any more, nor is " + file("here/results" + at_4_ms) +
                               "; the run of ") != std::string::npos,
                 lost.err.c_str());
        QVERIFY(QDir().rename(path("here/results"), path("alone/deep/results")));
        QVERIFY(QDir(path("here")).removeRecursively());
        const auto r = test::run(
            {"run", "--reproduce", file("alone/deep/results/report.json"), "--out", file("again")});
        QCOMPARE(r.status, 2);
        QCOMPARE(r.error_lines(), std::size_t(1));
        QVERIFY2(r.err.find(file("there/slab.vtu") + ": is not there any more; the session of ") !=
                     std::string::npos,
                 r.err.c_str());
    }

    /// Results that were changed after the run are told at the end, where the new run is the same.
    void aChangedFileIsTold()
    {
        QVERIFY(QDir().mkpath(path("touched")));
        for (const char* name : {"report.json", "probes.csv", "activation.csv"})
            QVERIFY(QFile::copy(path("first/") + name, path("touched/") + name));
        QFile probes(path("touched/probes.csv"));
        QVERIFY(probes.open(QIODevice::WriteOnly | QIODevice::Append));
        probes.write("1\n");
        probes.close();
        const auto r = test::run({"run", "--reproduce", file("touched/report.json"), "--out",
                                  file("touched-again"), "--json"});
        QCOMPARE(r.status, 0);
        QVERIFY(r.json()["reproduced"].toObject()["changed_files"].toInt() > 0);
        const auto said = test::run(
            {"run", "--reproduce", file("touched/report.json"), "--out", file("touched-said")});
        QVERIFY2(said.out.find(" beside it are not what that run had written") != std::string::npos,
                 said.out.c_str());
    }

    /// A report of others may call a pipe its frames, with the digest of what cannot be read.
    void aPipeIsNotWaitedFor()
    {
        QVERIFY(QDir().mkpath(path("piped")));
        QCOMPARE(mkfifo(file("piped/frames.igb").c_str(), 0600), 0);
        const auto report = [](const std::string& digest) {
            return "{\"program\": \"tawara\", \"reproduction\": {\"frames_sha256\": "
                   "{\"frames.igb\": \"" +
                   digest + "\"}}}";
        };
        const auto r =
            simulation::compare_reports(report(""), file("piped"), report("1"), file("first"));
        QCOMPARE(r.results.back().what, std::string("frames.igb"));
        QVERIFY2(r.results.back().how.ends_with("frames.igb is not as its run left it"),
                 r.results.back().how.c_str());
    }

    /// A field takes thirty times its comma in memory.
    void tablesHaveFewColumns()
    {
        QFile f(path("wide.csv"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(QByteArray(1'000'001, ','));
        f.close();
        const auto how = simulation::table_difference(file("wide.csv"), file("wide.csv"), "");
        QVERIFY2(
            how.ends_with("wide.csv: has more than 1000000 columns; tables of runs have fewer"),
            how.c_str());
    }

    void whatIsRefused_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("its own folder")
            << QStringList{"first/report.json", "--out", "first"} << "is the folder of the report";
        QTest::newRow("a link to its own folder")
            << QStringList{"first/report.json", "--out", "link"} << "is the folder of the report";
        QTest::newRow("read by a link to its folder")
            << QStringList{"link/report.json", "--out", "first"} << "is the folder of the report";
        QTest::newRow("a link to the report")
            << QStringList{"report-link.json", "--out", "first"} << "is the folder of the report";
        QTest::newRow("--set") << QStringList{"first/report.json", "--set", "time.dt_ms=0.01"}
                               << "does the run of a report again as it was";
        QTest::newRow("a session") << QStringList{"slab.json"} << "is no report of a run";
        QTest::newRow("nothing there") << QStringList{"none.json"} << "none.json";
        QTest::newRow("two") << QStringList{"first/report.json", "slab.json"}
                             << "takes one report.json";
        QTest::newRow("an older report") << QStringList{"old/report.json"} << "holds no session";
        QTest::newRow("threads") << QStringList{"edited/report.json"}
                                 << "/reproduction/threads: is -5; it should be a whole number";
        QTest::newRow("files of others")
            << QStringList{"outside/report.json"}
            << "/reproduction/tables_sha256: names ../first/probes.csv, which is not below";
    }
    void whatIsRefused()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, says);
        QFile::link(path("first"), path("link")); // of the first row on
        QFile::link(path("first/report.json"), path("report-link.json"));
        QVERIFY(QDir().mkpath(path("old")));
        auto old = report("first");
        auto record = old["reproduction"].toObject();
        old.remove("reproduction");
        put("old", old);
        record["threads"] = -5;
        record.remove("session_sha256"); // keys are in another order now
        old["reproduction"] = record;
        QVERIFY(QDir().mkpath(path("edited")));
        put("edited", old);
        QVERIFY(QDir().mkpath(path("outside")));
        record["threads"] = 1;
        record["tables_sha256"] = QJsonObject{{"../first/probes.csv", ""}};
        old["reproduction"] = record;
        put("outside", old);
        const auto before = content(path("first/report.json"));
        std::vector<std::string> args{"run", "--reproduce"};
        for (const auto& w : words)
            args.push_back(w.startsWith("--") || w.contains('=') ? w.toStdString() : file(w));
        const auto r = test::run(args);
        QCOMPARE(r.status, 2);
        QCOMPARE(r.error_lines(), std::size_t(1));
        QVERIFY2(r.err.find(says.toStdString()) != std::string::npos, r.err.c_str());
        QCOMPARE(content(path("first/report.json")), before);
    }
};

QTEST_GUILESS_MAIN(TestReproduce)
#include "test_reproduce.moc"
