// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/ell_warp.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tawara::sparse {
namespace {

constexpr int lanes = WarpLayout::lanes;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Rows from longest to shortest within windows; equal ones stay in their order.
std::vector<std::int32_t> sorted_rows(const Csr& a, std::int64_t window)
{
    std::vector<std::int32_t> order(at(a.rows()));
    std::iota(order.begin(), order.end(), 0);
    const auto n = a.rows();
    const auto step = window > 0 ? window : std::max<std::int64_t>(n, 1);
    for (std::int64_t b = 0; b < n && step > 1; b += step)
        std::stable_sort(order.begin() + b, order.begin() + std::min(n, b + step),
                         [&](auto i, auto j) { return a.length(i) > a.length(j); });
    return order;
}

/// Threads that share a row of that length.
int threads_of(std::int64_t length, std::int32_t threshold)
{
    int threads = 1;
    while (threshold > 0 && threads < lanes && length > std::int64_t{threads} * threshold)
        threads *= 2;
    return threads;
}

/// Cuts the sorted rows into warps. The first row of a warp says how many threads share one: in
/// windows no other needs more; without sorting, the longest of the rows that would come with it.
void cut_into_warps(WarpLayout& l, const Csr& a)
{
    l.start = {0};
    l.first_row = {0};
    for (std::int64_t row = 0; row < l.rows;) {
        const auto longest_of = [&](std::int64_t count) {
            std::int64_t most = 0;
            for (auto k = row; k < std::min(l.rows, row + count); ++k)
                most = std::max(most, a.length(l.row_of[at(k)]));
            return most;
        };
        int threads = threads_of(a.length(l.row_of[at(row)]), l.options.threshold);
        auto longest = longest_of(lanes / threads);
        while (threads_of(longest, l.options.threshold) > threads) {
            threads = threads_of(longest, l.options.threshold);
            longest = longest_of(lanes / threads);
        }
        l.threads.push_back(static_cast<std::uint8_t>(threads));
        row = std::min(l.rows, row + lanes / threads);
        l.first_row.push_back(static_cast<std::int32_t>(row));
        l.start.push_back(l.start.back() + (longest + threads - 1) / threads * lanes);
    }
}

/// Puts the entries of a row, with the columns that they have in the layout, into their places.
class Filler
{
  public:
    Filler(WarpLayout& l, const Csr& a) : l_(l), a_(a)
    {
        l.column.assign(at(l.padded()), 0);
        l.entry.assign(at(l.padded()), -1);
        if (l.options.renumbered) {
            new_of_.resize(at(l.rows));
            for (std::size_t k = 0; k < l.row_of.size(); ++k)
                new_of_[at(l.row_of[k])] = static_cast<std::int32_t>(k);
        }
    }
    void fill(std::int64_t w)
    {
        const int threads = l_.threads[at(w)];
        const auto first = l_.first_row[at(w)], end = l_.first_row[at(w) + 1];
        std::int32_t spare = 0; // column of places without an entry
        for (auto k = end; k-- > first;)
            if (const auto row = l_.row_of[at(k)]; a_.length(row) > 0)
                spare = column_of(a_.first[at(row)]);
        for (int r = 0; r < lanes / threads; ++r) {
            auto last = spare;
            const auto k = first + r;
            entries_.clear();
            if (k < end)
                take(l_.row_of[at(k)]);
            const auto room = l_.places(w) * threads;
            for (std::int64_t e = 0; e < room; ++e) {
                const auto to =
                    at(l_.start[at(w)] + e / threads * lanes + r * threads + e % threads);
                if (e < static_cast<std::int64_t>(entries_.size())) {
                    l_.entry[to] = entries_[at(e)].second;
                    last = entries_[at(e)].first;
                }
                l_.column[to] = last;
            }
        }
    }

  private:
    std::int32_t column_of(std::int64_t e) const
    {
        const auto c = a_.column[at(e)];
        return new_of_.empty() ? c : new_of_[at(c)];
    }
    void take(std::int32_t row)
    {
        for (auto e = a_.first[at(row)]; e < a_.first[at(row) + 1]; ++e)
            entries_.emplace_back(column_of(e), e);
        if (l_.options.sorted)
            std::sort(entries_.begin(), entries_.end());
    }

    WarpLayout& l_;
    const Csr& a_;
    std::vector<std::int32_t> new_of_;
    std::vector<std::pair<std::int32_t, std::int64_t>> entries_;
};

/// Columns from 32 bits to 16, warp by warp where they fit.
void make_narrow(WarpLayout& l)
{
    l.column_start = {0};
    std::int64_t next = 0;
    for (std::int64_t w = 0; w < l.warps(); ++w) {
        const auto begin = l.column.begin() + l.start[at(w)],
                   end = l.column.begin() + l.start[at(w) + 1];
        const auto [low, high] = std::minmax_element(begin, end);
        const std::int32_t base = begin == end ? 0 : *low;
        const bool wide = begin != end && *high - base > std::numeric_limits<std::uint16_t>::max();
        l.base.push_back(base);
        l.column_start.back() = next << 1 | (wide ? 1 : 0);
        for (auto c = begin; c != end; ++c) {
            const auto away = static_cast<std::uint32_t>(*c - base);
            l.word.push_back(static_cast<std::uint16_t>(away & 0xffffU));
            if (wide)
                l.word.push_back(static_cast<std::uint16_t>(away >> 16));
        }
        next = static_cast<std::int64_t>(l.word.size());
        l.column_start.push_back(next << 1);
    }
    l.column = {};
}

} // namespace

