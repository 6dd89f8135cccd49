// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/pulse_strength.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

double capturing_radius_mm(double mean_edge_mm)
{
    constexpr double edges = 2, steps_per_mm = 2, hair = 1e-9;
    const double wanted = std::ceil(steps_per_mm * edges * mean_edge_mm - hair) / steps_per_mm;
    return std::max(usual_radius_mm, wanted);
}

} // namespace tawara::simulation
