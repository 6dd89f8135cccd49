// SPDX-License-Identifier: GPL-3.0-or-later
// Rows in groups of 32, padded to the longest of the group and stored column by column: sliced
// ELLPACK, SELL-C-sigma and the six forms of ELL-WARP (J. Wong, E. Kuhl, E. Darve, A new sparse
// matrix vector multiplication GPU algorithm designed for finite element problems, 2015).
#pragma once
#include "engine/core/aligned.hpp"
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
    /// K2: rows longer than this are halved until each thread has at most so many entries, or 32
    /// threads share the row; 0: a thread a row.
    std::int32_t threshold = 0;
    /// Columns in 16 bits, counted from the warp's first, where the warp's columns lie so near.
    bool narrow = false;
};

/// The place of every entry: all of a matrix but its values. Made once for a pattern.
///
/// Warp w has 32 lanes, of which threads[w] (a power of 2) share a row. Row k of it, from 0, is
/// sorted row first_row[w] + k and lies in lanes [k threads, (k + 1) threads). Its entries go to
/// these lanes in turn: entry e to lane k threads + e % threads, place e / threads. A lane's entry
/// at place p is number start[w] + 32 p + lane of the values; a warp has as many places as its
/// longest row needs. Places without an entry have value 0 and a column of the same row (of the
/// warp's first row where a row is empty), so that x there must be finite.
struct WarpLayout
{
    static constexpr int lanes = 32;

    std::int64_t rows = 0, columns = 0, entries = 0; ///< entries without padding
    WarpOptions options;
    std::vector<std::int64_t> start;     ///< [warps + 1]
    std::vector<std::int32_t> first_row; ///< [warps + 1]
    std::vector<std::uint8_t> threads;   ///< [warps] 1 to 32
    /// [rows] the row of a sorted row: where results go, unless options.renumbered.
    std::vector<std::int32_t> row_of;
    AlignedVector<std::int32_t> column; ///< [padded] with 32 bits; empty where narrow
    /// Narrow: column of the warp's first, and 16-bit words: those of warp w begin at
    /// column_start[w] >> 1; where its lowest bit is set they are pairs that hold 32 bits, low word
    /// first.
    std::vector<std::int32_t> base;
    std::vector<std::int64_t> column_start;
    AlignedVector<std::uint16_t> word;
    /// [padded] the entry of the matrix that a place holds, or -1: how values alone are renewed.
    std::vector<std::int64_t> entry;

    std::int64_t warps() const { return static_cast<std::int64_t>(threads.size()); }
    std::int64_t padded() const { return start.empty() ? 0 : start.back(); }
    std::int64_t places(std::int64_t warp) const
    {
        const auto w = static_cast<std::size_t>(warp);
        return (start[w + 1] - start[w]) / lanes;
    }
    /// The column of number k of the values, which warp w holds.
    std::int32_t column_at(std::int64_t w, std::int64_t k) const;
    /// Bytes that a product reads and writes at least, with numbers of `bytes_of_value`: values,
    /// columns and what describes the warps once, x and y once.
    double bytes(std::size_t bytes_of_value) const;
};

/// @throws Error where renumbered is asked for and the matrix is not square, or the matrix has more
///         than 2^31 rows or columns
/// @cost   O(entries log(longest row)), and a sort of the rows by length
WarpLayout make_layout(const Csr& a, const WarpOptions& options);

/// The values of a layout in the order of its places.
/// @param value  of the matrix's entries, in the order of its rows
template <class Real>
AlignedVector<Real> laid_out(const WarpLayout& layout, std::span<const double> value);

/// y = A x with the layout's values; both vectors in the matrix's order, or both in the layout's
/// (row_of: of new number k the old one) where it is renumbered. Sums are made in Real, lane by
/// lane, each by fma in the order of its places. Then the n lanes of a row are added by halves:
/// lane k takes lane k + n / 2, then lane k + n / 4, and so on.
/// @pre  x [columns], y [rows]
template <class Real>
void multiply(const WarpLayout& layout, std::span<const Real> value, std::span<const Real> x,
              std::span<Real> y);

/// x in a renumbered layout's order, and back.
template <class Real>
std::vector<Real> to_layout(const WarpLayout& layout, std::span<const Real> x);
template <class Real>
std::vector<Real> from_layout(const WarpLayout& layout, std::span<const Real> y);

} // namespace tawara::sparse
