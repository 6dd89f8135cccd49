// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/region_error.hpp"

#include <string_view>

namespace tawara::simulation {
namespace {

/// Behind the place, which every text of a step in tissue has.
std::string with_region(std::string text, const std::string& region)
{
    constexpr std::string_view place_ends = ") mm";
    const auto at = text.find(place_ends);
    if (at != std::string::npos)
        text.insert(at + place_ends.size(), ", " + region);
    return text;
}

} // namespace

RegionError::RegionError(const NumericsError& at, const std::string& region_)
    : NumericsError(at), region(region_), text_(with_region(at.what(), region_))
{
}

std::string region_of(const Tissue& t, std::int64_t unknown)
{
    const auto u = static_cast<std::size_t>(unknown);
    if (unknown < 0 || u >= t.region_of_unknown.size())
        return {};
    const auto r = static_cast<std::size_t>(t.region_of_unknown[u]);
    if (r >= t.patches.regions.size())
        return {};
    if (const auto& name = t.patches.regions[r].name; !name.empty())
        return "region '" + name + "'";
    if (r >= t.patches.origin.size())
        return {};
    return "region /tissue/regions/" + std::to_string(t.patches.origin[r]);
}

void fail_in_region(const NumericsError& at, const Tissue& t)
{
    const auto u = static_cast<std::size_t>(at.unknown);
    const auto& places = t.problem.position_mm;
    // a node of the Purkinje network has a number of its own, and no region
    const bool in_tissue = u < places.size() && places[u] == at.position_mm;
    const auto region = in_tissue ? region_of(t, at.unknown) : std::string();
    if (region.empty())
        throw; // as it was thrown
    throw RegionError(at, region);
}

} // namespace tawara::simulation
