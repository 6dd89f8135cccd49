// SPDX-License-Identifier: GPL-3.0-or-later
// An order of unknowns in which those that read each other lie near each other: what products gain
// from caches, and 16-bit columns from warps that reach little way.
#pragma once
#include "engine/sparse/csr.hpp"

#include <cstdint>
#include <vector>

namespace tawara::sparse {

/// Reverse Cuthill-McKee (E. Cuthill, J. McKee 1969; A. George 1971): breadth first from an unknown
/// far outside, neighbours of few neighbours first, and all turned round. Pieces that are not
/// connected follow each other. Of a matrix whose pattern is not symmetric, rows' entries alone are
/// followed.
/// @return of each new number the old one, for renumbered()
/// @pre    a square matrix
/// @cost   O(entries log(longest row)); one thread
std::vector<std::int32_t> cuthill_mckee(const Csr& a);

} // namespace tawara::sparse
