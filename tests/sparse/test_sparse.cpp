// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed rows, and their entries laid out for warps: every entry once, in its place, and
// products as by the rows.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/sparse/ell_warp.hpp"
#include "tests/sparse/random_matrix.hpp"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

using namespace tawara;
using namespace tawara::sparse;

namespace {

struct Shape
{
    const char* name;
    std::int32_t rows, columns;
    int (*lengths)(std::int32_t row);
};

const Shape shapes[]{
    {"even", 100, 100, [](std::int32_t) { return 7; }},
    {"few rows", 5, 5, [](std::int32_t i) { return i; }},
    {"one row", 1, 1, [](std::int32_t) { return 1; }},
    {"none", 0, 0, [](std::int32_t) { return 0; }},
    {"empty rows", 70, 70, [](std::int32_t i) { return i % 3 ? 0 : 4; }},
    {"all empty", 40, 40, [](std::int32_t) { return 0; }},
    {"a long row", 300, 300, [](std::int32_t i) { return i == 77 ? 290 : 2 + i % 3; }},
    {"wide", 64, 200000, [](std::int32_t i) { return 3 + i % 11; }},
    {"heart-like", 1000, 1000, [](std::int32_t i) { return 8 + i * 37 % 15; }},
};

std::vector<std::pair<QByteArray, WarpOptions>> all_options(const Csr& a)
{
    std::vector<std::pair<QByteArray, WarpOptions>> out;
    const bool square = a.rows() == a.columns;
    const auto add = [&](const WarpOptions& o) {
        const auto of = [](const char* what, std::int64_t n) {
            return n > 0 ? QByteArray(what) + QByteArray::number(qlonglong(n)) : QByteArray();
        };
        out.emplace_back("window " + QByteArray::number(qlonglong(o.window)) +
                             of(", threshold ", o.threshold) + of(", pack ", o.pack) +
                             of(", widest ", o.widest) + of(", run ", o.run) +
                             (o.renumbered ? ", renumbered" : "") + (o.sorted ? ", sorted" : "") +
                             (o.narrow ? ", narrow" : "") + (o.long_first ? ", long first" : ""),
                         o);
    };
    for (const int renumbered : {0, 1, 2}) {
        if (!square && renumbered > 0)
            continue;
        for (const int pack : {1, 2, 4}) {
            for (const bool narrow : {false, true})
                for (const std::int32_t threshold : {0, 1, 4, 9})
                    for (const std::int64_t window : {1, 0, 64})
                        add({window, renumbered > 0, renumbered == 2, threshold, narrow, pack});
            for (const std::int64_t window : {1, 64})
                for (const int widest : {32, 64, 256})
                    add({window, renumbered > 0, renumbered == 2, 4, true, pack, true, widest});
            add({0, renumbered > 0, renumbered == 2, 1, false, pack, false, 128});
        }
    }
    for (const int run : {2, 3})
        if (a.columns >= run) {
            for (const std::int64_t window : {1, 0, 64})
                for (const std::int32_t threshold : {0, 1, 4})
                    add({window, false, false, threshold, run == 2, 1, false, 32, run});
            add({0, false, false, 1, false, 1, false, 256, run});
        }
    return out;
}

Csr matrix_of(const Shape& s)
{
    return test::random_matrix(s.rows, s.columns, 7, s.lengths);
}

double largest(const std::vector<double>& x)
{
    double most = 0;
    for (const double v : x)
        most = larger_or_nan(most, std::abs(v));
    return most;
}

} // namespace

