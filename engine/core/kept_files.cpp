// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/kept_files.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tawara {
namespace {

namespace fs = std::filesystem;

constexpr mode_t of_others = S_IWGRP | S_IWOTH;

/// Why nothing can be kept in a folder, which is made where it is missing; empty: it can.
std::string refusal_of(const fs::path& folder)
{
    if (const int e = make_own_folders(folder); e != 0)
        return "the folder " + folder.string() + " cannot be made: " + std::strerror(e);
    return distrust_of(folder);
}

} // namespace

int make_own_folders(const fs::path& folder)
{
    if (folder.empty() || ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST)
        return 0;
    if (errno != ENOENT)
        return errno;
    if (const int e = make_own_folders(folder.parent_path()); e != 0)
        return e;
    return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST ? 0 : errno;
}

std::string distrust_of(const fs::path& folder)
{
    struct stat s = {}, above = {};
    if (::lstat(folder.c_str(), &s) != 0)
        return folder.string() + " is no folder";
    if (S_ISLNK(s.st_mode))
        return folder.string() + " is a symbolic link";
    if (!S_ISDIR(s.st_mode))
        return folder.string() + " is no folder";
    if (s.st_uid != ::geteuid())
        return "the folder " + folder.string() + " belongs to another user";
    if ((s.st_mode & of_others) != 0)
        return "others may write in the folder " + folder.string() +
               " (take that from them: chmod go-w)";
    const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    if (::stat(parent.c_str(), &above) != 0)
        return parent.string() + " cannot be looked at: " + std::strerror(errno);
    if (above.st_uid != ::geteuid() && above.st_uid != 0)
        return "another user may replace the folder " + folder.string() + ": " + parent.string() +
               " belongs to that user";
    if ((above.st_mode & of_others) != 0 && (above.st_mode & S_ISVTX) == 0)
        return "others may replace the folder " + folder.string() + ": they may write in " +
               parent.string();
    return {};
}

KeptFiles::KeptFiles(fs::path folder, std::string extension, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), extension_(std::move(extension)), distrust_(refusal_of(folder_)),
      most_bytes_(most_bytes)
{
}

fs::path KeptFiles::file(std::string_view name) const
{
    return folder_ / (std::string(name) + extension_);
}

bool KeptFiles::has(std::string_view name) const
{
    struct stat s = {};
    const auto path = file(name);
    if (!distrust_.empty() || ::lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode) ||
        s.st_uid != ::geteuid() || (s.st_mode & of_others) != 0)
        return false;
    std::error_code none;
    fs::last_write_time(path, fs::file_time_type::clock::now(), none);
    return true;
}

std::optional<std::string> KeptFiles::content(std::string_view name) const
{
    if (!has(name))
        return {};
    try {
        return file_content(file(name), most_bytes_);
    } catch (const InputError&) {
        return {};
    }
}

void KeptFiles::take_from_others(std::string_view name) const
{
    std::error_code none;
    fs::permissions(file(name), fs::perms::owner_read | fs::perms::owner_write, none);
}

bool KeptFiles::make_room(std::uintmax_t bytes) const
{
    if (!distrust_.empty() || bytes > most_bytes_)
        return false;
    struct Kept
    {
        fs::path file;
        fs::file_time_type wanted;
        std::uintmax_t bytes;
    };
    std::vector<Kept> all;
    std::uintmax_t sum = 0;
    std::error_code e;
    for (fs::directory_iterator entry(folder_, e), end; !e && entry != end; entry.increment(e)) {
        const auto path = entry->path();
        if (path.extension() != extension_ || path.filename().string().starts_with('.'))
            continue; // none of them, or one that a program is writing
        std::error_code gone;
        const auto size = entry->file_size(gone);
        const auto wanted = gone ? fs::file_time_type() : entry->last_write_time(gone);
        if (gone)
            continue; // another program has just taken it away
        all.push_back({path, wanted, size});
        sum += size;
    }
    std::sort(all.begin(), all.end(),
              [](const Kept& a, const Kept& b) { return a.wanted < b.wanted; });
    for (const auto& k : all) {
        if (sum + bytes <= most_bytes_)
            break;
        fs::remove(k.file, e);
        sum -= k.bytes;
    }
    return true;
}

} // namespace tawara
