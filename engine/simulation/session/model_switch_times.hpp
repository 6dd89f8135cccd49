// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tawara::simulation {

/// When cells under probes began anew with another model while V went on [ms, ascending], by
/// Trace::probe.
using ModelSwitchTimes = std::map<std::uint64_t, std::vector<double>>;

inline std::span<const double> switch_times_of(const ModelSwitchTimes& all, std::uint64_t probe)
{
    const auto at = all.find(probe);
    return at == all.end() ? std::span<const double>() : std::span<const double>(at->second);
}

} // namespace tawara::simulation