class TestSparse : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void entriesBecomeRows()
    {
        const Entry entries[]{{1, 2, 3}, {0, 1, 2}, {1, 0, 5}, {1, 2, 4}};
        const auto a = csr_of(3, 3, entries);
        QCOMPARE(a.first, (std::vector<std::int64_t>{0, 1, 3, 3}));
        QCOMPARE(a.column, (std::vector<std::int32_t>{1, 0, 2}));
        QCOMPARE(a.value, (std::vector<double>{2, 5, 7}));
        const Entry lower[]{{0, 0, 1}, {2, 1, 6}};
        const auto s = csr_of(3, 3, lower, true);
        QCOMPARE(s.first, (std::vector<std::int64_t>{0, 1, 2, 3}));
        QCOMPARE(s.column, (std::vector<std::int32_t>{0, 2, 1}));
        QCOMPARE(s.value, (std::vector<double>{1, 6, 6}));
        const Entry outside[]{{0, 3, 1}};
        QVERIFY_THROWS_EXCEPTION(Error, csr_of(3, 3, outside));
    }

    void wrongRowsAreRefused()
    {
        Csr a = matrix_of(shapes[0]);
        check(a);
        auto b = a;
        b.column[5] = 100;
        QVERIFY_THROWS_EXCEPTION(Error, check(b));
        b = a;
        b.first[3] = b.first[5] + 1;
        QVERIFY_THROWS_EXCEPTION(Error, check(b));
        b = a;
        b.value.pop_back();
        QVERIFY_THROWS_EXCEPTION(Error, check(b));
    }

    void lengthsOfRows()
    {
        const Entry entries[]{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {2, 0, 1}};
        const auto r = row_lengths(csr_of(4, 3, entries));
        QCOMPARE(r.least, 0);
        QCOMPARE(r.most, 3);
        QCOMPARE(r.mean, 1.0);
        QCOMPARE(r.deviation, std::sqrt((4 + 1 + 0 + 1) / 4.0));
    }

    void renumberingCommutesWithTheProduct()
    {
        const auto a = matrix_of(shapes[8]);
        std::vector<std::int32_t> old_of(static_cast<std::size_t>(a.rows()));
        std::iota(old_of.begin(), old_of.end(), 0);
        std::shuffle(old_of.begin(), old_of.end(), std::mt19937(3));
        const auto x = test::random_vector(a.columns, 4);
        std::vector<double> y(x.size()), other(x.size()), moved(x.size());
        multiply(a, x, y);
        for (std::size_t k = 0; k < x.size(); ++k)
            moved[k] = x[static_cast<std::size_t>(old_of[k])];
        const auto b = renumbered(a, old_of);
        check(b);
        multiply(b, moved, other);
        for (std::size_t k = 0; k < x.size(); ++k)
            QVERIFY(std::abs(other[k] - y[static_cast<std::size_t>(old_of[k])]) < 1e-13);
    }

    void layoutsHoldEveryEntryOnce_data() { rows(); }
    void layoutsHoldEveryEntryOnce()
    {
        QFETCH(int, shape);
        const auto a = matrix_of(shapes[shape]);
        for (const auto& [name, options] : all_options(a)) {
            const auto l = make_layout(a, options);
            std::vector<int> seen(static_cast<std::size_t>(a.entries()), 0);
            std::vector<std::int32_t> new_of(static_cast<std::size_t>(a.rows()));
            for (std::size_t k = 0; k < l.row_of.size(); ++k)
                new_of[static_cast<std::size_t>(l.row_of[k])] = static_cast<std::int32_t>(k);
            QCOMPARE(l.first_row.back(), static_cast<std::int32_t>(a.rows()));
            for (std::int64_t w = 0; w < l.warps(); ++w) {
                const int threads = l.threads[static_cast<std::size_t>(w)];
                const auto part = w % std::max(1, threads / 32);
                const auto first = l.first_row[static_cast<std::size_t>(w - part)];
                QVERIFY2(l.first_row[static_cast<std::size_t>(w - part) + 1] - first <=
                             std::max(1, 32 / threads),
                         name);
                QVERIFY2(part == 0 || l.first_row[static_cast<std::size_t>(w)] == first + 1, name);
                if (options.threshold > 0)
                    QVERIFY2(threads == options.widest || l.places(w) <= options.threshold, name);
                std::vector<std::int32_t> last(32, -1);
                for (std::int64_t number = 0; number < 32 * l.places(w) * options.run; ++number) {
                    const int i = static_cast<int>(number % options.run);
                    const auto place = number / options.run;
                    const int lane = static_cast<int>(place % 32);
                    const auto k = l.number(w, lane, place / 32);
                    QVERIFY2(k >= l.start[static_cast<std::size_t>(w)] &&
                                 k < l.start[static_cast<std::size_t>(w) + 1],
                             name);
                    const auto column = l.column_at(w, k) + i;
                    QVERIFY2(column >= 0 && column < a.columns, name);
                    const auto e =
                        l.entry[static_cast<std::size_t>(l.value_number(w, lane, place / 32, i))];
                    if (e < 0)
                        continue;
                    ++seen[static_cast<std::size_t>(e)];
                    const auto row =
                        l.row_of[static_cast<std::size_t>(first + (part * 32 + lane) / threads)];
                    QVERIFY2(e >= a.first[static_cast<std::size_t>(row)] &&
                                 e < a.first[static_cast<std::size_t>(row) + 1],
                             name);
                    const auto old = a.column[static_cast<std::size_t>(e)];
                    QCOMPARE(column,
                             options.renumbered ? new_of[static_cast<std::size_t>(old)] : old);
                    if (options.sorted || !options.renumbered)
                        QVERIFY2(column > last[static_cast<std::size_t>(lane)], name);
                    last[static_cast<std::size_t>(lane)] = column;
                }
            }
            QVERIFY2(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }), name);
        }
    }

    void productsAgreeWithTheRows_data() { rows(); }
    void productsAgreeWithTheRows()
    {
        QFETCH(int, shape);
        const auto a = matrix_of(shapes[shape]);
        const auto x = test::random_vector(a.columns, 11);
        std::vector<double> wanted(static_cast<std::size_t>(a.rows()));
        multiply(a, x, wanted);
        const std::vector<float> x_single(x.begin(), x.end());
        for (const auto& [name, options] : all_options(a)) {
            const auto l = make_layout(a, options);
            const auto tried = [&](auto zero, const auto& from, double near) {
                using Real = decltype(zero);
                const auto value = laid_out<Real>(l, a.value);
                std::vector<Real> y(wanted.size());
                if (options.renumbered) {
                    const auto moved = to_layout<Real>(l, from);
                    multiply<Real, Real>(l, value, moved, y);
                    y = from_layout<Real>(l, y);
                } else
                    multiply<Real, Real>(l, value, from, y);
                for (std::size_t i = 0; i < y.size(); ++i)
                    QVERIFY2(std::abs(static_cast<double>(y[i]) - wanted[i]) <= near, name);
            };
            tried(0.0, x, 1e-13 * std::max(1.0, largest(wanted)));
            tried(0.0F, x_single, 2e-5 * std::max(1.0, largest(wanted)));
            if (!options.renumbered) {
                std::vector<double> y(wanted.size());
                multiply<double, float>(l, laid_out<float>(l, a.value), x, y);
                for (std::size_t i = 0; i < y.size(); ++i)
                    QVERIFY2(std::abs(y[i] - wanted[i]) <= 2e-5 * std::max(1.0, largest(wanted)),
                             name);
            }
        }
    }

    void valuesAloneAreRenewed()
    {
        const auto a = matrix_of(shapes[6]);
        const auto l = make_layout(a, {0, true, true, 4, true});
        auto b = a;
        for (auto& v : b.value)
            v = 3 * v + 1;
        QVERIFY(laid_out<double>(l, b.value) ==
                laid_out<double>(make_layout(b, {0, true, true, 4, true}), b.value));
        QVERIFY(laid_out<double>(l, b.value) != laid_out<double>(l, a.value));
    }

    void paddingIsWhatTheRowsAskFor()
    {
        const auto a = matrix_of(shapes[6]); // one row of some 180 entries among short ones
        const auto unsorted = make_layout(a, {1}), k1 = make_layout(a, {}),
                   k2 = make_layout(a, {0, false, false, 4});
        QVERIFY(k1.padded() <= unsorted.padded());
        QVERIFY2(k2.padded() * 4 < k1.padded(), "the long row alone takes a warp");
        QCOMPARE(k2.threads.front(), std::uint16_t(32));
        QCOMPARE(k1.threads.front(), std::uint16_t(1));
    }

    void longRowsComeFirst()
    {
        const auto a = matrix_of(shapes[6]);
        const auto l = make_layout(a, {1, false, false, 4, false, 1, true});
        QCOMPARE(l.row_of.front(), 77); // the long one; the others stay where they are
        QVERIFY(std::is_sorted(l.row_of.begin() + 1, l.row_of.end()));
        QCOMPARE(l.threads.front(), std::uint16_t(32));
        QVERIFY(std::all_of(l.threads.begin() + 1, l.threads.end(), [](int n) { return n == 1; }));
    }

    void narrowColumnsWhereTheyFit()
    {
        // neighbours alone: all warps fit; far ones: those warps that have them do not
        std::vector<Entry> entries;
        constexpr std::int32_t n = 100000;
        for (std::int32_t i = 0; i < n; ++i)
            for (const std::int32_t j : {i - 1, i, i + 1})
                if (j >= 0 && j < n)
                    entries.push_back({i, j, 1});
        const auto near = make_layout(csr_of(n, n, entries), {1, false, false, 0, true});
        QCOMPARE(static_cast<std::int64_t>(near.word.size()), near.padded());
        entries.push_back({40, 99999, 1});
        const auto far = make_layout(csr_of(n, n, entries), {1, false, false, 0, true});
        const auto of_warp = far.start[2] - far.start[1];
        QCOMPARE(static_cast<std::int64_t>(far.word.size()), far.padded() + of_warp);
        QCOMPARE(far.column_start[1] & 1, 1);
        QVERIFY(near.bytes(8) < make_layout(csr_of(n, n, entries), {1}).bytes(8));
    }

    void packsLieSideBySide()
    {
        const auto a = matrix_of(shapes[0]); // 7 entries a row, or fewer by chance
        const auto l = make_layout(a, {1, false, false, 0, false, 4});
        QCOMPARE(l.places(0), 7);
        QCOMPARE(l.number(0, 3, 2), 3 * 4 + 2);
        QCOMPARE(l.number(0, 3, 5), 4 * 32 + 3 * 2 + 1);
        QCOMPARE(l.number(0, 3, 6), 6 * 32 + 3);
    }

    void severalWarpsShareALongRow()
    {
        const auto a = matrix_of(shapes[6]); // row 77 alone has more than 4 entries
        const auto l = make_layout(a, {1, false, false, 4, false, 1, true, 256});
        const auto length = a.length(77);
        int threads = 32;
        while (threads < 256 && length > 4 * threads)
            threads *= 2;
        QVERIFY(threads > 32);
        for (int w = 0; w < threads / 32; ++w) {
            QCOMPARE(l.threads[static_cast<std::size_t>(w)], std::uint16_t(threads));
            QCOMPARE(l.places(w), (length + threads - 1) / threads);
        }
        QCOMPARE(l.threads[static_cast<std::size_t>(threads / 32)], std::uint16_t(1));
    }

    void runsHaveConsecutiveColumns()
    {
        // columns 0 1 2 | 4 _ 6 | 7 8 _; the last run begins earlier, where the matrix ends
        const Entry entries[]{{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 4, 4},
                              {0, 6, 5}, {0, 7, 6}, {0, 8, 7}, {1, 8, 8}};
        const auto a = csr_of(2, 9, entries);
        QCOMPARE(count_runs(a, 1), 8);
        QCOMPARE(count_runs(a, 2), 6);
        QCOMPARE(count_runs(a, 3), 4);
        const auto l = make_layout(a, {1, false, false, 0, false, 1, false, 32, 3});
        QCOMPARE(l.places(0), 3);
        const auto columns = [&](int lane) {
            std::vector<std::int32_t> c;
            for (int p = 0; p < 3; ++p)
                c.push_back(l.column_at(0, l.number(0, lane, p)));
            return c;
        };
        QCOMPARE(columns(0), (std::vector<std::int32_t>{0, 4, 6}));
        QCOMPARE(columns(1).front(), 6);
        const auto value = laid_out<double>(l, a.value);
        std::vector<double> first;
        for (int p = 0; p < 3; ++p)
            for (int i = 0; i < 3; ++i)
                first.push_back(value[static_cast<std::size_t>(l.value_number(0, 0, p, i))]);
        QCOMPARE(first, (std::vector<double>{1, 2, 3, 4, 0, 5, 0, 6, 7}));
        QCOMPARE(value[static_cast<std::size_t>(l.value_number(0, 1, 0, 2))], 8.0);
        // columns that do not ascend, one of them twice: 2 | 1 2 | 2 3, and the product is right
        const Csr b{9, {0, 5}, {2, 1, 2, 2, 3}, {1, 2, 3, 4, 5}};
        QCOMPARE(count_runs(b, 3), 3);
        const auto m = make_layout(b, {1, false, false, 0, false, 1, false, 32, 3});
        std::vector<double> y(1);
        multiply<double, double>(m, laid_out<double>(m, b.value),
                                 std::vector<double>{0, 10, 100, 1000, 0, 0, 0, 0, 0}, y);
        QCOMPARE(y[0], 100.0 + 20 + 300 + 400 + 5000);
    }

    void threadsChangeNothing()
    {
        const auto a = matrix_of(shapes[8]);
        ThreadPool pool(3);
        for (const WarpOptions& o : {WarpOptions{0, true, true, 4, true, 2},
                                     WarpOptions{0, false, false, 2, true, 1, false, 128, 3}}) {
            const auto l = make_layout(a, o), m = make_layout(a, o, pool);
            QVERIFY(l.entry == m.entry && l.word == m.word && l.row_of == m.row_of);
            QVERIFY(l.column_start == m.column_start && l.threads == m.threads);
            QVERIFY(laid_out<double>(l, a.value) == laid_out<double>(m, a.value, pool));
        }
    }

    void optionsThatDoNotGoTogetherAreRefused()
    {
        const auto a = matrix_of(shapes[7]);
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {0, true})); // not square
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {1, false, false, 0, false, 3}));
        // long rows, of what threshold; several warps a row, without one, unsorted, of 48 threads
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {1, false, false, 0, false, 1, true}));
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {0, false, false, 0, false, 1, false, 64}));
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {64, false, false, 4, false, 1, false, 64}));
        QVERIFY_THROWS_EXCEPTION(Error, make_layout(a, {0, false, false, 4, false, 1, false, 48}));
        // runs of 4, with packs, with new numbers, of more than the columns
        QVERIFY_THROWS_EXCEPTION(Error,
                                 make_layout(a, {1, false, false, 0, false, 1, false, 32, 4}));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 make_layout(a, {1, false, false, 0, false, 2, false, 32, 2}));
        QVERIFY_THROWS_EXCEPTION(
            Error, make_layout(matrix_of(shapes[8]), {1, true, false, 0, false, 1, false, 32, 2}));
        const Entry one[] = {{0, 0, 1.0}};
        QVERIFY_THROWS_EXCEPTION(
            Error, make_layout(csr_of(1, 1, one), {1, false, false, 0, false, 1, false, 32, 2}));
    }

  private:
    static void rows()
    {
        QTest::addColumn<int>("shape");
        int k = 0;
        for (const auto& s : shapes)
            QTest::newRow(s.name) << k++;
    }
};

QTEST_APPLESS_MAIN(TestSparse)
#include "test_sparse.moc"
