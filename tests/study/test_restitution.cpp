// SPDX-License-Identifier: GPL-3.0-or-later
// Studies of restitution: what their files say, slopes, and beats that are those of runs of their
// own.
#include "engine/cli/cli.hpp"
#include "engine/study/restitution_record.hpp"
#include "engine/study/study.hpp"
#include "tests/slowdown.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tawara;
using namespace tawara::study;

namespace {

const QByteArray strand =
    R"({"schema": 1, "name": "strand", "mesh": {"slab_mm": [12, 1, 1], "spacing_mm": 1},
 "tissue": {"regions": [{"label": "*", "model": "aliev_panfilov_1996", "parameters": {"t_unit": 3},
  "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2}}]},
 "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "forward_euler"},
 "time": {"dt_ms": 0.1, "end_ms": 10},
 "stimuli": [{"name": "other", "region": {"box_mm": [[9, 0, 0], [12, 1, 1]]}, "start_ms": 0, "duration_ms": 2,
   "amplitude_pA_per_pF": 60},
  {"name": "end", "region": {"box_mm": [[0, 0, 0], [2, 1, 1]]}, "start_ms": 50, "duration_ms": 2,
   "amplitude_pA_per_pF": 60}],
 "probes": [{"name": "near", "position_mm": [4, 0, 0]}, {"name": "far", "position_mm": [9, 0, 0]}]})";

const QByteArray protocols =
    R"("restitution": {"stimulus": "end", "s1s2": {"cycle_ms": 400, "count": 3,
  "couplings_ms": [400, 300, 200, 160, 145, 130, 60]}, "dynamic": {"count": 8,
  "cycles_ms": [400, 300, 240, 200, 160, 130, 100, 60, 50]}})";

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

using Row = std::map<QByteArray, QByteArray>;

/// Rows of a table by the names of its columns.
std::vector<Row> rows_of(const std::string& file)
{
    std::vector<Row> out;
    const auto lines = content(file).trimmed().split('\n');
    const auto head = lines.value(0).split(',');
    for (qsizetype r = 1; r < lines.size(); ++r) {
        auto& row = out.emplace_back();
        const auto cells = lines[r].split(',');
        for (qsizetype c = 0; c < head.size(); ++c)
            row[head[c]] = cells.value(c);
    }
    return out;
}

/// The beat that a pulse made at a probe, in beats.csv of a run.
Row beat_of(const std::vector<Row>& beats, const QByteArray& probe, double pulse_ms)
{
    for (const auto& b : beats)
        if (b.at("probe") == probe && !b.at("pulse_ms").isEmpty() &&
            std::abs(b.at("pulse_ms").toDouble() - pulse_ms) < 1e-3)
            return b;
    return {};
}

/// As far as seven digits say.
bool same(const QByteArray& a, const QByteArray& b)
{
    return !a.isEmpty() && !b.isEmpty() && std::abs(a.toDouble() - b.toDouble()) < 1e-3;
}

} // namespace

