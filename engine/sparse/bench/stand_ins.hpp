// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-ins for matrices of the collection that sparse products are measured with (T. Davis, Y. Hu;
// S. Williams and others 2009): as many rows and entries, row lengths from the same least to the
// same most with the same mean (table 2 of Wong, Kuhl and Darve 2015), and entries placed in the
// manner of their field.
#pragma once
#include "engine/sparse/csr.hpp"

#include <span>
#include <string_view>

namespace tawara::sparse {

struct StandIn
{
    std::string_view name;
    std::int64_t entries, rows;
    std::int32_t least, most;
    /// How rows and columns look.
    enum class Kind {
        elements, ///< finite elements: `block` unknowns a node alike, nodes near each other
        lattice,  ///< the same neighbours at each point of a periodic grid
        grid,     ///< four neighbours on a plane
        network   ///< most entries near, some anywhere, few rows of very many
    } kind;
    int block;          ///< unknowns that have the same columns
    std::int32_t reach; ///< how far near columns lie, about
    double anywhere;    ///< share of entries that lie anywhere
    double spread;      ///< of the logarithm of row lengths
};

std::span<const StandIn> stand_ins();
/// The stand-in of that name, or null.
const StandIn* stand_in(std::string_view name);

/// The same matrix each time; values in [-1, 1).
/// @cost  O(entries log(longest row))
Csr make_stand_in(const StandIn& s);

} // namespace tawara::sparse
