// SPDX-License-Identifier: GPL-3.0-or-later
// The worked examples show what their titles say: by numbers. Full runs are in
// tests/bench/records/examples.json.
#include "engine/analysis/lead_field.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

using namespace tawara;
using namespace tawara::simulation;

namespace {

Session example(const char* name)
{
    return read_session(std::string(TAWARA_SOURCE_DIR "/resources/sessions/") + name + ".json");
}

struct Run
{
    std::map<std::string, std::vector<Beat>> beats; ///< by probe
    std::vector<double> ecg_ms;
    std::map<std::string, std::vector<float>> ecg; ///< by lead
    device::Maps maps;
};

Run run(const Session& s, double until_ms)
{
    Run out;
    const auto t = build_tissue(s);
    const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::single, 0});
    for (std::size_t k = 0; k < s.stimuli.size(); ++k)
        for (auto& source : sources_of(t, s.stimuli[k], "s", "/stimuli"))
            stepper->add_stimulus(std::move(source));
    const auto every = std::llround(1 / s.dt_ms);
    stepper->set_probes(probe_weights(t, s.probes, "s"), std::llround(0.5 / s.dt_ms));
    EcgField field;
    if (s.has_ecg())
        field = EcgField(*t.mesh, t.stars, t.on_vertices(), t.patches,
                         ecg_layout(t, s.electrodes, s.leads, "s"), s.bath_conductivity_S_per_m);
    std::vector<double> v(t.problem.size());
    std::vector<double> times;
    std::vector<std::vector<float>> traces(s.probes.size());
    const auto sample_ecg = [&] {
        if (field.empty())
            return;
        stepper->potential(v);
        out.ecg_ms.push_back(stepper->time_ms());
        const auto mV = field.leads(v);
        for (std::size_t l = 0; l < mV.size(); ++l)
            out.ecg[field.layout().leads[l].name].push_back(mV[l]);
    };
    sample_ecg();
    while (stepper->time_ms() < until_ms) {
        stepper->advance(every);
        std::vector<std::int64_t> steps;
        std::vector<double> samples;
        stepper->take_samples(steps, samples);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            times.push_back(static_cast<double>(steps[k]) * s.dt_ms);
            for (std::size_t p = 0; p < traces.size(); ++p)
                traces[p].push_back(static_cast<float>(samples[k * traces.size() + p]));
        }
        sample_ecg();
    }
    for (std::size_t p = 0; p < traces.size(); ++p)
        out.beats[s.probes[p].name] = beats_of(times, traces[p]);
    out.maps = stepper->maps();
    return out;
}

