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

/// Calls use(column, first, end) for each run of a row: its first column, and its entries.
template <class Use>
void for_runs(const Csr& a, std::int64_t row, int run, const Use& use)
{
    const auto last = a.first[at(row) + 1];
    for (auto e = a.first[at(row)]; e < last;) {
        const auto first = e;
        const auto from = a.column[at(e)];
        do
            ++e;
        while (e < last && a.column[at(e)] > a.column[at(e - 1)] && a.column[at(e)] < from + run);
        use(static_cast<std::int32_t>(std::min<std::int64_t>(from, a.columns - run)), first, e);
    }
}

std::int64_t runs_of(const Csr& a, std::int64_t row, int run)
{
    if (run == 1)
        return a.length(row);
    std::int64_t n = 0;
    for_runs(a, row, run, [&](auto, auto, auto) { ++n; });
    return n;
}

/// Rows' lengths in places.
std::vector<std::int64_t> lengths_in_places(const Csr& a, const WarpOptions& o, ThreadPool& pool)
{
    std::vector<std::int64_t> out(at(a.rows()));
    for_each(pool, a.rows(), [&](std::int64_t i) { out[at(i)] = runs_of(a, i, o.run); });
    return out;
}

/// Rows from longest to shortest within windows; equal ones stay in their order. Long rows first
/// where that is asked for.
std::vector<std::int32_t> sorted_rows(const std::vector<std::int64_t>& length, const WarpOptions& o,
                                      ThreadPool& pool)
{
    std::vector<std::int32_t> order(length.size());
    std::iota(order.begin(), order.end(), 0);
    const auto longer = [&](auto i, auto j) { return length[at(i)] > length[at(j)]; };
    auto begin = order.begin();
    if (o.long_first) {
        begin = std::stable_partition(begin, order.end(),
                                      [&](auto i) { return length[at(i)] > o.threshold; });
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
int threads_of(std::int64_t length, const WarpOptions& o)
{
    int threads = 1;
    while (o.threshold > 0 && threads < o.widest && length > std::int64_t{threads} * o.threshold)
        threads *= 2;
    return threads;
}

/// Cuts the sorted rows into warps. The first row of a warp says how many threads share one: in
/// windows no other needs more; without sorting, the longest of the rows that would come with it.
void cut_into_warps(WarpLayout& l, const std::vector<std::int64_t>& length)
{
    l.start = {0};
    l.first_row = {0};
    for (std::int64_t row = 0; row < l.rows;) {
        const auto longest_of = [&](std::int64_t count) {
            std::int64_t most = 0;
            for (auto k = row; k < std::min(l.rows, row + count); ++k)
                most = std::max(most, length[at(l.row_of[at(k)])]);
            return most;
        };
        int threads = threads_of(longest_of(1), l.options);
        auto longest = longest_of(lanes / threads);
        while (threads_of(longest, l.options) > threads) {
            threads = threads_of(longest, l.options);
            longest = longest_of(lanes / threads);
        }
        if (threads > lanes)
            longest = longest_of(1);
        row = std::min(l.rows, row + std::max(1, lanes / threads));
        for (int w = 0; w < std::max(1, threads / lanes); ++w) {
            l.threads.push_back(static_cast<std::uint16_t>(threads));
            l.first_row.push_back(static_cast<std::int32_t>(row));
            l.start.push_back(l.start.back() + (longest + threads - 1) / threads * lanes);
        }
    }
}

/// Puts the entries of a row, with the columns that they have in the layout, into their places.
class Filler
{
  public:
    Filler(WarpLayout& l, const Csr& a) : l_(l), a_(a)
    {
        l.column.assign(at(l.padded()), 0);
        l.entry.assign(at(l.padded() * l.options.run), -1);
        if (l.options.renumbered) {
            new_of_.resize(at(l.rows));
            for (std::size_t k = 0; k < l.row_of.size(); ++k)
                new_of_[at(l.row_of[k])] = static_cast<std::int32_t>(k);
        }
    }
    /// @thread any, each warp by one
    void fill(std::int64_t w) const
    {
        const int threads = l_.threads[at(w)], warps = std::max(1, threads / lanes);
        const auto part = w % warps; // of those that share a row
        const auto first = l_.first_row[at(w - part)], end = l_.first_row[at(w - part) + 1];
        std::int32_t spare = 0; // column of places without an entry
        for (auto k = end; k-- > first;)
            if (const auto row = l_.row_of[at(k)]; a_.length(row) > 0)
                spare = column_of(a_.first[at(row)]);
        spare = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            spare, 0, std::max<std::int64_t>(0, a_.columns - l_.options.run)));
        Runs runs;
        for (int r = 0; r < std::max(1, lanes / threads); ++r) {
            auto last = spare;
            const auto k = first + r;
            runs.clear();
            if (k < end)
                take(l_.row_of[at(k)], runs);
            const auto room = l_.places(w) * threads;
            for (std::int64_t e = 0; e < room; ++e) {
                const bool there = e < static_cast<std::int64_t>(runs.size());
                if (there)
                    last = runs[at(e)].column;
                const auto thread = e % threads - part * lanes;
                if (thread < 0 || thread >= lanes)
                    continue;
                const int lane = r * threads + static_cast<int>(thread);
                l_.column[at(l_.number(w, lane, e / threads))] = last;
                for (auto i = there ? runs[at(e)].first : 0; there && i < runs[at(e)].end; ++i)
                    l_.entry[at(l_.value_number(
                        w, lane, e / threads,
                        l_.options.run == 1 ? 0 : static_cast<int>(a_.column[at(i)] - last)))] = i;
            }
        }
    }

  private:
    struct Run
    {
        std::int32_t column;
        std::int64_t first, end; ///< entries
    };
    using Runs = std::vector<Run>;

    std::int32_t column_of(std::int64_t e) const
    {
        const auto c = a_.column[at(e)];
        return new_of_.empty() ? c : new_of_[at(c)];
    }
    void take(std::int32_t row, Runs& runs) const
    {
        if (l_.options.run > 1) {
            for_runs(a_, row, l_.options.run, [&](auto column, auto first, auto end) {
                runs.push_back({column, first, end});
            });
            return;
        }
        for (auto e = a_.first[at(row)]; e < a_.first[at(row) + 1]; ++e)
            runs.push_back({column_of(e), e, e + 1});
        if (l_.options.sorted)
            std::sort(runs.begin(), runs.end(),
                      [](const Run& p, const Run& q) { return p.column < q.column; });
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
    if (o.run < 1 || o.run > 3 || (o.run > 1 && (o.renumbered || o.pack > 1)))
        throw Error("runs of " + std::to_string(o.run) +
                    " entries; they can have 1 to 3, without packs and new numbers");
    if (a.columns < o.run && a.entries() > 0)
        throw Error("a matrix of " + std::to_string(a.columns) + " columns has no runs of " +
                    std::to_string(o.run));
    if (o.widest != 32 && ((o.widest != 64 && o.widest != 128 && o.widest != 256) ||
                           o.threshold < 1 || !(o.long_first || o.window == 0)))
        throw Error(std::to_string(o.widest) +
                    " threads a row; there can be 32, or 64, 128 or 256 where long rows are first");
    if (o.long_first && o.threshold < 1)
        throw Error("long rows come first only where a threshold says which are long");
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
    const auto of_columns =
        2.0 * static_cast<double>(word.size()) + 4.0 * static_cast<double>(column.size());
    constexpr double of_warp = 16; // what a GPU reads of one
    return static_cast<double>(padded() * options.run) * value + of_columns +
           static_cast<double>(warps()) * of_warp +
           (options.renumbered ? 0.0 : 4.0 * static_cast<double>(rows)) +
           static_cast<double>(rows + columns) * value;
}

std::int64_t count_runs(const Csr& a, int run)
{
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < a.rows(); ++i)
        n += runs_of(a, i, run);
    return n;
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
    const auto length = lengths_in_places(a, options, pool);
    l.row_of = sorted_rows(length, options, pool);
    cut_into_warps(l, length);
    const Filler filler(l, a);
    for_each(pool, l.warps(), [&](std::int64_t w) { filler.fill(w); });
    if (options.narrow)
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
