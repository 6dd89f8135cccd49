// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse matrices row by row, which all other formats are made of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tawara::sparse {

/// Compressed rows: those of row i are column[e], value[e] for e in [first[i], first[i + 1]).
/// Columns have 32 bits, entries 64.
struct Csr
{
    std::int64_t columns = 0;
    std::vector<std::int64_t> first{0}; ///< [rows + 1]
    std::vector<std::int32_t> column;   ///< ascending within a row where a function says so
    std::vector<double> value;

    std::int64_t rows() const { return static_cast<std::int64_t>(first.size()) - 1; }
    std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
    std::int64_t length(std::int64_t row) const
    {
        return first[static_cast<std::size_t>(row) + 1] - first[static_cast<std::size_t>(row)];
    }
};

/// One number of a matrix at its place.
struct Entry
{
    std::int32_t row = 0, column = 0;
    double value = 0;
};

/// Rows of entries in any order; those at the same place are added in the order given. Columns
/// ascend within each row.
/// @param symmetric  entries off the diagonal count on both sides of it
/// @throws Error where an entry lies outside
/// @cost   O(entries log(longest row))
Csr csr_of(std::int64_t rows, std::int64_t columns, std::span<const Entry> entries,
           bool symmetric = false);

/// @throws Error unless first ascends from 0 to the number of columns and values, and all columns
///         lie in [0, columns)
void check(const Csr& a);

/// How long rows are.
struct RowLengths
{
    std::int64_t least = 0, most = 0;
    double mean = 0, deviation = 0; ///< standard deviation over all rows
};
RowLengths row_lengths(const Csr& a);

/// y = A x, row by row, each in the order of its entries, with fma: what others are compared with.
/// @pre  x [columns], y [rows]
void multiply(const Csr& a, std::span<const double> x, std::span<double> y);

/// A with rows and columns renumbered alike: row and column k of the result are old_of[k] of `a`.
/// Columns ascend.
/// @pre  a square matrix, old_of a permutation of its rows
Csr renumbered(const Csr& a, std::span<const std::int32_t> old_of);

} // namespace tawara::sparse
