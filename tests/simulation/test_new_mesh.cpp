// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes that are made here: what is forecast of them, and what becomes of a session on a refined
// mesh.
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/lowered.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <set>

using namespace tawara;
using namespace tawara::simulation;

namespace {

template <class Work>
QString reason(Work work)
{
    try {
        work();
    } catch (const InputError& e) {
        return QString::fromUtf8(e.what());
    }
    return {};
}

} // namespace

class TestNewMesh : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void countsAndTheirRefinement()
    {
        const auto coarse = mesh::slab({3, 2, 1}, 0.5);
        const auto fine = mesh::refine(coarse);
        const auto c = mesh::counts(coarse);
        QCOMPARE(c.vertices, 7 * 5 * 3);
        QCOMPARE(c.tetrahedra, 6 * 6 * 4 * 2);
        QCOMPARE(c.vertices - c.edges + c.faces - c.tetrahedra, 1); // a ball
        QVERIFY(mesh::refined(c) == mesh::counts(fine));
        QVERIFY(mesh::refined(c, 2) == mesh::counts(mesh::refine(fine)));
        // a cube's three edges, two diagonals of faces, and its own
        const double edge = 0.5 * (3 + 2 * std::sqrt(2.0) + std::sqrt(3.0)) / 6;
        QVERIFY(std::abs(mesh::mean_edge_mm(coarse) - edge) < 1e-12);
        QVERIFY(std::abs(mesh::mean_edge_mm(fine) / edge - 0.5) < 0.03);
    }
    void forecasts()
    {
        const MeshSlab slab{{4, 3, 2}, 0.4};
        const auto s = forecast(slab);
        const auto m = make_mesh(slab);
        QVERIFY(s.counted);
        QCOMPARE(s.tetrahedra, static_cast<std::int64_t>(m.tetrahedron_count()));
        QCOMPARE(s.vertices, static_cast<std::int64_t>(m.vertex_count()));
        QVERIFY(std::abs(s.edge_mm / mesh::mean_edge_mm(m) - 1) < 0.01);
        const Refinement twice{std::make_shared<const mesh::TetMesh>(m), 2};
        const auto r = forecast(twice);
        const auto fine = make_mesh(twice);
        QCOMPARE(r.tetrahedra, static_cast<std::int64_t>(fine.tetrahedron_count()));
        QCOMPARE(r.vertices, static_cast<std::int64_t>(fine.vertex_count()));
        for (const double edge : {3.5, 4.5}) {
            mesh::generator::HeartParameters p;
            p.shape = mesh::generator::HeartShape::lv;
            p.edge_mm = edge;
            const auto h = forecast(p);
            const auto heart = make_mesh(p);
            const auto off = [](std::int64_t said, std::size_t is) {
                return std::abs(static_cast<double>(said) / static_cast<double>(is) - 1);
            };
            QVERIFY2(off(h.tetrahedra, heart.tetrahedron_count()) < 0.1,
                     qPrintable(QString::number(h.tetrahedra)));
            QVERIFY2(off(h.vertices, heart.vertex_count()) < 0.1,
                     qPrintable(QString::number(h.vertices)));
            QVERIFY(h.seconds > 0);
        }
    }
    void refusesWhatTheMemoryCannotHold()
    {
        const MeshSlab slab{{100, 70, 60}, 0.2};
        const auto f = forecast(slab); // 315 million
        using diffusion::Scheme;
        const auto with = [&](Scheme scheme, double free_bytes) {
            return reason([&] { need_memory(f, scheme, "spacing_mm", 0.2, free_bytes); });
        };
        const auto said = with(Scheme::p1, 21e9);
        for (const char* part : {"spacing_mm: makes 315 million tetrahedra", "104 GB of memory",
                                 "21 GB are free", "about 0.34 mm"})
            QVERIFY2(said.contains(part), qPrintable(said));
        QVERIFY(with(Scheme::p1, 90e9).isEmpty() && !with(Scheme::fvm, 90e9).isEmpty());
        QVERIFY(with(Scheme::fvm, 160e9).isEmpty() && !with(Scheme::fvm, 155e9).isEmpty());
        QVERIFY(with(Scheme::fvm, 0).isEmpty()); // what is free is not known
        const auto finer = [](int times, double free_bytes) {
            return reason([&] { need_memory_to_refine(16450, times, free_bytes, "--times"); });
        };
        QCOMPARE(finer(5, 21e9),
                 "--times: is 5 and makes 539 million tetrahedra, whose mesh alone takes at least "
                 "53.9 GB of memory; 21 GB are free: up to 4 fits");
        QVERIFY(finer(5, 13e9).endsWith("up to 3 fits")); // 4 times take 13.5 GB at twice as much
        QVERIFY(finer(1, 1e7).contains("once may not fit either"));
        QVERIFY(finer(5, 54e9).isEmpty() && finer(5, 0).isEmpty());
    }
    void refusesWhatCannotBeMade()
    {
        const auto slab = std::make_shared<const mesh::TetMesh>(mesh::slab({1, 1, 1}, 0.5));
        QVERIFY(reason([] { forecast(MeshSlab{{1, 0, 1}, 0.5}); }).contains("positive"));
        QVERIFY(reason([] { forecast(MeshSlab{{500, 500, 500}, 0.02}); }).contains("coarser"));
        QVERIFY(reason([&] { forecast(Refinement{slab, 7}); }).contains("from 1 to 6"));
        QVERIFY(reason([&] { make_mesh(Refinement{slab, 0}); }).contains("from 1 to 6"));
        QVERIFY(reason([] { forecast(Refinement{}); }).contains("no tetrahedra"));
        mesh::generator::HeartParameters p;
        p.lv_wall_mm = 99;
        QVERIFY(reason([&] { forecast(p); }).contains("lv_wall_mm"));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, make_mesh(mesh::generator::HeartParameters{},
                                                      Progress{{}, stop.get_token()}));
    }
    void sessionGoesAlong()
    {
        const QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("fine.vtu").toStdString();
        const auto coarse = std::make_shared<const mesh::TetMesh>(mesh::slab({2, 2, 1}, 0.5));
        Session s;
        s.name = "kept";
        s.mesh = MeshSlab{{2, 2, 1}, 0.5};
        Region scar;
        scar.model.clear();
        scar.where = Tetrahedra{{3, 10}};
        s.regions.push_back(scar);
        Stimulus end; // the plane x = 0
        std::set<std::int64_t> plane;
        Nodes nodes;
        for (std::size_t v = 0; v < coarse->vertex_count(); ++v)
            if (coarse->x[v] == 0)
                nodes.nodes.push_back(static_cast<std::int64_t>(v));
        end.region = nodes;
        s.stimuli.push_back(end);
        s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}});
        const auto next = session_on_new_mesh(Refinement{coarse, 2}, file, s);
        QCOMPARE(next.name, s.name);
        QCOMPARE(next.drugs.size(), std::size_t{1});
        const auto& source = std::get<MeshFile>(next.mesh);
        QVERIFY(next.folder / source.file == file);
        const auto fine = mesh::io::read(file, source.unit).mesh;
        QCOMPARE(fine.tetrahedron_count(), 64 * coarse->tetrahedron_count());
        QCOMPARE(fine.fibre.size(), fine.tetrahedron_count());
        // what was painted covers the same volume at the same place
        const auto& painted = std::get<Tetrahedra>(*next.regions.at(1).where).tetrahedra;
        QCOMPARE(painted.size(), std::size_t{128});
        double volume = 0;
        Vec3 centre{};
        for (auto t : painted) {
            const auto at = static_cast<std::size_t>(t);
            volume += fine.volume(at);
            centre = centre + fine.volume(at) * fine.centroid(at);
        }
        const Vec3 expected = 0.5 * (coarse->centroid(3) + coarse->centroid(10));
        QVERIFY(std::abs(volume / (coarse->volume(3) + coarse->volume(10)) - 1) < 1e-6);
        QVERIFY(norm((1 / volume) * centre - expected) < 1e-5);
        // every vertex of the plane, and no other
        for (std::size_t v = 0; v < fine.vertex_count(); ++v)
            if (std::abs(fine.x[v]) < 1e-9)
                plane.insert(static_cast<std::int64_t>(v));
        const auto& chosen = std::get<Nodes>(next.stimuli.at(0).region).nodes;
        QVERIFY(plane == std::set<std::int64_t>(chosen.begin(), chosen.end()));
    }
    /// Conductivities that a coarse mesh wanted are lowered as the finer one allows; waves keep to
    /// tissue's velocity, which they left with conductivities that were kept.
    void raisedConductivitiesAreLowered()
    {
        const QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/fine.vtu").toStdString();
        const auto coarse = std::make_shared<const mesh::TetMesh>(mesh::slab({8, 4, 4}, 2));
        const double edge = mesh::mean_edge_mm(*coarse);
        Session s;
        s.scheme = diffusion::Scheme::p1;
        s.reaction = cell::Scheme::rush_larsen;
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {1.08, 0.473, 0.473}; // the built-in heart's
        Region scar;
        scar.model.clear();
        scar.where = Box{{0, 0, 0}, {2, 2, 2}};
        scar.conductivity_scale = {1, 0.1, 0.1};
        s.regions.push_back(scar);
        s.mesh = MeshSlab{{8, 4, 4}, 2};
        const auto kept = session_on_new_mesh(Refinement{coarse, 1, false}, file, s);
        QVERIFY(kept.regions == s.regions);
        const auto ran_away = estimate_velocity(kept, kept.regions[0], edge / 2).mesh;
        const auto next = session_on_new_mesh(Refinement{coarse, 1}, file, s);
        const auto v = estimate_velocity(next, next.regions[0], edge / 2).mesh;
        Region tissue = s.regions[0];
        tissue.conductivity_S_per_m = tissue_S_per_m;
        const auto target = estimate_velocity(s, tissue, 0.1).fine;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto told = QStringLiteral("direction %1: %2 m/s kept, %3 lowered, %4 wanted")
                                  .arg(k)
                                  .arg(ran_away[k])
                                  .arg(v[k])
                                  .arg(target[k]);
            qInfo() << told;
            QVERIFY2(ran_away[k] > 1.4 * target[k], qPrintable(told));
            QVERIFY2(v[k] > 0.94 * target[k] && v[k] < 1.1 * target[k], qPrintable(told));
        }
        QVERIFY(next.regions[1] == scar);
        // what a mesh resolves was wanted, and tissue's own is left
        for (const auto& [sigma, mm] : {std::pair{0.4, 0.1}, std::pair{0.13341772, 2.0}}) {
            Session fine = s;
            fine.regions[0].conductivity_S_per_m = {sigma, 0.0176, 0.0176};
            QVERIFY(lower_conductivities(fine, mm, mm / 2).empty());
            QCOMPARE(fine.regions[0].conductivity_S_per_m.fibre, sigma);
        }
    }

    void pathsFollowTheFile()
    {
        Session s;
        s.folder = "/data/hearts";
        s.mesh = MeshFile{"a.vtu", {}, "../fibres/f.vtk"};
        auto m = moved_to(s, "/data/sessions");
        QCOMPARE(std::get<MeshFile>(m.mesh).file, std::string("../hearts/a.vtu"));
        QCOMPARE(std::get<MeshFile>(m.mesh).fibres, std::string("../fibres/f.vtk"));
        QVERIFY(m.folder == "/data/sessions");
        s.mesh = MeshFile{"/elsewhere/a.vtu", {}, std::string(rule_based)};
        m = moved_to(s, "/data/sessions");
        QCOMPARE(std::get<MeshFile>(m.mesh).file, std::string("/elsewhere/a.vtu"));
        QCOMPARE(std::get<MeshFile>(m.mesh).fibres, std::string(rule_based));
    }
    void aNewHeartHasTheLayersOfTheBuiltInOne()
    {
        const QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/heart.vtu").toStdString();
        mesh::generator::HeartParameters p;
        p.shape = mesh::generator::HeartShape::lv;
        p.edge_mm = 4;
        auto s = session_on_new_mesh(p, file, {});
        std::vector<std::string> variants;
        std::vector<std::int32_t> labels;
        for (const auto& r : s.regions) {
            variants.push_back(r.variant);
            labels.insert(labels.end(), r.labels.begin(), r.labels.end());
        }
        QCOMPARE(variants, (std::vector<std::string>{"endo", "m", "epi"}));
        QCOMPARE(labels, (std::vector<std::int32_t>{1, 2, 3}));
        QCOMPARE(s.stimuli.at(0).name, std::string("apex"));
        // its file alone says the same by its layers
        auto again = session_for_mesh(file);
        QCOMPARE(again.regions.size(), std::size_t{3});
        for (auto* session :
             {&s, &again}) // to tune this mesh takes a minute, and tells of no layer
            for (auto& r : session->regions)
                r.velocity_m_per_s.reset();
        const auto a = build_tissue(s), b = build_tissue(again);
        QVERIFY(a.region_of_unknown == b.region_of_unknown);
    }
    void aSlabIsNoHeart()
    {
        const QTemporaryDir dir;
        const std::filesystem::path file = (dir.path() + "/slab.vtu").toStdString();
        const auto s = session_on_new_mesh(MeshSlab{{8, 20, 2}, 1}, file, {});
        QCOMPARE(s.regions.size(), std::size_t{1});
        QCOMPARE(s.stimuli.at(0).name, std::string("left edge"));
        const Vec3 at = std::get<Sphere>(s.stimuli.at(0).region).centre;
        QVERIFY(std::abs(at[0]) < 1e-6 && std::abs(at[1] - 10) < 1 && std::abs(at[2] - 1) < 1);
        const auto tissue = build_tissue(s);
        int warnings = 0;
        for (const auto& n : tissue.notices)
            if (n.level == Notice::Level::warning) {
                ++warnings;
                QVERIFY2(n.text.starts_with("coarse mesh"), n.text.c_str());
            }
        QCOMPARE(warnings, 1);
    }
};

QTEST_GUILESS_MAIN(TestNewMesh)
#include "test_new_mesh.moc"
