// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/live/live_precision.hpp"

#include "engine/cell/model.hpp"

#include <algorithm>

namespace tawara::simulation {

Precision live_precision(const device::TissueProblem& p)
{
    if (device::needs_solver(p) || p.stepping == Stepping::newton)
        return Precision::double_;
    const auto known = cell::model_names();
    const bool measured = std::all_of(p.groups.begin(), p.groups.end(), [&](const auto& g) {
        return !g.reaction && std::binary_search(known.begin(), known.end(), g.types.front().model);
    });
    return measured ? Precision::single : Precision::double_;
}

} // namespace tawara::simulation
