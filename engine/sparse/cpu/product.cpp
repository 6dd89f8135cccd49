// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised by Highway for every instruction set and chosen at run time.
#include "engine/sparse/cpu/product.hpp"

#include "engine/core/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sparse/cpu/product.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tawara::sparse::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Columns of as many lanes as `d32` has: number k of the warp's places, 32 bits each, ...
struct Wide
{
    const std::int32_t* column;
    template <class D32>
    auto at(D32 d32, std::int64_t k) const
    {
        return hn::LoadU(d32, column + k);
    }
};
/// ... or 16 from the warp's first column ...
struct Narrow
{
    const std::uint16_t* word;
    std::int32_t base;
    template <class D32>
    auto at(D32 d32, std::int64_t k) const
    {
        const hn::Rebind<std::uint16_t, D32> d16;
        return hn::Add(hn::Set(d32, base), hn::PromoteTo(d32, hn::LoadU(d16, word + k)));
    }
};
/// ... or two words of 16.
struct Pairs
{
    const std::uint16_t* word;
    std::int32_t base;
    template <class D32>
    auto at(D32 d32, std::int64_t k) const
    {
        if constexpr (hn::MaxLanes(D32()) == 1) { // no vectors
            const auto high = std::uint32_t{word[2 * k + 1]} << 16;
            return hn::Set(d32, base + static_cast<std::int32_t>(high | word[2 * k]));
        } else {
            const hn::Repartition<std::uint16_t, D32> d16;
            return hn::Add(hn::Set(d32, base), hn::BitCast(d32, hn::LoadU(d16, word + 2 * k)));
        }
    }
};

/// Sums of 32 lanes over `places` places. A sum needs its own chain of additions: all vectors of a
/// place are under way at once.
template <class Stored, class Real, class Columns>
void sums(const Columns& columns, const Stored* value, std::int64_t places, const Real* x,
          Real* out)
{
    constexpr std::int64_t lanes = WarpLayout::lanes;
    const hn::CappedTag<Real, static_cast<std::size_t>(lanes)> d;
    const hn::RebindToSigned<decltype(d)> same_width;
    const hn::Rebind<std::int32_t, decltype(d)> d32;
    const hn::Rebind<Stored, decltype(d)> stored;
    constexpr auto width = static_cast<std::int64_t>(hn::MaxLanes(d));
    // as many as registers hold, so that memory is read in its order
    constexpr std::int64_t together = std::min<std::int64_t>(8, lanes / width);
    constexpr std::int64_t ahead = 2048 / sizeof(Stored); // fetched beyond what hardware foresees
    const auto product = [&](std::int64_t k, auto sum) {
        const auto column = columns.at(d32, k);
        if constexpr (sizeof(Stored) < sizeof(Real))
            return hn::MulAdd(hn::PromoteTo(d, hn::LoadU(stored, value + k)),
                              hn::GatherIndex(d, x, hn::PromoteTo(same_width, column)), sum);
        else if constexpr (sizeof(Real) == 8)
            return hn::MulAdd(hn::LoadU(d, value + k),
                              hn::GatherIndex(d, x, hn::PromoteTo(same_width, column)), sum);
        else
            return hn::MulAdd(hn::LoadU(d, value + k), hn::GatherIndex(d, x, column), sum);
    };
    for (std::int64_t lane = 0; lane < lanes; lane += together * width) {
        auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (std::int64_t p = 0; p < places; ++p) {
            const auto k = p * lanes + lane;
            for (std::int64_t line = 0; line < together * width; line += 64 / sizeof(Stored))
                hwy::Prefetch(value + k + ahead + line);
            s0 = product(k, s0);
            if constexpr (together > 1)
                s1 = product(k + width, s1);
            if constexpr (together > 2) {
                s2 = product(k + 2 * width, s2);
                s3 = product(k + 3 * width, s3);
            }
            if constexpr (together > 4) {
                s4 = product(k + 4 * width, s4);
                s5 = product(k + 5 * width, s5);
                s6 = product(k + 6 * width, s6);
                s7 = product(k + 7 * width, s7);
            }
        }
        hn::StoreU(s0, d, out + lane);
        if constexpr (together > 1)
            hn::StoreU(s1, d, out + lane + width);
        if constexpr (together > 2) {
            hn::StoreU(s2, d, out + lane + 2 * width);
            hn::StoreU(s3, d, out + lane + 3 * width);
        }
        if constexpr (together > 4) {
            hn::StoreU(s4, d, out + lane + 4 * width);
            hn::StoreU(s5, d, out + lane + 5 * width);
            hn::StoreU(s6, d, out + lane + 6 * width);
            hn::StoreU(s7, d, out + lane + 7 * width);
        }
    }
}

template <class Stored, class Real>
void warps(const WarpLayout& l, const Stored* value, const Real* x, Real* y, std::int64_t begin,
           std::int64_t end)
{
    constexpr int lanes = WarpLayout::lanes;
    for (auto w = static_cast<std::size_t>(begin); w < static_cast<std::size_t>(end); ++w) {
        const auto start = l.start[w];
        const auto places = (l.start[w + 1] - start) / lanes;
        alignas(64) Real sum[lanes];
        if (!l.options.narrow) {
            sums(Wide{l.column.data() + start}, value + start, places, x, sum);
        } else {
            const auto* word = l.word.data() + (l.column_start[w] >> 1);
            if ((l.column_start[w] & 1) == 0)
                sums(Narrow{word, l.base[w]}, value + start, places, x, sum);
            else
                sums(Pairs{word, l.base[w]}, value + start, places, x, sum);
        }
        const int threads = l.threads[w];
        for (int apart = threads / 2; apart > 0; apart /= 2)
            for (int lane = 0; lane + apart < lanes; ++lane)
                if (lane % threads < apart)
                    sum[lane] += sum[lane + apart];
        const auto first = l.first_row[w], last = l.first_row[w + 1];
        for (auto k = first; k < last; ++k)
            y[l.options.renumbered ? k : l.row_of[static_cast<std::size_t>(k)]] =
                sum[(k - first) * threads];
    }
}

