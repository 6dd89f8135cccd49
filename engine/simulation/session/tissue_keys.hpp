// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session_keys.hpp"

namespace tawara::simulation {

/// The rows of session_keys() whose pointers begin with "/tissue/".
std::span<const Key> tissue_keys();

} // namespace tawara::simulation