std::int32_t WarpLayout::column_at(std::int64_t w, std::int64_t k) const
{
    if (!options.narrow)
        return column[at(k)];
    const auto from = column_start[at(w)] >> 1, away = k - start[at(w)];
    if ((column_start[at(w)] & 1) == 0)
        return base[at(w)] + word[at(from + away)];
    const auto low = word[at(from + 2 * away)], high = word[at(from + 2 * away + 1)];
    return base[at(w)] + static_cast<std::int32_t>(std::uint32_t{high} << 16 | low);
}

double WarpLayout::bytes(std::size_t bytes_of_value) const
{
    const auto value = static_cast<double>(bytes_of_value);
    const auto of_columns = options.narrow ? 2.0 * static_cast<double>(word.size())
                                           : 4.0 * static_cast<double>(padded());
    const double of_warp = 8 + 4 + (options.threshold > 0 ? 1 : 0) + (options.narrow ? 12 : 0);
    return static_cast<double>(padded()) * value + of_columns +
           static_cast<double>(warps()) * of_warp +
           (options.renumbered ? 0.0 : 4.0 * static_cast<double>(rows)) +
           static_cast<double>(rows + columns) * value;
}

WarpLayout make_layout(const Csr& a, const WarpOptions& options)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (a.rows() > most || a.columns > most)
        throw Error("a sparse matrix has more than 2^31 - 1 rows or columns");
    if (options.renumbered && a.rows() != a.columns)
        throw Error("only a square matrix can be renumbered: this one is " +
                    std::to_string(a.rows()) + " x " + std::to_string(a.columns));
    WarpLayout l;
    l.rows = a.rows(), l.columns = a.columns, l.entries = a.entries();
    l.options = options;
    l.row_of = sorted_rows(a, options.window);
    cut_into_warps(l, a);
    Filler filler(l, a);
    for (std::int64_t w = 0; w < l.warps(); ++w)
        filler.fill(w);
    if (options.narrow)
        make_narrow(l);
    return l;
}

template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value)
{
    AlignedVector<Real> out(layout.entry.size(), Real(0));
    for (std::size_t k = 0; k < out.size(); ++k)
        if (layout.entry[k] >= 0)
            out[k] = static_cast<Real>(value[at(layout.entry[k])]);
    return out;
}

template <class Real>
void multiply(const WarpLayout& layout, std::span<const Real> value, std::span<const Real> x,
              std::span<Real> y)
{
    for (std::int64_t w = 0; w < layout.warps(); ++w) {
        Real sum[lanes] = {};
        for (auto k = layout.start[at(w)]; k < layout.start[at(w) + 1]; ++k) {
            auto& s = sum[(k - layout.start[at(w)]) % lanes];
            s = std::fma(value[at(k)], x[at(layout.column_at(w, k))], s);
        }
        const int threads = layout.threads[at(w)];
        for (int apart = threads / 2; apart > 0; apart /= 2)
            for (int lane = 0; lane + apart < lanes; ++lane)
                if (lane % threads < apart)
                    sum[lane] += sum[lane + apart];
        for (auto k = layout.first_row[at(w)]; k < layout.first_row[at(w) + 1]; ++k)
            y[at(layout.options.renumbered ? k : layout.row_of[at(k)])] =
                sum[(k - layout.first_row[at(w)]) * threads];
    }
}

template <class Real>
std::vector<Real> to_layout(const WarpLayout& layout, std::span<const Real> x)
{
    std::vector<Real> out(x.size());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = x[at(layout.row_of[k])];
    return out;
}

template <class Real>
std::vector<Real> from_layout(const WarpLayout& layout, std::span<const Real> y)
{
    std::vector<Real> out(y.size());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[at(layout.row_of[k])] = y[k];
    return out;
}

template AlignedVector<double> laid_out(const WarpLayout&, std::span<const double>);
template AlignedVector<float> laid_out(const WarpLayout&, std::span<const double>);
template void multiply(const WarpLayout&, std::span<const double>, std::span<const double>,
                       std::span<double>);
template void multiply(const WarpLayout&, std::span<const float>, std::span<const float>,
                       std::span<float>);
template std::vector<double> to_layout(const WarpLayout&, std::span<const double>);
template std::vector<float> to_layout(const WarpLayout&, std::span<const float>);
template std::vector<double> from_layout(const WarpLayout&, std::span<const double>);
template std::vector<float> from_layout(const WarpLayout&, std::span<const float>);

} // namespace tawara::sparse
