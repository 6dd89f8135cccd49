// SPDX-License-Identifier: GPL-3.0-or-later
// Cables from files: what is read, what is mended, and what is refused by one line.
#include "engine/cable/compartments.hpp"
#include "engine/cable/io/read.hpp"
#include "engine/cable/measures.hpp"
#include "engine/core/error.hpp"
#include "tests/several.hpp"

#include <QDirIterator>
#include <QProcess>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

using namespace tawara;
using namespace tawara::cable;
using tawara::cable::io::Loaded;
using tawara::cable::io::ReadOptions;

class TestCableFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;

    std::string file(const char* name, const QByteArray& text)
    {
        const auto path = folder_.filePath(name);
        QFile f(path);
        if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size())
            throw Error("cannot write " + path.toStdString());
        return path.toStdString();
    }
    Loaded read(const char* name, const QByteArray& text, const ReadOptions& o = {})
    {
        return io::read(file(name, text), o);
    }
    /// What refuses a text.
    QString said(const char* name, const QByteArray& text, const ReadOptions& o = {})
    {
        const auto path = file(name, text);
        try {
            io::read(path, o);
        } catch (const InputError& e) {
            return QString::fromStdString(e.what()).replace(QString::fromStdString(path), "FILE");
        }
        return "nothing";
    }
    static bool notes(const Loaded& l, const char* words)
    {
        return std::any_of(l.notices.begin(), l.notices.end(),
                           [&](const auto& n) { return n.text.find(words) != std::string::npos; });
    }

    /// A square of lines with a diagonal that joins nothing new.
    static QByteArray lines(const char* cells)
    {
        return QByteArray("# vtk DataFile Version 3.0\nlength unit: um\nASCII\nDATASET POLYDATA\n"
                          "POINTS 6 float\n0 0 0 1000 0 0 1000 1000 0 0 1000 0 5 5 5 1000 0 0\n") +
               cells;
    }

  private Q_SLOTS:
    /// Comments, CRLF, blanks, further columns, ids in any order and with holes.
    void swcIsRead()
    {
        const auto l = read("any.swc", "\xef\xbb\xbf# a comment\r\n\r\n"
                                       " 40 3 30 0 0 1 7 # behind its parent\r\n"
                                       "7 3 20 0 0 2 3 99 more\r\n"
                                       "3 1 0 0 0 5 -1\r\n"
                                       "9 2 0 1 0 1 3\r\n"
                                       "8 2 0 11 0 1 9\r\n");
        QCOMPARE(l.trees.size(), std::size_t(1));
        const auto& m = l.trees[0];
        check(m);
        QCOMPARE(m.points(), std::size_t(7)); // two more of the soma
        QCOMPARE(l.number[0][0], 3);
        const auto at = [&](std::int64_t id) {
            return static_cast<std::size_t>(std::find(l.number[0].begin(), l.number[0].end(), id) -
                                            l.number[0].begin());
        };
        QCOMPARE(static_cast<std::size_t>(m.parent[at(40)]), at(7));
        QVERIFY(m.is_wire(at(7)) && !m.is_wire(at(40)));
        QVERIFY(std::abs(m.point_mm[at(40)][0] - 0.03) < 1e-15);
        QCOMPARE(m.kind[at(8)], 2);
        // a soma of one point has its sphere's area; neurites begin with their first point
        const auto s = measure(m);
        QVERIFY(std::abs(s.kinds.at(1).area_um2 - 4 * std::numbers::pi * 25) < 1e-9);
        QVERIFY(std::abs(s.kinds.at(3).length_um - 10) < 1e-9);
        QVERIFY(std::abs(s.kinds.at(2).length_um - 10) < 1e-9);
        QVERIFY(notes(l, "one point"));
        QCOMPARE(s.ends, std::size_t(4));
    }
    void somata()
    {
        // three points, as NeuroMorpho writes them
        auto l =
            read("three.swc", "1 1 0 0 0 3 -1\n2 1 0 -3 0 3 1\n3 1 0 3 0 3 1\n4 3 3 0 0 1 1\n5 "
                              "3 9 0 0 1 4\n");
        QVERIFY(l.notices.empty());
        auto s = measure(l.trees[0]);
        QVERIFY(std::abs(s.kinds.at(1).area_um2 - 36 * std::numbers::pi) < 1e-9);
        QVERIFY(std::abs(s.kinds.at(3).length_um - 6) < 1e-9);
        // an outline
        QByteArray text;
        for (int k = 0; k < 12; ++k)
            text += QByteArray::number(k + 1) + " 1 " +
                    QByteArray::number(10 * std::cos(k * std::numbers::pi / 6), 'f', 9) + " " +
                    QByteArray::number(10 * std::sin(k * std::numbers::pi / 6), 'f', 9) +
                    " 0 0.1 " + QByteArray::number(k > 0 ? k : -1) + "\n";
        l = read("outline.swc", text + "13 3 12 0 0 1 5\n14 3 22 0 0 1 13\n");
        QVERIFY(notes(l, "outline of 12 points"));
        s = measure(l.trees[0]);
        QVERIFY(std::abs(s.kinds.at(1).area_um2 - 400 * std::numbers::pi) < 1e-3);
        QVERIFY(std::abs(s.kinds.at(3).length_um - 10) < 1e-9);
        QCOMPARE(discretise(l.trees[0], {5.01}).nodes(), std::size_t(7)); // 1, 2 + 2, 2
        // a neurite of one point begins at the soma, with its own radius
        l = read("short.swc", "1 1 0 0 0 5 -1\n2 3 20 0 0 1 1\n");
        QVERIFY(notes(l, "neurites of one point"));
        s = measure(l.trees[0]);
        QVERIFY(std::abs(s.kinds.at(3).area_um2 - 40 * std::numbers::pi) < 1e-9);
        // another radius at one place
        l = read("step.swc", "1 3 0 0 0 2 -1\n2 3 10 0 0 2 1\n3 3 10 0 0 1 2\n4 3 20 0 0 1 3\n");
        QVERIFY(notes(l, "without length: id 3"));
        QVERIFY(std::abs(measure(l.trees[0]).area_um2 - 60 * std::numbers::pi) < 1e-9);
    }
    void unitsAndRoots()
    {
        const QByteArray rows = "1 3 0 0 0 200 -1\n2 3 1000 0 0 200 1\n3 3 1000 500 0 200 2\n";
        auto l = read("nm.swc", "# Meta: {\"units\": \"1 nanometer\"}\n" + rows);
        QVERIFY(l.unit == io::Unit::nm && notes(l, "nm, as a comment"));
        QVERIFY(std::abs(measure(l.trees[0]).length_um - 1.5) < 1e-12);
        QVERIFY(std::abs(l.trees[0].radius_um[0] - 0.2) < 1e-12);
        ReadOptions o;
        o.unit = io::Unit::um;
        QVERIFY(
            std::abs(
                measure(io::read(folder_.filePath("nm.swc").toStdString(), o).trees[0]).length_um -
                1500) < 1e-9);
        QVERIFY(said("8nm.swc", "# units: 8 nm\n" + rows).contains(":1: the comment names units"));
        // another end is the root
        o.root = 3;
        l = io::read(folder_.filePath("nm.swc").toStdString(), o);
        QCOMPARE(l.number[0], (std::vector<std::int64_t>{3, 2, 1}));
        o.root = 5;
        QVERIFY(said("nm.swc", rows, o).contains("no id 5"));
        QVERIFY_THROWS_EXCEPTION(InputError, io::unit_by_name("inch"));
    }
    /// Each hostile text has one line that names the place and what is due.
    void badSwcIsRefused()
    {
        const auto is = [&](const QByteArray& text, const char* words) {
            const auto s = said("bad.swc", text);
            QVERIFY2(s.contains(words) && s.startsWith("FILE") && !s.contains('\n'), qPrintable(s));
        };
        is("# nothing\n", "has no points");
        is("1 3 0 0 0 1 -1\n2 3 1 0 0 1\n", ":2: the line ends where the parent's id is due");
        is("1 3 0 0 zero 1 -1\n", ":1: \"zero\" stands where z");
        is("1 3 0 nan 0 1 -1\n", ":1: y is nan");
        is("1.5 3 0 0 0 1 -1\n", ":1: \"1.5\" stands where the point's id");
        is("1 3 0 0 0 1 -1\n1 3 9 0 0 1 1\n", ":2: id 1 stands in line 1, too");
        is("1 3 0 0 0 1 -1\n2 3 9 0 0 1 7\n", ":2: id 2 has the parent 7, which is not");
        is("1 3 0 0 0 1 -1\n2 3 9 0 0 1 2\n", ":2: id 2 is its own parent");
        is("1 3 0 0 0 1 -1\n2 3 9 0 0 -1 1\n", ":2: the radius is below 0");
        is("1 3 0 0 0 1 -1\n2 3 9 0 0 0 1\n", ":2: the radius of id 2 is 0");
        is("1 3 0 0 0 1 -1\n5 3 9 0 0 1 -1\n8 3 9 9 0 1 5\n",
           ":2: has 2 trees that are not joined, with the roots 1, 5");
        is("1 3 0 0 0 1 -1\n2 3 9 0 0 1 4\n3 3 9 9 0 1 2\n4 3 0 9 0 1 3\n",
           "closes a cycle; a cable is a tree");
        ReadOptions o;
        o.radius_um = 0.5;
        const auto l = read("mended.swc", "1 3 0 0 0 1 -1\n2 3 9 0 0 0 1\n", o);
        QVERIFY(notes(l, "radius of id 2 is 0.5 um, as given"));
        o.several_trees = true;
        QCOMPARE(read("two.swc", "1 3 0 0 0 1 -1\n5 3 9 0 0 1 -1\n8 3 9 9 0 1 5\n", o).trees.size(),
                 std::size_t(2));
    }
    void tables()
    {
        const auto l = read("t.csv", "x,y,z,radius,parent\n0,0,0,2,-1\n0,0,10,2,0\n0,5,10,1,1\n");
        QCOMPARE(l.format, std::string("table"));
        QVERIFY(std::abs(measure(l.trees[0]).length_um - 15) < 1e-12);
        QVERIFY(said("t.txt", "0 0 0 1 -1\n1 0 0 1 5\n").contains(":2: the parent is row 5"));
        QVERIFY(said("t.txt", "0 0 0 1 -1\n1 0 0 1 0 2 3\n").contains(":2: the row goes on"));
        QVERIFY(said("t.txt", "FoamFile\n{\n").contains(":1: \"FoamFile\" begins no row"));
    }
    void vtkLines()
    {
        ReadOptions o;
        o.radius_um = 8;
        // two lines end at one place under two numbers; one piece stands twice
        const auto text = lines("LINES 3 10\n3 0 1 2\n2 3 2\n2 1 2\nPOINT_DATA 6\nSCALARS "
                                "kind int 1\nLOOKUP_TABLE default\n1 1 1 2 0 0\n");
        auto l = read("lines.vtk", text, o);
        QVERIFY(l.unit == io::Unit::um);
        QVERIFY(std::abs(measure(l.trees[0]).length_um - 3000) < 1e-9);
        QCOMPARE(l.number[0], (std::vector<std::int64_t>{0, 1, 2, 3}));
        QVERIFY(notes(l, "1 points are on no line") && notes(l, "taken as one: 5"));
        QVERIFY(notes(l, "1 pieces stand twice"));
        QVERIFY(said("lines.vtk", lines("LINES 1 6\n5 0 1 2 3 0\n"), o).contains("closes a cycle"));
        QVERIFY(said("lines.vtk", lines("LINES 1 3\n2 0 9\n"), o).contains("names point 9"));
        QVERIFY(said("lines.vtk", lines("POLYGONS 1 4\n3 0 1 2\n"), o).contains("has no lines"));
        QVERIFY(said("lines.vtk", lines("LINES 1 3\n2 0 1\n")).contains("radius of all points"));
        QVERIFY(said("lines.vtk", lines("LINES 2 6\n2 0 1\n2 2 3\n"), o).contains("2 trees"));
        // VTP and VTU, with radii
        const QByteArray points =
            "<PointData><DataArray type=\"Float64\" Name=\"Radius\" format=\"ascii\">0.002 0.001 "
            "0.001</DataArray></PointData><Points><DataArray type=\"Float64\" "
            "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 0 0 30 0 40 30</DataArray></Points>";
        const QByteArray arrays =
            "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>"
            "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3</DataArray>";
        const auto xml = [&](const char* type, const char* counts, const QByteArray& cells) {
            return "<VTKFile type=\"" + QByteArray(type) +
                   "\" version=\"0.1\" byte_order=\"LittleEndian\"><" + type +
                   "><Piece NumberOfPoints=\"3\" " + counts + ">" + points + cells + "</Piece></" +
                   type + "></VTKFile>";
        };
        for (const auto& [name, made] :
             {std::pair<const char*, QByteArray>{
                  "l.vtp", xml("PolyData", "NumberOfLines=\"1\"", "<Lines>" + arrays + "</Lines>")},
              {"l.vtu", xml("UnstructuredGrid", "NumberOfCells=\"1\"",
                            "<Cells>" + arrays +
                                "<DataArray type=\"UInt8\" Name=\"types\" "
                                "format=\"ascii\">4</DataArray></Cells>")}}) {
            l = read(name, made);
            QVERIFY(l.unit == io::Unit::mm); // by its size
            QVERIFY(std::abs(measure(l.trees[0]).length_um - 7e4) < 1e-6);
            QVERIFY(std::abs(l.trees[0].radius_um[0] - 2) < 1e-12);
        }
    }

    /// Each file of the collection is read or refused by one line; what is read can be cut.
    void collection()
    {
        const QString data = TAWARA_SOURCE_DIR "/../shared/data/";
        if (!QFile::exists(data + "swc.tar.xz"))
            QSKIP("morphologies of the shared data are not beside the repository");
        QCOMPARE(QProcess::execute("tar", {"xJf", data + "swc.tar.xz", "-C", folder_.path()}), 0);
        std::size_t good = 0, refused = 0;
        std::map<std::string, QString> reasons;
        QStringList files;
        for (QDirIterator it(folder_.path() + "/swc", {"*.swc"}, QDir::Files,
                             QDirIterator::Subdirectories);
             it.hasNext();)
            files << it.next();
        for (const auto& f : QDir(data + "purkinje").entryInfoList(QDir::Files))
            files << f.filePath();
        for (const auto& f : files) {
            ReadOptions o;
            if (f.contains("purkinje"))
                o.radius_um = 8;
            try {
                const auto l = io::read(f.toStdString(), o);
                const auto c = discretise(l.trees[0], {20});
                const double area = std::accumulate(c.area_um2.begin(), c.area_um2.end(), 0.0);
                const double due = measure(l.trees[0]).area_um2;
                QVERIFY2(std::abs(area - due) < 1e-9 * due, qPrintable(f));
                ++good;
            } catch (const InputError& e) {
                reasons[QFileInfo(f).fileName().toStdString()] = e.what();
                QVERIFY2(!QString(e.what()).contains('\n'), e.what());
                ++refused;
            }
        }
        QCOMPARE(good + refused, std::size_t(49));
        QCOMPARE(refused, std::size_t(14));
        QVERIFY(reasons["Neuron_missing_parents.swc"].contains(":40: id 6 has the parent 5"));
        QVERIFY(reasons["multiple_soma.swc"].contains("with the roots 1, 10"));
        QVERIFY(reasons["Neuron_disconnected_components.swc"].contains("1, 6, 217, 428, 639"));
        QVERIFY(reasons["cardiacfoam_purkinjeGraph.txt"].contains(":1: \"FoamFile\""));
        QVERIFY(reasons["simple.swc"].contains("ids 4, 5, 8, 9 is 0"));
    }
};

static test::Further<TestCableFiles> cable_files;
#include "test_cable_files.moc"
