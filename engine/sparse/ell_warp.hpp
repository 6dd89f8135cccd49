// SPDX-License-Identifier: GPL-3.0-or-later
// Rows in groups of 32, padded to the longest of the group and stored column by column: sliced
// ELLPACK, SELL-C-sigma and the six forms of ELL-WARP (J. Wong, E. Kuhl, E. Darve, A new sparse
// matrix vector multiplication GPU algorithm designed for finite element problems, 2015).
#pragma once
#include "engine/core/aligned.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/sparse/csr.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tawara::sparse {

/// How rows are laid out.
struct WarpOptions
{
    /// Rows are sorted from longest to shortest within windows of so many; 0: over the whole
    /// matrix, 1: not at all.
    std::int64_t window = 0;
    /// K1r: columns are renumbered as the rows are, so that a product goes from vectors in the new
    /// order to vectors in the new order. Square matrices only.
    bool renumbered = false;
    bool sorted = false; ///< K1rs: each row's entries ascend by the new column
    /// K2: rows longer than this are halved until each thread has at most so many entries (or
    /// runs), or `widest` threads share the row; 0: a thread a row.
    std::int32_t threshold = 0;
    /// Columns in 16 bits, counted from the warp's first, where the warp's columns lie so near.
    bool narrow = false;
    int pack = 1; ///< entries of a lane that lie side by side and are loaded at once: 1, 2 or 4
    /// K2: rows longer than the threshold come first, sorted over the whole matrix; the others
    /// follow in windows.
    bool long_first = false;
    /// Threads of a row at most: 32, or up to 256, several warps, where long rows come first or all
    /// rows are sorted.
    int widest = 32;
    /// Entries of a place, at consecutive columns, of which the first is stored: 1, 2 or 3. More
    /// than one: neither packs nor new numbers.
    int run = 1;
    bool operator==(const WarpOptions&) const = default;
};

/// What a lane asks for of its next places before it adds up those at hand.
enum class Early { nothing, columns, all };

/// The place of every entry: all of a matrix but its values. Made once for a pattern.
///
/// Warp w has 32 lanes, of which threads[w] (a power of 2) share a row. Row k of it, from 0, is
/// sorted row first_row[w] + k and lies in lanes [k threads, (k + 1) threads). Its entries go to
/// these lanes in turn: entry e to lane k threads + e % threads, place e / threads. A warp has as
/// many places as its longest row needs. Places without an entry have value 0 and a column of the
/// same row (of the warp's first row where a row is empty), so that x there must be finite.
///
/// Where more than 32 threads share a row, the threads / 32 warps from w on, w a multiple of
/// threads / 32, are like one with so many lanes; the row is the first one's.
///
/// Places lie in packs of options.pack, the lanes' packs side by side: place p of a lane is number
/// start[w] + (p / pack 32 + lane) pack + p % pack of the columns and values. Those of the last
/// places that fill no pack are cut into packs of 2 and 1 likewise (number()).
///
/// Runs: in place of entries, runs go to lanes and places. A run is what a row has in options.run
/// consecutive columns from the first that no other run has (earlier ones where the matrix ends),
/// with zeros for what it does not have, so that x there must be finite. A run ends where columns
/// do not ascend. Entry i of a place is number value_number() of the values.
struct WarpLayout
{
    static constexpr int lanes = 32;

    std::int64_t rows = 0, columns = 0, entries = 0; ///< entries without padding
    WarpOptions options;
    std::vector<std::int64_t> start;     ///< [warps + 1]
    std::vector<std::int32_t> first_row; ///< [warps + 1]
    std::vector<std::uint16_t> threads;  ///< [warps] 1 to 256
    /// [rows] the row of a sorted row: where results go, unless options.renumbered.
    std::vector<std::int32_t> row_of;
    AlignedVector<std::int32_t> column; ///< [padded] with 32 bits; empty where narrow
    /// Narrow: column of the warp's first, and 16-bit words: those of warp w begin at
    /// column_start[w] >> 1; where its lowest bit is set they are pairs that hold 32 bits, low word
    /// first.
    std::vector<std::int32_t> base;
    std::vector<std::int64_t> column_start;
    AlignedVector<std::uint16_t> word;
    /// [padded run] the entry of the matrix that a value is, or -1: how values alone are renewed.
    std::vector<std::int64_t> entry;

    std::int64_t warps() const { return static_cast<std::int64_t>(threads.size()); }
    std::int64_t padded() const { return start.empty() ? 0 : start.back(); }
    std::int64_t places(std::int64_t warp) const
    {
        const auto w = static_cast<std::size_t>(warp);
        return (start[w + 1] - start[w]) / lanes;
    }
    /// The number of a lane's place among the columns and, without runs, the values.
    std::int64_t number(std::int64_t warp, int lane, std::int64_t place) const
    {
        const auto from = start[static_cast<std::size_t>(warp)], all = places(warp);
        std::int64_t begin = 0; // of the places in packs of one size
        for (std::int64_t pack = options.pack;; pack /= 2) {
            const auto end = all / pack * pack;
            if (place < end)
                return from + begin * lanes + ((place - begin) / pack * lanes + lane) * pack +
                       (place - begin) % pack;
            begin = end;
        }
    }
    std::int64_t value_number(std::int64_t warp, int lane, std::int64_t place, int i) const
    {
        if (options.run == 1)
            return number(warp, lane, place);
        return (start[static_cast<std::size_t>(warp)] + place * lanes) * options.run + i * lanes +
               lane;
    }
    /// Column k, which warp w holds.
    std::int32_t column_at(std::int64_t w, std::int64_t k) const;
    /// Bytes that a product reads and writes at least, with numbers of `bytes_of_value`: values,
    /// columns and what describes the warps once, x and y once.
    double bytes(std::size_t bytes_of_value) const;
};

/// @throws Error where renumbered is asked for and the matrix is not square, the matrix has more
///         than 2^31 rows or columns, or options do not go together
/// @cost   O(entries log(longest row)), and a sort of the rows by length
WarpLayout make_layout(const Csr& a, const WarpOptions& options);
WarpLayout make_layout(const Csr& a, const WarpOptions& options, ThreadPool& pool);

/// The values of a layout in the order of its places.
/// @param value  of the matrix's entries, in the order of its rows
template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value);
template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value,
                             ThreadPool& pool);

/// y = A x with the layout's values; both vectors in the matrix's order, or both in the layout's
/// (row_of: of new number k the old one) where it is renumbered. Sums are made in Real, lane by
/// lane, each by fma in the order of its places. Then the n lanes of a row are added by halves:
/// lane k takes lane k + n / 2, then lane k + n / 4, and so on.
/// Values may be stored in less than sums are made in (mixed precision).
/// @pre  x [columns], y [rows]
template <class Real, class Stored = Real>
void multiply(const WarpLayout& layout, std::span<const Stored> value, std::span<const Real> x,
              std::span<Real> y);

/// Runs that a matrix is cut into, as a layout with runs of so many entries does.
/// @cost  a pass over the entries
std::int64_t count_runs(const Csr& a, int run);

/// x in a renumbered layout's order, and back.
template <class Real>
std::vector<Real> to_layout(const WarpLayout& layout, std::span<const Real> x);
template <class Real>
std::vector<Real> from_layout(const WarpLayout& layout, std::span<const Real> y);

} // namespace tawara::sparse
