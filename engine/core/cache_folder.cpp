// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/cache_folder.hpp"

#include <cstdlib>

namespace tawara {
namespace {

std::filesystem::path folder_of(const char* variable, const char* in_home)
{
    const char* named = std::getenv(variable);
    if (named != nullptr && named[0] == '/')
        return std::filesystem::path(named) / "tawara";
    const char* home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/')
        return std::filesystem::path(home) / in_home / "tawara";
    return {};
}

} // namespace

std::filesystem::path cache_folder()
{
    return folder_of("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path state_folder()
{
    return folder_of("XDG_STATE_HOME", ".local/state");
}

} // namespace tawara
