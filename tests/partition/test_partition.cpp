// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/partition/decomposition.hpp"

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
                    column.push_back(number[static_cast<std::size_t>(y[0]) +
                                            static_cast<std::size_t>(n) *
                                                static_cast<std::size_t>(y[1] + n * y[2])]);
                }
            first.push_back(static_cast<std::int64_t>(column.size()));
        }
    }
    Graph graph() const { return {first, column}; }
    std::size_t size() const { return first.size() - 1; }
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

    /// Parts are alike in weight, not in number; where that would leave one empty, in number.
    void partsAreBalancedByWeight()
    {
        const Grid g(20);
        std::vector<std::int32_t> weight(g.size(), 1);
        for (std::size_t i = 0; i < g.size(); ++i)
            if (g.at[i][0] < 10)
                weight[i] = 5000;
        for (int k : {2, 3, 4}) {
            std::vector<double> sum(static_cast<std::size_t>(k), 0);
            const auto p = parts(g.graph(), k, {}, weight);
            for (std::size_t i = 0; i < g.size(); ++i)
                sum[static_cast<std::size_t>(p[i])] += weight[i];
            const double mean = std::accumulate(sum.begin(), sum.end(), 0.0) / k;
            for (double s : sum)
                QVERIFY2(std::abs(s / mean - 1) < 0.05, qPrintable(QString::number(s / mean)));
        }
        weight.assign(g.size(), 1);
        weight[17] = 1 << 30;
        const auto p = parts(g.graph(), 8, {}, weight);
        QCOMPARE(std::set<std::int32_t>(p.begin(), p.end()).size(), std::size_t{8});
        weight.pop_back();
        QVERIFY_THROWS_EXCEPTION(InputError, parts(g.graph(), 2, {}, weight));
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

    /// Every unknown has one slot; a part's halo is what its rows read of others, and is what those
    /// send; whoever reads or is read is in a separator.
    void decompositionsFitTogether()
    {
        const Grid g(12);
        std::vector<Vec3> position;
        for (const auto& x : g.at)
            position.push_back({double(x[0]), double(x[1]), double(x[2])});
        std::vector<std::uint8_t> group(g.size(), 0);
        std::vector<std::uint16_t> type(g.size(), 0);
        for (std::size_t u = 0; u < g.size(); ++u)
            group[u] = position[u][0] < 4 ? 0 : 1;
        const Domain domain{g.graph(), position, group, type};
        for (const auto ordering : {Ordering::hilbert, Ordering::metis})
            for (int count : {1, 2, 4}) {
                const auto all = decompose(domain, count, ordering);
                QCOMPARE(all.parts.size(), static_cast<std::size_t>(count));
                verify_slots(domain, all);
                verify_exchange(domain, all);
            }
        QVERIFY_THROWS_EXCEPTION(
            InputError, decompose(domain, static_cast<int>(g.size()) + 1, Ordering::metis));
    }

  private:
    static void verify_slots(const Domain& d, const Decomposition& all)
    {
        std::vector<int> seen(d.size(), 0);
        for (std::size_t k = 0; k < all.parts.size(); ++k) {
            const auto& s = all.parts[k];
            QCOMPARE(s.separator % 32, std::int64_t{0});
            QCOMPARE(static_cast<std::int64_t>(s.old_of.size()), s.slots);
            for (std::size_t slot = 0; slot < s.old_of.size(); ++slot) {
                const auto u = s.old_of[slot];
                if (u < 0)
                    continue;
                ++seen[static_cast<std::size_t>(u)];
                const auto& at = all.place[static_cast<std::size_t>(u)];
                QCOMPARE(at.part, static_cast<std::int32_t>(k));
                QCOMPARE(at.slot, static_cast<std::int32_t>(slot));
            }
            for (const auto& r : s.ranges)
                for (auto slot = r.begin; slot < r.end; ++slot)
                    if (const auto u = s.old_of[static_cast<std::size_t>(slot)]; u >= 0)
                        QCOMPARE(std::size_t(d.group[static_cast<std::size_t>(u)]), r.group);
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }

    static void verify_exchange(const Domain& d, const Decomposition& all)
    {
        for (std::size_t k = 0; k < all.parts.size(); ++k) {
            const auto& s = all.parts[k];
            std::set<std::int64_t> read;
            for (std::size_t slot = 0; slot < s.old_of.size(); ++slot) {
                if (s.old_of[slot] < 0)
                    continue;
                const auto u = static_cast<std::size_t>(s.old_of[slot]);
                for (auto e = d.graph.first[u]; e < d.graph.first[u + 1]; ++e) {
                    const auto j = d.graph.column[static_cast<std::size_t>(e)];
                    if (all.place[static_cast<std::size_t>(j)].part == static_cast<std::int32_t>(k))
                        continue;
                    read.insert(j);
                    QVERIFY(static_cast<std::int64_t>(slot) < s.separator);
                }
            }
            QCOMPARE(std::set<std::int64_t>(s.halo_of.begin(), s.halo_of.end()), read);
            std::vector<std::int64_t> received(s.halo_of.size(), -1);
            for (const auto& other : all.parts)
                for (const auto& send : other.sends)
                    for (std::size_t i = 0; send.part == k && i < send.from.size(); ++i) {
                        QVERIFY(send.from[i] < other.separator);
                        received.at(static_cast<std::size_t>(send.to - s.slots) + i) =
                            other.old_of[static_cast<std::size_t>(send.from[i])];
                    }
            QCOMPARE(received, s.halo_of);
        }
    }
};

QTEST_GUILESS_MAIN(TestPartition)
#include "test_partition.moc"
