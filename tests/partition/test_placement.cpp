// SPDX-License-Identifier: GPL-3.0-or-later
// Which device takes which part, where the links between devices differ.
#include "engine/partition/placement.hpp"

#include <QtTest>
#include <numeric>
#include <random>

using namespace tawara::partition;

namespace {

/// A chain of n parts that each exchange `values` with the next.
Table chain(std::size_t n, double values)
{
    Table t(n);
    for (std::size_t a = 0; a + 1 < n; ++a)
        t(a, a + 1) = t(a + 1, a) = values;
    return t;
}

/// Devices that lie in pairs: `fast` within a pair, `slow` between pairs. pair[d] names d's.
Table pairs(const std::vector<int>& pair, double fast, double slow)
{
    Table t(pair.size());
    for (std::size_t a = 0; a < pair.size(); ++a)
        for (std::size_t b = 0; b < pair.size(); ++b)
            t(a, b) = pair[a] == pair[b] ? fast : slow;
    return t;
}

bool permutes(std::vector<int> device)
{
    std::sort(device.begin(), device.end());
    for (std::size_t k = 0; k < device.size(); ++k)
        if (device[k] != static_cast<int>(k))
            return false;
    return true;
}

} // namespace

class TestPlacement : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void linksThatAreAlikeKeepTheOrder()
    {
        for (std::size_t n : {1U, 2U, 4U, 7U, 8U, 12U}) {
            std::vector<int> order(n);
            std::iota(order.begin(), order.end(), 0);
            QCOMPARE(place_parts(chain(n, 100), pairs(std::vector<int>(n, 0), 1, 1)), order);
        }
    }

    void neighboursGetTheFastLinks()
    {
        // parts 0-1 and 2-3 exchange much, 1-2 little; devices 0, 2 and 1, 3 are linked fast
        auto traffic = chain(4, 1000);
        traffic(1, 2) = traffic(2, 1) = 10;
        const auto cost = pairs({0, 1, 0, 1}, 1, 8);
        const auto device = place_parts(traffic, cost);
        QVERIFY(permutes(device));
        QCOMPARE(device[0] % 2, device[1] % 2);
        QCOMPARE(device[2] % 2, device[3] % 2);
        const std::vector<int> as_given{0, 1, 2, 3};
        QCOMPARE(exchange_cost(traffic, cost, as_given), 8000 + 80 + 1e-3 * (4 * 8000 + 2 * 80));
        QCOMPARE(exchange_cost(traffic, cost, device), 1000 + 80 + 1e-3 * (4 * 1000 + 2 * 80));
    }

    void noPermutationOfFiveIsBetter()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> value(0.1, 1);
        Table traffic(5), cost(5);
        for (std::size_t a = 0; a < 5; ++a)
            for (std::size_t b = 0; b < 5; ++b)
                traffic(a, b) = value(random), cost(a, b) = value(random);
        const auto found = place_parts(traffic, cost);
        const double least = exchange_cost(traffic, cost, found);
        std::vector<int> order(5);
        std::iota(order.begin(), order.end(), 0);
        int better = 0, tried = 0;
        do {
            better += exchange_cost(traffic, cost, order) < least * (1 - 1e-9);
            ++tried;
        } while (std::next_permutation(order.begin(), order.end()));
        QCOMPARE(tried, 120);
        QCOMPARE(better, 0);
    }

    void swapsHelpWhereThereAreMany()
    {
        // a chain of 8 over devices that lie in pairs (0, 4), (1, 5), ..: neighbours should pair up
        auto traffic = chain(8, 10);
        for (std::size_t a = 0; a < 8; a += 2)
            traffic(a, a + 1) = traffic(a + 1, a) = 1000;
        const auto cost = pairs({0, 1, 2, 3, 0, 1, 2, 3}, 1, 8);
        const auto device = place_parts(traffic, cost);
        QVERIFY(permutes(device));
        std::vector<int> order(8);
        std::iota(order.begin(), order.end(), 0);
        QVERIFY(exchange_cost(traffic, cost, device) < 0.2 * exchange_cost(traffic, cost, order));
    }
};

QTEST_GUILESS_MAIN(TestPlacement)
#include "test_placement.moc"
