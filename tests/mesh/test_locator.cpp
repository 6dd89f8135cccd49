// SPDX-License-Identifier: GPL-3.0-or-later
// The tetrahedron at a point or nearest to it, against a search of them all.
#include "engine/mesh/locator.hpp"
#include "tests/mesh/shapes.hpp"

#include <QtTest>
#include <random>

using namespace shapes;

namespace {

/// The point of triangle abc nearest to p, by the region of the plane that p projects into
/// (Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
Vec3 nearest_of_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp),
                 d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0)
        return a;
    if (d3 >= 0 && d4 <= d3)
        return b;
    if (d6 >= 0 && d5 <= d6)
        return c;
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return a + d1 / (d1 - d3) * ab;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return a + d2 / (d2 - d6) * ac;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b);
    const double all = va + vb + vc;
    return a + vb / all * ab + vc / all * ac;
}

/// The distance of p from a tetrahedron, 0 within.
double distance(const TetMesh& m, std::size_t t, const Vec3& p)
{
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k)
        x[k] = m.vertex(static_cast<std::size_t>(m.corner[k][t]));
    bool inside = true;
    double least = 1e300;
    for (std::size_t k = 0; k < 4; ++k) {
        const Vec3 &a = x[(k + 1) % 4], &b = x[(k + 2) % 4], &c = x[(k + 3) % 4];
        const Vec3 n = cross(b - a, c - a);
        inside = inside && dot(n, p - a) * dot(n, x[k] - a) >= 0;
        least = std::min(least, norm(nearest_of_triangle(p, a, b, c) - p));
    }
    return inside ? 0 : least;
}

void compare(const TetMesh& m, const Vec3& low, const Vec3& high, int points)
{
    const Locator locator(m);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(0, 1);
    for (int n = 0; n < points; ++n) {
        Vec3 p{};
        for (std::size_t c = 0; c < 3; ++c)
            p[c] = low[c] + u(random) * (high[c] - low[c]);
        double least = 1e300;
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            least = std::min(least, distance(m, t, p));
        const auto found = locator.find(p);
        QVERIFY(found.tetrahedron >= 0);
        QVERIFY2(std::abs(found.distance_mm - least) < 1e-9 * (1 + least),
                 qPrintable(QString("%1, not %2").arg(found.distance_mm).arg(least)));
        Vec3 at{};
        for (std::size_t k = 0; k < 4; ++k)
            at = at +
                 found.weights[k] * m.vertex(static_cast<std::size_t>(
                                        m.corner[k][static_cast<std::size_t>(found.tetrahedron)]));
        QVERIFY(std::abs(norm(at - p) - least) < 1e-9 * (1 + least));
    }
}

} // namespace

class TestLocator : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void pointsWithinAShellAndItsCavity()
    {
        const auto shell =
            carved({20, 20, 20}, 2, [](const Vec3& c) { return norm(c) > 6 && norm(c) < 9; });
        compare(shell, {-10, -10, -10}, {10, 10, 10}, 150);
        compare(shell, {-200, -100, -50}, {300, 80, 60}, 150); // as electrodes lie
    }

    /// More cells of the grid than it has along one side.
    void aLongFibre()
    {
        const auto fibre = slab({1200, 0.5, 0.5}, 0.5);
        compare(fibre, {-100, -3, -3}, {1300, 3, 3}, 40);
    }

    /// A vertex that no tetrahedron has is no tissue.
    void aVertexThatIsNoTetrahedrons()
    {
        auto m = slab({4, 4, 4}, 2);
        m.x.push_back(50), m.y.push_back(0), m.z.push_back(0);
        compare(m, {45, -5, -5}, {70, 5, 5}, 20);
    }
};

QTEST_APPLESS_MAIN(TestLocator)
#include "test_locator.moc"
