// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/output_folder.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tawara {
namespace {

namespace fs = std::filesystem;

struct Opened
{
    std::size_t id;
    fs::path path; ///< absolute, normal
    int fd;
    bool swept;
};

struct Registry
{
    std::mutex mutex;
    std::size_t next = 1;
    std::vector<Opened> list;
};

Registry& registry()
{
    static Registry r;
    return r;
}

fs::path normal(const fs::path& path)
{
    std::error_code none;
    auto p = fs::absolute(path.empty() ? fs::path(".") : path, none).lexically_normal();
    return p.has_filename() ? p : p.parent_path(); // without a slash at its end
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw InputError(path.string(), why);
}

constexpr const char* folder_link =
    "is a symbolic link; results are written into no folder but the "
    "one named; remove the link, or choose another folder";

int open_folder(int at, const char* path, int more)
{
    const int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | more);
    // one that may be written to and not be listed
    return fd < 0 && errno == EACCES ? openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC | more)
                                     : fd;
}

/// An open folder, and a path as it is from there.
struct Above
{
    FolderHandle folder;
    fs::path below;
    bool swept;
};

/// The innermost open folder that a path lies below.
std::optional<Above> open_above(const fs::path& folder)
{
    auto& r = registry();
    const std::lock_guard hold(r.mutex);
    const Opened* best = nullptr;
    for (const auto& o : r.list) {
        const auto [end, unused] =
            std::mismatch(o.path.begin(), o.path.end(), folder.begin(), folder.end());
        if (end == o.path.end() &&
            (best == nullptr || o.path.native().size() >= best->path.native().size()))
            best = &o;
    }
    if (best == nullptr)
        return {};
    return Above{FolderHandle(fcntl(best->fd, F_DUPFD_CLOEXEC, 0)),
                 folder.lexically_relative(best->path), best->swept};
}

