// SPDX-License-Identifier: GPL-3.0-or-later
// How a matrix is best stored and multiplied on a GPU, by the lengths of its rows.
#pragma once
#include "engine/core/units.hpp"
#include "engine/sparse/csr.hpp"
#include "engine/sparse/ell_warp.hpp"

namespace tawara::sparse {

/// A way to store a matrix, and how its kernel runs.
struct Choice
{
    enum class Format { warps, csr } format = Format::warps;
    bool cuthill_mckee = false; ///< unknowns are put into that order before all else
    WarpOptions options;        ///< of warps
    int threads = 32;           ///< csr: of a row
    int block = 128;            ///< threads, as of cuda::WarpLaunch; so are the following
    int flight = 8;
    bool ahead = false;
    Early early = Early::columns;
};

/// How many entries a place should have so that values, zeros of what runs do not have, and columns
/// in 16 bits take the fewest bytes: 1 unless runs save a twentieth.
/// @cost  passes over the entries
int best_run(const Csr& a, Precision precision);

/// The way that an exhaustive search on one H100 found best, or one within 5 % of it: a rule fitted
/// to hearts of 19 thousand to 2.1 million rows, stand-ins of a collection and small files
/// (tests/bench/records/PREDICTIONS.md, "S4"). Whether columns lie near each other is not looked
/// at: rows that are alike are taken for a mesh's.
/// @param run       best_run()
/// @param renumber  unknowns may get new numbers (options.renumbered says whether they do): the
///                  matrix is square, and the caller takes vectors in the layout's order. Otherwise
///                  results go to their rows.
/// @cost  none
Choice choose(const RowLengths& length, std::int64_t rows, int run, Precision precision,
              bool renumber);
/// The same; not renumbered where the matrix is not square.
/// @cost  passes over the rows and the entries
Choice choose(const Csr& a, Precision precision, bool renumber);

} // namespace tawara::sparse
