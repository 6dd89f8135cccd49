// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/random.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace tawara;

namespace {

constexpr bool same(const Words4& a, const Words4& b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
           a.word[3] == b.word[3];
}

// Known answers of the authors' Random123 (kat_vectors, philox4x32 of 10 rounds).
static_assert(same(philox({{0, 0, 0, 0}}, 0, 0),
                   {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
static_assert(same(philox({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff,
                          0xffffffff),
                   {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
static_assert(same(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822,
                          0x299f31d0),
                   {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));

} // namespace

class TestRandom : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Every part of a place reaches the counter or the key.
    void placesDoNotShareNumbers()
    {
        std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
        const std::uint64_t far = 1ULL << 39;
        std::size_t count = 0;
        for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{1} << 40})
            for (const std::uint64_t unknown : {std::uint64_t{0}, std::uint64_t{7}, far})
                for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{7}, far})
                    for (const std::uint16_t stream : {std::uint16_t{0}, std::uint16_t{0xffff}})
                        for (const std::uint32_t draw : {0U, 7U, 0xffffffffU}) {
                            const auto w = random_words({seed, unknown, step, stream}, draw);
                            seen.emplace(w[0], w[1], w[2], w[3]);
                            ++count;
                        }
        QCOMPARE(seen.size(), count);
    }
    void numbersAreUniform()
    {
        double sum = 0, squares = 0, next = 0, before = 0.5;
        float least = 1, most = 0;
        constexpr int n = 200'000;
        for (int k = 0; k < n; ++k) {
            const auto w = random_words({42, static_cast<std::uint64_t>(k), 3, 1}, 0);
            const double u = uniform_of(w[0], w[1]);
            QVERIFY(u >= 0 && u < 1);
            sum += u - 0.5;
            squares += (u - 0.5) * (u - 0.5);
            next += (u - 0.5) * (before - 0.5); // unknowns beside each other
            before = u;
            least = std::min(least, uniform_of(w[2]));
            most = std::max(most, uniform_of(w[2]));
        }
        const double error = 1 / std::sqrt(12.0 * n); // of the mean
        QVERIFY(std::abs(sum / n) < 4 * error);
        QVERIFY(std::abs(squares / n - 1.0 / 12) < 4 * error);
        QVERIFY(std::abs(next / n) < 4 * error);
        QVERIFY(least >= 0 && least < 1e-4F && most > 1 - 1e-4F && most < 1);
        QCOMPARE(uniform_of(0xffffffffU, 0xffffffffU), 1 - 0x1p-53);
        QCOMPARE(uniform_of(0xffffffffU), 1 - 0x1p-24F);
    }
};
QTEST_GUILESS_MAIN(TestRandom)
#include "test_random.moc"
