// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>

namespace tawara {

/// Where the program keeps what it could make again: $XDG_CACHE_HOME/tawara or ~/.cache/tawara;
/// empty where neither variable holds an absolute path.
/// @thread any
std::filesystem::path cache_folder();

} // namespace tawara
