// SPDX-License-Identifier: GPL-3.0-or-later
// Studies: what their files say, ledgers, and runs that are stopped, killed, shared and failed.
#include "engine/cli/cli.hpp"
#include "engine/core/error.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/scheduler.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <sqlite3.h>
#include <sstream>

using namespace tawara;
using namespace tawara::study;

namespace {

/// A strip that a wave crosses in few milliseconds.
const QByteArray strip =
    R"({"schema": 1, "name": "strip", "mesh": {"slab_mm": [3, 1, 1], "spacing_mm": 0.5},
 "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
  "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}}]},
 "diffusion": {"scheme": "p1"}, "time": {"dt_ms": 0.02, "end_ms": 12},
 "stimuli": [{"name": "left", "region": {"box_mm": [[0, 0, 0], [0.5, 1, 1]]}, "start_ms": 0,
  "duration_ms": 2, "amplitude_pA_per_pF": 60}]})";

struct Result
{
    int status;
    std::string out, err;
};
Result run_cli(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false, nullptr, nullptr, {2}});
    return {status, out.str(), err.str()};
}

QByteArray content(const std::string& file)
{
    QFile f(QString::fromStdString(file));
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

/// results.csv without what a clock has measured.
QList<QByteArrayList> lasting(const std::string& folder)
{
    QList<QByteArrayList> rows;
    for (const auto& line : content(folder + "/results.csv").trimmed().split('\n'))
        rows << line.split(',');
    if (rows.isEmpty())
        return rows;
    QList<qsizetype> kept;
    for (qsizetype c = 0; c < rows[0].size(); ++c)
        if (const auto& name = rows[0][c];
            !name.startsWith("seconds") && name != "wall_s" && name != "cell_steps_per_s")
            kept << c;
    QList<QByteArrayList> out;
    for (const auto& row : rows) {
        out << QByteArrayList();
        for (const auto c : kept)
            out.last() << row.value(c);
    }
    return out;
}

} // namespace

