// SPDX-License-Identifier: GPL-3.0-or-later
// Purkinje networks as values: a tree in space and what its parts are called.
#pragma once
#include "engine/cable/morphology.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cable {

/// What Morphology::kind says of a piece of a Purkinje network. other: nobody said.
enum class Fascicle : std::int32_t {
    other,
    his,
    left_bundle,
    anterior,
    septal,
    posterior,
    right_bundle,
    moderator_band,
    right_septal,
    right_free_wall
};
inline constexpr int fascicles = 10;
/// "left_bundle", as sessions write it.
std::string_view name(Fascicle f);
/// The names, in their order.
std::span<const std::string_view> fascicle_names();

// Where it says so below, a network may be several trees: a point behind the first is a root where
// its parent is -1.

/// Stretches of trees without a fork and of one kind, which a user may name by number.
struct Branches
{
    std::vector<std::int32_t> of;     ///< [points] of the piece that leads to it
    std::vector<std::int32_t> parent; ///< [branches] the one that it comes from; -1: the root's
    std::vector<double> length_mm;    ///< [branches]
    std::size_t count() const { return parent.size(); }
};
/// Branches are numbered in the order of their first points. Of several trees, too.
Branches branches_of(const Morphology& m);

/// Points without a child, in their order; a tree of one point has none. Of several trees, too.
std::vector<std::int32_t> ends_of(const Morphology& m);

/// The length of the piece that leads to a point; 0 of the root. [mm]
double piece_mm(const Morphology& m, std::size_t point);

/// Which pieces belong to branches that are named, of several trees, too: of each point whether the
/// piece to it is cut.
/// @param cut  names of fascicles, or numbers of branches
/// @throws InputError naming the file and `where` and the entry's number for what is neither
std::vector<char> pieces_cut(const Morphology& m, std::span<const std::string> cut,
                             const std::string& file, const std::string& where);

} // namespace tawara::cable
