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

    bool network() const { return spread > 2; }  ///< few rows of very many entries
    bool uneven() const { return spread > 0.5; } ///< unlike a mesh
    bool tiny() const { return rows < 2500; }    ///< a launch takes longer than its bytes
};

/// Layouts of a rule's lines: threshold as a share of the mean length, or 0.
struct Line
{
    bool cuthill_mckee;
    std::int64_t window;
    double threshold;
    bool long_first;
    int block, flight;
    bool ahead;
    int distance = -1;
    bool half_packs = false;
};

constexpr bool rcm = true, own = false;

Line renumbered_double(const Shape& s)
{
    if (s.tiny())
        return {rcm, 1024, 0.5, false, 64, 8, true, 0};
    if (s.network())
        return {own, 4096, 4, true, 256, 8, true, 4096};
    if (s.uneven())
        return {own, 0, 1, false, 512, 2, true};
    if (s.mean >= 44) // elements of several unknowns a node
        return s.spread < 0.125 ? Line{rcm, 4096, 0, false, 256, 8, false}
                                : Line{own, 1024, 0.5, false, 128, 8, true};
    if (s.rows < 56'000) // too few rows for all multiprocessors: several threads a row
        return {rcm, 256, 0.25, false, 256, 2, true};
    if (s.mean >= 18)
        return {own, 1024, 0.5, false, 512, 2, true};
    if (s.spread < 0.127)
        return {rcm, 1024, 0, false, 64, 4, true, -1, true};
    return {rcm, 256, 0, false, 128, 8, true};
}

Line renumbered_single(const Shape& s)
{
    if (s.tiny())
        return {rcm, 256, 0.125, false, 512, 4, false};
    if (s.network())
        return {rcm, 4096, 4, true, 64, 16, false};
    if (s.uneven())
        return {own, 1024, 2, false, 1024, 4, true};
    if (s.rows < 73'000)
        return s.spread < 0.22 ? Line{rcm, 256, 0.25, false, 512, 4, true}
                               : Line{own, 1024, 0.25, false, 1024, 4, true};
    if (s.mean >= 18)
        return {own, 4096, 0.5, false, 512, 4, true};
    return {rcm, 256, 0, false, 256, 4, true};
}

Line kept_double(const Shape& s)
{
    if (s.network())
        return {own, 1024, 4, true, 256, 8, false, 4096};
    if (s.uneven())
        return {own, 1024, 0.5, true, 128, 2, false};
    if (s.rows < 41'000)
        return {own, 1024, 0.125, false, 128, 4, false};
    if (s.mean >= 68)
        return {own, 1024, 0, false, 64, 8, false};
    if (s.mean >= 29)
        return {own, 1024, 0.5, false, 128, 8, false};
    if (s.rows < 107'000)
        return {own, 1024, 0, false, 128, 8, false};
    if (s.rows < 380'000)
        return {own, 1024, 0.5, false, 512, 2, false};
    return {own, 1024, 0, false, 256, 2, false};
}

Line kept_single(const Shape& s)
{
    if (s.network())
        return {own, 1024, 4, true, 128, 16, false};
    if (s.uneven())
        return {own, 1024, 0.5, true, 512, 4, false};
    if (s.rows * s.mean < 64'000)
        return {own, 1024, 0.125, false, 512, 4, false};
    if (s.rows < 90'000)
        return {own, 1024, 0.25, false, 512, 4, false};
    return {own, 1024, s.mean < 18 ? 0 : 0.5, false, 512, 4, false};
}

} // namespace

Choice choose(const RowLengths& length, std::int64_t rows, Precision precision, bool renumber)
{
    const Shape s{static_cast<double>(rows), length.mean,
                  length.mean > 0 ? length.deviation / length.mean : 0};
    Choice c;
    if (s.tiny() && s.uneven()) { // a warp a row
        c.format = Choice::Format::csr;
        return c;
    }
    const bool wide = precision == Precision::double_;
    const auto line = renumber ? (wide ? renumbered_double(s) : renumbered_single(s))
                               : (wide ? kept_double(s) : kept_single(s));
    const int widest = wide ? 2 : 4;
    c.cuthill_mckee = line.cuthill_mckee;
    c.options.window = line.window;
    c.options.renumbered = c.options.sorted = renumber;
    if (line.threshold > 0)
        c.options.threshold =
            static_cast<std::int32_t>(std::max<long>(1, std::lround(line.threshold * length.mean)));
    c.options.narrow = true;
    c.options.pack = line.half_packs ? widest / 2 : widest;
    c.options.long_first = line.long_first;
    c.block = line.block;
    c.flight = line.flight;
    c.ahead = line.ahead;
    c.distance = line.distance;
    return c;
}

Choice choose(const Csr& a, Precision precision, bool renumber)
{
    return choose(row_lengths(a), a.rows(), precision, renumber && a.rows() == a.columns);
}

} // namespace tawara::sparse