/// From an open folder down, through no link.
FolderHandle open_below(FolderHandle at, const fs::path& relative, const fs::path& file, bool make)
{
    for (const auto& part : relative) {
        if (part == "." || part.empty())
            continue;
        if (make && mkdirat(at.fd(), part.c_str(), 0777) != 0 && errno != EEXIST)
            refuse(file, std::string("cannot make the folder ") + part.string() + ": " +
                             std::strerror(errno));
        FolderHandle next(open_folder(at.fd(), part.c_str(), O_NOFOLLOW));
        if (next.fd() < 0) {
            const int why = errno;
            struct stat s
            {
            };
            if (fstatat(at.fd(), part.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(s.st_mode))
                refuse(file.parent_path(), folder_link);
            refuse(file, std::string("cannot be reached: ") + std::strerror(why));
        }
        at = std::move(next);
    }
    return at;
}

/// Calls `use` with the name of each part that a killed writer left in a folder, if the name is
/// `wanted`. The part is locked meanwhile. Parts whose names are not wanted are not locked.
template <class Wanted, class Use>
void each_left_part(const FolderHandle& folder, Wanted&& wanted, Use&& use)
{
    const int copy = openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* list = copy >= 0 ? fdopendir(copy) : nullptr;
    if (list == nullptr) {
        if (copy >= 0)
            close(copy);
        return;
    }
    while (const dirent* entry = readdir(list)) {
        if (!wanted(entry->d_name))
            continue;
        const FolderHandle part(
            openat(folder.fd(), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat s
        {
        };
        if (part.fd() >= 0 && fstat(part.fd(), &s) == 0 && S_ISREG(s.st_mode) &&
            flock(part.fd(), LOCK_EX | LOCK_NB) == 0) // whoever wrote it has ended
            use(entry->d_name);
    }
    closedir(list);
}

bool stat_of(const fs::path& file, struct stat& s)
{
    try {
        const auto place = place_of(file, false);
        return fstatat(place.folder.fd(), place.name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0;
    } catch (const InputError&) { // nor is its folder there
        return false;
    }
}

} // namespace

FolderHandle::~FolderHandle()
{
    if (fd_ >= 0)
        close(fd_);
}

FolderHandle::FolderHandle(FolderHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderHandle& FolderHandle::operator=(FolderHandle&& other) noexcept
{
    std::swap(fd_, other.fd_);
    return *this;
}

FilePlace place_of(const fs::path& file, bool make)
{
    const auto folder = normal(file.parent_path());
    FilePlace out{FolderHandle(), file.filename().string()};
    if (auto above = open_above(folder)) {
        out.folder = open_below(std::move(above->folder), above->below, file, make);
        out.guarded = true;
        out.swept = above->swept;
        return out;
    }
    std::error_code e;
    if (make && !fs::exists(folder, e))
        fs::create_directories(folder, e);
    if (e)
        refuse(file, "cannot make the folder " + file.parent_path().string() + ": " + e.message() +
                         "; choose another one");
    out.folder = FolderHandle(open_folder(AT_FDCWD, folder.c_str(), 0));
    if (out.folder.fd() < 0)
        refuse(file, std::string("cannot be written: ") + std::strerror(errno) +
                         "; choose another folder");
    return out;
}

OutputFolder::OutputFolder(const fs::path& folder, const fs::path& spared)
{
    auto place = place_of(folder / "x", true);
    swept_ = sweep_parts(place.folder, {}, spared);
    open(place.folder, folder, true);
}

OutputFolder OutputFolder::among_others(const fs::path& folder)
{
    OutputFolder out;
    out.open(place_of(folder / "x", true).folder, folder, false);
    return out;
}

void OutputFolder::open(const FolderHandle& opened, const fs::path& folder, bool swept)
{
    auto& r = registry();
    const std::lock_guard hold(r.mutex);
    r.list.push_back({r.next, normal(folder), fcntl(opened.fd(), F_DUPFD_CLOEXEC, 0), swept});
    id_ = r.next++;
}

OutputFolder::~OutputFolder()
{
    if (id_ == 0)
        return;
    auto& r = registry();
    const std::lock_guard hold(r.mutex);
    std::erase_if(r.list, [&](const Opened& o) {
        if (o.id == id_)
            close(o.fd);
        return o.id == id_;
    });
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : swept_(other.swept_), id_(std::exchange(other.id_, 0))
{
}

OutputFolder& OutputFolder::operator=(OutputFolder&& other) noexcept
{
    std::swap(id_, other.id_);
    std::swap(swept_, other.swept_);
    return *this;
}

bool is_taken(const fs::path& file)
{
    struct stat s
    {
    };
    return stat_of(file, s);
}

bool is_plain_file(const fs::path& file)
{
    struct stat s
    {
    };
    return stat_of(file, s) && S_ISREG(s.st_mode);
}

std::optional<std::string> read_plain_file(const fs::path& file, std::size_t longest)
{
    try {
        const auto place = place_of(file, false);
        const FolderHandle in(openat(place.folder.fd(), place.name.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat s
        {
        };
        if (in.fd() < 0 || fstat(in.fd(), &s) != 0 || !S_ISREG(s.st_mode) ||
            static_cast<std::uint64_t>(s.st_size) > longest)
            return {};
        std::string text(static_cast<std::size_t>(s.st_size), '\0');
        for (std::size_t at = 0; at < text.size();) {
            const auto n = read(in.fd(), text.data() + at, text.size() - at);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return {};
            at += static_cast<std::size_t>(n);
        }
        return text;
    } catch (const InputError&) {
        return {};
    }
}

bool remove_plain_file(const fs::path& file)
{
    if (!is_plain_file(file))
        return false;
    const auto place = place_of(file, false);
    if (unlinkat(place.folder.fd(), place.name.c_str(), 0) != 0 && errno != ENOENT)
        refuse(file, std::string("cannot be removed: ") + std::strerror(errno));
    return true;
}

int sweep_parts(const FolderHandle& folder, const std::string& stem, const fs::path& spared)
{
    int swept = 0;
    each_left_part(
        folder,
        [&](const char* name) {
            return is_part_name(name, stem) && (spared.empty() || !is_part_of(name, spared));
        },
        [&](const char* name) { swept += unlinkat(folder.fd(), name, 0) == 0; });
    return swept;
}

std::vector<std::string> left_parts(const fs::path& file)
{
    std::vector<std::string> out;
    try {
        each_left_part(
            place_of(file, false).folder, [&](const char* name) { return is_part_of(name, file); },
            [&](const char* name) { out.emplace_back(name); });
    } catch (const InputError&) { // nor is its folder there
    }
    return out;
}

} // namespace tawara
