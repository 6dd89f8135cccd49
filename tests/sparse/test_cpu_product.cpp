// SPDX-License-Identifier: GPL-3.0-or-later
// Products by vectors and threads of the CPU give the bits of products place by place.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/sparse/cpu/product.hpp"
#include "tests/sparse/random_matrix.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::sparse;

namespace {

template <class To>
std::vector<To> as(const std::vector<double>& from)
{
    return {from.begin(), from.end()};
}

/// @return largest difference from the product place by place; also whether more threads differ
template <class Stored, class Real>
double away(const Csr& a, const WarpOptions& options, bool& same)
{
    const auto layout = make_layout(a, options);
    const auto x = as<Real>(test::random_vector(a.columns, 3));
    const auto value = laid_out<Stored>(layout, a.value);
    std::vector<Real> wanted(static_cast<std::size_t>(a.rows()));
    multiply<Real, Stored>(layout, value, x, wanted);
    double most = 0;
    std::vector<Real> first;
    same = true;
    for (const unsigned threads : {1U, 2U, 5U}) {
        ThreadPool pool(threads);
        const cpu::WarpProduct<Stored, Real> product(layout, a.value, pool);
        std::vector<Real> y(wanted.size(), Real(-7));
        product.multiply(x, y, pool);
        for (std::size_t i = 0; i < y.size(); ++i)
            most = larger_or_nan(most, std::abs(static_cast<double>(y[i]) - wanted[i]));
        if (threads == 1)
            first = y;
        same = same && y == first;
    }
    return most;
}

/// Matrices around a warp, with empty and long rows, and one whose columns lie far apart.
std::vector<Csr> matrices()
{
    std::vector<Csr> out{Csr{}};
    for (const std::int32_t n : {1, 31, 32, 33, 597})
        out.push_back(test::random_matrix(n, n, 1, [](std::int32_t i) {
            return i % 7 == 3 ? 0 : i % 50 == 5 ? 200 : 3 + i % 11;
        }));
    out.push_back(test::random_matrix(200, 200'000, 2, [](std::int32_t i) { return 1 + i % 4; }));
    return out;
}

} // namespace

class TestCpuProduct : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void layoutsGiveTheBitsOfProductsPlaceByPlace()
    {
        for (const auto& a : matrices())
            for (const std::int32_t threshold : {0, 4})
                for (const bool narrow : {false, true})
                    for (const bool renumbered : {false, true}) {
                        if (renumbered && a.rows() != a.columns)
                            continue;
                        const WarpOptions o{64, renumbered, renumbered, threshold, narrow};
                        bool same[3];
                        const bool fused = cpu::sums_are_fused();
                        QVERIFY((away<double, double>(a, o, same[0])) <= (fused ? 0 : 1e-13));
                        QVERIFY((away<float, float>(a, o, same[1])) <= (fused ? 0 : 1e-4));
                        QVERIFY((away<float, double>(a, o, same[2])) <= (fused ? 0 : 1e-13));
                        QVERIFY(same[0] && same[1] && same[2]);
                    }
    }

    void compressedRowsGiveTheBitsOfOneThread()
    {
        for (const auto& a : matrices()) {
            const auto x = test::random_vector(a.columns, 3);
            std::vector<double> wanted(static_cast<std::size_t>(a.rows())), y(wanted.size(), -7);
            multiply(a, x, wanted);
            for (const unsigned threads : {1U, 2U, 5U}) {
                ThreadPool pool(threads);
                cpu::multiply(a, x, y, pool);
                QVERIFY(y == wanted);
            }
        }
    }

    void layoutsForTheCpuAreTaken()
    {
        ThreadPool pool(1);
        for (const auto& a : matrices())
            for (const bool renumber : {false, true}) {
                const auto layout = make_layout(a, cpu::options_for(a, renumber));
                const cpu::WarpProduct<double> product(layout, a.value, pool);
                QVERIFY(product.bytes() >= 8.0 * static_cast<double>(a.entries()));
            }
    }

    void packsRunsAndRowsOfSeveralWarpsAreRefused()
    {
        ThreadPool pool(1);
        const auto a = matrices().back();
        for (const WarpOptions& o : {WarpOptions{.pack = 2}, WarpOptions{.run = 2},
                                     WarpOptions{.threshold = 1, .widest = 64}}) {
            const auto layout = make_layout(a, o);
            QVERIFY_THROWS_EXCEPTION(Error, (cpu::WarpProduct<double>(layout, a.value, pool)));
        }
    }
};

QTEST_APPLESS_MAIN(TestCpuProduct)
#include "test_cpu_product.moc"
