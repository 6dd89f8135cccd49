// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sparse/product_cases.hpp"

#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/check.hpp"
#include "tests/sparse/product_on_gpu.hpp"
#include "tests/sparse/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tawara::test {
namespace {

using namespace tawara::sparse;

/// Rows and columns of a block of tissue's vertices: those of a tetrahedron belong together.
Csr tissue_matrix()
{
    const auto m = mesh::slab({4, 3, 2}, 0.25);
    std::vector<Entry> entries;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        for (const auto i : m.corners(t))
            for (const auto j : m.corners(t))
                entries.push_back({i, j, i == j ? 3.0 : -1.0 / (1 + std::abs(i - j) % 7)});
    const auto n = static_cast<std::int64_t>(m.vertex_count());
    return csr_of(n, n, entries);
}

/// Runs are cut short under a memory or race checker: each kernel runs, in one or two sizes.
bool few()
{
    return std::getenv("TAWARA_SHORT_TESTS") != nullptr;
}

std::vector<std::pair<std::string, Csr>> matrices()
{
    std::vector<std::pair<std::string, Csr>> out;
    for (const std::int32_t n : {1, 31, 32, 33, 597})
        if (!few() || n == 33)
            out.emplace_back(std::to_string(n) + " rows", random_matrix(n, n, 3, [](auto i) {
                                 return static_cast<int>(1 + i * 7 % 19);
                             }));
    out.emplace_back("a long row", random_matrix(597, 597, 4, [](auto i) {
                         return i == 300 ? 590 : static_cast<int>(i % 5);
                     }));
    if (few())
        return out;
    out.emplace_back("long rows", random_matrix(40, 9000, 4, [](auto i) {
                         return i % 9 == 0 ? 5000 : static_cast<int>(i % 3);
                     }));
    out.emplace_back("far columns", random_matrix(64, 200000, 5, [](auto i) {
                         return static_cast<int>(3 + i % 11);
                     }));
    out.emplace_back("all empty", random_matrix(40, 40, 6, [](auto) { return 0; }));
    out.emplace_back("tissue", tissue_matrix());
    return out;
}

std::vector<WarpOptions> options_for(const Csr& a)
{
    std::vector<WarpOptions> out;
    for (const int renumbered : {0, 1, 2}) {
        if (renumbered > 0 && a.rows() != a.columns)
            continue;
        const bool r = renumbered > 0, s = renumbered == 2;
        for (const int pack : {1, 2, 4}) {
            for (const std::int32_t threshold : {0, 4})
                for (const bool narrow : {false, true})
                    out.push_back({0, r, s, threshold, narrow, pack});
            out.push_back({1, r, s, 0, true, pack});
            for (const int widest : {32, 256})
                out.push_back({64, r, s, 4, true, pack, true, widest});
        }
        out.push_back({0, r, s, 2, false, 1, false, 128});
    }
    for (const int run : {2, 3})
        if (a.columns >= run) {
            out.push_back({64, false, false, 0, true, 1, false, 32, run});
            out.push_back({0, false, false, 2, run == 2, 1, false, 256, run});
        }
    return out;
}

/// The product as the CPU makes it, place by place.
template <class Stored, class Real>
std::vector<double> on_cpu(const Csr& a, const std::vector<double>& value,
                           const std::vector<double>& x, const WarpOptions& o)
{
    const auto l = make_layout(a, o);
    std::vector<Real> from(x.begin(), x.end()), y(static_cast<std::size_t>(a.rows()));
    if (o.renumbered)
        from = to_layout<Real>(l, from);
    multiply<Real, Stored>(l, laid_out<Stored>(l, value), from, y);
    if (o.renumbered)
        y = from_layout<Real>(l, y);
    return {y.begin(), y.end()};
}

std::vector<double> on_cpu(const Csr& a, const std::vector<double>& value,
                           const std::vector<double>& x, const WarpOptions& o, Precision p)
{
    return p == Precision::double_ ? on_cpu<double, double>(a, value, x, o)
           : p == Precision::mixed ? on_cpu<float, double>(a, value, x, o)
                                   : on_cpu<float, float>(a, value, x, o);
}

bool near(const std::vector<double>& y, const std::vector<double>& wanted, double tolerance)
{
    double most = 1;
    for (const double v : wanted)
        most = larger_or_nan(most, std::abs(v));
    for (std::size_t i = 0; i < y.size(); ++i)
        if (!(std::abs(y[i] - wanted[i]) <= tolerance * most))
            return false;
    return y.size() == wanted.size();
}

std::string described(const std::string& name, const OnGpu& how)
{
    const auto& o = how.options;
    return name + ", window " + std::to_string(o.window) + ", renumbered " +
           std::to_string(o.renumbered) + ", pack " + std::to_string(o.pack) + ", threshold " +
           std::to_string(o.threshold) + ", narrow " + std::to_string(o.narrow) + ", long first " +
           std::to_string(o.long_first) + ", widest " + std::to_string(o.widest) + ", run " +
           std::to_string(o.run) + ", flight " + std::to_string(how.flight) + ", early " +
           std::to_string(static_cast<int>(how.early)) + ", " +
           std::string(tawara::name(how.precision));
}

} // namespace

