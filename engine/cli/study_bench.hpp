// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench study: runs of a study, so many at once.
#pragma once
#include "engine/cli/command.hpp"

namespace tawara::cli {

/// Declares the command.
void declare_study_bench(const Declaration& d, CLI::App& bench);

} // namespace tawara::cli
