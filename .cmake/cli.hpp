// SPDX-License-Identifier: GPL-3.0-or-later
// What commands of the command line read, compiled once (tawara_precompiled).
#pragma once
#include ".cmake/standard.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
