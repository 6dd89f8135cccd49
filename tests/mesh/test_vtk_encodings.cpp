// SPDX-License-Identifier: GPL-3.0-or-later
//
// VTK's own writers against the program's readers: what they write in any encoding is read as it
// was, to the last bit.
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "shapes.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkShortArray.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

namespace {

template <class Array>
void add(vtkFieldData* to, const char* name, int components, std::size_t tuples, const auto& value)
{
    vtkNew<Array> a;
    a->SetName(name);
    a->SetNumberOfComponents(components);
    a->SetNumberOfTuples(vtkIdType(tuples));
    for (vtkIdType i = 0; i < a->GetNumberOfValues(); ++i)
        a->SetValue(i, static_cast<typename Array::ValueType>(value(std::size_t(i))));
    to->AddArray(a);
}

/// The mesh with its regions, fibres, and arrays of several types.
vtkSmartPointer<vtkUnstructuredGrid> grid_of(const TetMesh& m)
{
    auto g = vtkSmartPointer<vtkUnstructuredGrid>::New();
    vtkNew<vtkPoints> points;
    points->SetDataTypeToDouble();
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        points->InsertNextPoint(m.x[v], m.y[v], m.z[v]);
    g->SetPoints(points);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        std::array<vtkIdType, 4> c{};
        std::copy_n(m.corners(t).begin(), 4, c.begin());
        g->InsertNextCell(10, 4, c.data());
    }
    const std::size_t n = m.tetrahedron_count(), v = m.vertex_count();
    add<vtkIntArray>(g->GetCellData(), "region", 1, n, [&](std::size_t i) { return m.region[i]; });
    add<vtkFloatArray>(g->GetCellData(), "fibre", 3, n, [&](std::size_t i) {
        return (i % 3 == 0 ? m.fibre.x : i % 3 == 1 ? m.fibre.y : m.fibre.z)[i / 3];
    });
    add<vtkShortArray>(g->GetPointData(), "short", 1, v,
                       [](std::size_t i) { return int(i) * 100 - 3000; });
    add<vtkDoubleArray>(g->GetPointData(), "double", 2, v,
                        [](std::size_t i) { return 1.0 / (1.0 + double(i)); });
    add<vtkUnsignedCharArray>(g->GetPointData(), "byte", 1, v,
                              [](std::size_t i) { return i % 256; });
    return g;
}

void add_unit(vtkUnstructuredGrid* g)
{
    vtkNew<vtkStringArray> unit;
    unit->SetName("length_unit");
    unit->InsertNextValue("cm");
    g->GetFieldData()->AddArray(unit);
}

void expect_same(const TetMesh& m, const TetMesh& r, double scale)
{
    QCOMPARE(r.vertex_count(), m.vertex_count());
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        QVERIFY(r.x[v] == m.x[v] * scale && r.y[v] == m.y[v] * scale && r.z[v] == m.z[v] * scale);
    QVERIFY(r.corner == m.corner && r.region == m.region);
    QVERIFY(r.fibre.x == m.fibre.x && r.fibre.y == m.fibre.y && r.fibre.z == m.fibre.z);
    const auto *a = r.field("short"), *b = r.field("double"), *c = r.field("byte");
    QVERIFY(a && b && c && b->components == 2);
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        QVERIFY(a->values[v] == float(int(v) * 100 - 3000) && c->values[v] == float(v % 256));
        QVERIFY(b->values[2 * v + 1] == float(1.0 / (2.0 + 2.0 * double(v))));
    }
}

} // namespace

