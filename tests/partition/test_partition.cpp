// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/partition/partition.hpp"

#include <QtTest>
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace tawara;
using namespace tawara::partition;

namespace {

/// A grid of n x n x n unknowns with six neighbours, numbered at random; optionally cut in two
/// halves.
struct Grid
{
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> column;
    std::vector<std::array<int, 3>> at;

    explicit Grid(int n, bool cut = false)
    {
        const int all = n * n * n;
        std::vector<std::int32_t> number(static_cast<std::size_t>(all));
        std::iota(number.begin(), number.end(), 0);
        std::shuffle(number.begin(), number.end(), std::mt19937(11));
        std::vector<std::int32_t> place(number.size());
        for (std::size_t k = 0; k < number.size(); ++k)
            place[static_cast<std::size_t>(number[k])] = static_cast<std::int32_t>(k);
        for (int i = 0; i < all; ++i) {
            const int p = place[static_cast<std::size_t>(i)];
            const std::array<int, 3> x{p % n, p / n % n, p / (n * n)};
            at.push_back(x);
            for (std::size_t d = 0; d < 3; ++d)
                for (int s : {-1, 1}) {
                    auto y = x;
                    y[d] += s;
                    if (y[d] < 0 || y[d] >= n ||
                        (cut && d == 0 && (x[0] < n / 2) != (y[0] < n / 2)))
                        continue;
                    column.push_back(
                        number[static_cast<std::size_t>(y[0] + n * (y[1] + n * y[2]))]);
                }
            first.push_back(static_cast<std::int64_t>(column.size()));
        }
    }
    Graph graph() const { return {first, column}; }
    std::size_t size() const { return first.size() - 1; }

    /// The same graph in a new order.
    Grid permuted(const Order& o) const
    {
        Grid g(0);
        g.first = {0};
        for (auto old : o.old_of) {
            const auto i = static_cast<std::size_t>(old);
            for (auto e = first[i]; e < first[i + 1]; ++e)
                g.column.push_back(
                    o.new_of[static_cast<std::size_t>(column[static_cast<std::size_t>(e)])]);
            g.first.push_back(static_cast<std::int64_t>(g.column.size()));
        }
        return g;
    }
};

void verify_order(const Order& o)
{
    for (std::size_t k = 0; k < o.old_of.size(); ++k)
        QCOMPARE(o.new_of[static_cast<std::size_t>(o.old_of[k])], static_cast<std::int32_t>(k));
}

} // namespace

