// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mesh files that were made to crash a reader, to fill memory or to take for ever: each is refused
// by one line, soon, and with little memory.
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "shapes.hpp"
#include "tests/slowdown.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

/// A tetrahedron as VTU; the parts that a test changes.
std::string vtu(const std::string& field_data, const std::string& point_data,
                const std::string& more_cells = {}, int type = 10, int points = 4)
{
    std::string xyz = "0 0 0 30 0 0 0 30 0 0 0 30";
    for (int i = 4; i < points; ++i)
        xyz += " 1 1 1";
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
           "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
           "compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid><FieldData>" +
           field_data + "</FieldData><Piece NumberOfPoints=\"" + std::to_string(points) +
           "\" NumberOfCells=\"1\"><PointData>" + point_data +
           "</PointData>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
           "format=\"ascii\">" +
           xyz +
           "</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\" "
           "format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"offsets\" "
           "format=\"ascii\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\" "
           "format=\"ascii\">" +
           std::to_string(type) + "</DataArray>" + more_cells +
           "</Cells></Piece></UnstructuredGrid></VTKFile>\n";
}

std::string base64(const std::string& s)
{
    return QByteArray(s.data(), qsizetype(s.size())).toBase64().toStdString();
}

/// An array of zeros, compressed: a thousandth of its length.
std::string zeros(std::uint64_t bytes)
{
    const std::string raw(bytes, '\0');
    std::string packed(compressBound(bytes), '\0');
    uLongf size = packed.size();
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(raw.data()), bytes, 9);
    packed.resize(size);
    const std::uint64_t head[] = {1, bytes, 0, size};
    std::string words(sizeof head, '\0');
    std::memcpy(words.data(), head, sizeof head);
    return base64(words) + base64(packed);
}

std::string repeated(const std::string& s, int times)
{
    std::string r;
    for (int i = 0; i < times; ++i)
        r += s;
    return r;
}

std::string legacy(int fields, int arrays)
{
    std::string s = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 "
                    "float\n0 0 0\n30 0 0\n0 30 0\n0 0 30\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES "
                    "1\n10\nCELL_DATA 1\n";
    for (int f = 0; f < fields; ++f) {
        s += "FIELD f " + std::to_string(arrays) + "\n";
        for (int i = 0; i < arrays; ++i)
            s += "a" + std::to_string(f) + "_" + std::to_string(i) + " 1 1 int\n0\n";
    }
    return s;
}

/// Nodes whose tags all meet in one place of a hash table of the usual lengths.
std::string gmsh(int nodes, std::int64_t step, const std::string& behind)
{
    std::string s = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(nodes) + "\n";
    for (int i = 1; i <= nodes; ++i)
        s += std::to_string(i * step) + " " + std::to_string(i % 7) + " " + std::to_string(i % 11) +
             " " + std::to_string(i % 13) + "\n";
    s += "$EndNodes\n$Elements\n1\n1 4 2 1 1";
    for (int i = 1; i <= 4; ++i)
        s += " " + std::to_string(i * i * step);
    return s + "\n$EndElements\n" + behind;
}

} // namespace

