// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees: every way of solving them against dense elimination.
#include "engine/cable/batch.hpp"
#include "engine/cable/contraction.hpp"
#include "engine/cable/cpu/solver.hpp"
#include "engine/cable/tree.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "tests/several.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace tawara::cable;

namespace {

/// A star: all nodes hang on the root.
Tree star(std::size_t nodes)
{
    Tree t;
    t.parent.assign(nodes, 0);
    t.parent[0] = -1;
    return t;
}

std::vector<std::pair<const char*, Tree>> trees()
{
    return {{"one node", chain(1)},
            {"two nodes", chain(2)},
            {"chain of 33", chain(33)},
            {"star of 20", star(20)},
            {"76 nodes, 29 branches", random_tree(76, 29, 3)},
            {"305 nodes, 30 branches", random_tree(305, 30, 1)},
            {"319 nodes, 157 branches", random_tree(319, 157, 2)}};
}

/// The numbers of system `s` of flat ones.
template <class Real>
System<Real> system_of(BatchNumbers<Real>& n, std::size_t nodes, std::size_t s)
{
    const auto of = [&](std::vector<Real>& v) {
        return std::span<Real>(v).subspan(s * nodes, nodes);
    };
    return {of(n.upper), of(n.lower), of(n.diagonal), of(n.rhs)};
}

/// x by dense elimination with pivots.
std::vector<double> dense(const Tree& t, const System<double>& s)
{
    const auto n = t.nodes();
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0));
    for (std::size_t i = 0; i < n; ++i) {
        a[i][i] = s.diagonal[i];
        a[i][n] = s.rhs[i];
        if (i == 0)
            continue;
        const auto p = static_cast<std::size_t>(t.parent[i]);
        a[i][p] = s.lower[i];
        a[p][i] = s.upper[i];
    }
    for (std::size_t k = 0; k < n; ++k) {
        const auto largest = std::max_element(
            a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
            [&](const auto& x, const auto& y) { return std::abs(x[k]) < std::abs(y[k]); });
        std::swap(a[k], *largest);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double f = a[i][k] / a[k][k];
            for (std::size_t j = k; f != 0 && j <= n; ++j)
                a[i][j] -= f * a[k][j];
        }
    }
    std::vector<double> x(n);
    for (std::size_t i = n; i-- > 0;) {
        x[i] = a[i][n];
        for (std::size_t j = i + 1; j < n; ++j)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
    return x;
}

/// The largest difference, of the largest number; NaN where one is.
template <class Real>
double error_of(std::span<const Real> got, std::span<const double> wanted)
{
    double most = 0, away = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        most = tawara::larger_or_nan(most, std::abs(wanted[i]));
        const double d = std::abs(static_cast<double>(got[i]) - wanted[i]);
        away = tawara::larger_or_nan(away, d);
    }
    return away / most;
}

/// The flat numbers of a batch's x.
template <class Real>
std::vector<Real> flat_x(const Batch& b, const BatchNumbers<Real>& n)
{
    std::vector<Real> x(b.systems * b.nodes);
    for (std::size_t s = 0; s < b.systems; ++s)
        for (std::size_t i = 0; i < b.nodes; ++i)
            x[s * b.nodes + i] = n.rhs[b.place(i, s)];
    return x;
}

} // namespace

