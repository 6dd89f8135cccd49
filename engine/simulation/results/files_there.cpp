// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/files_there.hpp"

#include "engine/core/output_folder.hpp"

namespace tawara::simulation {

namespace fs = std::filesystem;

/// @param folder  relative to folder_; empty: itself
const FilesThere::Names& FilesThere::names_in(const std::string& folder)
{
    const auto [at, fresh] = names_.try_emplace(folder);
    if (!fresh)
        return at->second;
    auto& names = at->second.emplace();
    const auto place = folder_ / folder;
    std::error_code error;
    if (!folder.empty() && fs::symlink_status(place, error).type() != fs::file_type::directory)
        return at->second;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error))
        names.insert(entry->path().filename().string());
    if (error && error != std::errc::no_such_file_or_directory &&
        error != std::errc::not_a_directory)
        at->second.reset(); // it may be entered, though, and its files asked for
    return at->second;
}

bool FilesThere::has(const std::string& name)
{
    std::string folder;
    for (const auto& part : fs::path(name).lexically_normal()) {
        if (part == ".")
            continue;
        if (const auto& names = names_in(folder); names && !names->contains(part.native()))
            return false;
        folder += (folder.empty() ? "" : "/") + part.native();
    }
    return is_plain_file(folder_ / name);
}

} // namespace tawara::simulation
