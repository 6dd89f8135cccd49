// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/ell_warp.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tawara::sparse {
namespace {

constexpr int lanes = WarpLayout::lanes;
constexpr std::int64_t most_narrow = std::numeric_limits<std::uint16_t>::max();

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Calls body(i) for i in [0, n) on all workers.
template <class Body>
void for_each(ThreadPool& pool, std::int64_t n, const Body& body)
{
    pool.for_range(at(n), 16, [&](std::size_t begin, std::size_t end, unsigned) {
        for (; begin < end; ++begin)
            body(static_cast<std::int64_t>(begin));
    });
}

/// Rows from longest to shortest within windows; equal ones stay in their order. Long rows first
/// where that is asked for.
std::vector<std::int32_t> sorted_rows(const Csr& a, const WarpOptions& o, ThreadPool& pool)
{
    std::vector<std::int32_t> order(at(a.rows()));
    std::iota(order.begin(), order.end(), 0);
    const auto longer = [&](auto i, auto j) { return a.length(i) > a.length(j); };
    auto begin = order.begin();
    if (o.long_first) {
        begin = std::stable_partition(begin, order.end(),
                                      [&](auto i) { return a.length(i) > o.threshold; });
        std::stable_sort(order.begin(), begin, longer);
    }
    const std::int64_t n = order.end() - begin;
    const auto step = o.window > 0 ? o.window : std::max<std::int64_t>(n, 1);
    if (step > 1)
        for_each(pool, (n + step - 1) / step, [&](std::int64_t k) {
            std::stable_sort(begin + k * step, begin + std::min(n, (k + 1) * step), longer);
        });
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
    /// @thread any, each warp by one
    void fill(std::int64_t w) const
    {
        const int threads = l_.threads[at(w)];
        const auto first = l_.first_row[at(w)], end = l_.first_row[at(w) + 1];
        std::int32_t spare = 0; // column of places without an entry
        for (auto k = end; k-- > first;)
            if (const auto row = l_.row_of[at(k)]; a_.length(row) > 0)
                spare = column_of(a_.first[at(row)]);
        Entries entries;
        for (int r = 0; r < lanes / threads; ++r) {
            auto last = spare;
            const auto k = first + r;
            entries.clear();
            if (k < end)
                take(l_.row_of[at(k)], entries);
            const auto room = l_.places(w) * threads;
            for (std::int64_t e = 0; e < room; ++e) {
                const auto to =
                    at(l_.number(w, r * threads + static_cast<int>(e % threads), e / threads));
                if (e < static_cast<std::int64_t>(entries.size())) {
                    l_.entry[to] = entries[at(e)].second;
                    last = entries[at(e)].first;
                }
                l_.column[to] = last;
            }
        }
    }

  private:
    using Entries = std::vector<std::pair<std::int32_t, std::int64_t>>;

    std::int32_t column_of(std::int64_t e) const
    {
        const auto c = a_.column[at(e)];
        return new_of_.empty() ? c : new_of_[at(c)];
    }
    void take(std::int32_t row, Entries& entries) const
    {
        for (auto e = a_.first[at(row)]; e < a_.first[at(row) + 1]; ++e)
            entries.emplace_back(column_of(e), e);
        if (l_.options.sorted)
            std::sort(entries.begin(), entries.end());
    }

    WarpLayout& l_;
    const Csr& a_;
    std::vector<std::int32_t> new_of_;
};

/// Columns from 32 bits to 16, warp by warp where they fit.
void make_narrow(WarpLayout& l, ThreadPool& pool)
{
    l.base.assign(at(l.warps()), 0);
    l.column_start.assign(at(l.warps()) + 1, 0);
    std::vector<std::uint8_t> wide(at(l.warps()), 0);
    for_each(pool, l.warps(), [&](std::int64_t w) {
        const auto begin = l.column.begin() + l.start[at(w)],
                   end = l.column.begin() + l.start[at(w) + 1];
        if (begin == end)
            return;
        const auto [low, high] = std::minmax_element(begin, end);
        l.base[at(w)] = *low;
        wide[at(w)] = *high - *low > most_narrow;
    });
    std::int64_t next = 0;
    for (std::int64_t w = 0; w < l.warps(); ++w) {
        l.column_start[at(w)] = next << 1 | wide[at(w)];
        next += (l.start[at(w) + 1] - l.start[at(w)]) << wide[at(w)];
    }
    l.column_start.back() = next << 1;
    l.word.resize(at(next));
    for_each(pool, l.warps(), [&](std::int64_t w) {
        auto to = at(l.column_start[at(w)] >> 1);
        for (auto k = l.start[at(w)]; k < l.start[at(w) + 1]; ++k) {
            const auto away = static_cast<std::uint32_t>(l.column[at(k)] - l.base[at(w)]);
            l.word[to++] = static_cast<std::uint16_t>(away & 0xffffU);
            if (wide[at(w)])
                l.word[to++] = static_cast<std::uint16_t>(away >> 16);
        }
    });
    l.column = {};
}

/// Columns from 32 bits to places in the list of their tile.
void make_tiles(WarpLayout& l, ThreadPool& pool)
{
    const std::int64_t rows = l.options.tile, tiles = (l.rows + rows - 1) / rows;
    const auto warps_of = [&](std::int64_t t) {
        return std::pair(t * rows / lanes, std::min(l.warps(), (t + 1) * rows / lanes));
    };
    l.tile_own.assign(at(tiles), 0);
    l.word.resize(at(l.padded()));
    std::vector<std::vector<std::int32_t>> far(at(tiles));
    for_each(pool, tiles, [&](std::int64_t t) {
        const auto [first, end] = warps_of(t);
        const auto low = static_cast<std::int32_t>(t * rows);
        const auto own =
            l.options.renumbered ? static_cast<std::int32_t>(std::min(rows, l.rows - low)) : 0;
        l.tile_own[at(t)] = own;
        auto& list = far[at(t)];
        for (auto k = l.start[at(first)]; k < l.start[at(end)]; ++k)
            if (const auto c = l.column[at(k)]; c < low || c >= low + own)
                list.push_back(c);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (auto k = l.start[at(first)]; k < l.start[at(end)]; ++k) {
            const auto c = l.column[at(k)];
            const auto place =
                c >= low && c < low + own
                    ? c - low
                    : own + (std::lower_bound(list.begin(), list.end(), c) - list.begin());
            l.word[at(k)] = static_cast<std::uint16_t>(std::min<std::int64_t>(place, most_narrow));
        }
    });
    l.tile_first = {0};
    for (std::int64_t t = 0; t < tiles; ++t) {
        l.tile_first.push_back(l.tile_first.back() + static_cast<std::int64_t>(far[at(t)].size()));
        if (l.tile_size(t) > most_narrow + 1)
            throw Error("rows " + std::to_string(t * rows) + " and on of a sparse matrix, " +
                        std::to_string(rows) + " together, have " + std::to_string(l.tile_size(t)) +
                        " columns; a tile can have 65536");
        l.tile_column.insert(l.tile_column.end(), far[at(t)].begin(), far[at(t)].end());
    }
    l.column = {};
}

/// @throws Error
void check(const Csr& a, const WarpOptions& o)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (a.rows() > most || a.columns > most)
        throw Error("a sparse matrix has more than 2^31 - 1 rows or columns");
    if (o.renumbered && a.rows() != a.columns)
        throw Error("only a square matrix can be renumbered: this one is " +
                    std::to_string(a.rows()) + " x " + std::to_string(a.columns));
    if (o.pack != 1 && o.pack != 2 && o.pack != 4)
        throw Error("packs of " + std::to_string(o.pack) + " entries; they can have 1, 2 or 4");
    if (o.tile != 0 && (o.tile < 0 || o.tile % lanes != 0 || o.threshold != 0 || o.window < 1 ||
                        o.tile % o.window != 0))
        throw Error("tiles of " + std::to_string(o.tile) +
                    " rows; they should be a multiple of 32 and of the window, without threshold");
    if (o.long_first && o.threshold < 1)
        throw Error("long rows come first only where a threshold says which are long");
}

} // namespace

