// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/several.hpp"
#include "tests/simulation/slab_run.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
namespace fs = std::filesystem;

class TestRun : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void writesEveryOutput()
    {
        QTemporaryDir dir;
        auto s = slab_session(20);
        s.output->frames_every_ms = 5;
        RunOptions o;
        o.out = path(dir) / "out";
        o.session_file = "slab.json";
        const auto r = run_session(s, o);
        QCOMPARE(r.steps, 1000);
        QCOMPARE(r.unknowns, 10 * 4 * 2 * 6);
        QCOMPARE(r.activated, r.unknowns);

        const auto probes = content(o.out / "probes.csv").split('\n');
        QCOMPARE(probes[0], QByteArray("time_ms,\"near, left\",far"));
        QCOMPARE(probes.size(), 1 + 1000 + 1);
        const auto maps = content(o.out / "activation.csv").split('\n');
        QCOMPARE(maps[0], QByteArray("id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms,"
                                     "region,model,variant"));
        QCOMPARE(maps.size(), 1 + 480 + 1);
        const auto cells = maps[1].split(',');
        QCOMPARE(cells.size(), 10);
        QVERIFY(!cells[4].isEmpty());
        QVERIFY(cells[5].isEmpty()); // not repolarised after 20 ms: empty

        const auto pvd = content(o.out / "frames.pvd");
        QCOMPARE(pvd.count("<DataSet"), 5); // 0, 5, 10, 15, 20 ms
        QVERIFY(pvd.contains("timestep=\"5\""));
        const auto frame = mesh::io::read(o.out / "frames" / "000000250.vtu");
        QCOMPARE(frame.mesh.tetrahedron_count(), std::size_t(480));
        QVERIFY(frame.mesh.field("V_mV"));
        QVERIFY(mesh::io::read(o.out / "activation.vtu").mesh.field("activation_ms"));

        const auto report = QJsonDocument::fromJson(content(o.out / "report.json")).object();
        QCOMPARE(report["steps"].toInt(), 1000);
        QCOMPARE(report["mesh"].toObject()["tetrahedra"].toInt(), 480);
        QVERIFY(report["cell_steps_per_s"].toDouble() > 0);
        for (const auto k : report["kernels"].toArray()) {
            for (const char* key :
                 {"name", "calls", "ms", "bytes", "flops", "ceiling_GB_per_s", "fraction"})
                QVERIFY2(k.toObject().contains(key), key);
            const auto rate = [&](const char* key) { return k.toObject()[key].toDouble(); };
            const double reached = std::max(rate("GB_per_s") / rate("ceiling_GB_per_s"),
                                            rate("GFLOP_per_s") / rate("ceiling_GFLOP_per_s"));
            QVERIFY(std::fabs(rate("fraction") - reached) < 1e-6 * reached);
            QCOMPARE(k.toObject().contains("remark"), rate("fraction") > 1.05);
        }
        for (const auto& e : fs::recursive_directory_iterator(o.out))
            QVERIFY2(!QString::fromStdString(e.path().filename().string()).contains(".part-"),
                     e.path().c_str());
    }

    /// Of each unknown its region and model, how long action potentials are, and where electrodes
    /// stand: nobody has to find that out again.
    void saysWhatTheTissueWas_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::newRow("tetrahedra") << static_cast<int>(diffusion::Scheme::fvm);
        QTest::newRow("vertices") << static_cast<int>(diffusion::Scheme::p1);
    }

    void saysWhatTheTissueWas()
    {
        QFETCH(int, scheme);
        QTemporaryDir dir;
        auto s = slab_session(420);
        s.scheme = static_cast<diffusion::Scheme>(scheme);
        Region right; // another variant, and within it a part that only changes what is beneath
        right = s.regions[0];
        right.name = "right, half";
        right.variant = "mid";
        right.where = Box{{2.5, -1, -1}, {9, 9, 9}};
        Region slow;
        slow.model.clear();
        slow.name = "slow";
        slow.where = Box{{4, -1, -1}, {9, 9, 9}};
        slow.scale = {{"g_Ks", 0.5}};
        s.regions.push_back(right);
        s.regions.push_back(slow);
        s.leads.kind = Leads::Kind::twelve_lead;
        s.electrodes = {{"V1", {30, 1, 1}}};
        RunOptions o;
        o.out = path(dir) / "out";
        o.html = path(dir) / "page.html";
        run_session(s, o);
        const auto rows = content(o.out / "activation.csv").trimmed().split('\n');
        std::map<QByteArray, std::vector<double>> apd; // by what the last columns say
        for (qsizetype k = 1; k < rows.size(); ++k) {
            const auto f = rows[k].split(',');
            QCOMPARE(f.size(), 10);
            const double x = f[1].toDouble();
            const int region = x < 2.4 ? 0 : x > 4.1 ? 2 : x > 2.6 && x < 3.9 ? 1 : -1;
            if (region >= 0)
                QCOMPARE(f[7].toInt(), region);
            QCOMPARE(f[8], QByteArray("ten_tusscher_2006"));
            QCOMPARE(f[9], QByteArray(f[7] == "0" ? "epi" : "mid"));
            apd[f[7]].push_back(f[6].toDouble());
        }
        QCOMPARE(apd.size(), std::size_t{3});
        const auto report = QJsonDocument::fromJson(content(o.out / "report.json")).object();
        const auto regions = report["regions"].toArray();
        QCOMPARE(regions.size(), 3);
        for (const auto r : regions) {
            const auto j = r.toObject();
            auto& those = apd[QByteArray::number(j["region"].toInt())];
            std::sort(those.begin(), those.end());
            QCOMPARE(j["unknowns"].toInt(), static_cast<int>(those.size()));
            QCOMPARE(j["activated"].toInt(), static_cast<int>(those.size()));
            QCOMPARE(j["model"].toString(), QString("ten_tusscher_2006"));
            const auto ms = j["apd90_ms"].toObject();
            QCOMPARE(ms["count"].toInt(), static_cast<int>(those.size()));
            QVERIFY(std::abs(ms["least"].toDouble() - those.front()) < 1e-5);
            QVERIFY(std::abs(ms["greatest"].toDouble() - those.back()) < 1e-5);
            QVERIFY(std::abs(ms["median"].toDouble() - those[(those.size() - 1) / 2]) < 1e-5);
        }
        QCOMPARE(regions[1].toObject()["name"].toString(), QString("right, half"));
        QCOMPARE(report["apd90_ms"].toObject()["count"].toInt(), static_cast<int>(rows.size() - 1));
        const auto electrodes = report["ecg"].toObject()["electrodes"].toArray();
        QCOMPARE(report["ecg"].toObject()["conductor"].toString(), QString("unbounded"));
        QCOMPARE(electrodes.size(), 9);
        for (const auto e : electrodes) {
            const bool own = e.toObject()["name"].toString() == "V1";
            QCOMPARE(e.toObject()["placed_by"].toString(), QString(own ? "session" : "program"));
            QCOMPARE(e.toObject()["position_mm"].toArray().size(), 3);
            QVERIFY(own == (e.toObject()["position_mm"].toArray()[0].toDouble() == 30.0));
        }
        const auto page = content(o.html);
        QVERIFY(page.contains("APD90 ms, median (5 to 95 %)"));
        const auto median = regions[1].toObject()["apd90_ms"].toObject()["median"].toDouble();
        QVERIFY2(page.contains(">" + QByteArray::number(median, 'g', 3) + " ("),
                 qPrintable(QString::number(median)));
    }

    void ownElectrodesFollowTheTwelveLeads()
    {
        QTemporaryDir dir;
        auto s = slab_session(2);
        s.leads.kind = Leads::Kind::twelve_lead;
        s.electrodes = {{"E1", {30, 1, 1}}};
        RunOptions o;
        o.out = path(dir) / "out";
        run_session(s, o);
        const auto rows = content(o.out / "ecg.csv").split('\n');
        QCOMPARE(rows[0], QByteArray("time_ms,I,II,III,aVR,aVL,aVF,V1,V2,V3,V4,V5,V6,E1"));
        QVERIFY(std::fabs(rows[3].split(',').last().toDouble()) > 1e-6); // at 2 ms
    }

    /// report.json and the page say QRS, QT and RR of each beat, or why not.
    void measuresTheEcg()
    {
        QTemporaryDir dir;
        auto s = slab_session(760);
        s.leads.kind = Leads::Kind::twelve_lead;
        s.stimuli[0].protocol = Protocol{Protocol::Kind::train, 700, 2, {}, 0, 1, 0};
        RunOptions o;
        o.out = path(dir) / "out";
        o.html = path(dir) / "page.html";
        run_session(s, o);
        const auto ecg =
            QJsonDocument::fromJson(content(o.out / "report.json")).object()["ecg"].toObject();
        QCOMPARE(ecg["resolution_ms"].toDouble(), 1.0);
        QVERIFY(ecg["method"].toString().contains("spatial velocity"));
        QCOMPARE(ecg["conductor"].toString(), QString("torso"));
        const auto beats = ecg["beats"].toArray();
        QCOMPARE(beats.size(), 2);
        const auto rows = content(o.out / "activation.csv").split('\n');
        double first = 1e9, last = 0, over = 0;
        for (qsizetype k = 1; k + 1 < rows.size(); ++k) {
            first = std::min(first, rows[k].split(',')[4].toDouble());
            last = std::max(last, rows[k].split(',')[4].toDouble());
            over = std::max(over, rows[k].split(',')[5].toDouble());
        }
        const auto beat = beats[0].toObject();
        const double qrs = beat["qrs_ms"].toDouble(), qt_end = beat["t_end_ms"].toDouble();
        qInfo("QRS %.1f ms, activation %.1f to %.1f; T ends at %.1f, the last repolarisation %.1f",
              qrs, first, last, qt_end, over);
        QVERIFY(std::abs(qrs - (last - first)) < 8);
        QVERIFY(std::abs(qt_end - over) < 20);
        QVERIFY(beat["rr_ms"].isNull());
        QVERIFY(!beat["not_known"].toObject()["rr_ms"].toString().isEmpty());
        const auto second = beats[1].toObject();
        QVERIFY(std::abs(second["rr_ms"].toDouble() - 700) < 3);
        QVERIFY(second["qt_ms"].isNull());
        QVERIFY(second["qtc_fridericia_ms"].isNull() && beat.contains("qtc_fridericia_ms"));
        QCOMPARE(second["not_known"].toObject()["qt_ms"].toString(),
                 QString("no repolarisation yet"));
        QByteArray charts; // are within the page
        for (const auto& part : content(o.html).split('"'))
            if (const auto at = part.indexOf("base64,"); at >= 0)
                charts += QByteArray::fromBase64(part.mid(at + 7));
        QVERIFY(charts.contains("ms: QRS " + QByteArray::number(std::round(qrs)) + " ms, QT "));
    }

    /// S1 in rest captures, S2 in the plateau of S1 does not, one after the end was not given.
    void tellsPulsesAndWhetherTheyCaptured()
    {
        QTemporaryDir dir;
        auto s = slab_session(230);
        s.reaction = cell::Scheme::rush_larsen; // bears pulses into tissue that is up
        s.stimuli[0].protocol = Protocol{Protocol::Kind::s1s2, 300, 1, {120}, 0, 2, 100};
        s.stimuli.push_back(s.stimuli[0]);
        s.stimuli[1].name = "all of it";
        s.stimuli[1].region = Box{{-1, -1, -1}, {9, 9, 9}};
        s.stimuli[1].protocol.reset();
        s.stimuli[1].start_ms = 229;
        QJsonArray told;
        const auto run = [&](const char* name, const RunOptions& with = {}) {
            auto o = with;
            o.out = path(dir) / name;
            o.html = path(dir) / "r.html";
            run_session(s, o);
            const auto report = QJsonDocument::fromJson(content(o.out / "report.json")).object();
            told = report["refractory"].toArray();
            return report["pulses"].toArray();
        };
        const auto check = [](const QJsonArray& pulses, int from) {
            QCOMPARE(pulses.size(), 4); // S1, S2, S1 of the next block; of the other site one
            // the third comes while the first one's beat is up: it has failed when it ends
            const QJsonValue verdict[] = {true, false, false, QJsonValue::Null};
            const char* kind[] = {"S1", "S2", "S1", ""};
            const double at[] = {0, 120, 220, 229};
            for (int k = 0; k < 4; ++k) {
                const auto p = pulses[k].toObject();
                QCOMPARE(p["kind"].toString(), QString(kind[k]));
                QCOMPARE(p["time_ms"].toDouble(), at[k]);
                QCOMPARE(p["site"].toString(), QString(k < 3 ? "S1" : "all of it"));
                QCOMPARE(p["captured"], k < from ? QJsonValue::Null : verdict[k]);
            }
            QCOMPARE(pulses[1].toObject()["coupling_ms"].toDouble(), 120.0);
            const auto around = [&](int k) -> QJsonValue {
                return pulses[k].toObject()["around_mV"];
            };
            QVERIFY(from > 0 || around(0).toDouble() < -80); // at rest
            QVERIFY(around(1).toDouble() > -40);             // in the plateau
            QVERIFY(around(3).isNull());
        };
        check(run("every-step"), 0);
        QCOMPARE(told.size(), 1);
        QCOMPARE(told[0].toObject()["site"].toString(), QString("S1"));
        QCOMPARE(told[0].toObject()["kind"].toString(), QString("S2"));
        QCOMPARE(told[0].toObject()["longest_failed_ms"].toDouble(), 120.0);
        QVERIFY(told[0].toObject()["shortest_captured_ms"].isNull());
        QVERIFY(told[0].toObject()["effective_refractory_period_ms"].isNull());
        const QString page = QString::fromUtf8(content(path(dir) / "r.html"));
        QVERIFY2(page.contains("<td>1 of 2 S1, 0 of 1 S2</td>"),
                 qPrintable(page.mid(page.indexOf("S1"), 400)));
        QVERIFY(page.contains(
            "<td colspan=\"3\">not captured: S2 at 120 ms (120 after the one before, V around "));
        QVERIFY(page.contains("<td>1, not known</td>"));
        QVERIFY(page.contains("<td colspan=\"3\">effective refractory period: 120 ms or longer (S2 "
                              "at 120 ms did not capture)</td>"));
        // rows of the probes far apart do not make the verdict coarse, nor come more often
        s.output->probes_every_ms = 7;
        s.output->checkpoint_every_ms = 105;
        check(run("seldom"), 0);
        const auto rows = content(path(dir) / "seldom" / "probes.csv").split('\n');
        QCOMPARE(rows.size(), 1 + 32 + 1);
        QVERIFY(rows[1].startsWith("7,") && rows[32].startsWith("224,"));
        // a checkpoint has the verdicts of what came before it
        RunOptions o;
        o.resume = path(dir) / "seldom" / "checkpoint-00000105.000ms.tcp";
        check(run("resumed", o), 0);
        QCOMPARE(told.size(), 1); // S2 came after S1, which the checkpoint knows
        QCOMPARE(content(path(dir) / "resumed" / "probes.csv").split('\n'), rows);
        s.stimuli[0].amplitude_pA_per_pF += 1; // of another pulse it has none
        check(run("another", o), 1);
        QVERIFY(told.empty());
        s.stimuli[0].amplitude_pA_per_pF -= 1;
        s.probes.clear();
        check(run("no-probes"), 0);
        QCOMPARE(content(path(dir) / "no-probes" / "probes.csv"), QByteArray("time_ms\n"));
    }

    void activationInterpolatesBetweenSteps()
    {
        // A coarse and a fine step give nearby activation times that are no multiples of dt.
        QTemporaryDir dir;
        auto s = slab_session(12);
        RunOptions o;
        o.out = path(dir) / "a";
        run_session(s, o);
        const auto line = content(o.out / "activation.csv").split('\n')[400].split(',');
        const double t = line[4].toDouble();
        QVERIFY(std::abs(t / 0.02 - std::round(t / 0.02)) > 1e-4);
    }

    void probesInterpolateLinearly()
    {
        // A linear potential is given back exactly anywhere inside, by both schemes.
        for (auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
            auto s = slab_session(1);
            s.scheme = scheme;
            const auto t = build_tissue(s);
            auto v = [](const Vec3& x) { return -80 + 3 * x[0] - 2 * x[1] + 5 * x[2]; };
            std::vector<Probe> probes;
            for (int k = 0; k < 50; ++k)
                probes.push_back({"p", {0.3 + 0.09 * k, 0.2 + 0.03 * k, 0.15 + 0.014 * k}});
            const auto g = probe_weights(t, probes, "x");
            for (std::size_t k = 0; k < probes.size(); ++k) {
                double sum = 0;
                for (auto i = g.first[k]; i < g.first[k + 1]; ++i)
                    sum += g.weight[std::size_t(i)] *
                           v(t.problem.position_mm[std::size_t(g.unknown[std::size_t(i)])]);
                QVERIFY2(std::abs(sum - v(probes[k].position_mm)) < 1e-3,
                         qPrintable(QString::number(sum - v(probes[k].position_mm))));
            }
        }
    }

    void stimulusRegions()
    {
        auto s = slab_session(1);
        for (auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
            s.scheme = scheme;
            const auto t = build_tissue(s);
            QCOMPARE(unknowns_in(t, Label{{1}}, "", "").size(), t.problem.size());
            QVERIFY(unknowns_in(t, Nodes{{0}}, "", "").size() >= 1);
            QCOMPARE(unknowns_in(t, Sphere{{2.5, 1, 0.5}, 0.01}, "", "").size(), std::size_t(1));
            QVERIFY_THROWS_EXCEPTION(InputError, unknowns_in(t, Label{{99}}, "f", "/w"));
            QVERIFY_THROWS_EXCEPTION(InputError, unknowns_in(t, Nodes{{-1}}, "f", "/w"));
            QVERIFY_THROWS_EXCEPTION(InputError,
                                     unknowns_in(t, Box{{9, 9, 9}, {10, 10, 10}}, "f", "/w"));
        }
    }

    void regionsAndTypes()
    {
        auto s = slab_session(1);
        Region endo;
        endo.labels = {1};
        endo.variant = "endo";
        endo.conductivity_S_per_m = {0.1, 0.1, 0.1};
        endo.parameters = {{"g_Ks", 0.1}};
        s.regions.push_back(endo);
        const auto t = build_tissue(s);
        QCOMPARE(t.problem.groups.size(), std::size_t(1));
        QCOMPARE(t.problem.groups[0].types.size(),
                 std::size_t(1)); // the last match wins everywhere
        s.regions.back().labels = {7};
        QVERIFY_THROWS_EXCEPTION(InputError, build_tissue(s));
        s.regions.erase(s.regions.begin());
        QVERIFY_THROWS_EXCEPTION(InputError, build_tissue(s));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestRun>(argc, argv);
}
#include "test_run.moc"
