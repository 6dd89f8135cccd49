// SPDX-License-Identifier: GPL-3.0-or-later
// The resistance at which a junction conducts with a wanted delay.
#pragma once
#include "engine/cable/network/part.hpp"
#include "engine/core/progress.hpp"
#include "engine/device/problem.hpp"

#include <span>
#include <vector>

namespace tawara::simulation {

/// What a search has found.
struct FoundResistance
{
    double kOhm = 0;
    double delay_ms = 0; ///< median over the junctions that were tried and conduct
    double least_ms = 0, most_ms = 0;
    int junctions = 0;           ///< that were tried
    int blocked = 0;             ///< of these
    double blocks_from_kOhm = 0; ///< the smallest that was seen to block; 0: none was
};

/// Searches around some junctions of a mesh for the resistance that gives the median delay: from
/// the threshold's crossing by the network's end to that of the tissue's mean at the junction. Each
/// is tried alone: a straight cable of the network's kind, 12 mm long and stimulated at its start,
/// ends in the tissue around the junction: within 8 mm, but no more than 4000 unknowns, cut out
/// without flow through its border. The delay rises with the resistance up to a block, so that
/// halving the interval of its logarithm finds it. A fifth of the junctions may block.
/// @throws InputError where no resistance conducts, or none so late (names the latest delay)
/// @cost  about 15 runs of 60 ms for each of at most 9 junctions
FoundResistance search_resistance(const device::TissueProblem& p, const device::Ports& ports,
                                  const cable::NetworkDescription& network,
                                  std::span<const Vec3> places_mm, double wanted_ms,
                                  const std::string& file, const Progress& progress);

} // namespace tawara::simulation
