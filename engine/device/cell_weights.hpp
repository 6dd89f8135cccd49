// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

#include <cstdint>
#include <vector>

namespace tawara::device {

/// About how long the cells of each unknown take beside a compiled model's, by the numbers of their
/// states, at least 1; lessened where the sum would pass 2^30. Empty: all alike.
std::vector<std::int32_t> cell_weights(const TissueProblem& p);

} // namespace tawara::device
