// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/live/live_precision.hpp"

#include <algorithm>

namespace tawara::simulation {

Precision live_precision(const device::TissueProblem& p)
{
    if (device::needs_solver(p) || p.stepping == device::Stepping::newton)
        return Precision::double_;
    const bool measured = std::all_of(p.groups.begin(), p.groups.end(), [](const auto& g) {
        return !g.reaction && g.types.front().model == "ten_tusscher_2006";
    });
    return measured ? Precision::single : Precision::double_;
}

} // namespace tawara::simulation
