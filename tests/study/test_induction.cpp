// SPDX-License-Identifier: GPL-3.0-or-later
// Studies that search for inducible sites: a ring of tissue in which an early wave blocks on one
// side, comes around and back; the same without that side, and cut by a lesion.
#include "engine/analysis/reentry.hpp"
#include "engine/cli/cli.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"
#include "engine/study/heart_shelf.hpp"
#include "engine/study/induction.hpp"
#include "engine/study/lesion.hpp"
#include "engine/study/study.hpp"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

using namespace tawara;
using namespace tawara::study;

namespace {

/// 36 by 24 mm with a hole of 24 by 12; `slow` recovers later where its t_unit is larger.
const QByteArray ring =
    R"({"schema": 1, "name": "ring", "mesh": {"slab_mm": [36, 24, 1], "spacing_mm": 1},
 "tissue": {"regions": [
  {"label": "*", "model": "aliev_panfilov_1996", "parameters": {"t_unit": 3},
   "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2}},
  {"where": {"box_mm": [[6, 0, 0], [14, 6, 1]]}, "name": "slow", "parameters": {"t_unit": 3},
   "conductivity_scale": 1},
  {"where": {"box_mm": [[6, 6, 0], [30, 18, 1]]}, "name": "hole", "insulating": true}]},
 "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "forward_euler"},
 "time": {"dt_ms": 0.1, "end_ms": 10}})";

const QByteArray searched =
    R"("induction": {"sites": [{"name": "left", "position_mm": [1, 12, 0.5]}],
  "s1": {"cycle_ms": 400, "count": 2}, "extra": 2, "first_coupling_ms": 180, "decrement_ms": 10,
  "shortest_ms": 60, "sustained_ms": 1500, "stimulus": {"radius_mm": 3}})";

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

/// Rows of a table by the names of its columns.
std::vector<std::map<QByteArray, QByteArray>> rows_of(const std::string& file)
{
    std::vector<std::map<QByteArray, QByteArray>> out;
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

} // namespace

