// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/run_picture.hpp"
#include "engine/simulation/run/run_state.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

/// RunOptions::picture.
void Run::draw(std::span<const double> activation_ms, const std::filesystem::path& file)
{
    const auto& tissue = simulation_.tissue();
    const bool activated = std::any_of(activation_ms.begin(), activation_ms.end(),
                                       [](double a) { return !std::isnan(a); });
    if (activated && options_.picture == RunOptions::Picture::activation)
        write_run_picture(tissue, pictured_activation(activation_ms), provenance(), file);
    else
        write_run_picture(tissue, pictured_potential(Moment(simulation_).potential()), provenance(),
                          file);
}

} // namespace tawara::simulation