std::int32_t WarpLayout::column_at(std::int64_t w, std::int64_t k) const
{
    if (options.tile != 0) {
        const auto t = at(first_row[at(w)] / options.tile);
        const std::int32_t place = word[at(k)];
        return place < tile_own[t] ? static_cast<std::int32_t>(t) * options.tile + place
                                   : tile_column[at(tile_first[t] + place - tile_own[t])];
    }
    if (!options.narrow)
        return column[at(k)];
    const auto from = column_start[at(w)] >> 1, away = k - start[at(w)];
    if ((column_start[at(w)] & 1) == 0)
        return base[at(w)] + word[at(from + away)];
    const auto low = word[at(from + 2 * away)], high = word[at(from + 2 * away + 1)];
    return base[at(w)] + static_cast<std::int32_t>(std::uint32_t{high} << 16 | low);
}

std::int64_t WarpLayout::largest_tile() const
{
    std::int64_t most = 0;
    for (std::int64_t t = 0; t < tiles(); ++t)
        most = std::max(most, tile_size(t));
    return most;
}

double WarpLayout::bytes(std::size_t bytes_of_value) const
{
    const auto value = static_cast<double>(bytes_of_value);
    const auto of_columns = 2.0 * static_cast<double>(word.size()) +
                            4.0 * static_cast<double>(column.size() + tile_column.size());
    constexpr double of_warp = 16, of_tile = 12; // what a GPU reads of one
    return static_cast<double>(padded()) * value + of_columns +
           static_cast<double>(warps()) * of_warp + static_cast<double>(tiles()) * of_tile +
           (options.renumbered ? 0.0 : 4.0 * static_cast<double>(rows)) +
           static_cast<double>(rows + columns) * value;
}

WarpLayout make_layout(const Csr& a, const WarpOptions& options)
{
    ThreadPool alone(1);
    return make_layout(a, options, alone);
}

WarpLayout make_layout(const Csr& a, const WarpOptions& options, ThreadPool& pool)
{
    check(a, options);
    WarpLayout l;
    l.rows = a.rows(), l.columns = a.columns, l.entries = a.entries();
    l.options = options;
    l.row_of = sorted_rows(a, options, pool);
    cut_into_warps(l, a);
    const Filler filler(l, a);
    for_each(pool, l.warps(), [&](std::int64_t w) { filler.fill(w); });
    if (options.tile != 0)
        make_tiles(l, pool);
    else if (options.narrow)
        make_narrow(l, pool);
    return l;
}

template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value)
{
    ThreadPool alone(1);
    return laid_out<Real>(layout, value, alone);
}

template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value,
                             ThreadPool& pool)
{
    AlignedVector<Real> out(layout.entry.size());
    for_each(pool, static_cast<std::int64_t>(out.size()), [&](std::int64_t k) {
        const auto e = layout.entry[at(k)];
        out[at(k)] = e >= 0 ? static_cast<Real>(value[at(e)]) : Real(0);
    });
    return out;
}

template AlignedVector<double> laid_out(const WarpLayout&, std::span<const double>);
template AlignedVector<float> laid_out(const WarpLayout&, std::span<const double>);
template AlignedVector<double> laid_out(const WarpLayout&, std::span<const double>, ThreadPool&);
template AlignedVector<float> laid_out(const WarpLayout&, std::span<const double>, ThreadPool&);

} // namespace tawara::sparse
