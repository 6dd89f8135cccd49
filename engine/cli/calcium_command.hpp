// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench calcium: cells with stochastic dyads beside a ceiling of the same run.
#pragma once
#include "engine/cli/command.hpp"

#include <memory>

namespace tawara::cli {

/// Declares the command.
void declare_calcium_bench(const Declaration& d, CLI::App& bench);

} // namespace tawara::cli
