// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/check.hpp"
#include "engine/verify/problems/meshes.hpp"
#include "tests/diffusion/cube.hpp"

#include <random>

namespace tawara::testing {

using verify::shaken_box;
using verify::turning_tensors;

} // namespace tawara::testing
