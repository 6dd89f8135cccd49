// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

#include <cstdint>
#include <vector>

namespace tawara::device {

/// About how long the cells of each unknown take beside a compiled model's, by the numbers of their
/// states, at least 1; lessened where the sum would pass 2^30. Empty: all alike.
std::vector<std::int32_t> cell_weights(const TissueProblem& p);

/// By what a tissue is given to devices: its unknowns, or where cells take longer than a compiled
/// model's, as many unknowns of such as take as long.
std::size_t weight_among_devices(const TissueProblem& p);

} // namespace tawara::device
