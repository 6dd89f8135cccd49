// SPDX-License-Identifier: GPL-3.0-or-later
// Files that no reader must accept: each gives one line that names the file (and for text formats
// the line), soon and without a crash.
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "shapes.hpp"
#include "tests/slowdown.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <fstream>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

using Edit = std::function<void(std::string&)>;

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Edit replace(const std::string& from, const std::string& to)
{
    return [=](std::string& s) {
        const auto at = s.find(from);
        QVERIFY2(at != s.npos, from.c_str());
        s.replace(at, from.size(), to);
    };
}
Edit cut(double fraction)
{
    return [=](std::string& s) { s.resize(std::size_t(double(s.size()) * fraction)); };
}
Edit all(const std::string& text)
{
    return [=](std::string& s) { s = text; };
}
Edit garbage()
{
    return [](std::string& s) {
        unsigned x = 12345;
        for (auto& c : s)
            c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
    };
}
/// Overwrites bytes at an offset from where `after` ends.
Edit bytes(const std::string& after, std::size_t offset, const std::string& with)
{
    return [=](std::string& s) {
        const auto at = s.find(after);
        QVERIFY2(at != s.npos, after.c_str());
        s.replace(at + after.size() + offset, with.size(), with);
    };
}
template <class T>
std::string raw(T v, bool big = false)
{
    std::string s(reinterpret_cast<const char*>(&v), sizeof v);
    if (big)
        std::reverse(s.begin(), s.end());
    return s;
}
const std::string nan4 = raw(0x7FC00000), nan8 = raw(std::int64_t{0x7FF8000000000000});

constexpr const char* vtk_text =
    "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0 0 0\n30 0 0\n0 30 0\n0 0 30\n30 30 30\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n"
    "10\nCELL_DATA 2\nSCALARS region int 1\nLOOKUP_TABLE default\n1\n2\n";
constexpr const char* msh2_text =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 30 0 0\n3 0 30 0\n4 0 0 30\n"
    "5 30 30 30\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n$EndElements\n";
constexpr const char* msh4_text =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n30 0 0\n"
    "0 30 0\n0 0 30\n30 30 30\n$EndNodes\n$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n"
    "$EndElements\n";
constexpr const char* vtu_text =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
    "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" "
    "NumberOfCells=\"2\">\n"
    "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n"
    "0 0 0 30 0 0 0 30 0 0 0 30 30 30 30\n</DataArray>\n</Points>\n<Cells>\n"
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n0 1 2 3 1 2 3 "
    "4\n</DataArray>\n"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n4 8\n</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n10 10\n</DataArray>\n</Cells>\n"
    "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";

} // namespace