class TestHostileMeshes : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    fs::path in_folder(const std::string& name) const
    {
        return fs::path(folder_.path().toStdString()) / name;
    }
    static void row(const char* name, const char* file, const std::string& text, const char* says)
    {
        QTest::newRow(name) << QString(file) << QByteArray(text.data(), qsizetype(text.size()))
                            << QString(says);
    }
    /// Largest memory so far [kB].
    static long peak_kB()
    {
        rusage u{};
        getrusage(RUSAGE_SELF, &u);
        return u.ru_maxrss;
    }

  private Q_SLOTS:
    void refused_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const std::string one = "Name=\"x\" NumberOfTuples=\"1\" format=\"ascii\">0</Array>";
        row("unknown type", "a.vtu", vtu("<Array type=\"Foo\" " + one, ""), "of type \"Foo\"");
        row("no type", "a.vtu", vtu("<Array " + one, ""), "has no type");
        row("polyhedron", "a.vtu",
            vtu("", "",
                "<DataArray type=\"Int64\" Name=\"faces\" format=\"ascii\">1000000 3 0 1 2"
                "</DataArray><DataArray type=\"Int64\" Name=\"faceoffsets\" format=\"ascii\">5"
                "</DataArray>",
                42),
            "1 polyhedron");
        row("nested", "a.vtu", vtu(repeated("<a>", 100000) + repeated("</a>", 100000), ""),
            "nested more than 64");
        row("nested behind a comment", "a.vtu",
            vtu("<!-- \"> -->" + repeated("<a b='>'>", 1000) + repeated("</a>", 1000), ""),
            "nested more than 64");
        row("many elements", "a.vtu", vtu(repeated("<a/>", 1000000), ""), "more than 200000");
        const std::string texts = "<Array type=\"String\" Name=\"region_names\" NumberOfTuples=";
        row("texts announced", "a.vtu", vtu(texts + "\"100000000\" format=\"ascii\">0</Array>", ""),
            "more than the file can hold");
        row("texts missing", "a.vtu", vtu(texts + "\"3\" format=\"ascii\">65 0 66</Array>", ""),
            "has 1 texts where NumberOfTuples announces 3");
        row("numbers announced", "a.vtu",
            vtu("<DataArray type=\"Int8\" Name=\"x\" NumberOfTuples=\"100000\" format=\"ascii\">0"
                "</DataArray>",
                ""),
            "more than it can hold");
        const auto array = [](int components) {
            return "<DataArray type=\"Int8\" Name=\"q" + std::to_string(rand()) +
                   "\" NumberOfComponents=\"" + std::to_string(components) +
                   "\" format=\"binary\">";
        };
        row("components", "a.vtu", vtu("", array(25000000) + zeros(100000000) + "</DataArray>"),
            "1 to 1000 can be read");
        std::string bomb;
        for (int i = 0; i < 40; ++i)
            bomb += array(1000) + zeros(8000000) + "</DataArray>";
        row("compressed zeros", "a.vtu", vtu("", bomb, "", 10, 8000), "take more than 6");
        row("blocks", "a.vtu",
            vtu("", "<DataArray type=\"Int8\" Name=\"q\" format=\"binary\">" +
                        base64(std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) +
                               std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) +
                               std::string(24, '\1')) +
                        "</DataArray>"),
            "do not fit into the file");
        row("legacy arrays", "a.vtk", legacy(20, 10000), "more than 10000 arrays");
        std::string data;
        for (int i = 0; i < 8000; ++i)
            data += "$NodeData\n1\n\"" + std::to_string(i) + "\"\n0\n3\n0\n9\n0\n$EndNodeData\n";
        row("node data of no node", "a.msh", gmsh(30000, 1, data), "take more than 6");
        row("tags that meet", "a.msh", gmsh(300000, 351061, "x"), "\"x\" stands where a section");
    }
    void refused()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const auto path = in_folder(file.toStdString());
        std::ofstream(path, std::ios::binary) << std::string(text.data(), std::size_t(text.size()));
        const long before = peak_kB();
        const test::ProcessorClock clock;
        try {
            io::read(path);
            QFAIL("accepted");
        } catch (const InputError& e) {
            const QString what = e.what();
            QVERIFY2(what.contains(says) && !what.contains('\n'), qPrintable(what));
        }
        QVERIFY2(clock.elapsed() < 2000 * test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
        QVERIFY2(peak_kB() - before < 400000, qPrintable(QString::number(peak_kB() - before)));
    }

    /// Neither a pipe to which nobody writes nor a device that never ends is waited for.
    void pipes_and_devices()
    {
        for (const char* name : {"a.vtu", "a.vtk", "a.msh", "a.pts", "a.node"}) {
            const auto pipe = in_folder(name);
            fs::remove(pipe);
            QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
            const auto device = in_folder(std::string("d") + name);
            fs::create_symlink("/dev/zero", device);
            for (const auto& f : {pipe, device}) {
                QElapsedTimer clock;
                clock.start();
                try {
                    io::read(f);
                    QFAIL("accepted");
                } catch (const InputError& e) {
                    QVERIFY2(QString(e.what()).contains("a pipe or a device"), e.what());
                }
                QVERIFY(clock.elapsed() < 10000);
            }
            fs::remove(pipe);
            fs::remove(device);
        }
    }

    void fibres_of_no_file()
    {
        auto m = shapes::rich();
        const auto folder = in_folder("fibres"), pipe = in_folder("p.lon");
        fs::create_directories(folder);
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        for (const auto& [file, says] :
             {std::pair(folder, "is a folder; name a file"), {pipe, "is a pipe or a device"}})
            try {
                io::attach_fibres(m, file);
                QFAIL("accepted");
            } catch (const InputError& e) {
                QVERIFY2(e.reason.starts_with(says), e.what());
            }
    }

    /// Fibres all in one place would be compared with every vertex.
    void points_in_one_place()
    {
        std::string s = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS "
                        "100000 float\n";
        s += repeated("1 1 1\n", 99999) + "20 6 4\nPOINT_DATA 100000\nVECTORS fibre float\n" +
             repeated("1 0 0\n", 100000);
        const auto file = in_folder("f.vtk");
        std::ofstream(file) << s;
        auto m = shapes::rich();
        try {
            io::attach_fibres(m, file);
            QFAIL("accepted");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains("more than 1000 of its points"), e.what());
        }
    }
};

QTEST_GUILESS_MAIN(TestHostileMeshes)
#include "test_hostile_meshes.moc"
