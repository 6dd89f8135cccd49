// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/diffusion/shaken.hpp"

namespace tawara::testing {

using verify::steady_turning;

} // namespace tawara::testing
