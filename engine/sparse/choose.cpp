// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/choose.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::sparse {
namespace {

/// What the rule looks at.
struct Shape
{
    double rows, mean;
    double spread; ///< deviation of row lengths over their mean

    bool network() const { return spread > 2; }   ///< few rows of very many entries
    bool uneven() const { return spread > 0.5; }  ///< unlike a mesh
    bool tiny() const { return rows < 2500; }     ///< a launch takes longer than its bytes
    bool little() const { return rows < 25'000; } ///< too few rows for all multiprocessors
    bool small() const { return rows < 80'000; }  ///< the same, with fewer threads a row
};

/// Layouts of a rule's lines: threshold as a share of the mean length in places, or 0.
struct Line
{
    bool cuthill_mckee;
    std::int64_t window;
    double threshold;
    bool long_first;
    int block, flight;
    Early early = Early::columns;
    int widest = 32;
};

constexpr bool rcm = true, own = false;

constexpr auto nothing = Early::nothing, columns = Early::columns, all = Early::all;

Line renumbered_double(const Shape& s)
{
    if (s.tiny())
        return {own, 256, 0.125, false, 64, 4, all};
    if (s.network())
        return {rcm, 4096, 2, true, 512, 2, nothing, 256};
    if (s.uneven())
        return {own, 0, 2, false, 128, 8, nothing};
    if (s.mean >= 44)
        return {own, 256, 0.25, false, 128, 8, all};
    if (s.mean >= 18)
        return {own, 1024, 0.5, false, 512, 2, all};
    if (s.little())
        return {rcm, 256, 0.125, false, 128, 2, nothing};
    if (s.small())
        return {rcm, 1024, 0.25, false, 512, 2, nothing};
    if (s.mean < 8)
        return {rcm, 256, 0, false, 64, 4, columns};
    return {rcm, 1024, 0, false, 256, 4, columns};
}

Line renumbered_single(const Shape& s)
{
    if (s.tiny())
        return {own, 1024, 0.125, false, 64, 4, columns};
    if (s.network())
        return {rcm, 4096, 4, true, 256, 4, columns, 256};
    if (s.uneven())
        return {own, 0, 1, false, 256, 4, columns};
    if (s.mean >= 44)
        return {own, 256, 0.125, false, 128, 4, nothing};
    if (s.mean >= 18)
        return {own, 1024, 0.5, false, 512, 4, columns};
    if (s.little())
        return {rcm, 1024, 0.125, false, 128, 4, columns};
    if (s.small())
        return {rcm, 1024, 0.25, false, 512, 4, nothing};
    if (s.mean < 8)
        return {own, 256, 0, false, 256, 4, nothing};
    return {rcm, 256, 0, false, 128, 4, columns};
}

Line kept_double(const Shape& s)
{
    if (s.tiny())
        return {own, 1024, 0.125, false, 512, 4, all};
    if (s.network())
        return {own, 1024, 4, true, 512, 2, all, 256};
    if (s.uneven())
        return {own, 1024, 1, true, 256, 4, columns};
    if (s.mean >= 44)
        return {own, 1024, 0.25, false, 128, 8, all};
    if (s.mean >= 18)
        return {own, 1024, 0.5, false, 512, 2, all};
    if (s.little())
        return {own, 1024, 0.125, false, 128, 2, columns};
    if (s.small())
        return {own, 1024, 0.25, false, 256, 2, nothing};
    if (s.mean < 8)
        return {own, 1024, 0, false, 128, 2, nothing};
    return {own, 1024, 0, false, 512, 4, all};
}

Line kept_single(const Shape& s)
{
    if (s.tiny())
        return {own, 1024, 0.125, false, 64, 4, columns};
    if (s.network())
        return {own, 1024, 4, true, 512, 4, nothing, 256};
    if (s.uneven())
        return {own, 1024, 2, true, 512, 4, columns};
    if (s.mean >= 44)
        return {own, 1024, 0.25, false, 512, 4, nothing};
    if (s.mean >= 18)
        return {own, 1024, 0.5, false, 512, 4, columns};
    if (s.little())
        return {own, 1024, 0.25, false, 128, 8, nothing};
    if (s.small())
        return {own, 1024, 0.25, false, 256, 4, nothing};
    if (s.mean < 8)
        return {own, 1024, 0, false, 128, 4, nothing};
    return {own, 1024, 0, false, 512, 4, columns};
}

/// Nodes of several unknowns, which keep their order: that of their rows' lengths keeps nodes
/// together.
constexpr Line runs{own, 1024, 0.5, false, 128, 8, all};

} // namespace

int best_run(const Csr& a, Precision precision)
{
    const double value = precision == Precision::double_ ? 8 : 4, word = 2;
    int best = 1;
    double least = 0.95 * (value + word) * static_cast<double>(a.entries());
    for (const int run : {2, 3})
        if (const double bytes = (run * value + word) * static_cast<double>(count_runs(a, run));
            a.columns >= run && bytes < least)
            best = run, least = bytes;
    return best;
}

Choice choose(const RowLengths& length, std::int64_t rows, int run, Precision precision,
              bool renumber)
{
    const Shape s{static_cast<double>(rows), length.mean,
                  length.mean > 0 ? length.deviation / length.mean : 0};
    Choice c;
    if (s.tiny() && s.uneven()) { // a warp a row
        c.format = Choice::Format::csr;
        return c;
    }
    const bool wide = precision == Precision::double_, turn = renumber && run == 1;
    const auto line = run > 1 ? runs
                      : turn  ? (wide ? renumbered_double(s) : renumbered_single(s))
                              : (wide ? kept_double(s) : kept_single(s));
    c.cuthill_mckee = line.cuthill_mckee;
    c.options.window = line.window;
    c.options.renumbered = c.options.sorted = turn;
    if (line.threshold > 0)
        c.options.threshold = static_cast<std::int32_t>(
            std::max<long>(1, std::lround(line.threshold * length.mean / run)));
    c.options.narrow = true;
    c.options.run = run;
    c.options.pack = run > 1 ? 1 : wide ? 2 : 4;
    c.options.long_first = line.long_first;
    c.options.widest = line.widest;
    c.block = line.block;
    c.flight = line.flight;
    c.ahead = turn;
    c.early = line.early;
    return c;
}

Choice choose(const Csr& a, Precision precision, bool renumber)
{
    return choose(row_lengths(a), a.rows(), best_run(a, precision), precision,
                  renumber && a.rows() == a.columns);
}

} // namespace tawara::sparse