class TestBadMeshes : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    int cases_ = 0;

    /// A fresh folder with the good mesh of a format in files m.*; returns the file to open.
    fs::path good(const std::string& format)
    {
        const fs::path d =
            fs::path(folder_.path().toStdString()) / ("c" + std::to_string(cases_++));
        fs::create_directories(d);
        const auto text = [&](const char* name, const char* what) {
            std::ofstream(d / name, std::ios::binary) << what;
            return d / name;
        };
        if (format == "vtk text")
            return text("m.vtk", vtk_text);
        if (format == "msh2 text")
            return text("m.msh", msh2_text);
        if (format == "msh4 text")
            return text("m.msh", msh4_text);
        if (format == "vtu text")
            return text("m.vtu", vtu_text);
        const fs::path f = d / ("m." + format);
        const fs::path once = fs::path(folder_.path().toStdString()) / ("good-" + format);
        if (!fs::exists(once)) {
            fs::create_directories(once);
            io::write(shapes::rich(), once / f.filename());
        }
        for (const auto& e : fs::directory_iterator(once))
            fs::copy(e.path(), d / e.path().filename());
        return f;
    }

    static void row(const char* name, const char* format, const char* file, const Edit& edit,
                    const char* says = "", bool line = false)
    {
        QTest::newRow(name) << QString(format) << QString(file) << QVariant::fromValue(edit)
                            << QString(says) << line;
    }

    static void carp_rows()
    {
        const auto gone = [](std::string& s) { s = "\x01remove"; };
        row("carp: empty points", "pts", "pts", all(""), "empty");
        row("carp: blank points", "pts", "pts", all("\n\n"), "truncated", true);
        row("carp: no elements file", "pts", "elem", gone, "missing");
        row("carp: no points file", "pts", "pts", gone);
        row("carp: points cut", "pts", "pts", cut(0.5), "the line ends where a coordinate is due",
            true);
        row("carp: elements cut", "pts", "elem", cut(0.6), "", true);
        row("carp: fibres cut", "pts", "lon", cut(0.6), "", true);
        const auto line_less = [](std::string& s) { s.resize(s.rfind('\n', s.size() - 2) + 1); };
        row("carp: a fibre less", "pts", "lon", line_less,
            "holds 359 fibres; it should hold one for each of the 360 elements", true);
        row("carp: count too small", "pts", "pts", replace("132", "131"), "more points", true);
        row("carp: count too large", "pts", "pts", replace("132", "133"), "truncated", true);
        row("carp: count absurd", "pts", "pts", replace("132", "99999999999999"), "", true);
        row("carp: count negative", "pts", "elem", replace("360", "-360"), "negative", true);
        row("carp: NaN", "pts", "pts", replace("2000 0 0", "nan 0 0"), "not finite", true);
        row("carp: word", "pts", "pts", replace("2000 0 0", "2000 x 0"), "number", true);
        row("carp: absurd", "pts", "pts", replace("2000 0 0", "2000 1e30 0"), "no heart", true);
        row("carp: overflow", "pts", "pts", replace("2000 0 0", "2000 1e999 0"), "finite", true);
        row("carp: negative index", "pts", "elem", replace("Tt 0 ", "Tt -1 "), "-1", true);
        row("carp: index too large", "pts", "elem", replace("Tt 0 ", "Tt 132 "), "131", true);
        row("carp: repeated corner", "pts", "elem", replace("Tt 0 ", "Tt 1 "), "flat");
        row("carp: hexahedron", "pts", "elem", replace("Tt 0 ", "Hx 1 1 1 1 0 "), "hexahedron");
        row("carp: unknown type", "pts", "elem", replace("Tt 0 ", "Zz 0 "), "Zz", true);
        row("carp: extra column", "pts", "elem", replace(" 3\n", " 3 4\n"), "columns", true);
        row("carp: files swapped", "pts", "pts", all("2\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n"), "", true);
        row("carp: three axes", "pts", "lon", replace("2\n", "3\n"), "axes", true);
        row("carp: fibre NaN", "pts", "lon", replace("1 0 0", "1 nan 0"), "finite", true);
        row("carp: garbage", "pts", "pts", garbage());
        // CARP, binary
        row("carp binary: header cut", "bpts", "bpts", cut(0.1), "1024");
        row("carp binary: points cut", "bpts", "bpts", cut(0.9), "truncated");
        row("carp binary: elements cut", "bpts", "belem", cut(0.7), "truncated");
        row("carp binary: fibres cut", "bpts", "blon", cut(0.7), "truncated");
        row(
            "carp binary: NaN", "bpts", "bpts",
            [](std::string& s) { s.replace(1024 + 12, 4, nan4); }, "finite");
        row("carp binary: count", "bpts", "bpts", replace("132 ", "999 "), "truncated");
        row(
            "carp binary: index", "bpts", "belem",
            [](std::string& s) { s.replace(1024 + 4, 4, raw(-7)); }, "-7");
        row(
            "carp binary: type", "bpts", "belem",
            [](std::string& s) { s.replace(1024, 4, raw(77)); }, "77");
        row("carp binary: garbage", "bpts", "belem", garbage());
    }
    static void tetgen_rows()
    {
        const auto gone = [](std::string& s) { s = "\x01remove"; };
        row("tetgen: no .ele", "node", "ele", gone, "missing");
        row("tetgen: empty", "node", "node", all(""), "empty");
        row("tetgen: cut", "node", "node", cut(0.5), "", true);
        row("tetgen: elements cut", "node", "ele", cut(0.5), "", true);
        row("tetgen: fibres cut", "node", "ortho", cut(0.5), "", true);
        row("tetgen: two dimensions", "node", "node", replace(" 3 0 0", " 2 0 0"), "dimension",
            true);
        row("tetgen: order", "node", "node", replace("\n1 ", "\n7 "), "order", true);
        row("tetgen: NaN", "node", "node", replace("\n1 2 0 0", "\n1 2 -nan 0"), "finite", true);
        row("tetgen: index", "node", "ele", replace("\n0 0 ", "\n0 200 "), "200", true);
        row("tetgen: negative", "node", "ele", replace("\n0 0 ", "\n0 -2 "), "-2", true);
        row("tetgen: ten nodes", "node", "ele", replace(" 4 1", " 10 1"), "10", true);
        row("tetgen: fewer fibres", "node", "ortho", replace("360", "359"), "359", true);
        row("tetgen: files swapped", "node", "node", all("2 4 0\n0 0 1 2 3\n1 1 2 3 4\n"), "",
            true);
        row("tetgen: binary cut", "node", "node", all("4\t3\t0\t0\tBIN\n12345678"), "truncated");
        row("tetgen: garbage", "node", "ele", garbage());
    }
    static void gmsh_rows()
    {
        row("msh2: cut", "msh2 text", "msh", cut(0.6), "", true);
        row("msh2: no elements", "msh2 text", "msh", cut(0.52), "", true);
        row("msh2: node count", "msh2 text", "msh", replace("$Nodes\n5", "$Nodes\n6"), "", true);
        row("msh2: missing node", "msh2 text", "msh", replace("1 2 3 4\n", "1 2 3 9\n"), "9", true);
        row("msh2: twice the same tag", "msh2 text", "msh", replace("\n5 30", "\n4 30"), "twice",
            true);
        row("msh2: NaN", "msh2 text", "msh", replace("2 30", "2 NaN"), "finite", true);
        row("msh2: type", "msh2 text", "msh", replace("1 4 2", "1 999 2"), "999", true);
        row("msh2: quadratic", "msh2 text", "msh", replace("1 4 2", "1 11 2"), "", true);
        row("msh: version 4.0", "msh4 text", "msh", replace("4.1", "4.0"), "4.0", true);
        row("msh: version 9", "msh4 text", "msh", replace("4.1", "9.9"), "9.9", true);
        row("msh4: cut", "msh4 text", "msh", cut(0.7), "", true);
        row("msh4: node", "msh4 text", "msh", replace("1 1 2 3 4", "1 1 2 3 -4"), "-4", true);
        row("msh4: element count", "msh4 text", "msh", replace("1 2 1 2\n", "1 3 1 2\n"), "3",
            true);
        row("msh4: blocks", "msh4 text", "msh", replace("1 5 1 5", "123456789 5 1 5"), "", true);
        row("msh4 binary: cut", "msh", "msh", cut(0.5));
        row("msh4 binary: NaN", "msh", "msh", bytes("$Nodes\n", 32 + 20 + 132 * 8, nan8), "finite");
        row("msh4 binary: count", "msh", "msh", bytes("$Nodes\n", 8, raw(std::int64_t{1} << 60)));
        row("msh4 binary: byte order", "msh", "msh", bytes("4.1 1 8\n", 0, "abcd"), "byte order");
        row("msh2 binary: cut", "msh2", "msh2", cut(0.4));
        row("msh: garbage", "msh", "msh", garbage());
    }
    static void vtk_rows()
    {
        row("vtk: empty", "vtk text", "vtk", all(""), "empty");
        row("vtk: first line", "vtk text", "vtk", replace("# vtk", "# vkt"), "", true);
        row("vtk: cut in points", "vtk text", "vtk", cut(0.35), "", true);
        row("vtk: cut before cells", "vtk text", "vtk", cut(0.5), "", true);
        row("vtk: data set", "vtk text", "vtk", replace("UNSTRUCTURED_GRID", "POLYDATA"),
            "POLYDATA", true);
        row("vtk: count", "vtk text", "vtk", replace("POINTS 5", "POINTS 6"), "", true);
        row("vtk: index", "vtk text", "vtk", replace("4 1 2 3 4", "4 1 2 3 5"), "point 5");
        row("vtk: negative", "vtk text", "vtk", replace("4 1 2 3 4", "4 1 2 3 -4"), "point -4");
        row("vtk: cell length", "vtk text", "vtk", replace("4 1 2 3 4", "9 1 2 3 4"), "fit", true);
        row("vtk: NaN", "vtk text", "vtk", replace("0 30 0", "0 nan 0"), "finite", true);
        row("vtk: absurd", "vtk text", "vtk", replace("0 30 0", "0 1e30 0"), "no heart", true);
        row("vtk: types", "vtk text", "vtk", replace("10\n10\n", "10\n12\n"), "hexahedron");
        row("vtk: data count", "vtk text", "vtk", replace("CELL_DATA 2", "CELL_DATA 3"), "3", true);
        row("vtk binary: cut", "vtk", "vtk", cut(0.5), "truncated");
        row("vtk binary: offsets", "vtk", "vtk",
            bytes("OFFSETS vtktypeint64\n", 8, raw(std::int64_t{1} << 50, true)), "offsets");
        row("vtk binary: index", "vtk", "vtk",
            bytes("CONNECTIVITY vtktypeint64\n", 8, raw(std::int64_t{-3}, true)), "-3");
        row("vtk binary: points of cells", "vtk", "vtk",
            replace("CONNECTIVITY vtktypeint64", "CONNECTIVITY double"), "one of integers is due");
        row("vtk binary: little endian", "vtk", "vtk",
            bytes("OFFSETS vtktypeint64\n", 0, raw(std::int64_t{4})));
        row("vtk: garbage", "vtk", "vtk", garbage());
    }
    static void vtu_rows()
    {
        row("vtu: empty", "vtu", "vtu", all(""), "empty");
        row("vtu: cut in the header", "vtu", "vtu", cut(0.05));
        row("vtu: cut in the data", "vtu", "vtu", cut(0.7), "truncated");
        row("vtu: no XML", "vtu text", "vtu", all("hello\n"), "VTKFile", true);
        row("vtu: poly data", "vtu text", "vtu", replace("\"UnstructuredGrid\"", "\"PolyData\""),
            "", true);
        row("vtu: tag", "vtu text", "vtu", replace("</Points>", "</Point>"), "", true);
        row("vtu: points", "vtu text", "vtu", replace("Points=\"5\"", "Points=\"6\""));
        row("vtu: negative points", "vtu text", "vtu", replace("Points=\"5\"", "Points=\"-5\""), "",
            true);
        row("vtu: absurd points", "vtu text", "vtu",
            replace("Points=\"5\"", "Points=\"99999999999\""), "", true);
        row("vtu: cells", "vtu text", "vtu", replace("Cells=\"2\"", "Cells=\"3\""));
        row("vtu: index", "vtu text", "vtu", replace("1 2 3 4", "1 2 3 5"), "point 5");
        row("vtu: negative", "vtu text", "vtu", replace("1 2 3 4", "1 2 3 -4"), "-4");
        row("vtu: offsets", "vtu text", "vtu", replace("4 8", "8 4"));
        row("vtu: offsets too large", "vtu text", "vtu", replace("4 8", "4 80"));
        row("vtu: types", "vtu text", "vtu", replace("10 10", "10 14"), "pyramid");
        row("vtu: NaN", "vtu text", "vtu", replace("0 30 0", "0 nan 0"));
        const auto with = [](const std::string& array) {
            return replace("</Piece>", "<CellData>\n<DataArray " + array +
                                           "</DataArray>\n</CellData>\n</Piece>");
        };
        row("vtu: cells too few", "vtu text", "vtu", replace("Cells=\"2\"", "Cells=\"1\""),
            "offsets has 2 values where 1 are due", true);
        row("vtu: region short", "vtu text", "vtu",
            with("type=\"Int32\" Name=\"region\" format=\"ascii\">\n1\n"),
            "region has 1 values where 2 are due", true);
        row("vtu: region long", "vtu text", "vtu",
            with("type=\"Int32\" Name=\"region\" format=\"ascii\">\n1 2 3\n"),
            "region has 3 values where 2 are due", true);
        row("vtu: region no number", "vtu text", "vtu",
            with("type=\"Int32\" Name=\"region\" format=\"ascii\">\n1 x\n"), "\"x\"", true);
        row("vtu: region short, base64", "vtu text", "vtu",
            with("type=\"Int32\" Name=\"region\" format=\"binary\">\nBAAAAAEAAAA=\n"),
            "region has 1 values where 2 are due", true);
        row("vtu: cell data VTK cannot read", "vtu text", "vtu", // it crashed without PointData
            with("type=\"Bit\" Name=\"b\" format=\"ascii\">\n\n"));
        row("vtu: compressed cells too few", "vtu", "vtu",
            replace("NumberOfCells=\"360\"", "NumberOfCells=\"359\""), "359", true);
        row("vtu: compressed data spoiled", "vtu", "vtu", [](std::string& s) {
            const auto at = s.find('_', s.find("<AppendedData")) + 40;
            for (std::size_t i = 0; i < 64; ++i)
                s[at + i] = static_cast<char>(i * 37);
        });
        row("vtu: garbage", "vtu", "vtu", garbage());
    }

  private Q_SLOTS:
    void the_good_ones_are_accepted()
    {
        for (const char* f : {"vtk text", "msh2 text", "msh4 text", "vtu text", "vtk", "vtu", "pts",
                              "bpts", "node", "msh", "msh2"})
            QVERIFY(io::read(good(f)).mesh.tetrahedron_count() >= 2);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("file"); // extension of the file that is spoiled
        QTest::addColumn<QVariant>("edit");
        QTest::addColumn<QString>("says");
        QTest::addColumn<bool>("line");
        carp_rows();
        tetgen_rows();
        gmsh_rows();
        vtk_rows();
        vtu_rows();
    }

    void refused()
    {
        QFETCH(QString, format);
        QFETCH(QString, file);
        QFETCH(QVariant, edit);
        QFETCH(QString, says);
        QFETCH(bool, line);
        const fs::path open = good(format.toStdString());
        const fs::path spoiled = fs::path(open).replace_extension(file.toStdString());
        std::string s = content(spoiled);
        edit.value<Edit>()(s);
        if (QTest::currentTestFailed())
            return;
        if (s == "\x01remove")
            fs::remove(spoiled);
        else
            std::ofstream(spoiled, std::ios::binary) << s;
        const test::ProcessorClock clock;
        try {
            io::read(open);
            QFAIL("accepted");
        } catch (const InputError& e) {
            const QString what = e.what();
            QVERIFY2(clock.elapsed() < 1000 * tawara::test::slowdown, qPrintable(what));
            QVERIFY2(!what.contains('\n') && what.size() < 600, qPrintable(what));
            QVERIFY2(
                what.startsWith(QString::fromStdString(spoiled.parent_path().string()) + "/m."),
                qPrintable(what));
            QVERIFY2(what.contains(says), qPrintable(what));
            if (line) {
                QVERIFY2(what.startsWith(QString::fromStdString(spoiled.string()) + ":"),
                         qPrintable(what));
                QVERIFY2(!e.where.empty() && std::stol(e.where) >= 1, qPrintable(what));
            }
            if (qEnvironmentVariableIsSet("TAWARA_SHOW"))
                qInfo("%s", qPrintable(what.section('/', -1)));
        }
    }

    /// Every prefix and many single-byte changes of every format: refused or read, never a crash.
    void spoiled_at_random()
    {
        int refused = 0, read = 0;
        unsigned x = 1;
        const auto next = [&] { return (x = x * 1664525 + 1013904223) >> 8; };
        for (const char* f : {"vtk text", "msh2 text", "msh4 text", "vtu text", "vtk", "vtu", "pts",
                              "bpts", "node", "msh", "msh2"})
            for (int i = 0; i < 40; ++i) {
                const fs::path open = good(f);
                std::vector<fs::path> files;
                for (const auto& e : fs::directory_iterator(open.parent_path()))
                    files.push_back(e.path());
                std::sort(files.begin(), files.end());
                const fs::path spoiled = files[next() % files.size()];
                std::string s = content(spoiled);
                if (i % 4 == 0)
                    s.resize(next() % s.size());
                else
                    for (unsigned k = 0; k < 1 + next() % 4; ++k)
                        s[next() % s.size()] = static_cast<char>(next());
                std::ofstream(spoiled, std::ios::binary) << s;
                const test::ProcessorClock clock;
                try {
                    io::read(open);
                    ++read;
                } catch (const InputError& e) {
                    ++refused;
                    QVERIFY2(!QString(e.what()).contains('\n'), e.what());
                }
                QVERIFY2(clock.elapsed() < 2000 * tawara::test::slowdown, f);
            }
        QVERIFY(refused > 100);
        qInfo("%d refused, %d read in spite of it", refused, read);
    }

    void what_is_no_mesh()
    {
        const fs::path d = folder_.path().toStdString();
        std::ofstream(d / "a.stl") << "solid\n";
        for (const fs::path& f : {d, d / "none", d / "none.vtu", d / "none.pts", d / "a.stl"})
            try {
                io::read(f);
                QFAIL("accepted");
            } catch (const InputError& e) {
                QVERIFY(QString(e.what()).startsWith(QString::fromStdString(f.string()) + ": ") ||
                        QString(e.what()).contains("missing"));
            }
    }
};

Q_DECLARE_METATYPE(Edit)
QTEST_GUILESS_MAIN(TestBadMeshes)
#include "test_bad_meshes.moc"