/// The value of a lead that is the farthest from 0 in a window of time.
float peak(const Run& r, const std::string& lead, double from_ms, double to_ms)
{
    float out = 0;
    const auto& v = r.ecg.at(lead);
    for (std::size_t k = 0; k < v.size(); ++k)
        if (r.ecg_ms[k] >= from_ms && r.ecg_ms[k] < to_ms && std::abs(v[k]) > std::abs(out))
            out = v[k];
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
        for (const char* n :
             {"normal_beat", "bundle_activation", "reentry_around_scar", "drug_apd"})
            QTest::newRow(n) << n;
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
    }

    /// One beat of the whole heart: QRS and T in twelve leads.
    void normalBeatInTwelveLeads()
    {
        auto s = example("normal_beat");
        s.ecg_every_ms = 1;
        const auto r = run(s, 420);
        // from the first breakthrough of the left septum to the base, as in a healthy heart
        const auto [first, last] =
            std::minmax_element(r.maps.activation_ms.begin(), r.maps.activation_ms.end());
        QVERIFY2(*last - *first > 60 && *last - *first < 100,
                 qPrintable(QString::number(*last - *first)));
        double begins = 1e9, ends = 0; // of QRS, in any lead
        for (const auto& [lead, mV] : r.ecg) {
            const float least = 0.1F * std::abs(peak(r, lead, 0, 140));
            for (std::size_t k = 0; k < mV.size(); ++k)
                if (r.ecg_ms[k] < 140 && std::abs(mV[k]) > least)
                    begins = std::min(begins, r.ecg_ms[k]), ends = std::max(ends, r.ecg_ms[k]);
        }
        // where a lead is above a tenth of its peak: within the time that activation takes
        QVERIFY2(ends - begins > *last - *first - 15 && ends - begins < 105,
                 qPrintable(QString::number(ends - begins)));
        const auto qrs = [&](const char* lead) { return peak(r, lead, 0, 120); };
        const auto t = [&](const char* lead) { return peak(r, lead, 200, 420); };
        for (const char* lead : {"I", "II", "V5", "V6"}) {
            QVERIFY2(qrs(lead) > 0.05F, qPrintable(QString("%1 %2").arg(lead).arg(qrs(lead))));
            QVERIFY2(t(lead) > 0, lead); // same sign as QRS: the epicardium repolarises first
            QVERIFY(std::abs(t(lead)) < std::abs(qrs(lead)));
        }
        QVERIFY(qrs("aVR") < -0.05F && t("aVR") < 0);
        // Einthoven and Goldberger hold at any time
        for (std::size_t k = 0; k < r.ecg_ms.size(); ++k) {
            const auto at = [&](const char* lead) { return r.ecg.at(lead)[k]; };
            QVERIFY(std::abs(at("I") + at("III") - at("II")) < 1e-4F);
            QVERIFY(std::abs(at("aVR") + at("aVL") + at("aVF")) < 1e-4F);
        }
        // back at the line before and after
        QVERIFY(std::abs(peak(r, "II", 0, 4)) < 0.005F);
    }

    /// QRS and QT of the leads against what the tissue did: its first and last activation, its last
    /// repolarisation. The tangent ends T before the last place is at rest, as at the bedside.
    void intervalsOfTheHeartsOwnEcg_data()
    {
        QTest::addColumn<bool>("own"); // the built-in heart's session, paced at its apex
        QTest::newRow("normal beat") << false;
        QTest::newRow("default heart") << true;
    }
    void intervalsOfTheHeartsOwnEcg()
    {
        QFETCH(bool, own);
        auto s = own ? default_session() : example("normal_beat");
        s.leads.kind = Leads::Kind::twelve_lead;
        const auto r = run(s, 560);
        std::vector<std::string> names;
        std::vector<std::vector<float>> mV;
        for (const auto& [name, values] : r.ecg) {
            names.push_back(name);
            mV.push_back(values);
        }
        const auto found = ecg_beats(names, r.ecg_ms, mV);
        QCOMPARE(found.beats.size(), std::size_t(1));
        const auto& b = found.beats[0];
        const auto [first, last] =
            std::minmax_element(r.maps.activation_ms.begin(), r.maps.activation_ms.end());
        const double over =
            *std::max_element(r.maps.repolarisation_ms.begin(), r.maps.repolarisation_ms.end());
        qInfo("QRS %.1f ms (activation takes %.1f), QT %.1f ms (the last repolarisation %.1f)",
              b.qrs_ms(), *last - *first, b.qt_ms(), over - *first);
        QVERIFY2(std::abs(b.qrs_ms() - (*last - *first)) < 6, b.no_qrs.c_str());
        QVERIFY2(std::abs(b.onset_ms - *first) < 4 && std::abs(b.end_ms - *last) < 4, "its ends");
        QVERIFY2(b.t_end_ms < over + 3 && b.t_end_ms > over - 35, b.no_qt.c_str());
        const auto [low, high] = std::minmax_element(r.ecg.at("V4").begin(), r.ecg.at("V4").end());
        qInfo("V4 %.2f mV from peak to peak", static_cast<double>(*high - *low));
        QVERIFY2(*high - *low > 0.4F && *high - *low < 3, "as large as a body's");
        QVERIFY2(!own || std::abs(*high - *low - 1.3F) < 0.1F, "the README says 1.3 mV");
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

    void leadFieldOfTheHeartAgreesWithDirectSummation()
    {
        const auto s = example("normal_beat");
        const auto t = build_tissue(s);
        const auto layout = ecg_layout(t, s.electrodes, s.leads, "s");
        QCOMPARE(layout.electrodes.size(), std::size_t(9));
        QCOMPARE(layout.leads.size(), std::size_t(12));
        const EcgField field(*t.mesh, t.stars, true, t.patches, layout, 0.2);
        std::vector<double> v(t.problem.size());
        for (std::size_t k = 0; k < v.size(); ++k) // a front from apex to base
            v[k] = -85 + 115 / (1 + std::exp((t.mesh->vertex(k)[2] + 20) / 2.0));
        const auto found = field.leads(v);
        const auto sigma = source_conductivities(*t.mesh, t.patches);
        std::map<std::string, double> phi;
        for (const auto& e : layout.electrodes)
            phi[e.name] = analysis::direct_sum(*t.mesh, sigma, v, e.position_mm, 0.2);
        double largest = 0;
        for (float x : found)
            largest = std::max(largest, std::abs(static_cast<double>(x)));
        for (std::size_t l = 0; l < found.size(); ++l) {
            double direct = 0;
            for (const auto& [name, w] : layout.leads[l].weights)
                direct += w * phi.at(name);
            QVERIFY2(std::abs(static_cast<double>(found[l]) - direct) < 0.01 * largest,
                     layout.leads[l].name.c_str());
        }
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

    void torsoFitsTheHeart()
    {
        const auto t = build_tissue(default_session());
        const auto f = torso_frame(*t.mesh, *t.surface);
        QVERIFY(std::abs(dot(f.left, f.posterior)) < 1e-9 &&
                std::abs(dot(f.left, f.superior)) < 1e-9);
        QVERIFY(dot(cross(f.left, f.posterior), f.superior) > 0.999);
        QVERIFY(dot(f.superior, Vec3{0, 0, 1}) > 0.3); // base up, apex down and to the left
        std::map<std::string, Vec3> at;
        for (const auto& e : twelve_lead_frame(*t.mesh, *t.surface)) {
            at[e.name] = e.position_mm;
            QVERIFY(t.locator->find(e.position_mm).distance_mm > 5);
        }
        QVERIFY(norm(at["V1"] - f.origin_mm) < norm(at["LL"] - f.origin_mm));
    }

    /// On a heart from images the electrodes come to lie about where its authors put them.
    void torsoFitsAHeartFromImages()
    {
        const QString data = QStringLiteral(TAWARA_SOURCE_DIR "/../shared/data/meshes/");
        if (!QFile::exists(data + "dti004_carp_192k.tar.xz"))
            QSKIP("the reference meshes are not beside this checkout");
        QTemporaryDir folder;
        for (const char* archive :
             {"dti004_carp_192k.tar.xz", "dti004_nodefields_original.tar.xz"}) {
            QProcess tar;
            tar.start("tar", {"xJf", data + archive, "-C", folder.path()});
            QVERIFY(tar.waitForFinished(60000) && tar.exitCode() == 0);
        }
        const auto find = [&](const QString& name) {
            QDirIterator i(folder.path(), {name}, QDir::Files, QDirIterator::Subdirectories);
            return i.hasNext() ? i.next() : QString();
        };
        auto m = mesh::io::read(find("dti004.pts").toStdString()).mesh;
        const auto surface = mesh::surface(m, mesh::face_neighbours(m));
        QVERIFY(add_heart_coordinates(m, surface));
        std::set<float> segments(m.field("aha_segment")->values.begin(),
                                 m.field("aha_segment")->values.end());
        QCOMPARE(segments.size(), std::size_t(18)); // 17, and the right wall
        const auto frame = torso_frame(m, surface);
        std::map<std::string, Vec3> ours;
        for (const auto& e : twelve_lead_electrodes(frame))
            ours[e.name] = e.position_mm;
        QFile file(find("DTI004_electrode_xyz.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const char* name : {"LA", "RA", "LL", "RL", "V1", "V2", "V3", "V4", "V5", "V6"}) {
            const auto row = file.readLine().trimmed().split(',');
            QCOMPARE(row.size(), 3);
            if (!ours.count(name))
                continue;
            const Vec3 theirs{10 * row[0].toDouble(), 10 * row[1].toDouble(),
                              10 * row[2].toDouble()};
            const Vec3 a = theirs - frame.origin_mm, b = ours[name] - frame.origin_mm;
            const double angle =
                std::acos(dot(a, b) / (norm(a) * norm(b))) * 180 / std::numbers::pi;
            qInfo("%s: %.0f degrees from the file's, %.0f mm against %.0f", name, angle, norm(b),
                  norm(a));
            QVERIFY2(angle < 50, name);
            QVERIFY(norm(b) > 0.5 * norm(a) && norm(b) < 1.6 * norm(a));
        }
    }
};
QTEST_GUILESS_MAIN(TestExamples)
#include "test_examples.moc"
