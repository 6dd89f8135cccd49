// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "tests/diffusion/shaken.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::diffusion;

Q_DECLARE_METATYPE(tawara::diffusion::Scheme)
Q_DECLARE_METATYPE(tawara::diffusion::Mass)

class TestOperators : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase()
    {
        mesh_ = testing::shaken_box({2, 1.5, 1}, 0.25, 0.2);
        neighbours_ = mesh::face_neighbours(mesh_);
    }

    void diffusivityIsSigmaOverChiCm()
    {
        auto m = mesh::slab({1, 1, 1}, 1);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
            m.fibre.set(t, 1.0 / 7 * Vec3{2, 3, 6}); // no entry of the tensor is like another
            m.sheet.set(t, 1.0 / 7 * Vec3{3, -6, 2});
            m.normal.set(t, 1.0 / 7 * Vec3{6, 2, -3});
        }
        const std::vector<Conductivity> table{{0.14, 0.028, 0.0140}, {0.2, 0.2, 0.2}, {0, 0, 0}};
        const std::vector<std::int32_t> rows{0, 1, 2, 0, 1, 2};
        const auto d = diffusivities(m, rows, table, 140, 0.01); // chi Cm = 1.4 uF/mm3
        const double f = 0.1, s = 0.02, n = 0.01;
        const Tensor expected{4 * f + 9 * s + 36 * n,  9 * f + 36 * s + 4 * n,
                              36 * f + 4 * s + 9 * n,  6 * f - 18 * s + 12 * n,
                              12 * f + 6 * s - 18 * n, 18 * f - 12 * s - 6 * n}; // * 49
        for (std::size_t k = 0; k < 6; ++k)
            QVERIFY(std::abs(d[0][k] - expected[k] / 49) < 1e-8);
        const double same = 0.2 / (140 * 0.01);
        QCOMPARE(d[1], (Tensor{same, same, same, 0, 0, 0}));
        QCOMPARE(d[2], Tensor{});
    }

    void diffusivityRefusesWhatMakesNoSense()
    {
        auto m = mesh::slab({1, 1, 1}, 1);
        const std::vector<std::int32_t> rows(6, 0);
        auto refused = [&](Conductivity c, double chi = 140) {
            try {
                diffusivities(m, rows, std::vector{c}, chi, 0.01);
            } catch (const InputError&) {
                return true;
            }
            return false;
        };
        QVERIFY(!refused({0.1, 0.1, 0.1}));
        QVERIFY(refused({0.1, 0.1, -0.1}));
        QVERIFY(refused({0.1, 0.1, 0}));
        QVERIFY(refused({std::nan(""), 0.1, 0.1}));
        QVERIFY(refused({0.1, 0.1, 0.1}, 0));
        m.sheet = m.normal = {};
        QVERIFY(!refused({0.3, 0.1, 0.1}));
        QVERIFY(refused({0.3, 0.2, 0.1}));
        m.fibre = {};
        QVERIFY(refused({0.3, 0.1, 0.1}));
        QVERIFY(!refused({0.1, 0.1, 0.1}));
    }

    void everyOperatorConservesAndKeepsConstants_data()
    {
        QTest::addColumn<Scheme>("scheme");
        QTest::addColumn<Mass>("mass");
        QTest::newRow("fvm") << Scheme::fvm << Mass::lumped;
        QTest::newRow("p1 lumped") << Scheme::p1 << Mass::lumped;
        QTest::newRow("p1 consistent") << Scheme::p1 << Mass::consistent;
    }
    void everyOperatorConservesAndKeepsConstants()
    {
        QFETCH(Scheme, scheme);
        QFETCH(Mass, mass);
        const auto s = make(scheme, mass, testing::turning_tensors(mesh_, 0.1, 9));
        QCOMPARE(s.scheme, scheme);
        QCOMPARE(s.mass, mass);
        QCOMPARE(s.size(),
                 scheme == Scheme::fvm ? mesh_.tetrahedron_count() : mesh_.vertex_count());
        double whole = 0, most = 0;
        std::vector<double> column(s.size(), 0.0), v(s.size(), -85.23), l(s.size());
        for (std::size_t i = 0; i < s.size(); ++i) {
            whole += s.volume[i];
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                const auto j = static_cast<std::size_t>(s.alpha.column[k]);
                QVERIFY(j != i);
                QVERIFY(e == s.alpha.first[i] || s.alpha.column[k - 1] < s.alpha.column[k]);
                const double b = s.alpha.value[k] * (mass == Mass::consistent ? 1 : s.volume[i]);
                column[j] += b; // what j gives away through this entry ...
                column[i] -= b;
                most = larger_or_nan(most, std::abs(b));
            }
        }
        for (double c : column) // ... others receive
            QVERIFY(std::abs(c) < 1e-12 * most);
        QVERIFY(std::abs(whole - 3 * (1 + s.added_volume_fraction)) < 1e-9);
        ThreadPool pool(2);
        testing::apply(pool, s, v, l);
        QVERIFY(std::all_of(l.begin(), l.end(), [](double x) { return x == 0; }));
    }

    void fvmRowsStayWithinSeventeen()
    {
        const auto s = make(Scheme::fvm, Mass::lumped, testing::turning_tensors(mesh_, 0.1, 9));
        for (std::size_t i = 0; i < s.size(); ++i) {
            QVERIFY(s.alpha.first[i + 1] - s.alpha.first[i] <= 16);
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) { // pattern is symmetric
                const auto j =
                    static_cast<std::size_t>(s.alpha.column[static_cast<std::size_t>(e)]);
                const auto begin = s.alpha.column.begin() + s.alpha.first[j];
                const auto end = s.alpha.column.begin() + s.alpha.first[j + 1];
                QVERIFY(std::binary_search(begin, end, static_cast<std::int32_t>(i)));
            }
        }
    }

    void linearFieldsAreExactInside()
    {
        // D constant and anisotropic: div(D grad u) = 0 for linear u, away from the boundary.
        const std::vector<Tensor> d(mesh_.tetrahedron_count(), {0.1, 0.03, 0.02, 0.02, 0.01, 0});
        for (auto scheme : {Scheme::fvm, Scheme::p1}) {
            Options o;
            o.scheme = scheme;
            o.mass_scaling = 0;
            o.check_stability = false; // a repair gives up exactness in the repaired cells
            const auto s = assemble(mesh_, neighbours_, d, o);
            std::vector<double> v(s.size()), l(s.size());
            for (std::size_t i = 0; i < v.size(); ++i) {
                const Vec3 x = scheme == Scheme::p1 ? mesh_.vertex(i) : mesh_.centroid(i);
                v[i] = 3 + 2 * x[0] - x[1] + 0.5 * x[2];
            }
            ThreadPool pool(2);
            testing::apply(pool, s, v, l);
            std::size_t inside = 0;
            for (std::size_t i = 0; i < v.size(); ++i)
                if (away_from_boundary(s, i)) {
                    ++inside;
                    QVERIFY(std::abs(l[i]) < 1e-10 / s.stable_dt_ms);
                }
            QVERIFY(inside > 20);
        }
    }

    void p1IsSymmetric()
    {
        const auto s = make(Scheme::p1, Mass::consistent, testing::turning_tensors(mesh_, 0.1, 9));
        double diagonal = 0, whole = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            diagonal += s.mass_diagonal[i];
            whole += s.mass_diagonal[i];
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                const auto j = static_cast<std::size_t>(s.alpha.column[k]);
                const auto at = std::lower_bound(s.alpha.column.begin() + s.alpha.first[j],
                                                 s.alpha.column.begin() + s.alpha.first[j + 1],
                                                 static_cast<std::int32_t>(i)) -
                                s.alpha.column.begin();
                const auto back = static_cast<std::size_t>(at);
                QVERIFY(std::abs(s.alpha.value[k] - s.alpha.value[back]) < 1e-14);
                QVERIFY(std::abs(s.mass_rows.value[k] - s.mass_rows.value[back]) < 1e-14);
                whole += s.mass_rows.value[k];
            }
        }
        QVERIFY(std::abs(whole - 3 * (1 + s.added_volume_fraction)) < 1e-9);
        QVERIFY(diagonal < whole);
    }

    void massScalingStaysWithinItsBound()
    {
        const auto d = testing::turning_tensors(mesh_, 0.1, 9);
        for (auto scheme : {Scheme::fvm, Scheme::p1}) {
            Options o;
            o.scheme = scheme;
            o.mass_scaling = 0;
            o.largest_scaling = 1000;
            const auto plain = assemble(mesh_, neighbours_, d, o);
            QCOMPARE(plain.added_volume_fraction, 0.0);
            double before = plain.stable_dt_ms;
            for (double eta : {2e-4, 1e-3, 1e-2}) {
                o.mass_scaling = eta;
                const auto s = assemble(mesh_, neighbours_, d, o);
                QVERIFY(s.added_volume_fraction <= eta * (1 + 1e-9));
                QVERIFY(s.added_volume_fraction > 0.9 * eta); // as far as the bound allows
                QVERIFY(s.stable_dt_ms > before);
                QVERIFY(std::abs(s.stable_dt_ms * row_sum(s) - 1) < 1e-9);
                before = s.stable_dt_ms;
            }
            // A step that is wanted is met in whole sub-steps, with no more volume than it needs.
            o.mass_scaling = 1e-2;
            o.dt_ms = 1.5 * before;
            const auto s = assemble(mesh_, neighbours_, d, o);
            QVERIFY(std::abs(s.stable_dt_ms / (o.dt_ms / 2) - 1) < 1e-9);
            QCOMPARE(choose_substeps(o.dt_ms, s.stable_dt_ms).stages, 2);
            QVERIFY(s.added_volume_fraction < 1e-2);
        }
    }

    /// However much volume may be added in all, no place gets more than its share.
    void massScalingStaysWithinItsBoundAtEachPlace()
    {
        const auto d = testing::turning_tensors(mesh_, 0.1, 9);
        for (const auto& [scheme, mass] : {std::pair{Scheme::fvm, Mass::lumped},
                                           {Scheme::p1, Mass::lumped},
                                           {Scheme::p1, Mass::consistent}}) {
            Options o;
            o.scheme = scheme;
            o.mass = mass;
            o.mass_scaling = 0;
            const auto plain = assemble(mesh_, neighbours_, d, o);
            QCOMPARE(plain.largest_scaling, 1.0);
            QCOMPARE(plain.largest_scaling_at, std::int64_t{-1});
            // against its own volume, or its neighbours' mean where that is larger (slivers)
            const auto scaling = [&](std::size_t i, const System& s) {
                const auto& a = plain.alpha;
                double sum = 0;
                for (auto e = a.first[i]; e < a.first[i + 1]; ++e)
                    sum += plain.volume[static_cast<std::size_t>(
                        a.column[static_cast<std::size_t>(e)])];
                const double around = sum / static_cast<double>(a.first[i + 1] - a.first[i]);
                return 1 + (s.volume[i] - plain.volume[i]) / std::max(plain.volume[i], around);
            };
            o.mass_scaling = 0.1; // so that the bound of each place is met first
            for (const double cap : {Options{}.largest_scaling, 1.05}) {
                o.largest_scaling = cap;
                const auto s = assemble(mesh_, neighbours_, d, o);
                double largest = 0;
                for (std::size_t i = 0; i < s.size(); ++i)
                    largest = larger_or_nan(largest, scaling(i, s));
                QVERIFY(largest > 1 + 0.9 * (cap - 1) && largest < cap * (1 + 1e-12));
                QVERIFY(std::abs(s.largest_scaling / largest - 1) < 1e-12);
                const auto at = static_cast<std::size_t>(s.largest_scaling_at);
                QVERIFY(std::abs(scaling(at, s) / largest - 1) < 1e-12);
                QVERIFY(s.stable_dt_ms > plain.stable_dt_ms);
            }
            o.largest_scaling = 0.9;
            QVERIFY_THROWS_EXCEPTION(InputError, assemble(mesh_, neighbours_, d, o));
        }
    }

    /// Mass and flow of a tetrahedron that does not conduct belong to nobody: what is left is that
    /// of the mesh without it.
    void whatDoesNotConductAddsToNothing()
    {
        const auto whole = mesh::slab({2, 1, 1}, 0.25), half = mesh::slab({1, 1, 1}, 0.25);
        std::vector<Tensor> d(whole.tetrahedron_count(), Tensor{0.1, 0.1, 0.1, 0, 0, 0});
        const std::vector<Tensor> all(half.tetrahedron_count(), d[0]);
        for (std::size_t t = 0; t < d.size(); ++t)
            if (whole.centroid(t)[0] > 1)
                d[t] = {};
        for (const auto mass : {Mass::lumped, Mass::consistent}) {
            Options o;
            o.scheme = Scheme::p1;
            o.mass = mass;
            o.mass_scaling = 0;
            const auto a = assemble(whole, mesh::face_neighbours(whole), d, o);
            const auto b = assemble(half, mesh::face_neighbours(half), all, o);
            const auto sum = [](const System& s) {
                double v = 0, k = 0;
                for (double x : s.volume)
                    v += x;
                for (double x : s.alpha.value)
                    k += x;
                return std::pair{v, k};
            };
            QVERIFY(std::abs(sum(a).first - 1) < 1e-12); // mm3: of the half that conducts
            QVERIFY(std::abs(sum(a).first - sum(b).first) < 1e-12);
            QVERIFY(std::abs(sum(a).second / sum(b).second - 1) < 1e-9);
            QVERIFY(std::abs(a.stable_dt_ms / b.stable_dt_ms - 1) < 1e-9);
            for (std::size_t v = 0; v < whole.vertex_count(); ++v)
                QCOMPARE(a.volume[v] > 0, whole.vertex(v)[0] <= 1);
        }
    }

    void tissueThatDoesNotConductIsLeftAlone()
    {
        auto d = testing::turning_tensors(mesh_, 0.1, 9);
        std::vector<bool> scar(d.size());
        for (std::size_t t = 0; t < d.size(); ++t)
            if (mesh_.centroid(t)[0] > 1) {
                d[t] = {};
                scar[t] = true;
            }
        const auto s = make(Scheme::fvm, Mass::lumped, d);
        for (std::size_t i = 0; i < s.size(); ++i)
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                QVERIFY(!scar[i] && !scar[static_cast<std::size_t>(s.alpha.column[k])]);
                QVERIFY(std::isfinite(s.alpha.value[k]));
            }
        for (std::size_t i = 0; i < s.size(); ++i)
            QCOMPARE(s.volume[i] > 0, !scar[i]);
        QVERIFY(s.stability.stable);
    }

    void wrongInputAndCancelling()
    {
        const auto d = testing::turning_tensors(mesh_, 0.1, 9);
        Options o;
        o.mass = Mass::consistent;
        QVERIFY_THROWS_EXCEPTION(InputError, assemble(mesh_, neighbours_, d, o));
        o.mass = Mass::lumped;
        o.mass_scaling = -1;
        QVERIFY_THROWS_EXCEPTION(InputError, assemble(mesh_, neighbours_, d, o));
        QVERIFY_THROWS_EXCEPTION(InputError,
                                 assemble(mesh_, neighbours_, std::span(d).first(3), Options{}));
        std::stop_source stop;
        stop.request_stop();
        Progress p;
        p.stop = stop.get_token();
        QVERIFY_THROWS_EXCEPTION(Cancelled, assemble(mesh_, neighbours_, d, Options{}, p));
    }

    void theSameAgain()
    {
        const auto d = testing::turning_tensors(mesh_, 0.1, 9);
        const auto a = make(Scheme::fvm, Mass::lumped, d), b = make(Scheme::fvm, Mass::lumped, d);
        QVERIFY(a.alpha.value == b.alpha.value && a.alpha.column == b.alpha.column);
        QCOMPARE(a.stability.largest_growth, b.stability.largest_growth);
    }

  private:
    System make(Scheme scheme, Mass mass, const std::vector<Tensor>& d) const
    {
        Options o;
        o.scheme = scheme;
        o.mass = mass;
        return assemble(mesh_, neighbours_, d, o);
    }
    static double row_sum(const System& s)
    {
        double most = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            double sum = 0;
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e)
                sum += std::abs(s.alpha.value[static_cast<std::size_t>(e)]);
            most = larger_or_nan(most, sum);
        }
        return most;
    }
    /// Whether the row and, for fvm, its neighbours' gradients know nothing of the boundary.
    bool away_from_boundary(const System& s, std::size_t i) const
    {
        if (s.scheme == Scheme::p1) {
            const Vec3 x = mesh_.vertex(i);
            return x[0] > 1e-9 && x[0] < 2 - 1e-9 && x[1] > 1e-9 && x[1] < 1.5 - 1e-9 &&
                   x[2] > 1e-9 && x[2] < 1 - 1e-9;
        }
        for (auto j : neighbours_[i]) {
            if (j < 0)
                return false;
            for (auto k : neighbours_[static_cast<std::size_t>(j)])
                if (k < 0)
                    return false;
        }
        return true;
    }

    mesh::TetMesh mesh_;
    std::vector<std::array<std::int32_t, 4>> neighbours_;
};

QTEST_GUILESS_MAIN(TestOperators)
#include "test_operators.moc"
