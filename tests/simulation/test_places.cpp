// SPDX-License-Identifier: GPL-3.0-or-later
// Where a window puts what has no place yet: a region's ball, an electrode.
#include "engine/analysis/lead_field.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/locator.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/session/suggest.hpp"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace tawara;
using namespace tawara::simulation;

namespace {

mesh::TetMesh two_pieces()
{
    mesh::TetMesh m; // its middle is empty, as a heart's is
    for (const double x : {-40.0, 30.0}) {
        const auto v = static_cast<std::int32_t>(m.vertex_count());
        for (const Vec3& p : {Vec3{x, 0, 0}, Vec3{x + 1, 0, 0}, Vec3{x, 1, 0}, Vec3{x, 0, 1}})
            m.add_vertex(p);
        m.add_tetrahedron({v, v + 1, v + 2, v + 3}, 1);
    }
    return m;
}

/// Distance of a point from the convex hull of a mesh's vertices, by Gilbert's method: from below
/// where it is outside, so that what is above 0 is proven; 0 where none is found.
double outside_hull_mm(const mesh::TetMesh& m, const Vec3& p)
{
    Vec3 at = m.vertex(0) - p; // the point of the hull that is nearest so far, seen from p
    double proven = 0;
    for (int turn = 0; turn < 300 && norm(at) > 1e-6; ++turn) {
        Vec3 support = m.vertex(0) - p;
        for (std::size_t v = 1; v < m.vertex_count(); ++v)
            if (const Vec3 x = m.vertex(v) - p; dot(x, at) < dot(support, at))
                support = x;
        proven = larger_or_nan(proven, dot(support, at) / norm(at));
        const Vec3 step = support - at;
        if (dot(step, step) < 1e-18)
            break;
        at = at + std::clamp(-dot(at, step) / dot(step, step), 0.0, 1.0) * step;
    }
    return proven;
}

} // namespace

class TestPlaces : public QObject
{
    Q_OBJECT
    mesh::TetMesh heart_;
    mesh::Surface surface_;

  private Q_SLOTS:
    /// A label that the mesh lacks is told before conductivities are searched for.
    void labelsAreLookedAtFirst()
    {
        Session s;
        s.name = "s.json";
        s.mesh = MeshSlab{{2, 1, 1}, 0.5};
        s.regions[0].velocity_m_per_s = ConductionVelocity{0.6, 0.6, 0.6};
        s.regions.push_back(s.regions[0]);
        s.regions[1].labels = {77};
        std::vector<std::string> stages;
        Progress progress;
        progress.report = [&](double, std::string_view stage) { stages.emplace_back(stage); };
        std::string told;
        try {
            (void)build_tissue(s, progress);
        } catch (const InputError& e) {
            told = e.what();
        }
        QCOMPARE(told, std::string("s.json:/tissue/regions/1/label: the mesh has no label 77; it "
                                   "has 1"));
        QCOMPARE(stages.back(), std::string("extracting the surface"));
    }

    /// Leads keep as many weights as they have, whatever the number of electrodes; sums are those
    /// of all electrodes in their order.
    void leadsKeepTheirOwnWeights()
    {
        constexpr std::size_t n = 1000;
        EcgLayout layout;
        std::vector<double> potential_mV;
        for (std::size_t k = 0; k < n; ++k) {
            const auto name = "E" + std::to_string(k);
            layout.electrodes.push_back({name, {}});
            layout.leads.push_back({name, {{name, 1}}});
            potential_mV.push_back(std::sin(static_cast<double>(k)));
        }
        layout.leads.push_back({"three", {{"E7", -1. / 3}, {"E3", 1}, {"E5", -1. / 3}}});
        const LeadWeights mix(layout);
        QCOMPARE(mix.size(), n + 1);
        QCOMPARE(mix.entries(), n + 3);
        for (std::size_t k = 0; k < n; ++k)
            QVERIFY(mix.of(k, potential_mV) == potential_mV[k]);
        double sum = potential_mV[3];
        sum += -1. / 3 * potential_mV[5];
        sum += -1. / 3 * potential_mV[7];
        QCOMPARE(mix.of(n, potential_mV), sum);
    }

