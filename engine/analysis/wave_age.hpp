// SPDX-License-Identifier: GPL-3.0-or-later
// Since when the waves of a tissue run on: what tells re-entry from a source that fires again.
#pragma once
#include "engine/analysis/reentry.hpp"

#include <cstdint>
#include <span>

namespace tawara::analysis {

/// Neighbours of each place: k in [first[p], first[p+1]) of `place`.
struct Neighbours
{
    std::span<const std::int64_t> first;
    std::span<const std::int32_t> place;
};

/// The share of the volume that was activated within the last cycle by waves that have run since
/// before a time. A wave is followed from place to place: it came to a place from the neighbour
/// that was activated last before it, within half a cycle and half of the time since the place
/// itself was activated; where there was none, from a neighbour's neighbour. An activation that
/// came from nowhere begins a new wave. Re-entry's waves never begin anew; those of a source do
/// with each of its beats.
/// @param of  their activations in any order
/// @param n   of those places
/// @cost      that of sorting the activations, and a few ns for each and each of its neighbours
double share_of_old_waves(const ActivatedPlaces& of, const Neighbours& n, double cycle_ms,
                          double before_ms);

} // namespace tawara::analysis
