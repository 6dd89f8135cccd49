// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench newton: implicit finite elements beside explicit ones.
#pragma once
#include "engine/cli/command.hpp"

namespace tawara::cli {

/// Declares the command.
void declare_newton_bench(const Declaration& d, CLI::App& bench);

} // namespace tawara::cli
