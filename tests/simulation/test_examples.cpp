// SPDX-License-Identifier: GPL-3.0-or-later
// The worked examples show what their titles say: by numbers. Full runs are in
// tests/bench/records/examples.json.
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "tests/simulation/example_run.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

using namespace tawara;
using namespace tawara::simulation;

namespace {

/// Columns of calcium.csv of a run.
std::map<std::string, std::vector<double>> calciumOf(const Session& s, const QTemporaryDir& dir)
{
    RunOptions o;
    o.out = dir.path().toStdString() + "/out";
    o.device.devices = "cpu";
    o.device.precision = Precision::single;
    run_session(s, o);
    QFile file(dir.path() + "/out/calcium.csv");
    std::map<std::string, std::vector<double>> out;
    if (!file.open(QIODevice::ReadOnly))
        return out;
    const auto names = file.readLine().trimmed().split(',');
    while (!file.atEnd()) {
        const auto cells = file.readLine().trimmed().split(',');
        for (qsizetype k = 0; k < cells.size(); ++k)
            out[names.at(k).toStdString()].push_back(cells[k].toDouble());
    }
    return out;
}

} // namespace

class TestExamples : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void allAreRead_data()
    {
        QTest::addColumn<QString>("name");
        const QDir all(TAWARA_SOURCE_DIR "/resources/sessions");
        for (const auto& f : all.entryInfoList({"*.json"}, QDir::Files, QDir::Name))
            if (const auto n = f.baseName(); n != "left_ventricle") // minutes; test_shipped runs it
                QTest::newRow(qPrintable(n)) << n;
    }
    void allAreRead()
    {
        QFETCH(QString, name);
        const auto s = example(qPrintable(name));
        const auto again = parse_session(to_json(s), "again");
        QCOMPARE(QString::fromStdString(to_json(again)), QString::fromStdString(to_json(s)));
        const auto t = build_tissue(s);
        for (std::size_t k = 0; k < s.stimuli.size(); ++k)
            QVERIFY(!unknowns_in(t, s.stimuli[k].region, "s", "/stimuli").empty());
        QCOMPARE(probe_weights(t, s.probes, "s").size(), s.probes.size());
        for (const auto& g : t.problem.groups) // scheme and step are what pacing showed to be good
            QCOMPARE(cell::step_advice(cell::model_info(g.types.front().model), g.scheme, s.dt_ms),
                     std::string());
    }

    /// Site, both ends of the scar, behind it, back through the isthmus: at least three turns.
    void reentryPersists()
    {
        const auto r = run(example("reentry_around_scar"), 1200);
        const auto& site = r.beats.at("site");
        QVERIFY2(site.size() >= 5, qPrintable(QString::number(site.size()))); // S1, S2, three turns
        for (std::size_t turn = 2; turn < 5; ++turn) {
            const double from = site[turn - 1].activation_ms, to = site[turn].activation_ms;
            const auto within = [&](const char* probe) {
                for (const auto& b : r.beats.at(probe))
                    if (b.activation_ms > from && b.activation_ms < to)
                        return b.activation_ms;
                return -1.0;
            };
            const double left = within("left"), right = within("right"), base = within("base"),
                         back = within("isthmus");
            QVERIFY(left > 0 && right > 0);
            QVERIFY(std::abs(left - right) < 40); // two loops, turning against each other
            QVERIFY(base > std::min(left, right) && back > base); // and one way back
            QVERIFY(to - from > 200 && to - from < 400);
        }
        // the leads never rest, but they repeat with each turn
        const auto ecg = intervals(r);
        QVERIFY2(ecg.beats.size() >= 3, ecg.none.c_str());
        const double turn = site.back().activation_ms - site[site.size() - 2].activation_ms;
        qInfo("turn %.1f ms, RR %.1f ms", turn, ecg.beats.back().rr_ms);
        QVERIFY(std::abs(ecg.beats.back().rr_ms - turn) < 3);
        QVERIFY(std::isnan(ecg.beats.back().qrs_ms()));
        QCOMPARE(newest_measured(ecg), &ecg.beats.back());
    }

    /// The drug lengthens APD90 in tissue by as much as in a single cell.
    void drugLengthensTheActionPotential()
    {
        const auto drug = example("drug_apd").drugs;
        QCOMPARE(drug.size(), std::size_t(1));
        Session s;
        s.mesh = MeshSlab{{6, 2, 2}, 0.5};
        s.scheme = diffusion::Scheme::p1;
        s.regions[0].variant = "epi";
        s.reaction = cell::Scheme::rush_larsen;
        s.dt_ms = 0.05;
        Stimulus st;
        st.region = Box{{0, 0, 0}, {1, 2, 2}};
        s.stimuli = {st};
        s.probes = {{"P", {4, 1, 1}}};
        const auto before = run(s, 420).beats.at("P");
        s.drugs = drug;
        const auto after = run(s, 420).beats.at("P");
        QCOMPARE(before.size(), std::size_t(1));
        QCOMPARE(after.size(), std::size_t(1));
        const double longer = after[0].apd90_ms - before[0].apd90_ms;
        qInfo("APD90 %.1f to %.1f ms", before[0].apd90_ms, after[0].apd90_ms);
        // single cell: 289.8 and 311.5 ms (tawara-cli cell run, g_Kr at half)
        QVERIFY2(std::abs(longer - 21.7) < 3, qPrintable(QString::number(longer)));
    }

    /// The drug acts on a heart that is excited as by the bundles, from the same sites at the same
    /// times, and not on one whose whole endocardium fires at once.
    void theDrugsHeartBeatsNormally()
    {
        const auto read = [](const char* name) {
            return simulation::read_session(QStringLiteral(TAWARA_SOURCE_DIR "/resources/sessions/")
                                                .append(name)
                                                .toStdString());
        };
        const auto normal = read("bundle_activation.json"), drugged = read("drug_apd.json");
        QVERIFY(normal.drugs.empty() && !drugged.drugs.empty());
        QVERIFY(normal.stimuli.size() >= 5);
        QCOMPARE(drugged.stimuli.size(), normal.stimuli.size());
        for (std::size_t k = 0; k < normal.stimuli.size(); ++k) {
            const auto &a = drugged.stimuli[k], &b = normal.stimuli[k];
            QCOMPARE(a.start_ms, b.start_ms);
            QVERIFY(std::get<simulation::Sphere>(a.region).centre ==
                    std::get<simulation::Sphere>(b.region).centre);
        }
    }

    /// A wave runs through the part with dyads, whose release it starts.
    void dyadsReleaseAsTheWavePasses()
    {
        auto s = example("dyads_in_a_slab");
        s.end_ms = 90;
        QTemporaryDir dir;
        const auto rows = calciumOf(s, dir);
        QVERIFY(rows.at("dyads.open_RyR").front() == 0);
        const auto& c_myo = rows.at("dyads.c_myo_uM");
        const double peak = *std::max_element(c_myo.begin(), c_myo.end());
        // a single cell of 100 dyads, paced: 0.468 uM, JSR to 0.41 mM (tawara-cli cell run)
        QVERIFY2(std::abs(peak - 0.48) < 0.03, qPrintable(QString::number(peak)));
        const auto& c_jsr = rows.at("dyads.c_jsr_mM");
        const double least = *std::min_element(c_jsr.begin(), c_jsr.end());
        QVERIFY2(std::abs(least - 0.41) < 0.03, qPrintable(QString::number(least)));
        QVERIFY(rows.count("left.c_myo_uM") == 0);
    }

    /// Nothing is stimulated; RyR that are held open from 50 ms on start a wave.
    void heldOpenRyRStartABeat()
    {
        auto s = example("spontaneous_beat");
        QVERIFY(s.stimuli.empty());
        s.end_ms = 110;
        const auto r = run(s, s.end_ms);
        const double there = r.beats.at("held open").at(0).activation_ms,
                     border = r.beats.at("border").at(0).activation_ms,
                     healthy = r.beats.at("healthy").at(0).activation_ms;
        qInfo("held open %.1f ms, border %.1f, healthy %.1f", there, border, healthy);
        QVERIFY(std::abs(there - 77) < 4 && border > there && healthy > border);
        QVERIFY(std::abs((healthy - border) - 7.4) < 2);
        s.regions[1].forced_opening_ms.reset(); // else nothing happens
        s.end_ms = 70;
        QVERIFY(run(s, s.end_ms).beats.at("held open").empty());
    }

    void conductionIsEstimated()
    {
        Session s;
        s.scheme = diffusion::Scheme::p1;
        Region r;
        r.variant = "epi";
        r.conductivity_S_per_m = {0.13341772, 0.01760618, 0.01760618};
        const auto fine = estimate_velocity(s, r, 0.1);
        // benchmark at 0.1 mm: about 0.65 mm/ms along the fibres; a tenth of sigma, a third of the
        // speed
        QVERIFY2(fine.fine[0] > 0.55 && fine.fine[0] < 0.75,
                 qPrintable(QString::number(fine.fine[0])));
        QVERIFY(std::abs(fine.fine[1] / fine.fine[0] - std::sqrt(0.0176 / 0.1334)) < 0.03);
        QCOMPARE(fine.fine[1], fine.fine[2]);
        QVERIFY2(std::abs(fine.mesh[0] / fine.fine[0] - 1) < 0.05,
                 qPrintable(QString::number(fine.mesh[0])));
        const auto coarse = estimate_velocity(s, r, 1);
        QVERIFY(coarse.mesh[0] < 0.9 * coarse.fine[0] && !coarse.warning.empty());
        QVERIFY(coarse.warning.find("raised") == std::string::npos);
        const auto edge = estimate_velocity(s, r, 1.263).warning; // as the panel writes it
        QVERIFY2(edge.find("mean edge 1.26 mm") != std::string::npos, edge.c_str());
        r.conductivity_S_per_m = {1.08, 0.473, 0.473}; // as of the built-in heart
        const auto raised = estimate_velocity(s, r, 2.7);
        QVERIFY2(raised.warning.find("are raised for that") != std::string::npos,
                 raised.warning.c_str());
        r.parameters = {{"g_Na", 0}, {"g_CaL", 0}};
        QVERIFY(!estimate_velocity(s, r, 0.2).warning.empty());
    }

    /// What is said of a mesh is what a run on such a mesh does.
    void conductionOnAMeshIsTheSchemesOwn_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<double>("spacing_mm");
        QTest::newRow("fvm") << static_cast<int>(diffusion::Scheme::fvm) << 0.5;
        QTest::newRow("fvm, finer") << static_cast<int>(diffusion::Scheme::fvm) << 0.25;
        QTest::newRow("p1") << static_cast<int>(diffusion::Scheme::p1) << 0.5;
    }
    void conductionOnAMeshIsTheSchemesOwn()
    {
        QFETCH(int, scheme);
        QFETCH(double, spacing_mm);
        Session s;
        s.scheme = static_cast<diffusion::Scheme>(scheme);
        s.mesh = MeshSlab{{20, 4 * spacing_mm, 4 * spacing_mm}, spacing_mm};
        s.regions[0].variant = "epi";
        s.activation_threshold_mV = -20;
        auto t = build_tissue(s);
        const auto said = estimate_velocity(s, s.regions[0], mesh::mean_edge_mm(*t.mesh));
        const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::double_, 1});
        device::StimulusSource end;
        end.amplitude_pA_per_pF = 60;
        end.duration_ms = 2;
        for (std::size_t u = 0; u < t.problem.size(); ++u)
            if (t.problem.position_mm[u][0] < 1.5)
                end.unknowns.push_back(static_cast<std::int32_t>(u));
        stepper->add_stimulus(end);
        stepper->advance(static_cast<std::int64_t>(80 / s.dt_ms));
        // times at two cross-sections, each a spacing thick
        const auto at = [&](double x) {
            const auto maps = stepper->maps();
            double sum = 0, n = 0, where = 0;
            for (std::size_t u = 0; u < t.problem.size(); ++u)
                if (std::abs(t.problem.position_mm[u][0] - x) < 0.6 * spacing_mm)
                    sum += maps.activation_ms[u], where += t.problem.position_mm[u][0], n += 1;
            return std::pair{sum / n, where / n};
        };
        const auto near = at(8), far = at(16);
        const double run = (far.second - near.second) / (far.first - near.first);
        qInfo("run %.4f m/s, said %.4f, tissue %.4f", run, said.mesh[0], said.fine[0]);
        QVERIFY(std::abs(said.mesh[0] / run - 1) < 0.03);
    }

    void sitesAreSuggested()
    {
        const auto t = build_tissue(default_session());
        const auto sites = suggested_sites(*t.mesh, *t.surface);
        std::map<std::string, Vec3> at;
        for (const auto& s : sites) {
            at[s.name] = s.position_mm;
            QVERIFY(t.locator->find(s.position_mm).distance_mm < 0.01);
        }
        QVERIFY(sites.size() >= 20);
        QVERIFY(at.at("LV apex")[2] < -50 && at.at("RV apex")[0] < -15);
        QVERIFY(at.at("LV lateral wall, epicardium")[0] > 25);
        QVERIFY(at.at("Septum, left side")[0] < -10);
        QVERIFY(at.at("AHA 7, mid anterior")[1] < -5 && at.at("AHA 10, mid inferior")[1] > 5);
    }

    /// Coordinates found from the walls alone are much those of the generator.
    void coordinatesOfAHeartWithoutFields()
    {
        auto s = default_session();
        const auto known = build_tissue(s);
        mesh::TetMesh m = *known.mesh;
        m.fields.clear();
        QVERIFY(add_heart_coordinates(m, *known.surface));
        const auto *depth = m.field("transmural"), *aha = m.field("aha_segment");
        QVERIFY(depth && aha && m.field("apex_base"));
        const auto& depth_known = known.mesh->field("transmural")->values;
        double off = 0;
        for (std::size_t v = 0; v < depth_known.size(); ++v)
            off += std::abs(static_cast<double>(depth->values[v] - depth_known[v]));
        off /= static_cast<double>(depth_known.size());
        const auto& aha_known = known.mesh->field("aha_segment")->values;
        double same = 0, left = 0;
        std::set<float> found;
        for (std::size_t t = 0; t < aha_known.size(); ++t)
            if (aha_known[t] > 0) {
                left += 1;
                same += aha->values[t] == aha_known[t];
                found.insert(aha->values[t]);
            }
        qInfo("transmural differs by %.3f on average; %.0f %% of the left ventricle in the same "
              "segment",
              off, 100 * same / left);
        QVERIFY(off < 0.05);
        QVERIFY(same > 0.95 * left);
        QVERIFY(found.size() >= 17);
        mesh::TetMesh slab = mesh::slab({4, 2, 2}, 1);
        QVERIFY(!add_heart_coordinates(slab, mesh::surface(slab, mesh::face_neighbours(slab))));
    }
};
QTEST_GUILESS_MAIN(TestExamples)
#include "test_examples.moc"
