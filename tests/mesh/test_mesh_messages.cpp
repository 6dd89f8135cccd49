// SPDX-License-Identifier: GPL-3.0-or-later
// What readers and writers say of files that are not quite as announced, and of what formats lose.
#include "engine/core/error.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "tests/mesh/shapes.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

void spill(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

/// The notice that holds these words; empty where there is none.
QString with(const Notices& notices, const char* words)
{
    for (const auto& n : notices)
        if (n.text.find(words) != std::string::npos)
            return QString::fromStdString(n.text);
    return {};
}

} // namespace

class TestMeshMessages : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    fs::path in_folder(const std::string& name) const
    {
        return fs::path(folder_.path().toStdString()) / name;
    }

  private Q_SLOTS:
    /// TetGen itself ignores what lies behind the columns that the header announces.
    void tetgen_lines_may_be_longer_than_announced()
    {
        spill(in_folder("t.node"), "4 3 0 0\n0 0 0 0\n1 30 0 0 7 # two of these\n2 0 30 0 7 8 x\n"
                                   "3 0 0 30\n");
        spill(in_folder("t.ele"), "1 4 0\n0 0 1 2 3 12\n");
        const auto l = io::read(in_folder("t.ele"));
        QCOMPARE(l.mesh.vertex_count(), std::size_t{4});
        QCOMPARE(l.mesh.vertex(3), (Vec3{0, 0, 30}));
        QCOMPARE(l.mesh.region[0], 1);
        QCOMPARE(with(l.check.notices, "vertices in t.node"),
                 QString("2 lines of vertices in t.node (the first is line 3) have more columns "
                         "than its header announces: as TetGen does, the rest of these lines is "
                         "ignored"));
        const auto of_ele = with(l.check.notices, "tetrahedra in t.ele");
        QVERIFY2(of_ele.contains("1 lines") && of_ele.contains("write 1 as the header's last"),
                 qPrintable(of_ele));
        spill(in_folder("t.node"), "4 3 0 0\n0 0 0 0 1 30 0 0\n2 0 30 0\n3 0 0 30\n");
        try {
            (void)io::read(in_folder("t.ele")); // a line's end is missing: not passed over
            QFAIL("it is refused");
        } catch (const MeshError& e) {
            QVERIFY2(std::string(e.what()).find("t.node:3: vertex number 2 is out of order") !=
                         std::string::npos,
                     e.what());
        }
    }

    /// A row that is too short is told by its own line, not by the one from which its values would
    /// be taken.
    void short_rows_are_named_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("row");   // as it should be
        QTest::addColumn<QString>("wrong"); // in its place
        QTest::addColumn<QString>("says");
        const auto row = [](const char* file, const char* right, const char* wrong,
                            const char* says) {
            QTest::newRow((std::string(file) + ", " + wrong).c_str())
                << QString(file) << QString(right) << QString(wrong) << QString(says);
        };
        row("s.node", "1 30 0 0 5", "1 30 0", ":3: the line ends where a coordinate is due");
        row("s.node", "1 30 0 0 5", "1 30 0 0", ":3: the line ends where a vertex attribute");
        row("s.ele", "0 0 1 2 3 1", "0 0 1 2", ":2: the line ends where a vertex number is due");
        row("s.ele", "0 0 1 2 3 1", "0 0 1 2 3", ":2: the line ends where an attribute is due");
        row("s.face", "0 0 1 2 4", "0 0 1", ":2: the line ends where a vertex number is due");
        row("s.pts", "30000 0 0", "30000 0", ":3: the line ends where a coordinate is due");
        row("s.pts", "30000 0 0", "30000 0 0 0", ":3: more columns follow than three");
        row("s.elem", "Tt 0 1 2 3 1", "Tt 0 1 2", ":2: the line ends where a vertex number");
        row("s.lon", "1 0 0", "1 0", ":2: the line ends where a fibre component is due");
        row("s.msh", "2 30 0 0", "2 30 0", ":7: the line ends where a coordinate is due");
        row("s.msh", "7 5 1 2 3 4", "7 5 1 2 3", ":13: the line ends where a node tag is due");
    }
    void short_rows_are_named()
    {
        QFETCH(QString, file);
        QFETCH(QString, row);
        QFETCH(QString, wrong);
        QFETCH(QString, says);
        const std::pair<const char*, const char*> files[] = {
            {"s.node", "4 3 1 0\n0 0 0 0 5\n1 30 0 0 5\n2 0 30 0 5\n3 0 0 30 5\n"},
            {"s.ele", "2 4 1\n0 0 1 2 3 1\n1 0 1 2 3 1\n"},
            {"s.face", "2 1\n0 0 1 2 4\n1 0 1 3 4\n"},
            {"s.pts", "4\n0 0 0\n30000 0 0\n0 30000 0\n0 0 30000\n"},
            {"s.elem", "2\nTt 0 1 2 3 1\nTt 0 1 2 3 1\n"},
            {"s.lon", "1\n1 0 0\n0 1 0\n"},
            {"s.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 30 0 0\n"
                      "3 0 30 0\n4 0 0 30\n$EndNodes\n$Elements\n1\n1 4 2 7 5 1 2 3 4\n"
                      "$EndElements\n"}};
        for (const auto& [name, text] : files)
            spill(in_folder(name),
                  name != file ? text : QString(text).replace(row, wrong).toStdString());
        try {
            (void)io::read(in_folder(file.toStdString()));
            QFAIL("it is refused");
        } catch (const MeshError& e) {
            QVERIFY2(QString(e.what()).contains(file + says), e.what());
        }
    }

    /// Gmsh 4.1 keeps tetrahedra region by region; their tags give the order back.
    void gmsh_files_keep_the_order_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("4.1") << "order.msh";
        QTest::newRow("2.2") << "order.msh2";
    }
    void gmsh_files_keep_the_order()
    {
        QFETCH(QString, file);
        TetMesh m = shapes::rich();
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            m.region[t] = static_cast<std::int32_t>(5 - t % 3);
        const auto path = in_folder(file.toStdString());
        io::write(m, path);
        const auto l = io::read(path);
        QCOMPARE(l.mesh.region, m.region);
        QCOMPARE(l.mesh.corner, m.corner);
        QCOMPARE(l.mesh.field("pair")->values, m.field("pair")->values);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            QVERIFY(norm(l.mesh.fibre[t] - m.fibre[t]) < 1e-6);
        QCOMPARE(with(l.check.notices, "order of their tags").isEmpty(), file == "order.msh2");
    }

    void gmsh_tags_order_nodes_too()
    {
        spill(in_folder("g.msh"),
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n40 0 0 30\n10 0 0 0\n20 30 0 0\n"
              "30 0 30 0\n$EndNodes\n$Elements\n1\n1 4 2 7 5 10 20 30 40\n$EndElements\n"
              "$NodeData\n1\n\"late\"\n1\n0\n3\n0\n1\n1\n40 2.5\n$EndNodeData\n");
        const auto l = io::read(in_folder("g.msh"));
        QCOMPARE(l.mesh.vertex(0), (Vec3{0, 0, 0}));
        QCOMPARE(l.mesh.vertex(3), (Vec3{0, 0, 30}));
        QCOMPARE(l.mesh.field("late")->values, (std::vector<float>{0, 0, 0, 2.5F}));
        QCOMPARE(with(l.check.notices, "order of their tags"),
                 QString("the file's nodes do not stand in the order of their tags; here they are "
                         "numbered in that order, from 0"));
    }

    /// A format without room for markers, fields or names says so before they are missed.
    void what_a_format_loses_is_said()
    {
        TetMesh m = shapes::rich();
        Field markers{std::string(face_marker_name), Field::On::tetrahedra, 4, {}};
        markers.values.assign(4 * m.tetrahedron_count(), 2);
        m.fields.push_back(markers);
        m.label_names = {{m.region.front(), "scar"}};
        const auto carp = io::lost_in(m, "x.pts");
        QCOMPARE(with(carp, "fields"),
                 QString("x.pts: this format has no place for coordinate, pair, face_marker; .vtu, "
                         ".vtk and .msh keep fields, TetGen's .face the markers of faces"));
        QVERIFY(!with(carp, "names").isEmpty());
        const auto tetgen = io::lost_in(m, "x.node");
        QVERIFY(with(tetgen, "no place for coordinate, pair; ").size() > 0);
        QVERIFY(with(tetgen, "face_marker").isEmpty());
        for (const char* all : {"x.vtu", "x.msh", "x.msh2"})
            QVERIFY2(io::lost_in(m, all).empty(), all);
        // and nothing is said to be kept that is not
        for (const char* file : {"k.vtu", "k.vtk", "k.msh", "k.msh2"}) {
            io::write(m, in_folder(file));
            const auto back = io::read(in_folder(file)).mesh;
            QVERIFY2(face_markers(back) && back.field("pair") && back.field("coordinate"), file);
        }
    }
};
QTEST_GUILESS_MAIN(TestMeshMessages)
#include "test_mesh_messages.moc"
