// SPDX-License-Identifier: GPL-3.0-or-later
// AHA segments of hearts that come as bare meshes, against the generator's own labels.
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/coordinates.hpp"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <numbers>

using namespace tawara;

namespace {

/// Turned and moved, so that no axis of the heart is one of the frame.
void lay_askew(mesh::TetMesh& m)
{
    const Vec3 x = normalized(Vec3{0.6, 0.5, -0.4}), y = normalized(cross(Vec3{0.1, 0.9, 0.3}, x)),
               z = cross(x, y);
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 p = m.vertex(v);
        const Vec3 q = p[0] * x + p[1] * y + p[2] * z + Vec3{120, -40, 310};
        m.x[v] = q[0], m.y[v] = q[1], m.z[v] = q[2];
    }
}

/// What a file of a mesh without fields, fibres and labels gives, with its segments found.
mesh::TetMesh imported(const std::string& file)
{
    auto m = mesh::io::read(file, LengthUnit::mm).mesh;
    simulation::add_heart_coordinates(m, mesh::surface(m, mesh::face_neighbours(m)));
    return m;
}

} // namespace

class TestSegments : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;

    std::string unpacked(const char* archive, const char* name)
    {
        const QString packed =
            QStringLiteral(TAWARA_SOURCE_DIR "/../shared/data/meshes/") + archive;
        if (!QFile::exists(packed))
            return {};
        QProcess tar;
        tar.start("tar", {"xJf", packed, "-C", dir.path()});
        if (!tar.waitForFinished(120000) || tar.exitCode() != 0)
            return {};
        QDirIterator i(dir.path(), {name}, QDir::Files, QDirIterator::Subdirectories);
        return i.hasNext() ? i.next().toStdString() : std::string();
    }

  private Q_SLOTS:
    void ofAGeneratedHeart_data()
    {
        QTest::addColumn<double>("edge");
        QTest::addColumn<double>("depth");
        QTest::addColumn<double>("reach");
        QTest::addColumn<double>("base");
        QTest::newRow("an adult's") << 3.5 << 62.0 << 57.0 << 22.0;
        QTest::newRow("a wide right ventricle") << 4.5 << 62.0 << 64.0 << 22.0;
        QTest::newRow("a short one, cut low") << 4.5 << 50.0 << 57.0 << 8.0;
    }
    void ofAGeneratedHeart()
    {
        QFETCH(double, edge);
        QFETCH(double, depth);
        QFETCH(double, reach);
        QFETCH(double, base);
        mesh::generator::HeartParameters p;
        p.edge_mm = edge, p.lv_long_axis_mm = depth, p.rv_reach_mm = reach, p.base_plane_mm = base;
        auto m = mesh::generator::generate_heart(p);
        const auto known = m.field("aha_segment")->values;
        lay_askew(m);
        m.fields.clear(), m.fibre = m.sheet = m.normal = {};
        std::fill(m.region.begin(), m.region.end(), 1);
        const auto file = dir.filePath("bare.vtk").toStdString();
        mesh::io::write(m, file);
        const auto found = imported(file);
        QCOMPARE(found.tetrahedron_count(), m.tetrahedron_count());
        const auto* aha = found.field("aha_segment");
        QVERIFY(aha);
        double same = 0, left = 0, right_wall = 0, taken_for_left = 0;
        for (std::size_t t = 0; t < known.size(); ++t) {
            QVERIFY(norm(m.centroid(t) - found.centroid(t)) < 1e-3);
            if (known[t] > 0)
                left += 1, same += aha->values[t] == known[t];
            else
                right_wall += 1, taken_for_left += aha->values[t] != 0;
        }
        qInfo("%zu tetrahedra, %.1f %% of the left ventricle's in the generator's segment; %.1f %% "
              "of the right wall's in one",
              known.size(), 100 * same / left, 100 * taken_for_left / right_wall);
        QVERIFY(same >= 0.95 * left);
        QVERIFY(taken_for_left < 0.02 * right_wall);
    }

    /// Of hearts from images nobody knows the segments; those of a ring are about as large as each
    /// other, and the rings about as high.
    void ofHeartsFromImages_data()
    {
        QTest::addColumn<QString>("archive");
        QTest::addColumn<QString>("file");
        QTest::newRow("dti004") << "dti004_carp_192k.tar.xz"
                                << "dti004.pts";
        QTest::newRow("cobiveco") << "cobiveco_geo1_536k.tar.xz"
                                  << "cobiveco_geo1_536k.node";
        QTest::newRow("crtdemo") << ""
                                 << "crtdemo/crtdemo_mesh_oriented.vtk";
    }
    void ofHeartsFromImages()
    {
        QFETCH(QString, archive);
        QFETCH(QString, file);
        const QString beside = QStringLiteral(TAWARA_SOURCE_DIR "/../shared/data/meshes/") + file;
        const std::string path = archive.isEmpty()
                                     ? QFile::exists(beside) ? beside.toStdString() : std::string()
                                     : unpacked(qPrintable(archive), qPrintable(file));
        if (path.empty())
            QSKIP("reference meshes of the shared data are not beside the repository");
        auto m = mesh::io::read(path).mesh;
        m.fields.clear();
        QVERIFY(simulation::add_heart_coordinates(m, mesh::surface(m, mesh::face_neighbours(m))));
        const auto* aha = m.field("aha_segment");
        QVERIFY(aha);
        std::array<double, 18> volume{};
        for (std::size_t t = 0; t < aha->values.size(); ++t)
            volume[static_cast<std::size_t>(aha->values[t])] += m.volume(t);
        double left = 0;
        for (std::size_t k = 1; k <= 17; ++k)
            left += volume[k];
        QString said;
        for (std::size_t k = 1; k <= 17; ++k)
            said += QString::number(100 * volume[k] / left, 'f', 1) + " ";
        qInfo("per cent of the left ventricle: %s", qPrintable(said));
        for (auto [first, count] : {std::pair{1, 6}, {7, 6}, {13, 4}}) {
            double ring = 0;
            for (int k = first; k < first + count; ++k)
                ring += volume[static_cast<std::size_t>(k)];
            QVERIFY2(ring > 0.12 * left && ring < 0.55 * left, qPrintable(said));
            for (int k = first; k < first + count; ++k)
                QVERIFY2(volume[static_cast<std::size_t>(k)] > 0.45 * ring / count &&
                             volume[static_cast<std::size_t>(k)] < 1.8 * ring / count,
                         qPrintable(said));
        }
        QVERIFY2(volume[17] > 0.005 * left && volume[17] < 0.2 * left, qPrintable(said));
    }
};
QTEST_GUILESS_MAIN(TestSegments)
#include "test_segments.moc"
