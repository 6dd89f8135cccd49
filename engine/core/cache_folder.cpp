// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/cache_folder.hpp"

#include <cstdlib>

namespace tawara {

std::filesystem::path cache_folder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && cache[0] == '/')
        return std::filesystem::path(cache) / "tawara";
    const char* home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/')
        return std::filesystem::path(home) / ".cache" / "tawara";
    return {};
}

} // namespace tawara
