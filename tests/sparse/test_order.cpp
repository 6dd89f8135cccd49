// SPDX-License-Identifier: GPL-3.0-or-later
// An order that brings neighbours together: a permutation, and nearer than by chance.
#include "engine/sparse/order.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace tawara::sparse;

namespace {

/// A cube of n^3 unknowns, each with its six neighbours and itself, numbered by chance.
Csr shuffled_cube(std::int32_t n)
{
    std::vector<std::int32_t> number(static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), std::mt19937(5));
    const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
        return number.at(static_cast<std::size_t>((std::int64_t{z} * n + y) * n + x));
    };
    std::vector<Entry> entries;
    for (std::int32_t z = 0; z < n; ++z)
        for (std::int32_t y = 0; y < n; ++y)
            for (std::int32_t x = 0; x < n; ++x) {
                entries.push_back({at(x, y, z), at(x, y, z), 6});
                if (x + 1 < n)
                    entries.push_back({at(x, y, z), at(x + 1, y, z), -1});
                if (y + 1 < n)
                    entries.push_back({at(x, y, z), at(x, y + 1, z), -1});
                if (z + 1 < n)
                    entries.push_back({at(x, y, z), at(x, y, z + 1), -1});
            }
    const auto size = std::int64_t{n} * n * n;
    return csr_of(size, size, entries, true);
}

std::int64_t bandwidth(const Csr& a)
{
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto e = a.first[static_cast<std::size_t>(i)];
             e < a.first[static_cast<std::size_t>(i) + 1]; ++e)
            most = std::max(most, std::abs(a.column[static_cast<std::size_t>(e)] - i));
    return most;
}

bool is_permutation_of(std::vector<std::int32_t> order, std::int64_t rows)
{
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < order.size(); ++k)
        if (order[k] != static_cast<std::int32_t>(k))
            return false;
    return static_cast<std::int64_t>(order.size()) == rows;
}

} // namespace

class TestOrder : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void cuthillMckeeHasASmallBandwidth()
    {
        const auto a = shuffled_cube(16);
        const auto order = cuthill_mckee(a);
        QVERIFY(is_permutation_of(order, a.rows()));
        const auto b = bandwidth(renumbered(a, order));
        // diagonal planes of the cube have at most 192 unknowns, and a neighbour is one plane away
        QVERIFY2(b < 400, qPrintable(QString::number(b)));
        QVERIFY(bandwidth(a) > 3000);
    }

    void piecesAndNothing()
    {
        QVERIFY(cuthill_mckee(Csr{}).empty());
        const Entry entries[]{{0, 0, 1}, {1, 3, 1}, {3, 1, 1}, {2, 2, 1}};
        const auto a = csr_of(5, 5, entries); // row 4 is empty
        QVERIFY(is_permutation_of(cuthill_mckee(a), 5));
    }
};

QTEST_APPLESS_MAIN(TestOrder)
#include "test_order.moc"