std::string laid_out_matrices_give_the_cpus_bits()
{
    int turn = 0; // each flight of each kind of layout meets each Early
    for (const auto& [name, a] : matrices()) {
        const auto x = random_vector(a.columns, 11);
        for (const auto& o : options_for(a)) {
            ++turn;
            for (const auto p : {Precision::double_, Precision::single, Precision::mixed}) {
                if (o.pack == 4 && p == Precision::double_)
                    continue;
                const auto wanted = on_cpu(a, a.value, x, o, p);
                for (int k = 1; k <= 4; ++k) {
                    OnGpu how;
                    how.precision = p;
                    how.options = o;
                    how.flight = 1 << k;
                    how.block = o.widest > 32 ? 256 : k == 3 ? 96 : 128;
                    how.ahead = k == 3 && a.rows() == a.columns;
                    how.early = static_cast<Early>((turn + k) % 3);
                    if (product_on_gpu(a, x, how) != wanted)
                        return described(name, how);
                }
            }
        }
        ++turn;
    }
    return {};
}

std::string other_formats_agree()
{
    for (const auto& [name, a] : matrices()) {
        const auto x = random_vector(a.columns, 12);
        std::vector<double> wanted(static_cast<std::size_t>(a.rows()));
        multiply(a, x, wanted);
        for (const auto p : {Precision::double_, Precision::single, Precision::mixed}) {
            const double tolerance = p == Precision::double_ ? 1e-12 : 1e-4;
            OnGpu how;
            how.precision = p;
            how.kind = OnGpu::Kind::csr;
            for (const int threads : {1, 2, 4, 8, 16, 32}) {
                how.threads = threads;
                if (!near(product_on_gpu(a, x, how), wanted, tolerance))
                    return name + ", " + std::to_string(threads) + " threads a row";
            }
            how.kind = OnGpu::Kind::ellpack;
            if (!near(product_on_gpu(a, x, how), wanted, tolerance))
                return name + ", ELLPACK-R";
            how.kind = OnGpu::Kind::merge;
            const auto merged = product_on_gpu(a, x, how);
            if (!near(merged, wanted, tolerance))
                return name + ", merge path";
            if (product_on_gpu(a, x, how) != merged)
                return name + ", merge path, other bits the second time";
        }
    }
    return {};
}

std::string cusparse_agrees()
{
    for (const auto& [name, a] : matrices()) {
        if (a.entries() == 0)
            continue;
        const auto x = random_vector(a.columns, 13);
        std::vector<double> wanted(static_cast<std::size_t>(a.rows()));
        multiply(a, x, wanted);
        OnGpu how;
        how.kind = OnGpu::Kind::cusparse;
        for (const auto p : {Precision::double_, Precision::single})
            for (int way = 0; way < 6; ++way) {
                how.precision = p;
                how.threads = way;
                if (!near(product_on_gpu(a, x, how), wanted,
                          p == Precision::double_ ? 1e-12 : 1e-4))
                    return name + ", way " + std::to_string(way);
            }
    }
    return {};
}

std::string values_alone_are_renewed()
{
    for (const auto& [name, a] : matrices()) {
        const auto x = random_vector(a.columns, 14);
        const auto values = random_vector(a.entries(), 15);
        auto b = a;
        b.value = values;
        std::vector<double> wanted(static_cast<std::size_t>(a.rows()));
        multiply(b, x, wanted);
        OnGpu how;
        how.renewed = &values;
        for (const auto& o : options_for(a))
            for (const auto p : {Precision::double_, Precision::single}) {
                if (o.pack == 4 && p == Precision::double_)
                    continue;
                how.options = o;
                how.precision = p;
                how.block = o.widest > 32 ? 256 : 128;
                if (product_on_gpu(a, x, how) != on_cpu(a, values, x, o, p))
                    return described(name, how);
            }
        for (const auto kind : {OnGpu::Kind::csr, OnGpu::Kind::ellpack, OnGpu::Kind::merge}) {
            how.kind = kind;
            how.precision = Precision::double_;
            if (!near(product_on_gpu(a, x, how), wanted, 1e-12))
                return name + ", kind " + std::to_string(static_cast<int>(kind));
        }
    }
    return {};
}

std::string launches_that_cannot_be_are_refused()
{
    const auto a = random_matrix(300, 300, 4, [](auto i) { return i == 30 ? 290 : 3; });
    const auto x = random_vector(a.columns, 1);
    const auto refused = [&](const OnGpu& how) {
        try {
            product_on_gpu(a, x, how);
        } catch (const Error&) {
            return true;
        }
        return false;
    };
    OnGpu how;
    how.block = 100;
    if (!refused(how))
        return "a block of 100";
    how.block = 128, how.flight = 5;
    if (!refused(how))
        return "five entries at once";
    how.flight = 8, how.options.pack = 4;
    if (!refused(how))
        return "packs of four doubles";
    how.options = {0, false, false, 2, true, 1, false, 64};
    how.block = 32;
    if (!refused(how))
        return "blocks of half a row";
    how.kind = OnGpu::Kind::csr, how.threads = 3;
    return refused(how) ? "" : "three threads a row";
}

} // namespace tawara::test
