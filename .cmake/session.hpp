// SPDX-License-Identifier: GPL-3.0-or-later
// What most files about simulations read, compiled once (tawara_precompiled).
#pragma once
#include ".cmake/standard.hpp"

#include "engine/simulation/session/session.hpp"

#include <nlohmann/json.hpp>