void rows(const Csr& a, const double* x, double* y, std::int64_t begin, std::int64_t end)
{
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        double sum = 0;
        for (auto e = static_cast<std::size_t>(a.first[i]);
             e < static_cast<std::size_t>(a.first[i + 1]); ++e)
            sum = std::fma(a.value[e], x[a.column[e]], sum); // inlined where there is FMA
        y[i] = sum;
    }
}
bool fused()
{
    return HWY_NATIVE_FMA;
}

void warps_double(const WarpLayout& l, const double* v, const double* x, double* y, std::int64_t b,
                  std::int64_t e)
{
    warps(l, v, x, y, b, e);
}
void warps_single(const WarpLayout& l, const float* v, const float* x, float* y, std::int64_t b,
                  std::int64_t e)
{
    warps(l, v, x, y, b, e);
}
void warps_mixed(const WarpLayout& l, const float* v, const double* x, double* y, std::int64_t b,
                 std::int64_t e)
{
    warps(l, v, x, y, b, e);
}

} // namespace tawara::sparse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::sparse::cpu {

HWY_EXPORT(rows);
HWY_EXPORT(fused);
HWY_EXPORT(warps_double);
HWY_EXPORT(warps_single);
HWY_EXPORT(warps_mixed);

namespace {

/// Where piece k of `count` of about the same weight begins.
template <class Int>
std::int64_t piece(const std::vector<Int>& first, std::size_t k, std::size_t count)
{
    if (k == count)
        return static_cast<std::int64_t>(first.size()) - 1;
    const auto wanted = static_cast<Int>(static_cast<std::size_t>(first.back()) / count * k);
    return std::lower_bound(first.begin(), first.end() - 1, wanted) - first.begin();
}

/// body(begin, end) of one piece of equal weight for each thread; `first` are sums of weights.
template <class Int, class Body>
void share(const std::vector<Int>& first, ThreadPool& pool, const Body& body)
{
    if (first.size() < 2)
        return;
    const std::size_t count = pool.size();
    pool.for_range(count, 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (; begin < end; ++begin)
            body(begin == 0 ? 0 : piece(first, begin, count), piece(first, begin + 1, count));
    });
}

} // namespace

WarpOptions options_for(const Csr& a, bool renumber)
{
    const auto length = row_lengths(a);
    WarpOptions o;
    o.renumbered = o.sorted = renumber && a.rows() == a.columns;
    o.window = 256;
    o.narrow = true;
    if (length.deviation > length.mean / 2) {
        o.threshold = static_cast<std::int32_t>(std::lround(4 * length.mean)) + 1;
        o.long_first = true;
    }
    return o;
}

template <class Stored, class Real>
WarpProduct<Stored, Real>::WarpProduct(const WarpLayout& layout, std::span<const double> value,
                                       ThreadPool& pool)
    : layout_(layout)
{
    const auto& o = layout.options;
    if (o.pack != 1 || o.run != 1 || o.widest != WarpLayout::lanes)
        throw Error("a product on the CPU takes layouts without packs, runs and rows of several "
                    "warps");
    value_ = laid_out<Stored>(layout, value, pool);
}

template <class Stored, class Real>
void WarpProduct<Stored, Real>::multiply(std::span<const Real> x, std::span<Real> y,
                                         ThreadPool& pool) const
{
    share(layout_.start, pool, [&](std::int64_t begin, std::int64_t end) {
        if constexpr (sizeof(Stored) < sizeof(Real))
            HWY_DYNAMIC_DISPATCH(warps_mixed)
        (layout_, value_.data(), x.data(), y.data(), begin, end);
        else if constexpr (sizeof(Real) == 8) HWY_DYNAMIC_DISPATCH(warps_double)(
            layout_, value_.data(), x.data(), y.data(), begin, end);
        else HWY_DYNAMIC_DISPATCH(warps_single)(layout_, value_.data(), x.data(), y.data(), begin,
                                                end);
    });
}

template <class Stored, class Real>
double WarpProduct<Stored, Real>::bytes() const
{
    // vectors are counted as numbers that are stored
    const auto vectors = static_cast<double>(layout_.rows + layout_.columns);
    return layout_.bytes(sizeof(Stored)) +
           vectors * (static_cast<double>(sizeof(Real)) - static_cast<double>(sizeof(Stored)));
}

template class WarpProduct<double>;
template class WarpProduct<float>;
template class WarpProduct<float, double>;

void multiply(const Csr& a, std::span<const double> x, std::span<double> y, ThreadPool& pool)
{
    share(a.first, pool, [&](std::int64_t begin, std::int64_t end) {
        HWY_DYNAMIC_DISPATCH(rows)(a, x.data(), y.data(), begin, end);
    });
}

bool sums_are_fused()
{
    return HWY_DYNAMIC_DISPATCH(fused)();
}

} // namespace tawara::sparse::cpu
#endif
