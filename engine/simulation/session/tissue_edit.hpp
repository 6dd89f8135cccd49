// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// A change of the tissue while a run went on.
struct TissueEdit
{
    double time_ms = 0; ///< the tissue is as it is since then
    std::string what;   ///< "drug Dofetilide given"; what of the tissue is another
    bool operator==(const TissueEdit&) const = default;
};

/// What of a tissue is another, in words: "drug Dofetilide given, region Scar added"; three at
/// most, then how many more. Empty where both are the same.
std::string tissue_difference(std::span<const Region> regions_before,
                              std::span<const Drug> drugs_before, std::span<const Region> regions,
                              std::span<const Drug> drugs);

/// How many of the changes a time comes after: beats with the same number ran with the same tissue,
/// but for those that a change fell into.
/// @pre  edits in order of time
std::size_t edits_until(std::span<const TissueEdit> edits, double time_ms);

/// What several changes were, each kind of them once: "drug Dofetilide changed, region Scar added".
std::string what_of(std::span<const TissueEdit> edits);

} // namespace tawara::simulation
