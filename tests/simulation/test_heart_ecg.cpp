// SPDX-License-Identifier: GPL-3.0-or-later
// Electrocardiograms of whole hearts: leads, intervals, the torso around them.
#include "engine/analysis/lead_field.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "tests/simulation/example_run.hpp"

#include <QtTest>
#include <numbers>
#include <set>

using namespace tawara;
using namespace tawara::simulation;

class TestHeartEcg : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
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
        const auto found = intervals(r);
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

    /// The left endocardium at once, then the right ventricle in 100 ms: QRS takes as long.
    void qrsOfAHeartFromImagesTakesAsLongAsItsActivation()
    {
        QTemporaryDir folder;
        const QString pts = imagesHeart(folder);
        if (pts.isEmpty())
            QSKIP("the reference meshes are not beside this checkout");
        Session s;
        s.mesh = MeshFile{pts.toStdString(), LengthUnit::um, {}};
        s.scheme = diffusion::Scheme::p1;
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {0.6, 0.2, 0.2};
        s.source_conductivity_S_per_m = diffusion::Conductivity{0.17, 0.058, 0.058};
        s.reaction = cell::Scheme::rush_larsen;
        s.dt_ms = 0.05;
        s.leads.kind = Leads::Kind::twelve_lead;
        Stimulus st;
        st.region = SurfaceRegion{mesh::Wall::endo_lv};
        st.amplitude_pA_per_pF = 50;
        s.stimuli = {st};
        const auto r = run(s, 260);
        const auto found = intervals(r);
        QCOMPARE(found.beats.size(), std::size_t(1));
        const auto [first, last] =
            std::minmax_element(r.maps.activation_ms.begin(), r.maps.activation_ms.end());
        qInfo("QRS %.1f ms, activation %.1f", found.beats[0].qrs_ms(), *last - *first);
        QVERIFY2(std::abs(found.beats[0].qrs_ms() - (*last - *first)) < 8,
                 qPrintable(QString::number(found.beats[0].qrs_ms())));
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
        QTemporaryDir folder;
        const QString pts = imagesHeart(folder);
        if (pts.isEmpty())
            QSKIP("the reference meshes are not beside this checkout");
        auto m = mesh::io::read(pts.toStdString()).mesh;
        const auto surface = mesh::surface(m, mesh::face_neighbours(m));
        QVERIFY(add_heart_coordinates(m, surface));
        std::set<float> segments(m.field("aha_segment")->values.begin(),
                                 m.field("aha_segment")->values.end());
        QCOMPARE(segments.size(), std::size_t(18)); // 17, and the right wall
        const auto frame = torso_frame(m, surface);
        std::map<std::string, Vec3> ours;
        for (const auto& e : twelve_lead_electrodes(frame))
            ours[e.name] = e.position_mm;
        QFile file(found(folder, "DTI004_electrode_xyz.csv"));
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
QTEST_GUILESS_MAIN(TestHeartEcg)
#include "test_heart_ecg.moc"
