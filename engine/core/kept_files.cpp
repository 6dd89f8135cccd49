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

bool may_be_trusted(uid_t user)
{
    return user == ::geteuid() || user == 0;
}

/// Why others could put something in the place of what a folder holds; empty: they could not.
/// @param what  "the folder NAME", "the link NAME"
std::string replaceable(const std::string& what, const fs::path& holder)
{
    struct stat s = {};
    if (::lstat(holder.c_str(), &s) != 0)
        return holder.string() + " cannot be looked at: " + std::strerror(errno);
    if (!may_be_trusted(s.st_uid))
        return "another user may replace " + what + ": " + holder.string() +
               " belongs to that user";
    if ((s.st_mode & of_others) != 0 && (s.st_mode & S_ISVTX) == 0)
        return "others may replace " + what + ": they may write in " + holder.string();
    return {};
}

/// Follows a path, also through links; these must be of this user or of root, who may have put
/// /home or /var elsewhere, and lie where others cannot replace them.
/// @param real  gets where the path leads, without links
/// @return why others could lead it elsewhere; empty: they could not
std::string followed_safely(const fs::path& path, fs::path& real)
{
    constexpr int most_links = 40; // as the kernel follows them
    std::error_code e;
    std::vector<fs::path> left; // the next part is the last
    const auto add = [&](const fs::path& to) {
        const std::vector<fs::path> parts(to.begin(), to.end());
        left.insert(left.end(), parts.rbegin(), parts.rend());
    };
    add(fs::absolute(path, e));
    for (int links = 0; !left.empty();) {
        const auto part = left.back();
        left.pop_back();
        if (part.empty() || part == ".")
            continue;
        const auto next = part == ".." ? real.parent_path() : real / part;
        struct stat s = {};
        if (::lstat(next.c_str(), &s) != 0)
            return next.string() + " cannot be looked at: " + std::strerror(errno);
        if (!S_ISLNK(s.st_mode)) {
            real = next;
            continue;
        }
        if (!may_be_trusted(s.st_uid))
            return "the symbolic link " + next.string() + " belongs to another user";
        if (auto why = replaceable("the link " + next.string(), real); !why.empty())
            return why;
        if (++links > most_links)
            return next.string() + " is a symbolic link that leads in a circle";
        add(fs::read_symlink(next, e));
        if (e)
            return next.string() + " cannot be followed: " + e.message();
    }
    return {};
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
    struct stat s = {};
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
    fs::path above;
    auto why = followed_safely(folder.has_parent_path() ? folder.parent_path() : ".", above);
    return why.empty() ? replaceable("the folder " + folder.string(), above) : why;
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
