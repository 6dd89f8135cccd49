// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "shapes.hpp"
#include "tests/slowdown.hpp"

#include <QtTest>
#include <algorithm>
#include <limits>
#include <random>

using namespace tawara;
using namespace tawara::mesh;

namespace {

QString refusal(TetMesh m)
{
    try {
        check_and_clean(m, "it.mesh");
    } catch (const MeshError& e) {
        return e.what();
    }
    return "accepted";
}

bool has(const Notices& notices, const char* text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text.find(text) != std::string::npos; });
}

double area(const TetMesh& m, const Surface& s, Wall w)
{
    double a = 0;
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        if (s.wall[t] != w)
            continue;
        const auto p = [&](std::size_t k) {
            return m.vertex(std::size_t(s.vertices[std::size_t(s.triangles[t][k])]));
        };
        a += 0.5 * norm(cross(p(1) - p(0), p(2) - p(0)));
    }
    return a;
}

} // namespace

class TestMesh : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void slab_is_exact()
    {
        const TetMesh m = slab({20, 7, 3}, 0.5);
        QCOMPARE(m.tetrahedron_count(), std::size_t{40 * 14 * 6 * 6});
        QCOMPARE(m.vertex_count(), std::size_t{41 * 15 * 7});
        QVERIFY(std::abs(shapes::volume(m) - 420) < 1e-9);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            QVERIFY(m.volume(t) > 0);
        QCOMPARE(m.x.back(), 20.0);
        QCOMPARE(m.fibre[5], (Vec3{1, 0, 0}));
        QVERIFY_THROWS_EXCEPTION(InputError, slab({0, 1, 1}, 0.1));
        QVERIFY_THROWS_EXCEPTION(InputError, slab({1, 1, 1}, -1));
        QVERIFY_THROWS_EXCEPTION(InputError, slab({1, 1, std::nan("")}, 0.1));
        QVERIFY_THROWS_EXCEPTION(InputError, slab({100, 100, 100}, 1e-3));
        QCOMPARE(slab({1, 1, 1}, 50).tetrahedron_count(), std::size_t{6});
    }

    /// A bar of uneven tetrahedra fills its box once and keeps its planes.
    void uneven_bar_is_whole()
    {
        const auto m = uneven_bar(12, 3, 0.7);
        QVERIFY(std::abs(mean_edge_mm(m) / 0.7 - 1) < 1e-9);
        const auto high = [](const std::vector<double>& x) {
            return *std::max_element(x.begin(), x.end());
        };
        double volume = 0;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            QVERIFY(m.volume(t) > 0);
            volume += m.volume(t);
        }
        const double box = high(m.x) * high(m.y) * high(m.z);
        QVERIFY(std::abs(volume / box - 1) < 1e-9);
        QVERIFY(std::abs(high(m.x) / high(m.y) - 4) < 1e-9);
        QVERIFY(std::abs(high(m.y) / 3 / (0.7 * uneven_cube_per_edge) - 1) < 0.05);
        const auto of_boundary = surface(m, face_neighbours(m));
        QCOMPARE(of_boundary.triangles.size(), std::size_t(2 * (4 * 12 * 3 + 2 * 3 * 3)));
        QVERIFY(!grain(m).even);
        QVERIFY(grain(slab({4, 2, 1}, 0.5)).even);
        QVERIFY(grain(refine(slab({4, 2, 1}, 0.5))).even);
        QVERIFY(uneven_bar(12, 3, 0.7).x == m.x);
    }

    void neighbours_are_mutual_and_boundary_is_closed()
    {
        const TetMesh m = slab({4, 3, 2}, 0.5);
        const auto n = face_neighbours(m);
        std::size_t boundary = 0;
        for (std::size_t t = 0; t < n.size(); ++t)
            for (std::size_t k = 0; k < 4; ++k) {
                const auto o = n[t][k];
                if (o < 0) {
                    ++boundary;
                    continue;
                }
                QCOMPARE(std::count(n[std::size_t(o)].begin(), n[std::size_t(o)].end(), int(t)), 1);
                for (const int c : face_corners[k]) { // the neighbour has all corners of the face
                    const auto other = m.corners(std::size_t(o));
                    QCOMPARE(std::count(other.begin(), other.end(), m.corner[std::size_t(c)][t]),
                             1);
                }
            }
        QCOMPARE(boundary, std::size_t{2 * 2 * (8 * 6 + 8 * 4 + 6 * 4)});
        QCOMPARE(pieces(n).size.size(), std::size_t{1});
        const auto stars = vertex_stars(m);
        QCOMPARE(stars.tets.size(), 4 * m.tetrahedron_count());
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            for (auto i = stars.first[v]; i < stars.first[v + 1]; ++i) {
                const auto c = m.corners(std::size_t(stars.tets[std::size_t(i)]));
                QCOMPARE(std::count(c.begin(), c.end(), int(v)), 1);
            }
    }

    void a_face_of_three_is_refused()
    {
        TetMesh m;
        for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1},
                              Vec3{0, 0, -1}, Vec3{1, 1, 2}})
            m.add_vertex(p);
        for (const int v : {3, 4, 5})
            m.add_tetrahedron({0, 1, 2, v}, 1);
        QVERIFY(refusal(m).contains("three tetrahedra 0, 1 and 2"));
    }

    void inverted_are_turned_and_permutations_do_not_matter()
    {
        const TetMesh good = slab({4, 2, 2}, 1);
        TetMesh m = good;
        std::mt19937 random(7);
        std::int64_t inverted = 0;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            auto c = m.corners(t);
            std::shuffle(c.begin(), c.end(), random);
            for (std::size_t k = 0; k < 4; ++k)
                m.corner[k][t] = c[k];
            inverted += m.volume(t) < 0;
        }
        QVERIFY(inverted > 10);
        const auto r = check_and_clean(m, "m");
        QCOMPARE(r.turned, inverted);
        QVERIFY(has(r.notices, "inverted"));
        QVERIFY(std::abs(shapes::volume(m) - 16) < 1e-12);
        QCOMPARE(r.pieces, 1);
    }

    void what_cannot_be_used_is_refused()
    {
        const TetMesh good = slab({2, 1, 1}, 1);
        TetMesh m = good;
        m.corner[3][4] = m.corner[2][4];
        QVERIFY(refusal(m).contains("tetrahedron 4") && refusal(m).contains("flat"));
        m = good;
        m.add_tetrahedron(good.corners(5), 1);
        m.fibre = m.sheet = m.normal = {};
        QVERIFY(refusal(m).contains("tetrahedron 12") && refusal(m).contains("repeat"));
        m = good;
        m.y[3] = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(refusal(m).contains("vertex 3") && refusal(m).startsWith("it.mesh: "));
        m = good;
        m.corner[1][2] = 12;
        QVERIFY(refusal(m).contains("vertex 12"));
        m = good;
        m.corner[1][2] = -1;
        QVERIFY(refusal(m).contains("vertex -1"));
        m = good;
        m.fibre.x[7] = std::numeric_limits<float>::infinity();
        QVERIFY(refusal(m).contains("fibre direction of tetrahedron 7"));
        m = good;
        m.region.pop_back();
        QVERIFY(refusal(m).contains("11 region labels"));
        QVERIFY(refusal({}).contains("no tetrahedra"));
        QCOMPARE(refusal(good), QString("accepted"));
    }

    void one_is_said_as_one()
    {
        TetMesh m = slab({1, 1, 1}, 1);
        m.add_vertex({9, 9, 9});
        const std::int32_t last = m.corner[3][0];
        m.corner[3][0] = m.corner[2][0];
        m.corner[2][0] = last;
        const auto r = check_and_clean(m, "m");
        QVERIFY(has(r.notices, "1 inverted tetrahedron was turned"));
        QVERIFY(has(r.notices, "1 vertex of no tetrahedron was dropped"));
    }

    void unused_vertices_go_and_their_fields_too()
    {
        TetMesh m = slab({1, 1, 1}, 1);
        const TetMesh good = m;
        m.x.insert(m.x.begin(), 99), m.y.insert(m.y.begin(), 99), m.z.insert(m.z.begin(), 99);
        m.add_vertex({-5, 0, 0});
        for (auto& c : m.corner)
            for (auto& v : c)
                ++v;
        Field f{"f", Field::On::vertices, 1, {}};
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            f.values.push_back(static_cast<float>(v));
        m.fields = {f};
        QCOMPARE(check_and_clean(m, "m").unused_vertices, 2);
        QCOMPARE(m.x, good.x);
        QCOMPARE(m.corner[2], good.corner[2]);
        QCOMPARE(m.fields[0].values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    }

    void pieces_are_reported()
    {
        TetMesh m = slab({2, 1, 1}, 1);
        const TetMesh far = slab({1, 1, 1}, 1);
        const auto n = static_cast<std::int32_t>(m.vertex_count());
        for (std::size_t v = 0; v < far.vertex_count(); ++v)
            m.add_vertex(far.vertex(v) + Vec3{10, 0, 0});
        for (std::size_t t = 0; t < far.tetrahedron_count(); ++t) {
            auto c = far.corners(t);
            for (auto& v : c)
                v += n;
            m.add_tetrahedron(c, 2);
        }
        m.fibre = m.sheet = m.normal = {};
        const auto r = check_and_clean(m, "m");
        QCOMPARE(r.pieces, 2);
        QVERIFY(has(r.notices, "2 pieces"));
        const auto p = pieces(face_neighbours(m));
        QCOMPARE(p.size, (std::vector<std::int64_t>{12, 6}));
        QCOMPARE(p.of[0], 0);
        QCOMPARE(p.of[15], 1);
    }

    void fibres_become_orthonormal()
    {
        TetMesh m = slab({3, 1, 1}, 1);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            m.fibre.set(t, {20, 0, 0});
            m.sheet.set(t, {3, 4, 0}); // leans on the fibre
        }
        m.fibre.set(5, {0, 0, 0});
        m.sheet.set(6, {-2, 0, 0});
        const auto r = check_and_clean(m, "m");
        QCOMPARE(r.fibres_normalised, 17);
        QVERIFY(has(r.notices, "length 0"));
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            const Vec3 f = m.fibre[t], s = m.sheet[t], n = m.normal[t];
            QVERIFY(std::abs(norm(f) - 1) < 1e-6 && std::abs(norm(s) - 1) < 1e-6);
            QVERIFY(std::abs(dot(f, s)) < 1e-6 && norm(cross(f, s) - n) < 1e-6);
        }
        QCOMPARE(m.fibre[5], (Vec3{1, 0, 0})); // from its neighbours
    }

    void refinement_keeps_what_it_must()
    {
        TetMesh m = shapes::rich();
        for (std::size_t v = 0; v < m.vertex_count();
             ++v) // no longer regular, still a map of the slab
            m.x[v] += 0.3 * std::sin(m.y[v]), m.z[v] += 0.2 * std::sin(0.7 * m.x[v]);
        Field markers{std::string(face_marker_name), Field::On::tetrahedra, 4, {}};
        const auto n = face_neighbours(m);
        for (const auto& t : n)
            for (const auto o : t)
                markers.values.push_back(o < 0 ? 2.F : 0.F);
        m.fields.push_back(markers);
        TetMesh r = refine(m);
        QCOMPARE(r.tetrahedron_count(), 8 * m.tetrahedron_count());
        QVERIFY(std::abs(shapes::volume(r) / shapes::volume(m) - 1) < 1e-12);
        double worst_before = 1, worst_after = 1;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            worst_before = smaller_or_nan(worst_before, quality(m, t));
            for (std::size_t i = 0; i < 8; ++i) {
                const std::size_t c = 8 * t + i;
                worst_after = smaller_or_nan(worst_after, quality(r, c));
                QVERIFY(std::abs(r.volume(c) / m.volume(t) - 0.125) < 1e-9);
                QCOMPARE(r.region[c], m.region[t]);
                QCOMPARE(r.fibre[c], m.fibre[t]);
                QCOMPARE(r.fields[1].values[2 * c], m.fields[1].values[2 * t]);
            }
        }
        QVERIFY2(worst_after > 0.5 * worst_before, qPrintable(QString::number(worst_after)));
        const auto nr = face_neighbours(r); // conforming: the boundary is 4 times as many triangles
        std::size_t before = 0, after = 0;
        for (const auto& t : n)
            before += static_cast<std::size_t>(std::count(t.begin(), t.end(), -1));
        for (std::size_t t = 0; t < nr.size(); ++t)
            for (std::size_t k = 0; k < 4; ++k) {
                after += nr[t][k] < 0;
                QCOMPARE(r.fields[2].values[4 * t + k], nr[t][k] < 0 ? 2.F : 0.F);
            }
        QCOMPARE(after, 4 * before);
        const auto report = check_and_clean(r, "refined");
        QCOMPARE(report.turned, 0);
        QCOMPARE(report.unused_vertices, 0);
        QCOMPARE(report.pieces, 1);
        // a field that is linear in space stays so
        const TetMesh s = refine(shapes::rich());
        for (std::size_t v = 0; v < s.vertex_count(); ++v)
            QVERIFY(std::abs(s.fields[0].values[v] - (s.x[v] * 0.1 + s.z[v])) < 1e-5);
    }

    /// Kuhn's tetrahedra are cut into such of half the size, again and again.
    void refinement_keeps_the_shapes_of_a_slab()
    {
        TetMesh m = slab({2, 1, 1}, 1);
        const double before = quality(m, 0);
        for (int k = 0; k < 2; ++k) {
            m = refine(m);
            for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
                QVERIFY2(std::abs(quality(m, t) - before) < 1e-9,
                         qPrintable(QString::number(quality(m, t))));
        }
    }

    void quality_of_known_shapes()
    {
        TetMesh m;
        for (const Vec3& p : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}})
            m.add_vertex(p);
        m.add_tetrahedron({0, 1, 2, 3}, 1);
        QVERIFY(std::abs(quality(m, 0) - 1) < 1e-12);
        const TetMesh k = slab({1, 1, 1}, 1); // Kuhn: V = 1/6, edges 1 1 1 2 2 3 squared
        QVERIFY(std::abs(quality(k, 0) - 12 * std::pow(0.5, 2.0 / 3) / 10) < 1e-12);
    }

    void slab_has_no_walls()
    {
        const TetMesh m = slab({20, 7, 3}, 1);
        Notices notices;
        const Surface s = surface(m, face_neighbours(m), &notices);
        QVERIFY(std::abs(area(m, s, Wall::other) - 2 * (140 + 60 + 21)) < 1e-9);
        QVERIFY(has(notices, "no hollow"));
        // outward: the integral of x . n over the surface is three times the volume
        double flux = 0;
        for (std::size_t t = 0; t < s.triangles.size(); ++t) {
            std::array<Vec3, 3> p{};
            for (std::size_t k = 0; k < 3; ++k)
                p[k] = m.vertex(std::size_t(s.vertices[std::size_t(s.triangles[t][k])]));
            flux += dot(p[0], cross(p[1] - p[0], p[2] - p[0])) / 2;
        }
        QVERIFY(std::abs(flux - 3 * 420) < 1e-9);
    }

    void closed_shell_is_split()
    {
        const TetMesh m = shapes::carved(
            {40, 40, 40}, 2, [](const Vec3& c) { return norm(c) < 19 && norm(c) > 12; });
        Notices notices;
        const Surface s = surface(m, face_neighbours(m), &notices);
        QCOMPARE(area(m, s, Wall::base), 0.0);
        QCOMPARE(area(m, s, Wall::other), 0.0);
        for (std::size_t t = 0; t < s.triangles.size(); ++t) {
            const Vec3 p = m.vertex(std::size_t(s.vertices[std::size_t(s.triangles[t][0])]));
            QCOMPARE(name(s.wall[t]), name(norm(p) < 15.5 ? Wall::endo_lv : Wall::epi));
        }
    }

    /// A cup open at the top with a thin second chamber at its side, both cut by a plane.
    void open_heart_is_split_along_its_base()
    {
        const auto in_lv = [](const Vec3& c, double r) { return norm(c + Vec3{-8, 0, 0}) < r; };
        const auto in_rv = [](const Vec3& c, double r) { return norm(c + Vec3{12, 0, 0}) < r; };
        const TetMesh m = shapes::carved({72, 60, 60}, 2, [&](const Vec3& c) {
            const bool outer = in_lv(c, 26) || in_rv(c, 21);
            const bool rv = in_rv(c, 17) && !in_lv(c, 26);
            return c[2] < 8 && outer && !in_lv(c, 15) && !rv;
        });
        Notices notices;
        const Surface s = surface(m, face_neighbours(m), &notices);
        std::size_t wrong = 0;
        for (std::size_t t = 0; t < s.triangles.size(); ++t) {
            Vec3 p{};
            for (const auto v : s.triangles[t])
                p = p + (1.0 / 3) * m.vertex(std::size_t(s.vertices[std::size_t(v)]));
            const Wall due = p[2] > 7.9                                      ? Wall::base
                             : in_lv(p, 19)                                  ? Wall::endo_lv
                             : in_rv(p, 19) && norm(p + Vec3{-8, 0, 0}) > 24 ? Wall::endo_rv
                                                                             : Wall::epi;
            wrong += due != s.wall[t];
        }
        QVERIFY2(100 * wrong < 3 * s.triangles.size(),
                 qPrintable(QString("%1 of %2").arg(wrong).arg(s.triangles.size())));
        for (const Wall w : {Wall::epi, Wall::endo_lv, Wall::endo_rv, Wall::base})
            QVERIFY(area(m, s, w) > 300);
    }

    void large_meshes_are_quick()
    {
        const TetMesh m = slab({60, 60, 45}, 0.6); // 4.5 million
        test::ProcessorClock clock;
        const auto n = face_neighbours(m);
        const auto neighbours_ms = clock.restart();
        TetMesh copy = m;
        check_and_clean(copy, "m");
        const auto check_ms = clock.restart();
        const Surface s = surface(m, n);
        qInfo("%zu tetrahedra: neighbours %ld ms, check %ld ms, surface %ld ms",
              m.tetrahedron_count(), neighbours_ms, check_ms, clock.elapsed());
        QCOMPARE(s.triangles.size(), std::size_t{100000});
        QVERIFY(neighbours_ms < 30000);
    }
};

QTEST_GUILESS_MAIN(TestMesh)
#include "test_mesh.moc"