class TestPartition : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void partsAreBalancedAndCompact()
    {
        const Grid g(20);
        QCOMPARE(parts(g.graph(), 1), std::vector<std::int32_t>(g.size(), 0));
        for (int k : {2, 3, 4, 8}) {
            const auto p = parts(g.graph(), k);
            std::vector<double> count(static_cast<std::size_t>(k), 0);
            for (auto x : p) {
                QVERIFY(x >= 0 && x < k);
                ++count[static_cast<std::size_t>(x)];
            }
            const double mean = static_cast<double>(g.size()) / k;
            for (double c : count)
                QVERIFY2(c > 0.95 * mean && c < 1.01 * mean, qPrintable(QString::number(c / mean)));
            std::size_t cut = 0;
            for (std::size_t i = 0; i < g.size(); ++i)
                for (auto e = g.first[i]; e < g.first[i + 1]; ++e)
                    cut +=
                        p[i] != p[static_cast<std::size_t>(g.column[static_cast<std::size_t>(e)])];
            QVERIFY(cut / 2 < 400u * 2 * static_cast<unsigned>(k - 1)); // a plane cuts 400
            QCOMPARE(parts(g.graph(), k), p);
        }
        QVERIFY_THROWS_EXCEPTION(InputError, parts(g.graph(), 0));
        QVERIFY_THROWS_EXCEPTION(InputError, parts(Grid(1).graph(), 2));
    }

    void orderGoesByPartThenMajorThenCluster()
    {
        const Grid g(16);
        const auto part = parts(g.graph(), 3);
        std::vector<std::int32_t> major(g.size());
        for (std::size_t i = 0; i < g.size(); ++i)
            major[i] = g.at[i][2] < 5 ? 0 : g.at[i][2] < 6 ? 7 : 2;
        const auto o = cluster_order(g.graph(), part, major, 64);
        verify_order(o);
        for (std::size_t k = 1; k < g.size(); ++k) {
            const auto a = static_cast<std::size_t>(o.old_of[k - 1]),
                       b = static_cast<std::size_t>(o.old_of[k]);
            QVERIFY(std::pair(part[a], major[a]) <= std::pair(part[b], major[b]));
        }
        QCOMPARE(cluster_order(g.graph(), part, major, 64).old_of, o.old_of);
    }

    void clustersBringNeighboursTogether()
    {
        const Grid g(24);
        const std::vector<std::int32_t> part(g.size(), 0);
        const auto o = cluster_order(g.graph(), part, {}, 256);
        verify_order(o);
        double near = 0, distance = 0, shuffled = 0;
        for (std::size_t i = 0; i < g.size(); ++i)
            for (auto e = g.first[i]; e < g.first[i + 1]; ++e) {
                const auto j = static_cast<std::size_t>(g.column[static_cast<std::size_t>(e)]);
                const double d = std::abs(o.new_of[i] - o.new_of[j]);
                near += d < 256;
                distance += d;
                shuffled += std::abs(static_cast<double>(i) - static_cast<double>(j));
            }
        QVERIFY2(near > 0.7 * static_cast<double>(g.column.size()),
                 qPrintable(QString::number(near / static_cast<double>(g.column.size()))));
        QVERIFY2(distance < 0.25 * shuffled, qPrintable(QString::number(distance / shuffled)));
    }

    void separatePiecesAndSmallOnes()
    {
        const Grid cut(8, true);
        const std::vector<std::int32_t> part(cut.size(), 0);
        const auto o = cluster_order(cut.graph(), part, {}, 32);
        verify_order(o);
        for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(31)}) {
            const std::vector<std::int64_t> first(n + 1, 0); // no edges at all
            const std::vector<std::int32_t> none, zeros(n, 0);
            const auto lonely = cluster_order({first, none}, zeros, {}, 8);
            QCOMPARE(lonely.old_of.size(), n);
            verify_order(lonely);
        }
        QVERIFY_THROWS_EXCEPTION(InputError,
                                 cluster_order(cut.graph(), std::span(part).first(3), {}));
    }

    void halosAndSeparatorsMatch()
    {
        const Grid g(12);
        for (int k : {1, 2, 4}) {
            const auto part = parts(g.graph(), k);
            const auto o = cluster_order(g.graph(), part, {}, 100);
            const Grid renumbered = g.permuted(o);
            std::vector<std::int64_t> begin(static_cast<std::size_t>(k) + 1, 0);
            for (auto p : part)
                ++begin[static_cast<std::size_t>(p) + 1];
            std::partial_sum(begin.begin(), begin.end(), begin.begin());
            const auto all = parts_of(renumbered.graph(), begin);
            QCOMPARE(all.size(), static_cast<std::size_t>(k));
            std::vector<std::set<std::int32_t>> halo(all.size()), separator(all.size());
            for (std::size_t p = 0; p < all.size(); ++p)
                for (auto i = begin[p]; i < begin[p + 1]; ++i)
                    for (auto e = renumbered.first[static_cast<std::size_t>(i)];
                         e < renumbered.first[static_cast<std::size_t>(i) + 1]; ++e) {
                        const auto j = renumbered.column[static_cast<std::size_t>(e)];
                        for (std::size_t q = 0; q < all.size(); ++q)
                            if (q != p && j >= begin[q] && j < begin[q + 1]) {
                                halo[p].insert(j);
                                separator[q].insert(j);
                            }
                    }
            for (std::size_t p = 0; p < all.size(); ++p) {
                QCOMPARE(all[p].begin, begin[p]);
                QCOMPARE(all[p].end, begin[p + 1]);
                QVERIFY(std::equal(halo[p].begin(), halo[p].end(), all[p].halo.begin(),
                                   all[p].halo.end()));
                QVERIFY(std::equal(separator[p].begin(), separator[p].end(),
                                   all[p].separator.begin(), all[p].separator.end()));
            }
        }
        const std::vector<std::int64_t> wrong{0, 5, 3};
        QVERIFY_THROWS_EXCEPTION(InputError, parts_of(g.graph(), wrong));
    }
};

QTEST_GUILESS_MAIN(TestPartition)
#include "test_partition.moc"
