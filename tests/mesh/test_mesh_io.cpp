// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/utf8.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/region_names.hpp"
#include "shapes.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <sys/resource.h>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

bool has(const Notices& notices, const std::string& text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text.find(text) != std::string::npos; });
}

/// Tetrahedra of b under a's numbers: by centroid (Gmsh 4.1 sorts by label).
std::vector<std::size_t> order_of(const TetMesh& a, const TetMesh& b)
{
    std::map<std::array<long, 3>, std::size_t> at;
    const auto key = [](const Vec3& c) {
        return std::array<long, 3>{std::lround(c[0] * 100), std::lround(c[1] * 100),
                                   std::lround(c[2] * 100)};
    };
    for (std::size_t t = 0; t < b.tetrahedron_count(); ++t)
        at[key(b.centroid(t))] = t;
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < a.tetrahedron_count(); ++t)
        order.push_back(at.at(key(a.centroid(t))));
    return order;
}

double apart(const Directions& a, const Directions& b, const std::vector<std::size_t>& order)
{
    double d = 0;
    for (std::size_t t = 0; t < a.size(); ++t)
        d = larger_or_nan(d, norm(a[t] - b[order[t]]));
    return d;
}

void spill(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

class TestMeshIo : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    fs::path in_folder(const std::string& name) const
    {
        return fs::path(folder_.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void round_trip_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("fields");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("vtu") << "a.vtu"
                             << "VTU" << true << 0.0;
        QTest::newRow("vtk") << "a.vtk"
                             << "legacy VTK binary" << true << 0.0;
        QTest::newRow("carp") << "a.pts"
                              << "CARP" << false << 1e-12;
        QTest::newRow("carp elem") << "b.elem"
                                   << "CARP" << false << 1e-12;
        QTest::newRow("carp binary") << "c.bpts"
                                     << "CARP binary" << false << 1e-5;
        QTest::newRow("tetgen") << "a.node"
                                << "TetGen (Chaste)" << false << 0.0;
        QTest::newRow("gmsh 4.1") << "a.msh"
                                  << "Gmsh 4.1 binary" << true << 0.0;
        QTest::newRow("gmsh 2.2") << "a.msh2"
                                  << "Gmsh 2.2 binary" << true << 0.0;
    }
    void round_trip()
    {
        QFETCH(QString, file);
        QFETCH(bool, fields);
        QFETCH(double, tolerance);
        const TetMesh m = shapes::rich();
        const auto path = in_folder(file.toStdString());
        io::write(m, path);
        const auto l = io::read(path);
        QTEST(QString::fromStdString(l.format), "format");
        QVERIFY(has(l.check.notices, "length unit"));
        QCOMPARE(l.check.turned, 0);
        QCOMPARE(l.check.unused_vertices, 0);
        QCOMPARE(l.mesh.vertex_count(), m.vertex_count());
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            QVERIFY(norm(m.vertex(v) - l.mesh.vertex(v)) <= tolerance);
        QCOMPARE(l.mesh.tetrahedron_count(), m.tetrahedron_count());
        const auto order = order_of(m, l.mesh);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            QCOMPARE(l.mesh.corners(order[t]), m.corners(t));
            QCOMPARE(l.mesh.region[order[t]], m.region[t]);
        }
        QVERIFY(apart(m.fibre, l.mesh.fibre, order) < 1e-6);
        QVERIFY(apart(m.sheet, l.mesh.sheet, order) < 1e-6);
        QVERIFY(apart(m.normal, l.mesh.normal, order) < 1e-6);
        QCOMPARE(l.mesh.fields.size(), fields ? m.fields.size() : 0);
        if (!fields)
            return;
        const Field* const f = l.mesh.field("coordinate");
        const Field* const g = l.mesh.field("pair");
        QVERIFY(f && g && f->on == Field::On::vertices && g->on == Field::On::tetrahedra);
        QCOMPARE(f->values, m.fields[0].values);
        QCOMPARE(g->components, 2);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            QCOMPARE(g->values[2 * order[t]], m.fields[1].values[2 * t]);
    }

    void the_stem_names_all_files()
    {
        io::write(shapes::rich(), in_folder("stem.pts"));
        QCOMPARE(io::read(in_folder("stem")).format, std::string("CARP"));
        for (const char* e : {"stem.elem", "stem.lon"})
            QVERIFY(!io::read(in_folder(e)).mesh.fibre.empty());
        TetMesh bare = shapes::rich();
        bare.fibre = bare.sheet = bare.normal = {};
        io::write(bare, in_folder("stem.pts")); // the old .lon must not stay
        const auto l = io::read(in_folder("stem"));
        QVERIFY(l.mesh.fibre.empty());
        QVERIFY(has(l.check.notices, "no fibres"));
    }

    void face_markers_travel_with_tetgen_files()
    {
        TetMesh m = shapes::rich();
        Field markers{std::string(face_marker_name), Field::On::tetrahedra, 4, {}};
        for (const auto& t : face_neighbours(m))
            for (const auto o : t)
                markers.values.push_back(o < 0 ? 2.F : 0.F);
        m.fields = {markers};
        io::write(m, in_folder("faces.node"));
        const auto l = io::read(in_folder("faces.ele"));
        QVERIFY(face_markers(l.mesh) != nullptr);
        QCOMPARE(l.mesh.fields[0].values, markers.values);
        Notices notices;
        const Surface s = surface(l.mesh, face_neighbours(l.mesh), &notices);
        QCOMPARE(std::count(s.wall.begin(), s.wall.end(), Wall::epi),
                 std::ptrdiff_t(s.wall.size()));
    }

    void units_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<double>("scale");
        QTest::addColumn<double>("size_mm");
        QTest::addColumn<QString>("unit");
        // a block of 1 x 1/5 x 1/5 times `size_mm`, written in units of 1 / `scale` mm
        QTest::newRow("human heart in mm") << "u.msh" << 1.0 << 100.0 << "mm";
        QTest::newRow("human heart in cm") << "u.msh" << 0.1 << 100.0 << "cm";
        QTest::newRow("human heart in m") << "u.msh" << 1e-3 << 100.0 << "m";
        QTest::newRow("human heart in um") << "u.msh" << 1e3 << 100.0 << "um";
        QTest::newRow("mouse heart in mm") << "u.msh" << 1.0 << 6.0 << "mm";
        QTest::newRow("CARP in um") << "u.pts" << 1e3 << 100.0 << "um";
        QTest::newRow("CARP in mm") << "u.pts" << 1.0 << 100.0 << "mm";
        QTest::newRow("small slab, CARP in um") << "u.pts" << 1e3 << 2.0 << "um";
    }
    void units()
    {
        QFETCH(QString, file);
        QFETCH(double, scale);
        QFETCH(double, size_mm);
        QFETCH(QString, unit);
        const TetMesh m =
            slab({size_mm, size_mm / 5, size_mm / 5}, size_mm < 50 ? size_mm / 30 : size_mm / 80);
        std::string text;
        const auto put = [&](auto... v) {
            ((text += std::to_string(v) + " "), ...);
            text.back() = '\n';
        };
        const auto path = in_folder(file.toStdString());
        const bool gmsh = path.extension() == ".msh";
        if (gmsh)
            text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n";
        put(m.vertex_count());
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            gmsh ? put(v + 1, scale * m.x[v], scale * m.y[v], scale * m.z[v])
                 : put(scale * m.x[v], scale * m.y[v], scale * m.z[v]);
        if (gmsh) {
            text += "$EndNodes\n$Elements\n";
        } else {
            spill(path, text);
            text.clear();
        }
        put(m.tetrahedron_count());
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const auto c = m.corners(t);
            if (!gmsh)
                text += "Tt ";
            gmsh ? put(t + 1, 4, 2, 1, 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1)
                 : put(c[0], c[1], c[2], c[3]);
        }
        if (gmsh)
            text += "$EndElements\n";
        spill(gmsh ? path : fs::path(path).replace_extension(".elem"), text);
        const auto l = io::read(path);
        QCOMPARE(QString::fromStdString(std::string(name(l.unit))), unit);
        QVERIFY(has(l.check.notices, "length unit " + unit.toStdString()));
        QCOMPARE(has(l.check.notices, "um (by convention of CARP)"), !gmsh && unit == "um");
        QCOMPARE(has(l.check.notices, "though um is the convention of CARP"),
                 !gmsh && unit != "um");
        const double volume = size_mm * size_mm * size_mm / 25;
        QVERIFY(std::abs(shapes::volume(l.mesh) / volume - 1) < 1e-2);
        // a given unit wins
        const auto given = io::read(path, LengthUnit::cm);
        QCOMPARE(given.unit, LengthUnit::cm);
        QVERIFY(std::abs(given.mesh.x[1] / l.mesh.x[1] * millimetres(l.unit) / 10 - 1) < 1e-9);
        // but not without a word where it makes a house of a heart
        QCOMPARE(has(given.check.notices, "no heart is so large"),
                 10 * scale * size_mm * std::sqrt(1.08) > 1000);
    }

    void old_legacy_text_with_other_cells()
    {
        spill(in_folder("old.vtk"),
              "# vtk DataFile Version 3.0\nold\nASCII\nDATASET UNSTRUCTURED_GRID\n"
              "POINTS 5 float\n0 0 0 30 0 0 0 30 0 0 0 30 30 30 30\nCELLS 3 14\n"
              "3 0 1 2\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 3\n5 10 10\nCELL_DATA 3\n"
              "SCALARS elemTag int 1\nLOOKUP_TABLE default\n9 4 5\n"
              "VECTORS fiber float\n0 0 0 0 2 0 0 0 -3\n"
              "POINT_DATA 5\nFIELD FieldData 2\nV%20m 1 5 double\n1 2 nan 4 5\nab 2 5 int\n"
              "1 2 3 4 5 6 7 8 9 10\n");
        const auto l = io::read(in_folder("old.vtk"));
        QCOMPARE(l.format, std::string("legacy VTK"));
        QVERIFY(has(l.check.notices, "1 triangle cells were ignored"));
        QCOMPARE(l.mesh.region, (std::vector<std::int32_t>{4, 5}));
        QCOMPARE(l.mesh.fibre[0], (Vec3{0, 1, 0}));
        QCOMPARE(l.mesh.fibre[1], (Vec3{0, 0, -1}));
        QCOMPARE(l.check.fibres_normalised, 2);
        QVERIFY(l.mesh.field("V m") && std::isnan(l.mesh.field("V m")->values[2]));
        QCOMPARE(l.mesh.field("ab")->components, 2);
    }

    void vtk_fibres_at_vertices_are_averaged_with_sign()
    {
        spill(in_folder("point.vtk"),
              "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
              "POINTS 4 float\n0 0 0 30 0 0 0 30 0 0 0 30\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
              "POINT_DATA 4\nVECTORS f0 float\n20 0 0 -20 0 0 19 1 0 -19 1 0\n");
        const auto l = io::read(in_folder("point.vtk"));
        QVERIFY(norm(l.mesh.fibre[0] - Vec3{1, 0, 0}) < 1e-6);
        QVERIFY(has(l.check.notices, "f0"));
    }

    void carp_text_of_all_kinds()
    {
        spill(in_folder("k.pts"), "5\n0 0 0\n3e4 0 0\n0 3e4 0\n0 0 30000\n+30000 30000 30000\n");
        spill(in_folder("k.elem"), "3\nTt 0 1 2 3 7\nTr 0 1 2 9\r\nTt 1 2 3 4\n");
        spill(in_folder("k.lon"), "1\n1 0 0\n0 0 0\n0 2 0\n");
        auto l = io::read(in_folder("k.pts"));
        QCOMPARE(l.mesh.region, (std::vector<std::int32_t>{7, 1}));
        QCOMPARE(l.mesh.fibre[1], (Vec3{0, 1, 0}));
        spill(in_folder("k.lon"),
              "1 0 0 0 1 0\n0 0 0 0 0 0\n0 2 0 1 0 0\n"); // no header, with sheets
        l = io::read(in_folder("k"));
        QCOMPARE(l.mesh.sheet[1], (Vec3{1, 0, 0}));
    }

    void tetgen_counts_from_one_with_comments()
    {
        spill(in_folder("t.node"), "# made by hand\n4  3  1  1 # header\n\n1 0 0 0 5.5 1\n"
                                   "2 30 0 0 5 1 # x\n3 0 30 0 5 1\n4 0 0 30 5 0\n# end\n");
        spill(in_folder("t.ele"), "1 4 1\n1 2 1 3 4 12\n");
        const auto l = io::read(in_folder("t.ele"));
        QCOMPARE(l.mesh.region[0], 12);
        QCOMPARE(l.check.turned, 1);
        QVERIFY(std::abs(l.mesh.volume(0) - 4500) < 1e-9);
    }

    void chaste_binary()
    {
        const auto raw = [](auto... v) {
            std::string s;
            ((s.append(reinterpret_cast<const char*>(&v), sizeof v)), ...);
            return s;
        };
        std::string nodes = "4\t3\t1\t0\tBIN\n";
        for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{3, 0, 0}, Vec3{0, 3, 0}, Vec3{0, 0, 3}})
            nodes += raw(p[0], p[1], p[2], 0.5);
        spill(in_folder("b.node"), nodes + "#\n# Created by somebody\n");
        spill(in_folder("b.ele"), "1\t4\t1\tBIN\n" + raw(0, 1, 2, 3, 6.0) + "#\n");
        spill(in_folder("b.ortho"),
              "1\tBIN\n" + raw(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0) + "#\n");
        const auto l = io::read(in_folder("b.node"));
        QCOMPARE(l.unit, LengthUnit::cm); // Chaste's convention
        QCOMPARE(l.mesh.region[0], 6);
        QVERIFY(std::abs(l.mesh.volume(0) - 4500) < 1e-9);
        QCOMPARE(l.mesh.fibre[0], (Vec3{0, 1, 0}));
        QCOMPARE(l.mesh.sheet[0], (Vec3{1, 0, 0}));
    }

    void gmsh_text_4()
    {
        spill(in_folder("g.msh"),
              "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 17 \"#wall\"\n"
              "$EndPhysicalNames\n$Entities\n1 0 0 2\n1 0 0 0 0\n5 0 0 0 1 1 1 1 17 0\n"
              "6 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 1 1000000\n0 1 0 1\n1000000\n0 0 0\n"
              "3 5 1 4\n1\n2\n3\n4\n30 0 0 .1 .1 .1\n0 30 0 0 0 0\n0 0 30 0 0 0\n30 30 30 0 0 0\n"
              "$EndNodes\n$Elements\n3 3 1 3\n2 1 2 1\n1 1 2 3\n3 5 4 1\n2 1000000 1 2 3\n"
              "3 6 4 1\n3 1 2 3 4\n$EndElements\n$NodeData\n1\n\"late\"\n1\n0\n3\n0\n1\n1\n"
              "1000000 2.5\n$EndNodeData\n$Unknown\nx\n$EndUnknown\n");
        const auto l = io::read(in_folder("g.msh"));
        QCOMPARE(l.format, std::string("Gmsh 4.1"));
        QCOMPARE(l.mesh.region, (std::vector<std::int32_t>{17, 6}));
        QCOMPARE(l.mesh.field("late")->values[4], 2.5F); // in the order of tags
        QCOMPARE(l.mesh.vertex_count(), std::size_t{5});
        QCOMPARE(l.mesh.label_names.at(17), std::string("#wall"));
    }

    /// An entity of no group whose number is another group's; a group beyond 32 bits.
    void gmsh_groups_are_not_mixed_up()
    {
        const auto file = [](const char* second) {
            return std::string("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n"
                               "3 20 \"scar\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 30 0 0\n"
                               "3 0 30 0\n4 0 0 30\n5 30 30 30\n$EndNodes\n$Elements\n2\n"
                               "1 4 2 20 5 1 2 3 4\n2 4 2 ") +
                   second + " 5 2 3 4\n$EndElements\n";
        };
        spill(in_folder("mixed.msh"), file("0 20"));
        const auto l = io::read(in_folder("mixed.msh"));
        QCOMPARE(l.mesh.region, (std::vector<std::int32_t>{20, 0}));
        QVERIFY(has(l.check.notices, "1 tetrahedra are in no physical group"));
        spill(in_folder("large.msh"), file("4294967316 5"));
        try {
            (void)io::read(in_folder("large.msh"));
            QFAIL("it is refused");
        } catch (const MeshError& e) {
            QVERIFY2(std::string(e.what()).find("4294967316") != std::string::npos, e.what());
        }
    }

    void names_of_labels_travel_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"names.msh", "names.msh2", "names.vtu"})
            QTest::newRow(file) << QString(file);
    }

    void names_of_labels_travel()
    {
        QFETCH(QString, file);
        TetMesh m = shapes::rich();
        const auto label = m.region.front();
        m.label_names = {{label, "left \"free\" wall"}, {-7, "Narbe \xFC\n<b>"}, {9, ""}};
        const auto at = in_folder(file.toStdString());
        io::write(m, at);
        const auto back = io::read(at).mesh;
        QCOMPARE(back.label_names.at(label), std::string("left \"free\" wall"));
        if (file != "names.vtu") // made UTF-8 where it was not, on one line
            QVERIFY(!back.label_names.at(-7).empty());
        const auto names = region_names(refine(back));
        const auto named = std::find_if(names.begin(), names.end(),
                                        [&](const auto& n) { return n.label == label; });
        QCOMPARE(named->name, std::string("left \"free\" wall"));
    }

    void text_of_foreign_files_becomes_readable()
    {
        const std::string utf8 = "R\xC3\xA9gion";
        QCOMPARE(readable(utf8), utf8);
        QCOMPARE(shortened(utf8, utf8.size()), utf8);
        QCOMPARE(shortened(utf8, 3), std::string("R\xC3\xA9..."));
        QCOMPARE(shortened(utf8, 2), std::string("R...")); // no half of a character
        QCOMPARE(shortened("R\xE9gion", 2), std::string("R\xE9..."));
        QCOMPARE(std::string(ending(utf8, 5)), std::string("gion"));
        QCOMPARE(std::string(ending(utf8, 99)), utf8);
        QCOMPARE(readable("R\xE9gion"), utf8); // ISO 8859-1
        QCOMPARE(readable("a\tb\x7F"), std::string("a b "));
    }

    void separate_fibre_file_in_another_order_and_unit()
    {
        TetMesh m = shapes::rich();
        std::vector<std::size_t> order(m.vertex_count());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(3));
        std::ostringstream s;
        s.precision(9);
        s << "# vtk DataFile Version 3.0\nf\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS "
          << order.size() << " float\n";
        for (const auto v : order)
            s << m.x[v] / 10 << ' ' << m.y[v] / 10 << ' ' << m.z[v] / 10 << '\n';
        s << "POINT_DATA " << order.size() << "\nVECTORS fiber float\n";
        for (const auto v : order) // turns with x, sign at random
            s << (v % 2 ? 20 : -20) * std::cos(m.x[v] / 10) << ' '
              << (v % 2 ? 20 : -20) * std::sin(m.x[v] / 10) << " 0\n";
        spill(in_folder("f.vtk"), s.str());
        const auto notices = io::attach_fibres(m, in_folder("f.vtk"));
        QVERIFY(has(notices, "(cm)") && has(notices, "another order"));
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const double a = m.centroid(t)[0] / 10;
            QVERIFY(std::abs(dot(m.fibre[t], {std::cos(a), std::sin(a), 0})) > 0.99);
        }
        TetMesh other = slab({20, 6, 4}, 1);
        QVERIFY_THROWS_EXCEPTION(MeshError, io::attach_fibres(other, in_folder("f.vtk")));
        io::write(shapes::rich(), in_folder("no.vtk"));
        QVERIFY_THROWS_EXCEPTION(MeshError, io::attach_fibres(m, in_folder("no.vtk")));
    }

    void separate_fibre_file_of_tetrahedra()
    {
        TetMesh m = shapes::rich();
        const auto n = m.tetrahedron_count();
        const auto lon = [&](std::size_t lines) {
            std::string s = "1\n";
            for (std::size_t t = 0; t < lines; ++t)
                s += t % 2 ? "0 2 0\n" : "0 0 -3\n";
            return s;
        };
        const auto why = [](auto&& work) {
            try {
                work();
            } catch (const MeshError& e) {
                return QString::fromUtf8(e.what());
            }
            return QString();
        };
        const auto before = m.fibre[0];
        spill(in_folder("short.lon"), lon(n - 1));
        const QString refused = why([&] { io::attach_fibres(m, in_folder("short.lon")); });
        QVERIFY2(refused.contains("short.lon"), qPrintable(refused));
        QCOMPARE(m.fibre[0], before); // what was there stays
        spill(in_folder("f.lon"), lon(n));
        const auto notices = io::attach_fibres(m, in_folder("f.lon"));
        QVERIFY(has(notices, "one for each tetrahedron"));
        for (std::size_t t = 0; t < n; ++t)
            QVERIFY(std::abs(m.fibre[t][t % 2 ? 1 : 2]) > 0.999);
        const QString other = why([&] { io::attach_fibres(m, in_folder("f.csv")); });
        QVERIFY2(other.contains("is missing"), qPrintable(other));
        spill(in_folder("f.csv"), "1,0,0\n");
        const QString kind = why([&] { io::attach_fibres(m, in_folder("f.csv")); });
        QVERIFY2(kind.contains(".lon"), qPrintable(kind));
        // a file of fibres alone is no mesh, and says what it is
        spill(in_folder("fibres.vtk"),
              "# vtk DataFile Version 3.0\nf\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 float\n"
              "0 0 0 1 0 0\nPOINT_DATA 2\nVECTORS fiber float\n1 0 0 1 0 0\n");
        const QString alone = why([&] { io::read(in_folder("fibres.vtk")); });
        QVERIFY2(alone.contains("open their mesh"), qPrintable(alone));
    }

    void extras_are_written()
    {
        const TetMesh m = shapes::rich();
        std::vector<float> v(m.vertex_count(), 1.5F);
        v[3] = std::nanf("");
        io::write_vtu(m, {{"activation_ms", Field::On::vertices, v}}, in_folder("extra.vtu"));
        const auto l = io::read(in_folder("extra.vtu"));
        QVERIFY(std::isnan(l.mesh.field("activation_ms")->values[3]));
        QCOMPARE(l.mesh.field("activation_ms")->values[4], 1.5F);
        v.pop_back();
        QVERIFY_THROWS_EXCEPTION(
            InputError, io::write_vtu(m, {{"a", Field::On::vertices, v}}, in_folder("bad.vtu")));
        QVERIFY(!fs::exists(in_folder("bad.vtu")));
    }
};

QTEST_GUILESS_MAIN(TestMeshIo)
#include "test_mesh_io.moc"
