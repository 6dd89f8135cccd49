// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/generator/shape.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/region_names.hpp"
#include "tests/mesh/measured_shapes.hpp"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <map>
#include <numbers>
#include <set>

using namespace tawara;
using namespace tawara::mesh;
using namespace tawara::mesh::generator;
using namespace tawara::test;

namespace {

constexpr double degrees = 180 / std::numbers::pi;

HeartParameters coarse(HeartShape shape)
{
    HeartParameters p;
    p.shape = shape;
    p.edge_mm = 3.5;
    return p;
}

double mean_over(const TetMesh& m, const Field& f, std::size_t t)
{
    double sum = 0;
    for (auto v : m.corners(t))
        sum += 0.25 * static_cast<double>(f.values[static_cast<std::size_t>(v)]);
    return sum;
}

} // namespace

class TestHeart : public QObject
{
    Q_OBJECT
    TetMesh lv_, both_;

    const TetMesh& mesh(HeartShape s) { return s == HeartShape::lv ? lv_ : both_; }
    static void shapes()
    {
        QTest::addColumn<int>("shape");
        for (auto s : {HeartShape::lv, HeartShape::biventricular})
            QTest::newRow(std::string(name(s)).c_str()) << static_cast<int>(s);
    }
    static HeartShape shape()
    {
        QFETCH(int, shape);
        return static_cast<HeartShape>(shape);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        lv_ = generate_heart(coarse(HeartShape::lv));
        both_ = generate_heart(coarse(HeartShape::biventricular));
    }

    void volumeOfTheDomain()
    {
        const auto p = coarse(HeartShape::lv);
        const double exact =
            ellipsoid_volume(p.lv_short_axis_mm + p.lv_wall_mm, p.lv_long_axis_mm + p.apex_wall_mm,
                             p.base_plane_mm) -
            ellipsoid_volume(p.lv_short_axis_mm, p.lv_long_axis_mm, p.base_plane_mm);
        QVERIFY(std::abs(domain_volume_mm3(p) / exact - 1) < 2e-3);
        QVERIFY(std::abs(total_volume(lv_) / exact - 1) < 6e-3);
    }

    void meshFillsTheDomain_data() { shapes(); }
    void meshFillsTheDomain()
    {
        const auto& m = mesh(shape());
        const double v = total_volume(m), exact = domain_volume_mm3(coarse(shape()));
        QVERIFY2(std::abs(v / exact - 1) < 6e-3, qPrintable(QString("%1 %2").arg(v).arg(exact)));
    }