class TestVtkEncodings : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    fs::path in_folder(const char* name) const
    {
        return fs::path(folder_.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void vtu_data()
    {
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("compressor");
        QTest::addColumn<bool>("wide");
        QTest::addColumn<bool>("big");
        const char *modes[] = {"text", "inline", "appended raw", "appended base64"},
                   *compressors[] = {"plain", "zlib", "lz4", "lzma"};
        for (int mode = 0; mode < 4; ++mode)
            for (int compressor = 0; compressor < (mode == 0 ? 1 : 4); ++compressor)
                for (const bool wide : {false, true})
                    for (const bool big : {false, true})
                        QTest::addRow("%s, %s, %s, %s", modes[mode], compressors[compressor],
                                      wide ? "64" : "32", big ? "big" : "little")
                            << mode << compressor << wide << big;
    }
    void vtu()
    {
        QFETCH(int, mode);
        QFETCH(int, compressor);
        QFETCH(bool, wide);
        QFETCH(bool, big);
        const TetMesh m = shapes::rich();
        const auto grid = grid_of(m);
        add_unit(grid);
        const auto file = in_folder("a.vtu");
        vtkNew<vtkXMLUnstructuredGridWriter> w;
        w->SetInputData(grid);
        w->SetFileName(file.c_str());
        mode == 0   ? w->SetDataModeToAscii()
        : mode == 1 ? w->SetDataModeToBinary()
                    : w->SetDataModeToAppended();
        w->SetEncodeAppendedData(mode == 3);
        const auto none = vtkXMLWriter::NONE, zlib = vtkXMLWriter::ZLIB, lz4 = vtkXMLWriter::LZ4,
                   lzma = vtkXMLWriter::LZMA;
        w->SetCompressorType(compressor == 0   ? none
                             : compressor == 1 ? zlib
                             : compressor == 2 ? lz4
                                               : lzma);
        w->SetBlockSize(1024); // several blocks, the last a part
        wide ? w->SetHeaderTypeToUInt64() : w->SetHeaderTypeToUInt32();
        big ? w->SetByteOrderToBigEndian() : w->SetByteOrderToLittleEndian();
        QCOMPARE(w->Write(), 1);
        const auto loaded = io::read(file);
        QCOMPARE(loaded.unit, LengthUnit::cm);
        expect_same(m, loaded.mesh, 10);
    }

    void legacy_data()
    {
        QTest::addColumn<bool>("binary");
        QTest::addColumn<int>("version");
        for (const bool binary : {false, true})
            for (const int version : {42, 51})
                QTest::addRow("%s, %d", binary ? "binary" : "text", version) << binary << version;
    }
    void legacy()
    {
        QFETCH(bool, binary);
        QFETCH(int, version);
        const TetMesh m = shapes::rich();
        const auto file = in_folder("a.vtk");
        vtkNew<vtkUnstructuredGridWriter> w;
        w->SetInputData(grid_of(m));
        w->SetFileName(file.c_str());
        binary ? w->SetFileTypeToBinary() : w->SetFileTypeToASCII();
        w->SetFileVersion(version);
        QCOMPARE(w->Write(), 1);
        const auto r = io::read(file).mesh;
        if (binary) {
            expect_same(m, r, 1);
            return;
        }
        QCOMPARE(r.vertex_count(), m.vertex_count()); // its text has fewer digits
        QVERIFY(r.corner == m.corner && r.region == m.region);
    }

    /// The second piece counts its points from 0 again.
    void pieces()
    {
        const auto file = in_folder("pieces.vtu");
        const auto piece = [](const char* points, const char* value) {
            return std::string("<Piece NumberOfPoints='4' NumberOfCells='1'><CellData>"
                               "<DataArray type='Int32' Name='region' format='ascii'>") +
                   value +
                   "</DataArray></CellData><Points><DataArray type='Float64' "
                   "NumberOfComponents='3' format='ascii'>" +
                   points +
                   "</DataArray></Points><Cells><DataArray type='Int32' Name='connectivity' "
                   "format='ascii'>0 1 2 3</DataArray><DataArray type='Int32' Name='offsets'>4"
                   "</DataArray><DataArray type='UInt8' Name='types' format='ascii'>10"
                   "</DataArray></Cells></Piece>";
        };
        const auto write = [&](const std::string& second) {
            std::ofstream(file) << "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">"
                                   "<UnstructuredGrid>"
                                << piece("0 0 0 30 0 0 0 30 0 0 0 30", "5") << second
                                << "</UnstructuredGrid></VTKFile>";
        };
        write(piece("40 0 0 70 0 0 40 30 0 40 0 30", "6"));
        const auto m = io::read(file).mesh;
        QCOMPARE(m.region, (std::vector<std::int32_t>{5, 6}));
        QCOMPARE(m.corners(1), (std::array<std::int32_t, 4>{4, 5, 6, 7}));
        QCOMPARE(m.x[5], 70.0);
        std::string other = piece("40 0 0 70 0 0 40 30 0 40 0 30", "6");
        other.replace(other.find("region"), 6, "labels");
        write(other);
        QVERIFY_THROWS_EXCEPTION(MeshError, io::read(file));
        other = piece("40 0 0 70 0 0 40 30 0 40 0 30", "6");
        other.replace(other.find("0 1 2 3"), 7, "0 1 2 4"); // a point of no piece of its own
        write(other);
        QVERIFY_THROWS_EXCEPTION(MeshError, io::read(file));
    }
};

QTEST_GUILESS_MAIN(TestVtkEncodings)
#include "test_vtk_encodings.moc"
