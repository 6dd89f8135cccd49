// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of unknowns in which those that read each other lie near each other: what products gain
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

/// Compact clusters in compact clusters: unknowns are gathered breadth first, along the order given
/// by reverse Cuthill-McKee, into clusters of 65536, within these of 4096, within these of `least`.
/// What few consecutive rows read together is less than in a breadth-first order, but some of it
/// lies farther away.
/// @return as cuthill_mckee()
/// @cost   four times cuthill_mckee()'s passes over the entries; one thread
std::vector<std::int32_t> nested_clusters(const Csr& a, std::int32_t least = 256);

} // namespace tawara::sparse