class TestStudy : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(name).toStdString(); }
    std::string written(const char* name, const QByteArray& text) const
    {
        QFile f(dir_.filePath(name));
        if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size())
            qFatal("cannot write %s", name);
        return path(name);
    }
    std::string speeds() const
    {
        return written("speeds.json", R"({"schema": 1, "name": "speeds", "session": "strip.json",
            "axes": {"tissue.regions.0.conductivity_S_per_m.fibre": [0.1, 0.2, 0.4],
                     "time.dt_ms": [0.02, 0.01]}})");
    }

  private Q_SLOTS:
    void initTestCase() { written("strip.json", strip); }

    void axesAndListsMakeRuns()
    {
        const auto s = read_study(written("both.json", R"({"schema": 1, "session": "strip.json",
            "axes": {"time.dt_ms": [0.05, 0.025], "time.end_ms": [1, 2, 3]},
            "runs": [{"name": "a"}, {"name": "b", "diffusion.scheme": "fvm"}], "keep": ["ecg"]})"));
        QCOMPARE(s.runs.size(), std::size_t(12));
        QCOMPARE(s.name, std::string("both"));
        QCOMPARE(s.paths, (std::vector<std::string>{"time.dt_ms", "time.end_ms", "name",
                                                    "diffusion.scheme"}));
        QCOMPARE(setting_of(s.runs[1], "time.end_ms"), std::string("2")); // the last one is fastest
        QCOMPARE(setting_of(s.runs[3], "time.dt_ms"), std::string("0.025"));
        QCOMPARE(setting_of(s.runs[5], "diffusion.scheme"), std::string());
        QCOMPARE(setting_of(s.runs[6], "diffusion.scheme"), std::string("\"fvm\""));
        QCOMPARE(s.runs[11].name, std::string("run-11"));
        QVERIFY(!s.keep_all && s.keep == std::set<Keep>{Keep::ecg});
        const auto session = session_of(s, s.runs[5]);
        QCOMPARE(session.dt_ms, 0.025);
        QCOMPARE(session.end_ms, 3.0);
    }

    void shippedStudiesAreGood()
    {
        const QDir folder(QStringLiteral(TAWARA_SOURCE_DIR "/resources/studies"));
        const auto files = folder.entryList({"*.json"});
        QVERIFY(!files.isEmpty());
        for (const auto& name : files) {
            const auto s = read_study(folder.filePath(name).toStdString());
            for (const auto& run : s.runs)
                session_of(s, run);
            QVERIFY(s.runs.size() > 1);
        }
    }

    void wrongStudiesAreSaid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("{\n\"schema\": 1,,}") << ":2: this is no JSON";
        QTest::newRow("too large")
            << QByteArray("{\"schema\": 1e999}") << "holds a number that is too large";
        QTest::newRow("key") << QByteArray(R"({"schema": 1, "session": "strip.json", "axis": {}})")
                             << "/axis: unknown key; the nearest known is 'axes'";
        QTest::newRow("schema") << QByteArray(R"({"session": "strip.json"})")
                                << "/schema: must be 1";
        QTest::newRow("session") << QByteArray(R"({"schema": 1})") << "/session: is missing";
        QTest::newRow("no file") << QByteArray(R"({"schema": 1, "session": "none.json"})")
                                 << "none.json";
        QTest::newRow("values")
            << QByteArray(R"({"schema": 1, "session": "strip.json", "axes": {"a": 3}})")
            << "/axes/a: must be a list";
        QTest::newRow("twice")
            << QByteArray(
                   R"({"schema": 1, "session": "strip.json", "axes": {"time.dt_ms": [1, 1]}})")
            << "1 is there twice";
        QTest::newRow("keep") << QByteArray(
                                     R"({"schema": 1, "session": "strip.json", "keep": ["all"]})")
                              << "must be one of activation, ecg, frames";
        QTest::newRow("a run's session") << QByteArray(R"({"schema": 1, "session": "strip.json",
                "axes": {"time.dt_ms": [0.05, -1]}})")
                                         << "(run-1: time.dt_ms=-1)";
        QTest::newRow("deep behind a comment")
            << "{ // \"\n\"schema\": " + QByteArray(100'000, '[') << "nested more than 100 deep";
        QByteArray different = R"({"schema": 1, "session": "strip.json", "runs": [{})";
        for (int i = 0; i < 1001; ++i)
            different += ", {\"k" + QByteArray::number(i) + "\": 1}";
        QTest::newRow("different keys") << different + "]}"
                                        << "set more than 1000 different keys";
        const auto doses = [](const char* row, const char* keys, const char* says) {
            QTest::newRow(row) << R"({"schema": 1, "session": "strip.json", "doses": )" +
                                      QByteArray(keys) + "}"
                               << QString(says);
        };
        doses("no concentrations", R"({"drugs": ["verapamil"]})",
              "/doses: wants one of times_cmax");
        doses("drug", R"({"drugs": ["verapamill"], "times_cmax": [1]})",
              "/doses/drugs/0: 'verapamill' is not known; known are bepridil, ");
        doses("drug twice", R"({"drugs": ["verapamil", "verapamil"], "times_cmax": [1]})",
              "'verapamil' is there twice");
        doses("concentration", R"({"drugs": ["verapamil"], "times_cmax": [0, -1]})",
              "/doses/times_cmax/1: -1 must be a number of at least 0");
        doses("C_max", R"({"drugs": [{"name": "x", "blocks": {"g_Kr": {"ic50_nM": 1}}}],
              "times_cmax": [1]})",
              "/doses/drugs/0: needs cmax_nM");
        doses("IC50", R"({"drugs": [{"name": "x", "blocks": {"g_Kr": {"hill": 1}}}],
              "concentration_nM": [1]})",
              "/doses/drugs/0/blocks/g_Kr/ic50_nM: is missing");
        QByteArray many, vary, blockers = "\"verapamil\"";
        for (int i = 0; i <= 1000; ++i) {
            blockers += ",{\"name\": \"" + QByteArray::number(i) +
                        "\", \"blocks\": {\"g_Kr\": {\"ic50_nM\": 5}}}";
            many += QByteArray(i > 0 ? "," : "") + QByteArray::number(i);
            vary += QByteArray(i > 0 ? "," : "") + "\"g" + QByteArray::number(i) +
                    "\": {\"range\": [0, 1]}";
        }
        const QByteArray of_strip = "{\"schema\": 1, \"session\": \"strip.json\", ";
        QTest::newRow("doses")
            << of_strip + "\"doses\": {\"drugs\": [" + blockers + "], \"concentration_nM\": [" +
                   many + "]}}"
            << "/doses: makes more than 1000000 doses; give fewer drugs or concentrations";
        QTest::newRow("a late concentration")
            << of_strip + "\"doses\": {\"drugs\": [" + blockers + "], \"concentration_nM\": [" +
                   many + ",1e3]}}"
            << "/doses/concentration_nM/1001: 1000.0 is there twice";
        QTest::newRow("factors")
            << of_strip + "\"population\": {\"size\": 100000, \"vary\": {" + vary + "}}}"
            << "/population/vary: makes more than 10000000 factors of all members";
        doses("conductance", R"({"drugs": [{"name": "x", "blocks": {"g_Krr": {"ic50_nM": 1}}}],
              "concentration_nM": [1]})",
              "/doses/drugs: unknown parameter 'g_Krr'");
    }
    void wrongStudiesAreSaid()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const auto r =
            run_cli({"study", "run", written("wrong.json", text), "--out", path("wrong")});
        QCOMPARE(r.status, 2);
        QVERIFY2(QString::fromStdString(r.err).contains(says), r.err.c_str());
        QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), std::ptrdiff_t(1));
        QVERIFY(!std::filesystem::exists(path("wrong") + "/run-0"));
    }

    void aStudyIsRunAndGoesOn()
    {
        const auto file = speeds(), out = path("whole");
        const auto r = run_cli({"study", "run", file, "--out", out, "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto rows = lasting(out);
        QCOMPARE(rows.size(), 7);
        const auto at = rows[0].indexOf("last_activation_ms");
        QVERIFY(at > 0);
        QCOMPARE(rows[0].mid(2, 2),
                 (QByteArrayList{"tissue.regions.0.conductivity_S_per_m.fibre", "time.dt_ms"}));
        QCOMPARE(rows[4].mid(0, 4), (QByteArrayList{"run-3", "done", "0.2", "0.01"}));
        // the better it conducts, the sooner the wave is there
        for (const int k : {1, 2})
            QVERIFY(rows[k][at].toDouble() > rows[k + 2][at].toDouble() &&
                    rows[k + 2][at].toDouble() > rows[k + 4][at].toDouble());
        QVERIFY(content(out + "/report.html").contains("data:image/svg"));
        // nothing is left, nothing is done again
        const auto report = content(out + "/run-3/report.json");
        QCOMPARE(run_cli({"study", "run", file, "--out", out}).status, 0);
        QCOMPARE(content(out + "/run-3/report.json"), report);
        // another study does not get into this folder
        const auto other = run_cli({"study", "run", file, "--out", out, "--set", "time.end_ms=9"});
        QCOMPARE(other.status, 2);
        QVERIFY(other.err.find("of another study") != std::string::npos);
    }

    void dosesMakeRuns()
    {
        const auto s = read_study(written("doses.json", R"({"schema": 1, "session": "strip.json",
            "axes": {"time.dt_ms": [0.02, 0.01]}, "doses": {"drugs": ["dofetilide",
            {"name": "x", "cmax_nM": 10, "blocks": {"g_Kr": {"ic50_nM": 20, "hill": 2}}}],
            "times_cmax": [0, 1, 4]}})"));
        QCOMPARE(s.runs.size(), std::size_t(12));
        QCOMPARE(s.paths,
                 (std::vector<std::string>{"time.dt_ms", "doses.drug", "doses.times_cmax"}));
        QCOMPARE(differences(s, s.runs[4]), (std::vector<Setting>{{"time.dt_ms", "0.02"},
                                                                  {"doses.drug", "\"x\""},
                                                                  {"doses.times_cmax", "1.0"}}));
        QCOMPARE(setting_of(s.runs[6], "time.dt_ms"), std::string("0.01"));
        const auto drug = session_of(s, s.runs[5]).drugs.at(0);
        QCOMPARE(drug.name, std::string("x, 40 nM"));
        QCOMPARE(drug.factors.size(), std::size_t(1));
        QCOMPARE(drug.factors[0].second, 0.2); // 1 / (1 + 2^2)
        const auto none = session_of(s, s.runs[0]).drugs.at(0);
        for (const auto& [parameter, factor] : none.factors)
            QCOMPARE(factor, 1.0); // none is given
        QCOMPARE(known_drugs().size(), std::size_t(12));
        for (const auto& d : known_drugs())
            for (const auto& b : d.blocks) {
                QVERIFY(d.cmax_nM > 0);
                QVERIFY(std::abs(left_of(b, b.ic50_nM) - 0.5) < 1e-12);
            }
    }

    /// The more of the rapid delayed rectifier is blocked, the longer the action potential.
    void aBlockerLengthensTheActionPotential()
    {
        const auto out = path("dosed");
        const auto r =
            run_cli({"study", "run", written("dosed.json", R"({"schema": 1, "session": "strip.json",
            "doses": {"drugs": [{"name": "x", "blocks": {"g_Kr": {"ic50_nM": 10}}}],
            "concentration_nM": [0, 10, 90]}, "keep": []})"),
                     "--out", out, "--devices", "cpu", "--set", "time.end_ms=420"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto rows = lasting(out);
        QCOMPARE(rows.size(), 4);
        const auto apd = rows[0].indexOf("apd90_ms.median"),
                   left = rows[0].indexOf("dose.left.g_Kr");
        QVERIFY(apd > 0 && left > 0);
        QCOMPARE(rows[1][left].toDouble(), 1.0);
        QCOMPARE(rows[2][left].toDouble(), 0.5);
        QCOMPARE(rows[3][left].toDouble(), 0.1);
        QVERIFY(rows[2][apd].toDouble() > rows[1][apd].toDouble() + 5);
        QVERIFY(rows[3][apd].toDouble() > rows[2][apd].toDouble() + 5);
    }

    /// At C_max dofetilide lengthens the action potential most, then ranolazine; verapamil, which
    /// blocks calcium as well, by little; diltiazem, a blocker of calcium, shortens it. Of the
    /// first three the order is that of QTc in people (Johannesen et al., Clin Pharmacol Ther
    /// 96:549, 2014); for block of calcium see Zemzemi and Rodriguez, Europace 17:1577 (2015).
    void drugsHaveTheirPublishedSignAndOrder()
    {
        const auto file = written("drugs.json", R"({"schema": 1, "session": {"schema": 1,
            "mesh": {"slab_mm": [0.5, 0.5, 0.5], "spacing_mm": 0.5},
            "tissue": {"regions": [{"label": "*", "model": "ohara_rudy_2011_tissue",
              "variant": "endo", "conductivity_S_per_m": {"fibre": 0.3, "sheet": 0.3,
              "normal": 0.3}}]},
            "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "rush_larsen"},
            "time": {"dt_ms": 0.02, "end_ms": 700}, "stimuli": [{"name": "all",
              "region": {"box_mm": [[0, 0, 0], [0.5, 0.5, 0.5]]}, "start_ms": 0,
              "duration_ms": 1, "amplitude_pA_per_pF": 60}]},
            "doses": {"drugs": ["dofetilide", "ranolazine", "verapamil", "diltiazem"],
              "times_cmax": [0, 0.25, 1]}, "keep": []})");
        const auto out = path("drugs");
        const auto r = run_cli({"study", "run", file, "--out", out, "--devices", "cpu"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto rows = lasting(out);
        QCOMPARE(rows.size(), 13);
        const auto at = rows[0].indexOf("apd90_ms.median");
        const auto change = [&](int drug, int dose) { // of APD90 [ms]
            return rows[1 + 3 * drug + dose][at].toDouble() - rows[1 + 3 * drug][at].toDouble();
        };
        QVERIFY(rows[1][at].toDouble() > 200);
        for (int drug = 0; drug < 3; ++drug)
            QVERIFY(change(drug, 2) > change(drug, 1) && change(drug, 1) > 0);
        QVERIFY(change(3, 2) < change(3, 1) && change(3, 1) < 0);
        QVERIFY(change(0, 2) > 2 * change(1, 2) && change(1, 2) > 2 * change(2, 2));
    }

    void partsShareTheRuns()
    {
        const auto file = speeds(), out = path("parts");
        QCOMPARE(run_cli({"study", "run", file, "--out", out, "--part", "2/2"}).status, 0);
        {
            const Ledger ledger(out + "/study.sqlite", false);
            for (const auto& row : ledger.rows())
                QCOMPARE(row.state, row.number % 2 ? State::done : State::planned);
        }
        QCOMPARE(run_cli({"study", "run", file, "--out", out, "--part", "1/2"}).status, 0);
        QCOMPARE(lasting(out), lasting(path("whole")));
        QCOMPARE(run_cli({"study", "run", file, "--part", "3/2"}).status, 2);
    }

    /// Two programs at once, of which one is killed again and again.
    void killedStudiesGoOn()
    {
        const auto file = speeds(), out = path("killed");
        const QStringList command{"study",
                                  "run",
                                  QString::fromStdString(file),
                                  "--out",
                                  QString::fromStdString(out),
                                  "--devices",
                                  "cpu",
                                  "--set",
                                  "time.end_ms=400"};
        const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");
        int killed = 0;
        for (const int ms : {150, 250, 400}) {
            QProcess p;
            p.start(program, command);
            if (!p.waitForFinished(ms)) {
                p.kill();
                QVERIFY(p.waitForFinished());
                ++killed;
            }
        }
        QProcess a, b;
        a.start(program, command);
        b.start(program, command);
        QVERIFY(a.waitForFinished(120000) && b.waitForFinished(120000));
        QVERIFY2(a.exitCode() == 0 && b.exitCode() == 0,
                 (a.readAllStandardError() + b.readAllStandardError()).constData());
        qInfo("killed %d times", killed);
        QCOMPARE(run_cli({"study", "run", file, "--out", path("long"), "--devices", "cpu", "--set",
                          "time.end_ms=400"})
                     .status,
                 0);
        QCOMPARE(lasting(out), lasting(path("long")));
    }

    void whatFailsIsNamedAndTheRestIsDone()
    {
        const auto file = written("fails.json", R"({"schema": 1, "session": "strip.json",
            "axes": {"stimuli.0.amplitude_pA_per_pF": [60, 1e6, 80]}, "keep": []})");
        const auto out = path("fails");
        const auto r = run_cli({"study", "run", file, "--out", out});
        QCOMPARE(r.status, 5);
        QVERIFY2(r.err.find("warning: run-1 failed: ") != std::string::npos, r.err.c_str());
        QVERIFY(r.out.find("run-1 failed: ") != std::string::npos);
        QVERIFY(r.out.find("2 of 3 runs done") != std::string::npos);
        QVERIFY(!std::filesystem::exists(out + "/run-0/activation.csv")); // not kept
        QVERIFY(std::filesystem::exists(out + "/run-0/report.json"));
        QCOMPARE(run_cli({"study", "run", file, "--out", out}).status, 5); // not tried again
        const auto status = run_cli({"study", "status", out});
        QCOMPARE(status.status, 0);
        QVERIFY(status.out.find("2 done, 0 running, 1 failed, 0 planned") != std::string::npos);
        QCOMPARE(run_cli({"study", "status", path("nowhere")}).status, 2);
    }

    void runsOfProgramsThatEndedAreFree()
    {
        Study s;
        s.name = "s", s.digest = "d";
        for (int k = 0; k < 3; ++k)
            s.runs.push_back({k, "run-" + std::to_string(k), {}});
        const auto file = path("free.sqlite");
        Ledger a(file, true), b(file, false);
        a.plan(s);
        b.plan(s);
        const auto me = this_owner();
        QCOMPARE(a.take(me, {}), std::optional<std::int64_t>(0));
        QCOMPARE(b.take("elsewhere:1:1", {}), std::optional<std::int64_t>(1));
        // this host's, with a number that no process has had since
        const auto gone = me.substr(0, me.find(':')) + ":" + std::to_string(1 << 22) + ":1";
        QCOMPARE(b.take(gone, {}), std::optional<std::int64_t>(2));
        QCOMPARE(a.take(me, {}), std::optional<std::int64_t>(2)); // at once
        QCOMPARE(a.take(me, {}), std::optional<std::int64_t>());
        // one of another host when it has been silent
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
        QCOMPARE(sqlite3_exec(db, "UPDATE runs SET heartbeat = heartbeat - 61 WHERE number = 1",
                              nullptr, nullptr, nullptr),
                 SQLITE_OK);
        sqlite3_close(db);
        QCOMPARE(a.take(me, {}), std::optional<std::int64_t>(1));
        a.done(1, 2.5, {{"apd90_ms.median", 280}}, {});
        a.failed(0, 1, "too hot");
        const auto rows = b.rows();
        QCOMPARE(rows[1].results.at("apd90_ms.median"), 280.0);
        QCOMPARE(rows[0].reason, std::string("too hot"));
        QCOMPARE(b.plan_failed_again(), std::int64_t(1));
        QCOMPARE(b.take(me, {}), std::optional<std::int64_t>(0));
    }

    void aStopLeavesRunsFree()
    {
        const auto s = read_study(speeds());
        std::stop_source stop;
        StudyOptions o;
        o.out = path("stopped");
        o.device.devices = "cpu";
        o.notice = [&](const Notice&) { stop.request_stop(); };
        Progress p;
        p.stop = stop.get_token();
        QVERIFY_THROWS_EXCEPTION(Cancelled, run_study(s, o, p));
        const Ledger ledger(o.out / "study.sqlite", false);
        const auto rows = ledger.rows();
        QVERIFY(std::none_of(rows.begin(), rows.end(),
                             [](const auto& r) { return r.state == State::running; }));
        QVERIFY(std::any_of(rows.begin(), rows.end(),
                            [](const auto& r) { return r.state == State::planned; }));
    }

    /// Each number of runs at once has a study of its own, computed whole.
    void studiesAreTimed()
    {
        const auto out = path("timed");
        const auto r = run_cli({"bench", "study", speeds(), "--at-once", "1,2", "--out", out,
                                "--devices", "cpu", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto o = QJsonDocument::fromJson(QByteArray::fromStdString(r.out)).object();
        const auto cases = o["cases"].toArray();
        QCOMPARE(cases.size(), 2);
        for (int k = 0; k < 2; ++k) {
            const auto c = cases[k].toObject();
            QCOMPARE(c["at_once"].toInt(), k + 1);
            QCOMPARE(c["runs"].toInt(), 6);
            const double seconds = c["seconds"].toDouble();
            QVERIFY(seconds > 0 && std::abs(c["runs_per_s"].toDouble() * seconds - 6) < 1e-9);
        }
        QCOMPARE(lasting(out + "/at-once-1"), lasting(out + "/at-once-2"));
        QCOMPARE(lasting(out + "/at-once-2").size(), 7);
        // what is there already was not computed now
        const auto again = run_cli({"bench", "study", "--out", out});
        QCOMPARE(again.status, 2);
        QVERIFY2(again.err.find("exists") != std::string::npos, again.err.c_str());
    }

    void slotsFollowTheMachine()
    {
        StudyOptions o;
        o.device.devices = "cpu";
        QCOMPARE(slots_of(o, 8, 0, 1).size(), std::size_t(8));
        o.device.threads = 3;
        QCOMPARE(slots_of(o, 8, 0, 1).size(), std::size_t(2));
        QCOMPARE(slots_of(o, 8, 1, 2).size(), std::size_t(1));
        o.device.devices = "cuda:0,2,5";
        const auto gpus = slots_of(o, 8, 1, 2);
        QCOMPARE(gpus.size(), std::size_t(2)); // two at once on the second one
        QCOMPARE(gpus[0].devices.text(), std::string("cuda:2"));
        QCOMPARE(slots_of(o, 8, 4, 5)[0].devices.text(), std::string("cuda:2"));
    }
};

QTEST_GUILESS_MAIN(TestStudy)
#include "test_study.moc"
