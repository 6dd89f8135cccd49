// SPDX-License-Identifier: GPL-3.0-or-later
// Electrocardiograms of whole hearts: leads, intervals, the torso around them.
#include "engine/analysis/lead_field.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "tests/simulation/example_run.hpp"

#include <QtTest>
#include <numbers>
#include <set>

using namespace tawara;
using namespace tawara::simulation;

namespace {

/// A healthy adult's beat by the Purkinje network, run once for all tests.
const ExampleRun& normal_beat()
{
    static const ExampleRun r = run(example("normal_beat"), 560);
    return r;
}

void tell(const ExampleRun& r, const analysis::EcgBeat& b)
{
    const auto [first, last] =
        std::minmax_element(r.maps.activation_ms.begin(), r.maps.activation_ms.end());
    qInfo("QRS %.1f ms, activation from %.1f to %.1f ms", b.qrs_ms(), *first, *last);
    for (const auto& [lead, mV] : r.ecg)
        qInfo("%-3s R %5.2f S %5.2f T %5.2f mV", lead.c_str(),
              extreme(r, lead.c_str(), b.onset_ms, b.end_ms, 1),
              extreme(r, lead.c_str(), b.onset_ms, b.end_ms, -1),
              peak(r, lead, b.end_ms + 60, 460));
}

/// The ventricles' activation as Durrer et al. found it (Circulation 41:899, 1970).
void as_Durrer_saw(const ExampleRun& r)
{
    const auto t = build_tissue(example("normal_beat"));
    const auto& act = r.maps.activation_ms;
    const auto& depth = t.mesh->field("transmural")->values;
    const auto [first, last] = std::minmax_element(act.begin(), act.end());
    const auto place = [&](const double* at) {
        return t.problem.position_mm[static_cast<std::size_t>(at - act.data())];
    };
    QVERIFY(*first > 0);                                         // all of them
    QVERIFY(place(&*first)[0] < -10 && place(&*first)[0] > -24); // the left side of the septum
    QVERIFY(place(&*last)[2] > 0);                               // towards the base
    qInfo("first at %.0f %.0f %.0f, last at %.0f %.0f %.0f mm, %.1f ms later", place(&*first)[0],
          place(&*first)[1], place(&*first)[2], place(&*last)[0], place(&*last)[1],
          place(&*last)[2], *last - *first);
    std::vector<double> inside; // endocardium below the margin of the network
    double right_inside = 1e9, right_outside = 1e9;
    for (std::size_t u = 0; u < act.size(); ++u) {
        const auto& p = t.problem.position_mm[u];
        const double after = act[u] - *first;
        const bool on_inside = depth[u] == 0, on_outside = depth[u] == 1;
        if (on_inside && p[2] < 10)
            inside.push_back(after);
        if (p[0] < -45 && on_inside)
            right_inside = std::min(right_inside, after);
        if (p[0] < -45 && on_outside)
            right_outside = std::min(right_outside, after);
    }
    std::sort(inside.begin(), inside.end());
    qInfo(
        "right free wall from %.1f ms inside and %.1f ms outside; endocardium: median %.1f, 90 %% "
        "within %.1f ms",
        right_inside, right_outside, inside[inside.size() / 2], inside[inside.size() * 9 / 10]);
    QVERIFY(right_inside > 3 && right_inside < 16);    // 5 to 10 ms after the septum
    QVERIFY(right_outside > 18 && right_outside < 35); // breakthrough after 25 to 30 ms
    QVERIFY(inside[inside.size() * 9 / 10] < 45);
    QVERIFY(*last - *first > 60 && *last - *first < 105);
}

} // namespace