class TestCable : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void treesAreWhatTheySay()
    {
        for (const auto& s : stand_ins()) {
            const auto t = random_tree(s.nodes, s.branches, 7);
            check(t);
            QCOMPARE(t.nodes(), s.nodes);
            QCOMPARE(branches(t), s.branches);
            QCOMPARE(random_tree(s.nodes, s.branches, 7).parent, t.parent);
            QVERIFY(random_tree(s.nodes, s.branches, 8).parent != t.parent);
        }
        QCOMPARE(branches(chain(9)), std::size_t{1});
        QCOMPARE(branches(star(20)), std::size_t{19});
        QVERIFY_THROWS_EXCEPTION(tawara::Error, random_tree(5, 5, 1));
        Tree wrong = chain(4);
        wrong.parent[2] = 3;
        QVERIFY_THROWS_EXCEPTION(tawara::Error, check(wrong));
    }

    void eliminationAgreesWithADenseOne()
    {
        for (const auto& [name, t] : trees()) {
            const Batch b{t.nodes(), 1};
            auto n = random_systems<double>(t, b, 5);
            const auto wanted = dense(t, system_of(n, t.nodes(), 0));
            const auto given = n;
            solve(t, system_of(n, t.nodes(), 0));
            QVERIFY2(error_of<double>(n.rhs, wanted) < 1e-13, name);
            for (const std::size_t longest : {0UL, 1UL, 3UL, 8UL, 400UL}) {
                n = given;
                solve(contraction_of(t, longest), system_of(n, t.nodes(), 0));
                QVERIFY2(error_of<double>(n.rhs, wanted) < 1e-13, name);
            }
        }
    }

    /// Each node has a place of its own, no two runs add to a node at once, and what a round does
    /// touches no number twice in a phase.
    void handsDoNotMeet_data()
    {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<std::size_t>("longest");
        for (const auto& [name, t] : trees())
            for (const std::size_t longest : {0UL, 1UL, 3UL, 8UL, 400UL})
                QTest::addRow("%s, runs of %zu", name, longest) << t << longest;
    }
    void handsDoNotMeet()
    {
        QFETCH(Tree, tree);
        QFETCH(std::size_t, longest);
        const auto c = contraction_of(tree, longest);
        auto sorted = c.place;
        std::sort(sorted.begin(), sorted.end());
        QVERIFY(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
        QVERIFY(sorted.back() < c.places);
        std::vector<int> added[3] = {std::vector<int>(c.places), std::vector<int>(c.places),
                                     std::vector<int>(c.places)};
        std::size_t eliminated = c.steps.size();
        for (const auto& r : c.runs) {
            QVERIFY(r.length > 0 && r.length <= longest && r.turn < 2);
            eliminated += r.length;
            QVERIFY(++added[r.turn][r.parent] == 1 && r.parent >= c.rest);
            if (r.child != Elimination::none)
                QVERIFY(++added[2][r.child] == 1 && r.child >= c.rest);
        }
        QCOMPARE(eliminated, tree.nodes() - 1);
        QCOMPARE(static_cast<std::size_t>(c.first.back()), c.steps.size());
        for (std::size_t k = 0; k < c.rounds(); ++k) {
            std::vector<int> as_parent(c.places), as_child(c.places), leaves(c.places);
            const auto begin = static_cast<std::size_t>(c.first[k]),
                       end = static_cast<std::size_t>(c.first[k + 1]);
            QVERIFY(begin < end);
            for (auto q = begin; q < end; ++q)
                leaves[c.rest + q] = 1;
            for (auto q = begin; q < end; ++q) {
                const auto& e = c.steps[q];
                QVERIFY(++as_parent[e.parent] == 1 && !leaves[e.parent]);
                if (e.child != Elimination::none)
                    QVERIFY(++as_child[e.child] == 1 && !leaves[e.child]);
            }
        }
    }
    void roundsAreFew()
    {
        QCOMPARE(contraction_of(chain(513), 0).rounds(), std::size_t{10});
        QCOMPARE(contraction_of(chain(513), 7).rounds(), std::size_t{7});
        QCOMPARE(contraction_of(star(20), 4).rounds(), std::size_t{17}); // two of 19 are runs
        QVERIFY(contraction_of(random_tree(305, 30, 1), 0).rounds() <= 16);
        QVERIFY_THROWS_EXCEPTION(tawara::Error, contraction_of(chain(most_contracted + 1), 8));
    }

    void everyLayoutHasTheSameSystems_data()
    {
        QTest::addColumn<Layout>("layout");
        QTest::addColumn<std::size_t>("systems");
        QTest::addColumn<std::size_t>("block");
        for (const auto l : {Layout::flat, Layout::full_interleaved, Layout::block_interleaved})
            for (const std::size_t systems : {1UL, 15UL, 32UL, 33UL, 200UL})
                QTest::addRow("%s %zu", std::string(name(l)).c_str(), systems)
                    << l << systems << std::size_t{systems == 200 ? 64U : 16U};
    }
    void everyLayoutHasTheSameSystems()
    {
        QFETCH(Layout, layout);
        QFETCH(std::size_t, systems);
        QFETCH(std::size_t, block);
        const auto t = random_tree(76, 29, 4);
        Batch one{t.nodes(), systems}, b{t.nodes(), systems, layout, block};
        auto reference = random_systems<double>(t, one, 9);
        for (std::size_t s = 0; s < systems; ++s)
            solve(t, system_of(reference, t.nodes(), s));
        tawara::ThreadPool pool(3);
        auto n = random_systems<double>(t, b, 9);
        cpu::solve(t, b, n, pool);
        QVERIFY(error_of<double>(flat_x(b, n), reference.rhs) < 1e-13);
        auto single = random_systems<float>(t, b, 9);
        cpu::solve(t, b, single, pool);
        QVERIFY(error_of<float>(flat_x(b, single), reference.rhs) < 2e-5);
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestCable>(argc, argv);
}
#include "test_cable.moc"
