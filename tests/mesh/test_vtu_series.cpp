// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/io/vtu_series.hpp"
#include "shapes.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

using namespace tawara;
using namespace tawara::mesh;
namespace fs = std::filesystem;

/// Files of one mesh that differ in one array: the frames of a run.
class TestVtuSeries : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;

    fs::path in_folder(const char* name) const { return folder_.filePath(name).toStdString(); }
    static std::string content(const fs::path& file)
    {
        std::ostringstream text;
        text << std::ifstream(file, std::ios::binary).rdbuf();
        return text.str();
    }
    static std::vector<float> values(std::size_t n, int seed)
    {
        std::vector<float> v(n);
        for (std::size_t i = 0; i < n; ++i)
            v[i] = static_cast<float>(std::sin(0.1 * static_cast<double>(i) + seed) * 100);
        return v;
    }

  private Q_SLOTS:
    void meshAndValuesComeBack_data()
    {
        QTest::addColumn<bool>("at_vertices");
        QTest::newRow("vertices") << true;
        QTest::newRow("tetrahedra") << false;
    }
    void meshAndValuesComeBack()
    {
        QFETCH(bool, at_vertices);
        TetMesh m = shapes::rich();
        m.label_names = {{3, "LV free wall"}, {7, "Späte Narbe"}};
        const auto on = at_vertices ? Field::On::vertices : Field::On::tetrahedra;
        const auto n = at_vertices ? m.vertex_count() : m.tetrahedron_count();
        io::VtuSeries series("V_mV", on, 2);
        for (const int k : {0, 1, 2}) {
            auto v = values(n, k);
            v[5] = std::nanf("");
            const auto file = in_folder("f.vtu");
            series.write(m, v, 2.5 * k, file);
            const auto back = io::read(file);
            QVERIFY(back.unit == LengthUnit::mm);
            QCOMPARE(back.mesh.x, m.x);
            QCOMPARE(back.mesh.y, m.y);
            QCOMPARE(back.mesh.z, m.z);
            QCOMPARE(back.mesh.region, m.region);
            QVERIFY(back.mesh.corner == m.corner);
            QVERIFY(back.mesh.label_names == m.label_names);
            QVERIFY(back.mesh.fibre.empty());
            QCOMPARE(back.mesh.fields.size(), std::size_t(1));
            const auto* f = back.mesh.field("V_mV");
            QVERIFY(f->on == on && f->values.size() == n);
            QVERIFY(std::isnan(f->values[5]));
            for (std::size_t i = 0; i < n; ++i)
                QVERIFY(i == 5 || f->values[i] == v[i]);
            QVERIFY(content(file).find("\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
                                       std::to_string(k == 1 ? 2 : 5 * k / 2)) !=
                    std::string::npos);
        }
    }

    /// Arrays of several blocks, the last of them whole: 65 536 floats are one of 256 KiB.
    void largeArraysComeBack()
    {
        const TetMesh m = slab({63, 31, 31}, 1);
        QCOMPARE(m.vertex_count(), std::size_t(65536));
        io::VtuSeries series("V_mV", Field::On::vertices, 2);
        const auto v = values(m.vertex_count(), 3);
        series.write(m, v, 0, in_folder("large.vtu"));
        const auto back = io::read(in_folder("large.vtu"), LengthUnit::mm);
        QCOMPARE(back.mesh.field("V_mV")->values, v);
        QVERIFY(back.mesh.corner == m.corner && back.mesh.x == m.x && back.mesh.z == m.z);
    }

    /// What made frames slow: the mesh was compressed for each.
    void laterFilesCostTheirValuesAlone()
    {
        const TetMesh m = slab({40, 40, 40}, 1);
        io::VtuSeries series("V_mV", Field::On::vertices, 2);
        const auto v = values(m.vertex_count(), 0);
        // processor time, which other programs do not take
        const auto ms_of = [](auto&& work) {
            const auto from = std::clock();
            work();
            return 1e3 * static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
        };
        const auto ms = [&](const char* name) {
            return ms_of([&] { series.write(m, v, 0, in_folder(name)); });
        };
        const double first = ms("0.vtu");
        double later = 0; // the slowest
        for (int k = 0; k < 5; ++k)
            later = std::max(later, ms("1.vtu"));
        const double whole = ms_of([&] {
            io::write_vtu(m, {{"V_mV", Field::On::vertices, v}}, in_folder("2.vtu"));
        });
        qInfo("%zu tetrahedra: the first file %.0f ms, later ones %.1f, by VTK's writer %.0f; "
              "%.1f MB, %.1f MB with fibres",
              m.tetrahedron_count(), first, later, whole,
              static_cast<double>(fs::file_size(in_folder("1.vtu"))) * 1e-6,
              static_cast<double>(fs::file_size(in_folder("2.vtu"))) * 1e-6);
        QVERIFY(later < whole / 4);
        QCOMPARE(content(in_folder("0.vtu")), content(in_folder("1.vtu")));
    }

    void wrongNumbersAreRefused()
    {
        const TetMesh m = shapes::rich();
        io::VtuSeries series("V_mV", Field::On::tetrahedra, 2);
        QVERIFY_THROWS_EXCEPTION(
            InputError, series.write(m, values(m.vertex_count(), 0), 0, in_folder("bad.vtu")));
        QVERIFY(!fs::exists(in_folder("bad.vtu")));
        series.write(m, values(m.tetrahedron_count(), 0), 0, in_folder("good.vtu"));
        QVERIFY(fs::exists(in_folder("good.vtu")));
    }
};

QTEST_GUILESS_MAIN(TestVtuSeries)
#include "test_vtu_series.moc"