class TestHeartEcg : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A healthy adult's beat: what a cardiologist looks for in the twelve leads.
    void normalBeatInTwelveLeads()
    {
        const auto& r = normal_beat();
        as_Durrer_saw(r);
        const auto found = intervals(r);
        QCOMPARE(found.beats.size(), std::size_t(1));
        const auto& b = found.beats[0];
        QVERIFY2(b.qrs_ms() > 70 && b.qrs_ms() < 110, qPrintable(QString::number(b.qrs_ms())));
        QVERIFY2(b.qt_ms() > 340 && b.qt_ms() < 430, qPrintable(QString::number(b.qt_ms())));
        const auto R = [&](const char* lead) { return extreme(r, lead, b.onset_ms, b.end_ms, 1); };
        const auto S = [&](const char* lead) { return extreme(r, lead, b.onset_ms, b.end_ms, -1); };
        const auto T = [&](const char* lead) { return peak(r, lead, b.end_ms + 60, 460); };
        tell(r, b);
        for (const char* lead : {"I", "II"}) // limb leads as people have them
            QVERIFY2(R(lead) > 0.3F && R(lead) < 2 && R(lead) > -2 * S(lead), lead);
        for (const char* lead : {"V4", "V5", "V6"})
            QVERIFY2(R(lead) > 0.6F && R(lead) < 2.6F && R(lead) > -2 * S(lead), lead);
        QVERIFY(R("V1") < -0.6F * S("V1") && R("V2") < -S("V2")); // rS
        QVERIFY(R("V3") > R("V1") && R("V5") > 1.5F * R("V3"));   // and R grows
        QVERIFY(S("aVR") < -0.3F && R("aVR") < -0.5F * S("aVR"));
        // septal r in V1 before the septal q in V6
        QVERIFY(R("V1") > 0.1F && S("V6") < -0.05F && S("V6") > -0.5F * R("V6"));
        const float chest = std::max({R("V4"), R("V5"), R("V6")}), limb = std::max(R("I"), R("II"));
        QVERIFY2(limb / chest > 0.3F && limb / chest < 0.8F,
                 qPrintable(QString::number(static_cast<double>(limb / chest))));
        // T goes with QRS, and is smaller
        for (const char* lead : {"I", "II", "aVF", "V5", "V6"})
            QVERIFY2(T(lead) > 0.1F && T(lead) < 0.75F * R(lead), lead);
        QVERIFY(T("aVL") > 0);                      // flat, as where the axis of T is steep
        for (const char* lead : {"V2", "V3", "V4"}) // tall in front, as in young men
            QVERIFY2(T(lead) > 0.1F && T(lead) < 1.2F, lead);
        QVERIFY(T("aVR") < -0.1F);
        // Einthoven and Goldberger hold at any time
        for (std::size_t k = 0; k < r.ecg_ms.size(); ++k) {
            const auto at = [&](const char* lead) { return r.ecg.at(lead)[k]; };
            QVERIFY(std::abs(at("I") + at("III") - at("II")) < 1e-4F);
            QVERIFY(std::abs(at("aVR") + at("aVL") + at("aVF")) < 1e-4F);
        }
        // back at the line before and after
        QVERIFY2(std::abs(peak(r, "II", 0, 4)) < 0.02F,
                 qPrintable(QString::number(static_cast<double>(peak(r, "II", 0, 4)))));
    }

    /// The left bundle is cut: the right one's wave crosses the septum.
    void leftBundleBranchBlock()
    {
        const auto s = example("left_bundle_branch_block");
        const auto r = run(s, 210);
        const auto b = intervals(r).beats.at(0);
        const auto R = [&](const char* lead) { return extreme(r, lead, b.onset_ms, b.end_ms, 1); };
        const auto S = [&](const char* lead) { return extreme(r, lead, b.onset_ms, b.end_ms, -1); };
        tell(r, b);
        QVERIFY2(b.qrs_ms() > 120 && b.qrs_ms() < 170, qPrintable(QString::number(b.qrs_ms())));
        for (const char* lead : {"V1", "V2"}) // rS or QS
            QVERIFY2(S(lead) < -0.7F && R(lead) < -0.3F * S(lead), lead);
        for (const char* lead : {"I", "V6"}) { // broad and positive, without q
            QVERIFY2(R(lead) > 0.7F && S(lead) > -0.07F * R(lead), lead);
            const auto& mV = r.ecg.at(lead);
            const auto above =
                std::count_if(mV.begin(), mV.end(), [&](float x) { return x > 0.3F * R(lead); });
            QVERIFY2(above > 60, qPrintable(QString::number(above))); // ms
        }
        // the right ventricle comes first, all of the left one after it
        const auto t = build_tissue(s);
        double left = 1e9;
        for (std::size_t u = 0; u < r.maps.activation_ms.size(); ++u)
            if (t.problem.position_mm[u][0] > 10)
                left = std::min(left, r.maps.activation_ms[u]);
        QVERIFY2(left - b.onset_ms > 40, qPrintable(QString::number(left - b.onset_ms)));
    }

    /// Without the left bundle's ends the right one's wave crosses the septum: left bundle branch
    /// block.
    void withoutTheLeftBundle()
    {
        auto s = example("bundle_activation");
        for (const bool block : {false, true}) {
            for (auto& st : s.stimuli)
                st.on = !block || !st.name.starts_with("left");
            const auto r = run(s, 210);
            const auto b = intervals(r).beats.at(0);
            const auto R = [&](const char* lead) {
                return extreme(r, lead, b.onset_ms, b.end_ms, 1);
            };
            const auto S = [&](const char* lead) {
                return extreme(r, lead, b.onset_ms, b.end_ms, -1);
            };
            qInfo("QRS %.1f ms, V1 %.2f %.2f mV, V6 %.2f %.2f mV", b.qrs_ms(), R("V1"), S("V1"),
                  R("V6"), S("V6"));
            QVERIFY(block ? b.qrs_ms() > 105 : b.qrs_ms() > 80 && b.qrs_ms() < 100);
            QVERIFY(block ? R("V1") < 0.05F : R("V1") > 0.1F);
            QVERIFY(block ? S("V6") > -0.05F : S("V6") < -0.05F); // the septal q is gone
        }
    }

    /// A torso where the program places all electrodes, and as the session says.
    void theConductorIsChosen()
    {
        Leads leads;
        QVERIFY(!in_torso({{"E", {0, 0, 0}}}, leads));
        leads.kind = Leads::Kind::twelve_lead;
        QVERIFY(in_torso({}, leads));
        QVERIFY(in_torso({{"E1", {0, 0, 0}}}, leads));  // beside the twelve
        QVERIFY(!in_torso({{"V4", {0, 0, 0}}}, leads)); // measured somewhere
        leads.conductor = Leads::Conductor::torso;
        QVERIFY(in_torso({{"V4", {0, 0, 0}}}, leads));
        leads.conductor = Leads::Conductor::unbounded;
        QVERIFY(!in_torso({}, leads));
        const auto t = build_tissue(default_session());
        leads.conductor = Leads::Conductor::usual;
        const auto in = ecg_layout(t, {}, leads, "s");
        leads.conductor = Leads::Conductor::unbounded;
        const auto out = ecg_layout(t, {}, leads, "s");
        QVERIFY(in.torso && !out.torso && !in.same_leads(out));
        const auto skin = torso_around(*in.torso);
        for (std::size_t e = 0; e < in.electrodes.size(); ++e) {
            const auto& x = in.electrodes[e].position_mm;
            QVERIFY(analysis::place_on(skin, x).distance_mm < 1e-6);
            QVERIFY2(norm(x - out.electrodes[e].position_mm) < 25, in.electrodes[e].name.c_str());
        }
        for (const Vec3& x : {t.mesh->vertex(0), t.mesh->vertex(t.mesh->vertex_count() - 1)})
            QVERIFY(analysis::place_on(skin, x).inside);
        // one that lies outside is told
        leads.conductor = Leads::Conductor::torso;
        const auto said = ecg_notices(t, {{"far", {500, 0, 0}}}, leads, "s");
        QVERIFY(std::any_of(said.begin(), said.end(), [](const Notice& n) {
            return n.text.find("'far' lies") != std::string::npos;
        }));
    }

    /// A long strip of tissue by its volume's torso alone would stick out of it.
    void theTorsoHoldsTheTissue()
    {
        Session s;
        s.mesh = MeshSlab{{120, 3, 3}, 1.5};
        s.leads.kind = Leads::Kind::twelve_lead;
        const auto t = build_tissue(s);
        const auto layout = ecg_layout(t, {}, s.leads, "s");
        const auto skin = torso_around(*layout.torso);
        for (std::size_t v = 0; v < t.mesh->vertex_count(); ++v)
            QVERIFY(analysis::place_on(skin, t.mesh->vertex(v)).inside);
        const auto said = ecg_notices(t, {}, s.leads, "s");
        QVERIFY(said.back().text.find("torso was made") != std::string::npos);
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
        auto s = default_session();
        s.leads.kind = Leads::Kind::twelve_lead;
        const auto r = own ? run(s, 560) : normal_beat();
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
        qInfo("QRS from %.1f to %.1f ms", b.onset_ms, b.end_ms);
        QVERIFY2(std::abs(b.onset_ms - *first) < 12 && std::abs(b.end_ms - *last) < 12, "its ends");
        QVERIFY2(b.t_end_ms < over + 3 && b.t_end_ms > over - 45, b.no_qt.c_str());
        const auto [low, high] = std::minmax_element(r.ecg.at("V4").begin(), r.ecg.at("V4").end());
        qInfo("V4 %.2f mV from peak to peak", static_cast<double>(*high - *low));
        QVERIFY2(*high - *low > 0.4F && *high - *low < 4, "as large as a body's");
        QVERIFY2(!own || std::abs(*high - *low - 3.2F) < 0.1F, "the guide says 3.2 mV");
    }

    /// The left endocardium at once, then the right ventricle in 100 ms: QRS takes as long.
    void qrsOfAHeartFromImagesTakesAsLongAsItsActivation()
    {
        QTemporaryDir folder;
        const QString pts = imagesHeart(folder);
        if (pts.isEmpty())
            QSKIP("reference meshes of the shared data are not beside the repository");
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
        auto s = example("normal_beat");
        s.leads.conductor = Leads::Conductor::unbounded;
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
            largest = larger_or_nan(largest, std::abs(static_cast<double>(x)));
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
            QSKIP("reference meshes of the shared data are not beside the repository");
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
