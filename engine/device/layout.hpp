// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

namespace tawara::device {

/// A back end's order of the unknowns: clusters of neighbours, each cell group in one contiguous
/// range that starts at a multiple of `block`, in it the cells of each type together. Gaps are
/// filled with slots that hold no unknown (old_of = -1). What is not stepped lies behind: the
/// unknowns without cells, which share the first slot of a last block, or the unknowns that another
/// process steps (TissueProblem::elsewhere), each in a slot of its own.
struct Layout
{
    static constexpr std::int64_t block = 64;
    std::vector<std::int32_t> old_of;     ///< [slots] unknown of each slot, or -1
    std::vector<std::int32_t> new_of;     ///< [unknowns] slot of each unknown
    std::vector<std::int64_t> begin, end; ///< slots of each group; begin a multiple of block
    std::size_t stepped = 0;              ///< slots before those that are not stepped
    std::size_t slots() const { return old_of.size(); }
};
Layout make_layout(const TissueProblem& p);

} // namespace tawara::device
