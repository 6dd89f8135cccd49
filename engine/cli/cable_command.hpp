// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench cable: batches of systems on trees beside ceilings of the same run.
#pragma once
#include "engine/cli/command.hpp"

namespace tawara::cli {

struct TreeArguments
{
    /// Names of stand-ins, "stand-ins" (all of them), or "chain:N".
    std::vector<std::string> trees{"stand-ins"};
    std::vector<long> systems{256, 2560, 25600};
    std::string out; ///< a file for the result as JSON; empty: none

    void declare(CLI::App& app);
};

/// @throws InputError for what is no tree, or a batch that memory has no room for
void measure_trees(Context& c, const TreeArguments& a, const DeviceArguments& device);

} // namespace tawara::cli