class TestInduction : public QObject
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
    /// The ring whose one side recovers late, and the even one; both cut where re-entry is induced.
    std::string rings() const
    {
        return written("rings.json", R"({"schema": 1, "name": "rings", "session": "ring.json",
            "axes": {"tissue.regions.1.parameters.t_unit": [6, 3]}, )" +
                                         searched + R"(, "ablation":
            {"points_mm": [[22, 0, 0.5], [22, 6, 0.5]], "radius_mm": 1.6}})");
    }

  private Q_SLOTS:
    void initTestCase() { written("ring.json", ring); }

    void sitesMakeRuns()
    {
        const auto s = read_study(written("aha.json", R"({"schema": 1, "session": "ring.json",
            "axes": {"time.dt_ms": [0.1, 0.05]}, "induction": {}})"));
        QCOMPARE(s.runs.size(), std::size_t(34));
        QCOMPARE(s.paths, (std::vector<std::string>{"time.dt_ms", site_path}));
        QCOMPARE(setting_of(s.runs[16], "time.dt_ms"), std::string("0.1"));
        QCOMPARE(setting_of(s.runs[17], "time.dt_ms"), std::string("0.05"));
        QCOMPARE(s.induction->sites[*s.runs[18].site].name, std::string("AHA 2"));
        QCOMPARE(differences(s, s.runs[16]).back(), Setting(site_path, "\"AHA 17\""));
        QCOMPARE(s.induction->count, 6);
        QCOMPARE(s.induction->sustained_ms, 2000.0);
        // another search is another study
        const auto t = read_study(written("aha.json", R"({"schema": 1, "session": "ring.json",
            "axes": {"time.dt_ms": [0.1, 0.05]}, "induction": {"extra": 2}})"));
        QVERIFY(s.digest != t.digest);
    }

    void aHeartIsBuiltOnceForAllRuns()
    {
        auto session = simulation::parse_session(ring.toStdString(), "ring.json");
        HeartShelf hearts(2);
        std::array<std::shared_ptr<const Heart>, 3> asked;
        {
            std::vector<std::jthread> runs;
            for (auto& a : asked)
                runs.emplace_back([&] { a = hearts.heart(session, {}); });
        }
        QVERIFY(asked[0] != nullptr);
        QVERIFY(asked[1] == asked[0] && asked[2] == asked[0]);
        session.regions[0].conductivity_scale = {2, 2, 2};
        const auto other = hearts.heart(session, {});
        QVERIFY(other != asked[0]);
        QVERIFY(hearts.heart(session, {}) == other);
        // what was not built to its end is built anew
        session.regions[0].conductivity_scale = {3, 3, 3};
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, hearts.heart(session, Progress{{}, stop.get_token()}));
        QVERIFY(hearts.heart(session, {}) != nullptr);
    }

    /// A mesh's own numbers may be of more than a left ventricle. A report that named one of these
    /// would be refused when its study's page is made.
    void numbersOfAMeshAreSegmentsUpTo17()
    {
        const auto slab = mesh::slab({2, 1, 1}, 1);
        std::vector<float> numbers(slab.tetrahedron_count(), 18);
        numbers[0] = 17, numbers[1] = 1, numbers[2] = 0, numbers[3] = -3;
        const auto file = dir_.filePath("numbered.vtu");
        mesh::io::write_vtu(slab, {{"aha_segment", mesh::Field::On::tetrahedra, numbers}},
                            file.toStdString());
        const auto text = "{\"schema\": 1, \"name\": \"numbered\", \"mesh\": {\"file\": \"" + file +
                          "\", \"length_unit\": \"mm\"}, \"tissue\": {\"regions\": [{\"label\": "
                          "\"*\", \"model\": \"aliev_panfilov_1996\", \"conductivity_S_per_m\": "
                          "{\"fibre\": 0.2, \"sheet\": 0.2, \"normal\": 0.2}}]}, \"diffusion\": "
                          "{\"scheme\": \"p1\"}, \"time\": {\"dt_ms\": 0.02, \"end_ms\": 1}}";
        const Heart heart(simulation::parse_session(text.toStdString(), "numbered.json"), {});
        for (std::size_t t = 0; t < numbers.size(); ++t)
            QCOMPARE(heart.segment_at(slab.centroid(t)), t == 0 ? 17 : t == 1 ? 1 : 0);
    }

    void wrongSearchesAreSaid_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* keys, const char* says) {
            QTest::newRow(name) << QByteArray(keys) << QString(says);
        };
        row("key", R"("induction": {"site": "aha"})",
            "/induction/site: unknown key; the nearest known is 'sites'");
        row("sites", R"("induction": {"sites": "all"})", "/induction/sites: must be \"aha\"");
        row("segment", R"("induction": {"sites": [18]})",
            "/induction/sites/0: 18 must be an AHA segment from 1 to 17");
        row("twice", R"("induction": {"sites": [3, 3]})", "'AHA 3' is there twice");
        row("count", R"("induction": {"s1": {"count": 0}})",
            "/induction/s1/count: 0 must be a whole number from 1");
        row("first", R"("induction": {"first_coupling_ms": 100})",
            "must be at least shortest_ms, 150");
        row("cycle", R"("induction": {"s1": {"cycle_ms": 200}})",
            "must be at most s1.cycle_ms, 200");
        row("number", R"("induction": {"decrement_ms": "a"})",
            "/induction/decrement_ms: \"a\" must be a number from 0.1 to 1000 ms");
        row("alone", R"("ablation": {"label": 1})", "/ablation: wants induction");
        row("what", R"("induction": {}, "ablation": {})", "wants one of points_mm");
        row("depth", R"("induction": {}, "ablation": {"points_mm": [[0,0,0]], "depth_mm": "deep"})",
            "must be \"transmural\" or a depth in mm");
        row("point", R"("induction": {}, "ablation": {"points_mm": [[0,0]]})",
            "/ablation/points_mm/0: [0,0] must be [x, y, z]");
    }
    void wrongSearchesAreSaid()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, says);
        const auto file =
            written("wrong.json", R"({"schema": 1, "session": "ring.json", )" + keys + "}");
        const auto r = run_cli({"study", "run", file, "--out", path("wrong")});
        QCOMPARE(r.status, 2);
        QVERIFY2(QString::fromStdString(r.err).contains(says), r.err.c_str());
        QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), std::ptrdiff_t(1));
    }

    void aRegularTurnIsMonomorphic()
    {
        // A wave runs around a circle of 100 mm in 200 ms, and through its last tenth in half of
        // that time.
        constexpr int places = 100;
        constexpr double cycle = 200, pi = 3.14159265358979;
        std::vector<Vec3> at;
        std::vector<analysis::Activation> events;
        const std::vector<double> volume(places, 1.0);
        for (int p = 0; p < places; ++p) {
            const double a = 2 * pi * p / places;
            at.push_back({16 * std::cos(a), 16 * std::sin(a), 0});
        }
        const auto fill = [&](double jitter) {
            events.clear();
            for (int turn = 0; turn < 6; ++turn)
                for (int p = 0; p < places; ++p) {
                    const double part = p < 90 ? p / 180.0 : 0.5 + (p - 90) / 20.0;
                    const double t = cycle * (turn + part) + (turn % 2 ? jitter : 0);
                    events.push_back({p, static_cast<float>(t)});
                }
        };
        fill(0);
        const auto r = analysis::describe_reentry({events, at, volume}, 0, 1200);
        QVERIFY(r.monomorphic);
        QVERIFY(std::abs(r.cycle_length_ms - cycle) < 0.01);
        QVERIFY(r.variability < 1e-3);
        QVERIFY(r.slow_channel);
        QVERIFY2(norm(r.channel_mm - at[95]) < 6, "the slow tenth");
        QVERIFY2(norm(r.exit_mm - at[0]) < 12, "where the slow tenth ends");
        fill(40);
        const auto other = analysis::describe_reentry({events, at, volume}, 0, 1200);
        QVERIFY(!other.monomorphic);
        QVERIFY(other.variability > 0.3);
        QCOMPARE(analysis::describe_reentry({{}, at, volume}, 0, 1200).cycle_length_ms, 0.0);
    }

    void activationsAreCrossings()
    {
        analysis::ActivationLog log;
        log.begin();
        const std::vector<std::array<double, 2>> v{{0, -80}, {0, -60}, {-80, 20}, {-80, -30},
                                                   {20, 20}, {0, -80}, {0, 0}};
        for (std::size_t k = 0; k < v.size(); ++k)
            log.sample(static_cast<double>(k), v[k]);
        QCOMPARE(log.counts()[0], 1); // it began up; that was no activation
        QCOMPARE(log.counts()[1], 2); // a dip to -30 is none either
        QCOMPARE(log.all()[0].place, 1);
        QCOMPARE(log.all()[0].time_ms, 1.5F); // half way from -60 to 20
        QCOMPARE(log.highest_mV(), 0.0F);
    }

    void aLesionGoesThroughTheWall()
    {
        const auto s = simulation::parse_session(ring.toStdString(), "ring.json");
        const auto t = build_tissue(s);
        QList<double> across;
        const auto burnt = [&](std::optional<double> depth) {
            Ablation a;
            a.points_mm = {{22, 0, 1}, {22, 6, 1}};
            a.radius_mm = 1.6;
            a.depth_mm = depth;
            const auto with = with_lesion(s, t, a, "s.json");
            QList<double> z;
            across = {};
            for (const auto k :
                 std::get<simulation::Tetrahedra>(*with.regions.back().where).tetrahedra) {
                const auto at = t.mesh->centroid(static_cast<std::size_t>(k));
                z << at[2];
                across << at[0] - 22;
            }
            return z;
        };
        const auto all = burnt({});
        QVERIFY(std::ranges::min(all) < 0.4 && std::ranges::max(all) > 0.6);
        // the line runs along y, so that the radius is how far the lesion goes along x
        QVERIFY(std::ranges::min(across) >= -1.6 && std::ranges::max(across) <= 1.6);
        QVERIFY(std::ranges::min(across) < -1.2 && std::ranges::max(across) > 1.2);
        const auto shallow = burnt(0.5);
        QVERIFY(shallow.size() < all.size() && std::ranges::min(shallow) > 0.4);
        Ablation off;
        off.points_mm = {{22, -9, 0.5}};
        QVERIFY_THROWS_EXCEPTION(InputError, with_lesion(s, t, off, "s.json"));
        Ablation label;
        label.label = 77;
        QVERIFY_THROWS_EXCEPTION(InputError, with_lesion(s, t, label, "s.json"));
    }

    void reentryIsInducedAndAblated()
    {
        const auto out = path("whole");
        const auto r = run_cli({"study", "run", rings(), "--out", out, "--devices", "cpu"});
        QVERIFY2(r.status == 0, (r.err + r.out).c_str());
        const auto rows = rows_of(out + "/induction.csv");
        QCOMPARE(rows.size(), std::size_t(2));
        auto late = rows[0], even = rows[1];
        QCOMPARE(late["tissue.regions.1.parameters.t_unit"], QByteArray("6"));
        QCOMPARE(late["outcome"], QByteArray("sustained"));
        QCOMPARE(late["class"], QByteArray("monomorphic"));
        QCOMPARE(late["core"], QByteArray("obstacle"));
        const Vec3 core{late["core_x_mm"].toDouble(), late["core_y_mm"].toDouble(), 0.5};
        QVERIFY2(norm(core - Vec3{18, 12, 0.5}) < 6, "the hole");
        QVERIFY(late["duration_ms"].toDouble() > 1300);
        QVERIFY(late["cycle_length_ms"].toDouble() > 60);
        QCOMPARE(late["after_outcome"], QByteArray("none"));
        QCOMPARE(even["outcome"], QByteArray("none"));
        QVERIFY(even["after_outcome"].isEmpty());
        const auto page = content(out + "/run-0/report.html");
        QVERIFY(page.contains("data:image/svg") && page.contains("After ablation"));
        QVERIFY(content(out + "/report.html").contains("1 of 2"));
        QVERIFY(!std::filesystem::exists(out + "/run-0/search.json"));
        QVERIFY(!std::filesystem::exists(out + "/run-0/checkpoint-s1.tcp"));
        // reports name the mesh: that of both runs is the same, and another is not
        auto session = simulation::parse_session(ring.toStdString(), "ring.json");
        const auto digest = simulation::mesh_sha256(*simulation::build_tissue(session).mesh);
        for (const char* run : {"/run-0/report.json", "/run-1/report.json"})
            QCOMPARE(nlohmann::json::parse(content(out + run).toStdString()).at("mesh_sha256"),
                     digest);
        std::get<simulation::MeshSlab>(session.mesh).spacing_mm = 2;
        QVERIFY(simulation::mesh_sha256(*simulation::build_tissue(session).mesh) != digest);
    }

    /// The same site as a session's protocol, which finds its refractory period by itself.
    void theShortestCouplingIsAStepAboveTheRefractoryPeriod()
    {
        const auto rows = rows_of(path("whole") + "/induction.csv");
        QCOMPARE(rows.size(), std::size_t(2));
        auto even = rows[1];
        const double shortest = even["s2_shortest_ms"].toDouble();
        QVERIFY(shortest > 60 && shortest < 180);
        const auto at = QByteArray::number(shortest), before = QByteArray::number(shortest - 10);
        for (const auto& [coupling, captures] : {std::pair(at, true), std::pair(before, false)}) {
            auto o = nlohmann::json::parse(ring.toStdString());
            o["time"]["end_ms"] = 700;
            o["stimuli"] = nlohmann::json::parse(
                R"([{"name": "left", "region": {"sphere_mm": {"centre": [1, 12, 0.5], "radius": 3}},
                "duration_ms": 2, "amplitude_pA_per_pF": 60, "protocol": {"kind": "s1s2",
                "cycle_ms": 400, "count": 2, "extra_ms": []}}])");
            o["stimuli"][0]["protocol"]["extra_ms"] = {coupling.toDouble()};
            const auto file = written("protocol.json", QByteArray::fromStdString(o.dump()));
            const auto r = run_cli({"run", file, "--out", path("protocol"), "--devices", "cpu"});
            QVERIFY2(r.status == 0, r.err.c_str());
            const auto report =
                nlohmann::json::parse(content(path("protocol") + "/report.json").toStdString());
            const auto& s2 = report.at("pulses").back();
            QCOMPARE(s2.at("kind"), "S2");
            QCOMPARE(s2.at("captured").get<bool>(), captures);
        }
    }

    void aKilledSearchGoesOn()
    {
        const auto file = rings(), out = path("killed");
        const QStringList command{
            "study",     "run", QString::fromStdString(file), "--out", QString::fromStdString(out),
            "--devices", "cpu"};
        const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");
        int killed = 0;
        for (const int ms : {700, 1200, 1500}) {
            QProcess p;
            p.start(program, command);
            if (!p.waitForFinished(ms)) {
                p.kill();
                QVERIFY(p.waitForFinished());
                ++killed;
            }
        }
        qInfo("killed %d times", killed);
        QCOMPARE(run_cli({"study", "run", file, "--out", out, "--devices", "cpu"}).status, 0);
        QCOMPARE(content(out + "/induction.csv"), content(path("whole") + "/induction.csv"));
    }
};

QTEST_GUILESS_MAIN(TestInduction)
#include "test_induction.moc"
