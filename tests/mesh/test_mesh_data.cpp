// SPDX-License-Identifier: GPL-3.0-or-later
// Real hearts: reference data that lie beside the checkout; skipped where they are absent.
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "shapes.hpp"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

class TestMeshData : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    const fs::path data_ = fs::path(TAWARA_SOURCE_DIR).parent_path() / "shared/data/meshes";

    fs::path unpacked(const char* archive) const
    {
        QProcess tar;
        tar.start("tar", {"xJf", QString::fromStdString((data_ / archive).string()), "-C",
                          folder_.path()});
        tar.waitForFinished(60000);
        return folder_.path().toStdString();
    }
    static fs::path find(const fs::path& folder, const std::string& name)
    {
        for (const auto& e : fs::recursive_directory_iterator(folder))
            if (e.path().filename() == name)
                return e.path();
        return {};
    }

    struct Walls
    {
        Surface surface;
        std::map<Wall, double> area;
    };
    static Walls walls(const io::Loaded& l)
    {
        Walls w;
        Notices notices = l.check.notices;
        w.surface = surface(l.mesh, face_neighbours(l.mesh), &notices);
        for (std::size_t t = 0; t < w.surface.triangles.size(); ++t) {
            std::array<Vec3, 3> p{};
            for (std::size_t k = 0; k < 3; ++k)
                p[k] = l.mesh.vertex(
                    std::size_t(w.surface.vertices[std::size_t(w.surface.triangles[t][k])]));
            w.area[w.surface.wall[t]] += 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
        }
        qInfo("%s, %s: %zu vertices, %zu tetrahedra, %.4g ml, quality %.2g to mean %.2g",
              l.format.c_str(), std::string(name(l.unit)).c_str(), l.mesh.vertex_count(),
              l.mesh.tetrahedron_count(), shapes::volume(l.mesh) / 1000, l.check.quality_min,
              l.check.quality_mean);
        for (const auto& [wall, a] : w.area)
            qInfo("  %s %.0f mm2", std::string(name(wall)).c_str(), a);
        for (const auto& n : notices)
            qInfo("  %s", n.text.c_str());
        return w;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        if (!fs::exists(data_))
            QSKIP("reference meshes of the shared data are not beside the repository");
    }

    void dti004()
    {
        const auto d = unpacked("dti004_carp_192k.tar.xz");
        const auto l = io::read(find(d, "dti004.pts"));
        QCOMPARE(l.mesh.vertex_count(), std::size_t{36875});
        QCOMPARE(l.mesh.tetrahedron_count(), std::size_t{191533});
        QCOMPARE(l.unit, LengthUnit::um);
        QVERIFY(!l.mesh.fibre.empty() && !l.mesh.sheet.empty());
        QVERIFY(std::abs(shapes::volume(l.mesh) / 1000 - 106.96) < 0.1);
        const auto w = walls(l);
        // the lists of endocardial vertices that came with the mesh
        unpacked("dti004_nodefields_original.tar.xz");
        std::size_t wrong = 0, seen = 0;
        for (const auto& [list, wall] :
             {std::pair{"lvendo", Wall::endo_lv}, {"rvendo", Wall::endo_rv}}) {
            std::ifstream in(
                find(d, std::string("DTI004_coarse_boundarynodefield_") + list + ".csv"));
            std::set<int> nodes;
            double v = 0;
            for (char c = 0; in >> v; in.get(c))
                nodes.insert(int(v) - 1);
            QVERIFY(nodes.size() > 3000);
            for (std::size_t t = 0; t < w.surface.triangles.size(); ++t) {
                int listed = 0;
                for (const auto k : w.surface.triangles[t])
                    listed += int(nodes.count(w.surface.vertices[std::size_t(k)]));
                seen += listed == 3;
                wrong += (listed == 3) != (w.surface.wall[t] == wall);
            }
        }
        qInfo("  %zu triangles on the lists, %zu differ", seen, wrong);
        QVERIFY(seen > 10000 && 100 * wrong < seen);
    }

    void cobiveco()
    {
        const auto l =
            io::read(find(unpacked("cobiveco_geo1_536k.tar.xz"), "cobiveco_geo1_536k.node"));
        QCOMPARE(l.mesh.vertex_count(), std::size_t{96336});
        QCOMPARE(l.mesh.tetrahedron_count(), std::size_t{536361});
        QCOMPARE(l.unit, LengthUnit::mm);
        QVERIFY(l.mesh.fibre.empty());
        const auto by_marker = walls(l);
        io::Loaded bare = l;
        bare.mesh.fields.clear();
        const auto by_shape = walls(bare);
        std::size_t endo = 0, wrong = 0;
        for (std::size_t t = 0; t < by_marker.surface.wall.size(); ++t) {
            const Wall a = by_marker.surface.wall[t], b = by_shape.surface.wall[t];
            const auto is_endo = [](Wall w) { return w == Wall::endo_lv || w == Wall::endo_rv; };
            endo += is_endo(a);
            wrong += (is_endo(a) || is_endo(b)) && a != b;
        }
        qInfo("  endocardia by shape: %zu of %zu triangles differ from the markers", wrong, endo);
        QVERIFY(50 * wrong < endo);
    }

    void crtdemo()
    {
        auto l = io::read(data_ / "crtdemo/crtdemo_mesh_oriented.vtk");
        QCOMPARE(l.mesh.vertex_count(), std::size_t{4569});
        QCOMPARE(l.mesh.tetrahedron_count(), std::size_t{17866});
        QCOMPARE(l.unit, LengthUnit::mm);
        const auto w = walls(l);
        // the endocardial surfaces that came with it: their points must lie on ours
        for (const auto& [file, wall] : {std::pair{"crtdemo_LVendo_heart_cut.obj", Wall::endo_lv},
                                         {"crtdemo_RVendo_heart_cut.obj", Wall::endo_rv}}) {
            std::set<std::int32_t> ours;
            for (std::size_t t = 0; t < w.surface.triangles.size(); ++t)
                for (const auto k : w.surface.triangles[t])
                    if (w.surface.wall[t] == wall)
                        ours.insert(w.surface.vertices[std::size_t(k)]);
            std::ifstream in(data_ / "crtdemo" / file);
            std::size_t near = 0, all = 0;
            for (std::string line; std::getline(in, line);) {
                std::istringstream s(line);
                std::string v;
                Vec3 p{};
                if (!(s >> v >> p[0] >> p[1] >> p[2]) || v != "v")
                    continue;
                double least = 1e9;
                for (const auto o : ours)
                    least = std::min(least, norm(l.mesh.vertex(std::size_t(o)) - p));
                near += least < 5;
                ++all;
            }
            qInfo("  %s: %zu of %zu points lie on that wall", file, near, all);
            QVERIFY(all > 300 && 10 * near > 9 * all);
        }
        const auto notices = io::attach_fibres(l.mesh, data_ / "crtdemo/crtdemo_f0_oriented.vtk");
        for (const auto& n : notices)
            qInfo("  %s", n.text.c_str());
        QCOMPARE(l.mesh.fibre.size(), std::size_t{17866});
        // fibres lie in the wall: nearly orthogonal to the surface's normals on average
        double across = 0, area = 0;
        for (std::size_t t = 0; t < w.surface.triangles.size(); ++t) {
            std::array<Vec3, 3> p{};
            for (std::size_t k = 0; k < 3; ++k)
                p[k] = l.mesh.vertex(
                    std::size_t(w.surface.vertices[std::size_t(w.surface.triangles[t][k])]));
            const Vec3 n = cross(p[1] - p[0], p[2] - p[0]);
            if (w.surface.wall[t] == Wall::base)
                continue;
            across += std::abs(dot(n, l.mesh.fibre[std::size_t(w.surface.tetrahedron[t])]));
            area += norm(n);
        }
        qInfo("  mean |fibre . normal| on the walls: %.3f", across / area);
        QVERIFY(across / area < 0.3); // 0.5 for directions at random
    }
};

QTEST_GUILESS_MAIN(TestMeshData)
#include "test_mesh_data.moc"