    void initTestCase()
    {
        mesh::generator::HeartParameters p;
        p.edge_mm = 4.5;
        heart_ = mesh::generator::generate_heart(p);
        surface_ = mesh::surface(heart_, mesh::face_neighbours(heart_));
    }

    void aBallStartsInTheTissue()
    {
        const auto ball = ball_in_tissue(two_pieces());
        QVERIFY(std::abs(ball.centre[0] - 30.25) < 0.1 && ball.radius > 1 && ball.radius <= 15);
        const mesh::Locator locator(heart_);
        const auto in_heart = ball_in_tissue(heart_);
        QVERIFY(locator.find(in_heart.centre).distance_mm < 0.1); // rounded to 0.1 mm
        QCOMPARE(in_heart.radius, 15.0);
    }

    /// From every triangle of the surface, also of the basal rim and of the cavities' walls.
    void electrodesStandOutsideTheHeart()
    {
        constexpr double gap_mm = 15;
        std::map<mesh::Wall, std::pair<int, int>> aside; // of how many
        double least = 1e9;
        int in_front = 0, inside_before = 0;
        for (std::size_t k = 0; k < surface_.triangles.size(); k += 13) {
            std::array<Vec3, 3> c{};
            for (std::size_t i = 0; i < 3; ++i)
                c[i] = heart_.vertex(static_cast<std::size_t>(
                    surface_.vertices[static_cast<std::size_t>(surface_.triangles[k][i])]));
            const Vec3 p = (1.0 / 3) * (c[0] + c[1] + c[2]);
            const Vec3 n = normalized(cross(c[1] - c[0], c[2] - c[0]));
            const auto place = electrode_in_front(heart_, p, n, gap_mm);
            least = std::min(least, outside_hull_mm(heart_, place.position_mm));
            auto& [those, all] = aside[surface_.wall[k]];
            those += place.aside;
            ++all;
            in_front += norm(place.position_mm - (p + gap_mm * n)) < 1e-9;
            inside_before += outside_hull_mm(heart_, p + gap_mm * n) <= 0;
        }
        QVERIFY2(least > gap_mm / 2 - 0.1, qPrintable(QString::number(least)));
        QVERIFY2(inside_before > 20, "the normal alone leads into the heart from some walls");
        const auto& endo = aside[mesh::Wall::endo_lv];
        QVERIFY(endo.second > 20 && endo.first > endo.second / 2);
        const auto& epi = aside[mesh::Wall::epi];
        QVERIFY2(epi.second > 100 && epi.first < epi.second / 5,
                 qPrintable(QStringLiteral("%1 of %2").arg(epi.first).arg(epi.second)));
        QVERIFY2(in_front > epi.second / 2, "from most of the epicardium: right in front of it");
    }

    void standardElectrodesStandOutsideTheHeart()
    {
        for (const auto& e : twelve_lead_frame(heart_, surface_))
            QVERIFY2(outside_hull_mm(heart_, e.position_mm) > 5, e.name.c_str());
    }