class TestRestitution : public QObject
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
    std::string study(const char* name, const QByteArray& keys) const
    {
        return written(name, R"({"schema": 1, "session": "strand.json", )" + keys + "}");
    }
    /// The strand with other pulses, as a run of its own.
    std::vector<Row> direct(const QByteArray& protocol, double end_ms) const
    {
        auto o = nlohmann::json::parse(strand.toStdString());
        o["time"]["end_ms"] = end_ms;
        auto end = o["stimuli"][1];
        end["start_ms"] = 0;
        end["protocol"] = nlohmann::json::parse(protocol.toStdString());
        o["stimuli"] = nlohmann::json::array({end});
        const auto file = written("direct.json", QByteArray::fromStdString(o.dump()));
        const auto r = run_cli({"run", file, "--out", path("direct"), "--devices", "cpu"});
        if (r.status != 0)
            qFatal("%s", r.err.c_str());
        return rows_of(path("direct") + "/beats.csv");
    }

  private Q_SLOTS:
    void initTestCase() { written("strand.json", strand); }

    void protocolsMakeRuns()
    {
        const auto s = read_study(study("both.json", R"("axes": {"time.dt_ms": [0.1, 0.05]},
            "restitution": {"stimulus": 1, "s1s2": {"couplings_ms": [300, 400]},
            "dynamic": {"cycles_ms": {"from_ms": 450, "to_ms": 400, "step_ms": 20}}})"));
        QCOMPARE(s.runs.size(), std::size_t(4));
        QCOMPARE(s.paths, (std::vector<std::string>{"time.dt_ms", protocol_path}));
        QCOMPARE(differences(s, s.runs[3]),
                 (std::vector<Setting>{{"time.dt_ms", "0.05"}, {protocol_path, "\"dynamic\""}}));
        QCOMPARE(s.restitution->s1s2->couplings_ms, (std::vector<double>{300, 400}));
        QCOMPARE(s.restitution->dynamic->cycles_ms, (std::vector<double>{450, 430, 410}));
        const auto pulse = pulse_of(session_of(s, s.runs[0]), *s.restitution, s.file);
        QCOMPARE(pulse.name, std::string("end"));
        QCOMPARE(pulse.start_ms, 0.0);
        // other intervals are another study
        const auto t = read_study(study("both.json", R"("axes": {"time.dt_ms": [0.1, 0.05]},
            "restitution": {"stimulus": 1, "s1s2": {"couplings_ms": [301, 400]},
            "dynamic": {"cycles_ms": {"from_ms": 450, "to_ms": 400, "step_ms": 20}}})"));
        QVERIFY(s.digest != t.digest);
    }

    void wrongKeysAreSaid_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* keys, const char* says) {
            QTest::newRow(name) << QByteArray(keys) << QString(says);
        };
        row("none", R"("restitution": {})", "/restitution: wants s1s2 or dynamic");
        row("key", R"("restitution": {"s1s3": {}})",
            "/restitution/s1s3: unknown key; the nearest known is 's1s2'");
        row("list", R"("restitution": {"s1s2": {}})",
            "/restitution/s1s2/couplings_ms: is missing: a list of intervals");
        row("value", R"("restitution": {"dynamic": {"cycles_ms": [300, "a"]}})",
            "/restitution/dynamic/cycles_ms/1: \"a\" must be a number from 20 to 10000 ms");
        row("range", R"("restitution": {"dynamic": {"cycles_ms": {"from_ms": 300}}})",
            "/restitution/dynamic/cycles_ms/to_ms: is missing");
        row("order", R"("restitution": {"dynamic": {"cycles_ms": [300, 400]}})",
            "/restitution/dynamic/cycles_ms: must become shorter from one to the next");
        row("count", R"("restitution": {"dynamic": {"cycles_ms": [300], "count": 4}})",
            "/restitution/dynamic/count: 4 must be a whole number from 5 to 10000");
        row("stimulus", R"("restitution": {"stimulus": 2, "dynamic": {"cycles_ms": [300]}})",
            "/restitution/stimulus: 2 is none of the session's 2 stimuli");
        row("name", R"("restitution": {"stimulus": "top", "dynamic": {"cycles_ms": [300]}})",
            "/restitution/stimulus: 'top' is none of the session's 2 stimuli");
        row("both", R"("induction": {}, "restitution": {"dynamic": {"cycles_ms": [300]}})",
            "/restitution: goes not with induction");
    }
    void wrongKeysAreSaid()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, says);
        const auto r = run_cli({"study", "run", study("wrong.json", keys), "--out", path("wrong")});
        QCOMPARE(r.status, 2);
        QVERIFY2(QString::fromStdString(r.err).contains(says), r.err.c_str());
        QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), std::ptrdiff_t(1));
    }

    /// APD90 = 300 - 120 exp(-DI / 50): its slope is 2.4 exp(-DI / 50), 1 at 43.8 ms.
    void slopesAreOfTheCurve()
    {
        std::vector<RestitutionBeat> beats;
        for (double di = 200; di >= 20; di -= 5) {
            RestitutionBeat b;
            b.probe = "p";
            b.interval_ms = di + 300;
            b.captured = true;
            b.diastolic_ms = b.first_diastolic_ms = di;
            b.apd90_ms = 300 - 120 * std::exp(-di / 50);
            b.velocity_m_per_s = 0.5 + 1e-3 * di;
            beats.push_back(b);
        }
        const auto s = summary_of(beats, "p");
        QCOMPARE(s.beats, std::size_t(37));
        QCOMPARE(s.slope_at_ms, 40.0); // of the window from 20 to 60
        QVERIFY2(std::abs(s.slope / (2.4 * std::exp(-40 / 50.0)) - 1) < 0.03,
                 qPrintable(QString::number(s.slope)));
        QVERIFY(std::abs(s.slope_1_ms - 43.8) < 2);
        QVERIFY(std::abs(s.velocity_slope - 0.1) < 1e-9);
        // windows need three points, of which the outer ones are half a window apart
        QVERIFY(sliding_slopes({{0, 1}, {30, 2}}).empty());
        QVERIFY(sliding_slopes({{0, 1}, {5, 2}, {10, 3}}).empty());
        const auto line = sliding_slopes({{0, 1}, {20, 2}, {40, 3}, {100, 9}});
        QCOMPARE(line.size(), std::size_t(1));
        QVERIFY(std::abs(line[0].second - 0.05) < 1e-12 && line[0].first == 20);
    }

    /// A record of 100 MB has half a million beats. Each was compared with all others.
    void manyBeatsEndSoon()
    {
        constexpr int count = 200'000;
        std::vector<RestitutionBeat> of_one, of_many;
        for (int k = 0; k < count; ++k) {
            RestitutionBeat b;
            b.interval_ms = 300 + 1e-3 * k;
            b.captured = k % 2 == 0;
            b.diastolic_ms = b.first_diastolic_ms = 4e-3 * k;
            b.apd90_ms = 200 + 0.5 * b.diastolic_ms;
            b.velocity_m_per_s = 0.5;
            of_one.push_back(b);
            b.probe = std::to_string(k % (count / 2));
            of_many.push_back(b);
        }
        QElapsedTimer clock;
        clock.start();
        const auto s = summary_of(of_one, "");
        QVERIFY2(std::abs(s.slope - 0.5) < 1e-6, qPrintable(QString::number(s.slope)));
        QCOMPARE(s.shortest_ms, 300.0);
        QCOMPARE(s.beats, std::size_t(count / 2));
        const auto probes = by_probe(of_many);
        QCOMPARE(probes.size(), std::size_t(count / 2));
        for (const auto& beats : probes) {
            const auto of_probe = summary_of(beats, beats.front().probe);
            QCOMPARE(of_probe.beats + of_probe.lost, std::size_t(2));
        }
        QVERIFY2(clock.elapsed() < 5000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
    }

    void beatsAreThoseOfRunsAlone()
    {
        const auto out = path("whole");
        const auto r = run_cli(
            {"study", "run", study("whole.json", protocols), "--out", out, "--devices", "cpu"});
        QVERIFY2(r.status == 0, (r.err + r.out).c_str());
        const auto rows = rows_of(out + "/restitution.csv");
        int compared = 0;
        for (const auto& row : rows) {
            if (row.at("restitution.protocol") != "s1s2")
                continue;
            const auto coupling = row.at("interval_ms");
            const auto beats = direct(R"({"kind": "s1s2", "cycle_ms": 400, "count": 3,
                "extra_ms": [)" + coupling +
                                          "]}",
                                      1400 + coupling.toDouble());
            const auto b = beat_of(beats, row.at("probe"), 800 + coupling.toDouble());
            QCOMPARE(row.at("captured") == "1", !b.empty());
            if (b.empty())
                continue;
            for (const char* of : {"diastolic_ms", "apd90_ms", "apd50_ms"})
                QVERIFY2(same(row.at(of), b.at(of)), (coupling + " " + of).constData());
            QVERIFY(same(
                QByteArray::number(b.at("activation_ms").toDouble() - b.at("pulse_ms").toDouble()),
                row.at("delay_ms")));
            ++compared;
        }
        QCOMPARE(compared, 12); // 60 ms is in the refractory period
        const auto page = content(out + "/report.html");
        QVERIFY(page.contains("largest slope") && page.contains("data:image/svg"));
        QVERIFY(!std::filesystem::exists(out + "/run-0/checkpoint-restitution.tcp"));
        QVERIFY(!std::filesystem::exists(out + "/run-1/beats.json"));
    }

    /// The last two of eight pulses at the second and the third cycle.
    void dynamicBeatsAreThoseOfARunAlone()
    {
        const auto rows = rows_of(path("whole") + "/restitution.csv");
        const double cycles[]{400, 300, 240};
        auto o = nlohmann::json::parse(strand.toStdString());
        auto end = o["stimuli"][1];
        o["stimuli"] = nlohmann::json::array();
        double start = 0;
        for (const double c : cycles) {
            end["start_ms"] = start;
            end["protocol"] = {{"kind", "train"}, {"cycle_ms", c}, {"count", 8}};
            o["stimuli"].push_back(end);
            start += 8 * c;
        }
        o["time"]["end_ms"] = start + 200;
        const auto file = written("trains.json", QByteArray::fromStdString(o.dump()));
        QCOMPARE(run_cli({"run", file, "--out", path("trains"), "--devices", "cpu"}).status, 0);
        const auto beats = rows_of(path("trains") + "/beats.csv");
        int compared = 0;
        for (const auto& row : rows) {
            const double cycle = row.at("interval_ms").toDouble();
            if (row.at("restitution.protocol") != "dynamic" || cycle < 240)
                continue;
            const double first = cycle == 400 ? 0 : cycle == 300 ? 3200 : 5600;
            const auto b =
                beat_of(beats, row.at("probe"), first + (5 + row.at("beat").toInt()) * cycle);
            QVERIFY2(!b.empty(), row.at("interval_ms").constData());
            for (const char* of : {"diastolic_ms", "apd90_ms"})
                QVERIFY2(same(row.at(of), b.at(of)), (row.at("interval_ms") + of).constData());
            ++compared;
        }
        QCOMPARE(compared, 12);
    }

    void itEndsAtBlock()
    {
        const auto rows = rows_of(path("whole") + "/restitution.csv");
        double shortest = 1000, block = 0, before = 0, velocity = 0;
        for (const auto& row : rows) {
            if (row.at("restitution.protocol") != "dynamic")
                continue;
            const double cycle = row.at("interval_ms").toDouble();
            if (row.at("captured") == "0")
                block = cycle;
            shortest = std::min(shortest, cycle);
            if (row.at("probe") != "far" || row.at("beat") != "2" || row.at("captured") == "0")
                continue;
            const double apd = row.at("apd90_ms").toDouble(),
                         v = row.at("velocity_m_per_s").toDouble();
            QVERIFY(before == 0 || block > 0 || (apd < before && v < velocity));
            QVERIFY(v > 0.1 && v < 2);
            before = apd, velocity = v;
        }
        QVERIFY(block > 0);
        QCOMPARE(block, shortest); // nothing is paced faster
        QCOMPARE(block, 60.0);
        const auto results = rows_of(path("whole") + "/results.csv");
        QCOMPARE(results.size(), std::size_t(2));
        QCOMPARE(results[0].at("restitution.block_ms").toDouble(), 60.0);
        QVERIFY(results[0].at("restitution.slope").toDouble() > 0.1);
        QCOMPARE(results[1].at("restitution.shortest_ms").toDouble(), 60.0); // at the first probe
    }

    void aKilledProtocolGoesOn()
    {
        const auto file = study("whole.json", protocols), out = path("killed");
        const auto begun = [&](QProcess& p, const std::string& folder) {
            p.start(QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli"),
                    {"study", "run", QString::fromStdString(file), "--out",
                     QString::fromStdString(folder), "--devices", "cpu"});
        };
        QProcess unharmed; // says how long it takes here
        QElapsedTimer clock;
        clock.start();
        begun(unharmed, path("unharmed"));
        QVERIFY(unharmed.waitForFinished(60000 * tawara::test::slowdown));
        const auto whole_ms = static_cast<int>(clock.elapsed());
        int killed = 0;
        for (const int percent : {30, 45, 60, 75}) {
            QProcess p;
            begun(p, out);
            if (!p.waitForFinished(whole_ms * percent / 100)) {
                p.kill();
                QVERIFY(p.waitForFinished());
                ++killed;
            }
        }
        qInfo("killed %d times", killed);
        QCOMPARE(run_cli({"study", "run", file, "--out", out, "--devices", "cpu"}).status, 0);
        QCOMPARE(content(out + "/restitution.csv"), content(path("unharmed") + "/restitution.csv"));
        QVERIFY(killed > 0);
    }

    /// Ten Tusscher and Panfilov's epicardial cell: its steepest slope is 1.1 (Am J Physiol
    /// 291:H1088, 2006), and APD90 alternates at the fastest cycles. A cell is a cube of
    /// tissue that fires as one.
    void theEpicardialCellHasItsPublishedSlope()
    {
        const auto file = written("cell.json", R"({"schema": 1, "session": {"schema": 1,
            "mesh": {"slab_mm": [0.5, 0.5, 0.5], "spacing_mm": 0.5},
            "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
              "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2}}]},
            "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "rush_larsen"},
            "time": {"dt_ms": 0.02, "end_ms": 1}, "stimuli": [{"name": "all",
              "region": {"box_mm": [[0, 0, 0], [0.5, 0.5, 0.5]]}, "start_ms": 0,
              "duration_ms": 1, "amplitude_pA_per_pF": 52}],
            "probes": [{"name": "cell", "position_mm": [0.25, 0.25, 0.25]}]},
            "restitution": {"dynamic": {"count": 20, "stop_at_alternans_ms": 30, "cycles_ms":
              [600, 400, 340, 310, 290, 270, 260, 250, 240, 235, 230, 225, 220]}}})");
        const auto out = path("cell");
        const auto r = run_cli({"study", "run", file, "--out", out, "--devices", "cpu"});
        QVERIFY2(r.status == 0, (r.err + r.out).c_str());
        const auto row = rows_of(out + "/results.csv").at(0);
        const double slope = row.at("restitution.slope").toDouble();
        QVERIFY2(slope > 0.95 && slope < 1.2, row.at("restitution.slope").constData());
        QVERIFY(row.at("restitution.alternans_ms").toDouble() >= 30);
        QVERIFY2(row.at("restitution.alternans_at_ms").toDouble() > 220, "it ends there");
        QVERIFY(row.at("restitution.diastolic_at_slope_1_ms").isEmpty() == (slope < 1));
    }

    void aTrainThatDoesNotCaptureIsSaid()
    {
        const auto r = run_cli({"study", "run", study("weak.json", R"("restitution": {
            "stimulus": 1, "s1s2": {"cycle_ms": 60, "count": 6, "couplings_ms": [300]}})"),
                                "--out", path("weak"), "--devices", "cpu"});
        QCOMPARE(r.status, 5);
        QVERIFY2(r.err.find("pulses S1 make no beat at the probe 'near'") != std::string::npos,
                 r.err.c_str());
    }
};

QTEST_GUILESS_MAIN(TestRestitution)
#include "test_restitution.moc"