    void tetrahedraAreGood_data() { shapes(); }
    void tetrahedraAreGood()
    {
        const auto& m = mesh(shape());
        double mean = 0, least = 1;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            QVERIFY(m.volume(t) > 0);
            const double q = quality(m, t);
            mean += q / static_cast<double>(m.tetrahedron_count());
            least = smaller_or_nan(least, q);
        }
        const double angle = smallest_dihedral_deg(m);
        QVERIFY2(angle > 8, qPrintable(QString::number(angle)));
        QVERIFY(least > 0.1);
        QVERIFY(mean > 0.75);
        auto copy = m;
        const auto report = check_and_clean(copy, "heart");
        QCOMPARE(report.turned, std::int64_t{0});
        QCOMPARE(report.unused_vertices, std::int64_t{0});
        QCOMPARE(report.pieces, std::int64_t{1});
    }

    void boundaryIsClosedAndSplit_data() { shapes(); }
    void boundaryIsClosedAndSplit()
    {
        const auto& m = mesh(shape());
        const auto p = coarse(shape());
        const auto s = surface(m, face_neighbours(m));
        std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
        for (const auto& t : s.triangles)
            for (std::size_t k = 0; k < 3; ++k)
                ++edges[{t[k], t[(k + 1) % 3]}];
        for (const auto& [e, n] : edges) {
            QCOMPARE(n, 1);
            QVERIFY(edges.contains({e.second, e.first}));
        }
        // Found by topology alone; the generator's own shape says what is right.
        const Shape exact(p);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < s.triangles.size(); ++i) {
            Vec3 c{};
            bool flat = true;
            for (auto k : s.triangles[i]) {
                const Vec3 q =
                    m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(k)]));
                c = c + (1.0 / 3) * q;
                flat = flat && q[2] == p.base_plane_mm;
                QVERIFY(q[2] == p.base_plane_mm || std::abs(exact.open(q)) < 0.05);
            }
            wrong += s.wall[i] != (flat ? Wall::base : exact.wall(c));
        }
        QVERIFY2(wrong == 0, qPrintable(QString::number(wrong)));
        auto area = wall_areas(m, s);
        const double endo = ellipsoid_area(p.lv_short_axis_mm, p.lv_long_axis_mm, p.base_plane_mm);
        QVERIFY(std::abs(area[Wall::endo_lv] / endo - 1) < 0.01);
        QCOMPARE(area[Wall::endo_rv] > 0, shape() == HeartShape::biventricular);
    }

    void transmuralFollowsDepth()
    {
        const Field* f = lv_.field("transmural");
        QVERIFY(f && f->on == Field::On::vertices);
        const Shape exact(coarse(HeartShape::lv));
        std::array<double, 5> sum{}, count{};
        for (std::size_t v = 0; v < lv_.vertex_count(); ++v) {
            const Vec3 p = lv_.vertex(v);
            const double in = exact.lv_cavity(p), out = -exact.outer(p);
            const double depth = in / (in + out), t = static_cast<double>(f->values[v]);
            QVERIFY(t >= 0 && t <= 1);
            QVERIFY(std::abs(t - depth) < 0.2);
            const auto bin = static_cast<std::size_t>(std::clamp(depth * 5, 0.0, 4.0));
            sum[bin] += t, count[bin] += 1;
        }
        for (std::size_t b = 1; b < 5; ++b)
            QVERIFY(sum[b] / count[b] > sum[b - 1] / count[b - 1] + 0.1);
    }

    void apexBaseFollowsHeight_data() { shapes(); }
    void apexBaseFollowsHeight()
    {
        const auto& m = mesh(shape());
        const Field* f = m.field("apex_base");
        QVERIFY(f);
        const auto p = coarse(shape());
        const double length = p.base_plane_mm + p.lv_long_axis_mm + p.apex_wall_mm;
        double worst = 0;
        for (std::size_t v = 0; v < m.vertex_count(); ++v) {
            const double u = static_cast<double>(f->values[v]);
            QVERIFY(u >= 0 && u <= 1);
            if (m.z[v] == p.base_plane_mm)
                QCOMPARE(u, 1.0);
            worst = larger_or_nan(worst, std::abs(u - 1 + (p.base_plane_mm - m.z[v]) / length));
        }
        QVERIFY2(worst < 0.2, qPrintable(QString::number(worst)));
    }

    void fibresAreOrthonormal_data() { shapes(); }
    void fibresAreOrthonormal()
    {
        const auto& m = mesh(shape());
        QCOMPARE(m.fibre.size(), m.tetrahedron_count());
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const Vec3 f = m.fibre[t], s = m.sheet[t], n = m.normal[t];
            for (const auto& d : {f, s, n})
                QVERIFY(std::abs(norm(d) - 1) < 1e-5);
            QVERIFY(std::abs(dot(f, s)) < 1e-5);
            QVERIFY(norm(cross(f, s) - n) < 1e-5);
        }
    }

    /// Helix angle in the left free wall against the rule, in frames known from the geometry.
    void helixAngleFollowsTheRule_data() { shapes(); }
    void helixAngleFollowsTheRule()
    {
        const auto& m = mesh(shape());
        const auto p = coarse(shape());
        const Field* depth = m.field("transmural");
        const Vec3 mean{p.lv_short_axis_mm + p.lv_wall_mm / 2,
                        p.lv_short_axis_mm + p.lv_wall_mm / 2,
                        p.lv_long_axis_mm + p.apex_wall_mm / 2};
        struct Bin
        {
            double error = 0, square = 0, sheet = 0, count = 0;
        };
        std::array<Bin, 3> bins;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const Vec3 c = m.centroid(t);
            if (c[0] < 5 || std::abs(c[2]) > 15)
                continue;
            const Vec3 out = normalized({c[0] / (mean[0] * mean[0]), c[1] / (mean[1] * mean[1]),
                                         c[2] / (mean[2] * mean[2])});
            const Vec3 around = normalized({-c[1], c[0], 0}), up = cross(out, around);
            const Vec3 f = m.fibre[t], s = m.sheet[t];
            const double u = mean_over(m, *depth, t);
            double angle = degrees * std::atan2(dot(f, up), dot(f, around));
            const double rule = p.helix_endo_deg + u * (p.helix_epi_deg - p.helix_endo_deg);
            angle = std::remainder(angle - rule, 180);
            auto& b = bins[u < 1.0 / 3 ? 0 : u < 2.0 / 3 ? 1 : 2];
            b.error += angle, b.square += angle * angle, b.count += 1;
            const double tilt = degrees * std::acos(std::min(1.0, std::abs(dot(s, out))));
            b.sheet += tilt - std::abs(p.sheet_endo_deg + u * (p.sheet_epi_deg - p.sheet_endo_deg));
        }
        for (const auto& b : bins) {
            QVERIFY(b.count > 100);
            QVERIFY2(std::abs(b.error / b.count) < 1.5,
                     qPrintable(QString::number(b.error / b.count)));
            QVERIFY2(std::sqrt(b.square / b.count) < 4,
                     qPrintable(QString::number(std::sqrt(b.square / b.count))));
            QVERIFY2(std::abs(b.sheet / b.count) < 3,
                     qPrintable(QString::number(b.sheet / b.count)));
        }
    }

    void septumTurnsFromOneFaceToTheOther()
    {
        // Seen from the left cavity: +60 on the left face, -60 on the right one, 0 between.
        double square = 0, count = 0;
        const auto p = coarse(HeartShape::biventricular);
        for (std::size_t t = 0; t < both_.tetrahedron_count(); ++t) {
            const Vec3 c = both_.centroid(t);
            if (c[0] > -15 || std::abs(c[1]) > 12 || std::abs(c[2]) > 12 || both_.region[t] < 7)
                continue;
            const double r = std::hypot(c[0], c[1]);
            const double u = (r - p.lv_short_axis_mm) / p.septum_mm;
            const Vec3 around = normalized({-c[1], c[0], 0}), f = both_.fibre[t];
            const double angle = degrees * std::atan2(f[2], dot(f, around));
            square += std::pow(std::remainder(angle - 60 * (1 - 2 * u), 180), 2);
            count += 1;
        }
        QVERIFY(count > 50);
        QVERIFY2(std::sqrt(square / count) < 8,
                 qPrintable(QString::number(std::sqrt(square / count))));
    }

    void segmentsLayersAndLabels_data() { shapes(); }
    void segmentsLayersAndLabels()
    {
        const auto& m = mesh(shape());
        const Field *aha = m.field("aha_segment"), *layer = m.field("layer"),
                    *side = m.field("ventricle");
        QVERIFY(aha && layer && side && aha->on == Field::On::tetrahedra);
        std::map<int, int> segments, regions;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const int a = static_cast<int>(aha->values[t]), v = static_cast<int>(side->values[t]);
            const int l = static_cast<int>(layer->values[t]), r = m.region[t];
            ++segments[a], ++regions[r];
            QCOMPARE(a == 0, v == 2);
            QCOMPARE((r - 1) / 3 + 1, v);
            QCOMPARE(l, r == septum_right ? 0 : (r - 1) % 3);
            QVERIFY(name(static_cast<RegionLabel>(r)) != "unknown");
        }
        const bool both = shape() == HeartShape::biventricular;
        QCOMPARE(segments.size(), both ? std::size_t{18} : std::size_t{17});
        QCOMPARE(segments.begin()->first, both ? 0 : 1);
        QCOMPARE(segments.rbegin()->first, 17);
        QCOMPARE(regions.size(), both ? std::size_t{9} : std::size_t{3});
        for (const auto& [r, n] : regions)
            QVERIFY(n > 300);
        // Segment 4 is inferior (+y), 1 anterior (-y), 9 septal (-x).
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const auto a = static_cast<int>(aha->values[t]);
            const Vec3 c = m.centroid(t);
            QVERIFY(a != 4 || c[1] > 0);
            QVERIFY(a != 1 || c[1] < 0);
            QVERIFY(a != 9 || c[0] < 0);
        }
    }

    void fibresByTopologyAgree_data() { shapes(); }
    void fibresByTopologyAgree()
    {
        auto m = mesh(shape());
        const auto before = m.fibre;
        m.fibre = m.sheet = m.normal = {};
        assign_rule_based_fibres(m, surface(m, face_neighbours(m)), FibreRules{});
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            QVERIFY(std::abs(dot(m.fibre[t], before[t])) > 0.999);
    }

    void fibresNeedWalls()
    {
        auto m = slab({3, 2, 2}, 1);
        QVERIFY_THROWS_EXCEPTION(
            MeshError, assign_rule_based_fibres(m, surface(m, face_neighbours(m)), FibreRules{}));
    }

    void sameParametersSameMesh()
    {
        auto p = coarse(HeartShape::lv);
        p.edge_mm = 5;
        const auto a = generate_heart(p), b = generate_heart(p);
        QCOMPARE(a.x, b.x);
        QCOMPARE(a.z, b.z);
        QVERIFY(a.corner == b.corner);
        QCOMPARE(a.region, b.region);
        QCOMPARE(a.fibre.x, b.fibre.x);
    }

    void edgeForACount()
    {
        for (const auto* m : {&lv_, &both_}) {
            const auto p = coarse(m == &lv_ ? HeartShape::lv : HeartShape::biventricular);
            const double edge = edge_mm_for(p, static_cast<std::int64_t>(m->tetrahedron_count()));
            QVERIFY2(std::abs(edge / 3.5 - 1) < 0.04, qPrintable(QString::number(edge)));
        }
    }

    void canBeCancelled_data()
    {
        QTest::addColumn<QString>("stage");
        for (const char* stage : {"meshing", "improving", "removing slivers"})
            QTest::newRow(stage) << stage;
    }
    /// At the fifth report of a stage: each stage tells more than that it begins.
    void canBeCancelled()
    {
        QFETCH(QString, stage);
        std::stop_source stop;
        Progress progress;
        progress.stop = stop.get_token();
        int calls = 0;
        std::string last;
        progress.report = [&](double, std::string_view s) {
            last = s;
            if (s == stage.toStdString() && ++calls == 5)
                stop.request_stop();
        };
        QVERIFY_THROWS_EXCEPTION(Cancelled, generate_heart(coarse(HeartShape::lv), progress));
        QCOMPARE(QString::fromStdString(last), stage);
    }

    void embeddedHeartHasTheDefaultParameters()
    {
        QFile file(TAWARA_SOURCE_DIR "/meshes/default_heart.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto json = QJsonDocument::fromJson(file.readAll()).object();
        const HeartParameters p;
        QCOMPARE(json["shape"].toString().toStdString(), std::string(name(p.shape)));
        for (const auto& row : parameter_table())
            QCOMPARE(json[QString::fromStdString(std::string(row.name))].toDouble(NAN),
                     p.*row.value);
        QCOMPARE(static_cast<std::size_t>(json.size()), parameter_table().size() + 1);
    }

    void embeddedHeart()
    {
        const auto file = std::filesystem::path(TAWARA_SOURCE_DIR) / "meshes/default_heart.vtu";
        const auto loaded = io::read(file, LengthUnit::mm);
        const auto& m = loaded.mesh;
        QVERIFY(m.tetrahedron_count() >= 60000 && m.tetrahedron_count() <= 100000);
        QCOMPARE(m.fibre.size(), m.tetrahedron_count());
        QCOMPARE(m.sheet.size(), m.tetrahedron_count());
        for (const char* f : {"transmural", "apex_base", "layer", "ventricle", "aha_segment"})
            QVERIFY2(m.field(f), f);
        QVERIFY(loaded.check.quality_min > 0.15);
        const double exact = domain_volume_mm3(HeartParameters{});
        QVERIFY(std::abs(total_volume(m) / exact - 1) < 3e-3);
        const auto s = surface(m, face_neighbours(m));
        const auto areas = wall_areas(m, s);
        for (auto w : {Wall::epi, Wall::endo_lv, Wall::endo_rv, Wall::base})
            QVERIFY(areas.contains(w));
    }

    void namesOfRegions()
    {
        const auto file = std::filesystem::path(TAWARA_SOURCE_DIR) / "meshes/default_heart.vtu";
        auto m = io::read(file).mesh;
        const auto names = region_names(m);
        QCOMPARE(names.size(), std::size_t(9));
        QCOMPARE(text_of(names[1]), std::string("left ventricle, mid-wall (label 2)"));
        QCOMPARE(text_of(names[5]), std::string("right ventricle, epicardial (label 6)"));
        QCOMPARE(text_of(names, {1, 4, 7, 9}),
                 std::string(
                     "endocardial: left ventricle, right ventricle, septum (labels 1, 4, 7, 9)"));
        QCOMPARE(short_text(names, {1, 4, 7, 9}), std::string("endocardial (labels 1, 4, 7, 9)"));
        // the septum's faces: by the layers that they go over into, whatever their numbers are
        QCOMPARE(text_of(names[6]), std::string("left septum, endocardial (label 7)"));
        QCOMPARE(text_of(names[8]), std::string("right septum, endocardial (label 9)"));
        QCOMPARE(text_of(names, {1, 7}),
                 std::string("endocardial: left ventricle, left septum (labels 1, 7)"));
        std::set<std::string> different;
        for (const auto& r : names)
            different.insert(r.name);
        QCOMPARE(different.size(), names.size());
        auto turned = m;
        for (auto& label : turned.region)
            label = 10 - label;
        QCOMPARE(text_of(region_names(turned)[0]),
                 std::string("right septum, endocardial (label 1)"));
        QCOMPARE(short_text(names, {8}), std::string("septum, mid-wall (label 8)"));
        QCOMPARE(short_text({}, {1, 2}), std::string("labels 1, 2"));
        double share = 0;
        for (const auto& r : names)
            share += r.share;
        QVERIFY(std::fabs(share - 1) < 1e-9);
        m.fields.clear(); // nothing to name them by
        const auto bare = text_of(region_names(m)[0]);
        QCOMPARE(bare, std::string("label 1 (12 % of the volume)"));
        QCOMPARE(short_text(region_names(m), {1, 2}), std::string("labels 1, 2 (30 %)"));
        QVERIFY(text_of(region_names(m), {1, 77}).ends_with("; label 77"));
    }
};
QTEST_GUILESS_MAIN(TestHeart)
#include "test_heart.moc"