    /// Beside the twelve leads: phi(electrode) - (phi(RA) + phi(LA) + phi(LL)) / 3.
    void anElectrodeOfOnesOwnHasALeadOfItsOwn()
    {
        Session s;
        s.mesh = MeshSlab{{20, 7, 3}, 1};
        s.scheme = diffusion::Scheme::p1;
        s.leads.kind = Leads::Kind::twelve_lead;
        s.electrodes = {{"E1", {28, 9, 6}}, {"V2", {5, -20, 1}}, {"aVR", {-9, 2, 1}}};
        const Tissue t = build_tissue(s);
        const auto layout = ecg_layout(t, s.electrodes, s.leads, "s");
        auto names = std::vector<std::string>{"I",  "II", "III", "aVR", "aVL", "aVF",
                                              "V1", "V2", "V3",  "V4",  "V5",  "V6"};
        names.insert(names.end(), {"E1", "aVR (electrode)"}); // V2 is one of the twelve's
        QCOMPARE(layout.names(), names);
        QVERIFY(electrodes_without_lead(s.electrodes, s.leads).empty());
        std::vector<double> v(t.problem.size());
        for (std::size_t k = 0; k < v.size(); ++k) // a front along the slab
            v[k] = -85 + 115 / (1 + std::exp(t.mesh->vertex(k)[0] - 9));
        const auto sigma = source_conductivities(*t.mesh, t.patches);
        const auto phi = [&](const std::string& name) {
            for (const auto& e : layout.electrodes)
                if (e.name == name) {
                    const auto w = analysis::lead_field(*t.mesh, sigma, e.position_mm, 0.2);
                    return std::inner_product(w.begin(), w.end(), v.begin(), 0.0);
                }
            return std::nan("");
        };
        const double wilson = (phi("RA") + phi("LA") + phi("LL")) / 3;
        const auto found =
            EcgField(*t.mesh, t.stars, t.on_vertices(), t.patches, layout, 0.2).leads(v);
        for (const auto& [lead, electrode] : {std::pair{12, "E1"}, {13, "aVR"}, {7, "V2"}}) {
            const double wanted = phi(electrode) - wilson;
            const double is = static_cast<double>(found[static_cast<std::size_t>(lead)]);
            QVERIFY2(std::abs(wanted) > 1e-3 && std::abs(is - wanted) < 1e-4 * std::abs(wanted),
                     electrode);
        }
        s.electrodes.push_back({"E1", {30, 9, 6}}); // whose potential is meant?
        QVERIFY_THROWS_EXCEPTION(InputError, ecg_layout(t, s.electrodes, s.leads, "s"));
    }

    /// The leads' source has conductivities of its own where the session gives them: the tissue's
    /// may be raised; what a region's factor does to the one it does to the other.
    void theSourceOfTheLeadsHasItsOwnConductivities()
    {
        Session s;
        s.mesh = MeshSlab{{20, 7, 3}, 1};
        s.scheme = diffusion::Scheme::p1;
        s.regions[0].conductivity_S_per_m = {1.2, 0.4, 0.4};
        Region scar;
        scar.model.clear();
        scar.labels.clear();
        scar.where = Sphere{{15, 3.5, 1.5}, 4};
        scar.conductivity_scale = 0.25;
        s.regions.push_back(scar);
        const auto field_of = [](const Session& session) {
            const Tissue t = build_tissue(session);
            std::vector<double> v(t.problem.size());
            for (std::size_t k = 0; k < v.size(); ++k)
                v[k] = -85 + 115 / (1 + std::exp(t.mesh->vertex(k)[0] - 9));
            const auto layout = ecg_layout(t, {{"E", {60, 9, 6}}}, {}, "s");
            const double mV = static_cast<double>(
                EcgField(*t.mesh, t.stars, true, t.patches, layout, 0.2).leads(v)[0]);
            return std::pair{mV, t.patches.source};
        };
        const auto raised = field_of(s);
        QCOMPARE(raised.second[0].fibre, 1.2);
        s.source_conductivity_S_per_m = {0.12, 0.04, 0.04}; // a tenth of each
        const auto own = field_of(s);
        QCOMPARE(own.second[0], (diffusion::Conductivity{0.12, 0.04, 0.04}));
        QCOMPARE(own.second[1], (diffusion::Conductivity{0.03, 0.01, 0.01}));
        QVERIFY2(std::abs(10 * own.first / raised.first - 1) < 1e-4,
                 qPrintable(QStringLiteral("%1, %2").arg(own.first).arg(raised.first)));
        const auto again = parse_session(to_json(s), "s.json");
        QVERIFY(again.source_conductivity_S_per_m == s.source_conductivity_S_per_m);
    }
};
QTEST_GUILESS_MAIN(TestPlaces)
#include "test_places.moc"
