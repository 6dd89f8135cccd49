// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>

namespace tawara {

/// Where the program keeps what it could make again: $XDG_CACHE_HOME/tawara or ~/.cache/tawara;
/// empty where neither variable holds an absolute path.
/// @thread any
std::filesystem::path cache_folder();

/// Where the program keeps what it could not make again and nobody has saved:
/// $XDG_STATE_HOME/tawara or ~/.local/state/tawara; empty as above.
std::filesystem::path state_folder();

} // namespace tawara
