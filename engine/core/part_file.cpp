// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/part_file.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tawara {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".part-";
constexpr std::size_t digits = 16;     // of the random number in a name
constexpr std::size_t most_stem = 180; // names have 255 bytes at most

/// Of the same stem, an extension that writers know the format by, and a number that nobody knows.
std::string temporary_name(const fs::path& name)
{
    std::random_device random;
    char number[digits + 1];
    std::snprintf(number, sizeof number, "%08x%08x", static_cast<unsigned>(random()),
                  static_cast<unsigned>(random()));
    return "." + name.stem().string().substr(0, most_stem) + std::string(mark) + number +
           name.extension().string();
}

void flush(int fd, const fs::path& target)
{
    if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != EBADF)
        throw InputError(target.string(), std::string("writing failed: ") + std::strerror(errno) +
                                              "; is the disk full?");
}

} // namespace

fs::path followed(fs::path target)
{
    std::error_code none;
    constexpr int most_links = 40; // of links to links, as the kernel follows them
    for (int k = 0; k < most_links && fs::is_symlink(target, none); ++k) // the links stay
        target = target.parent_path() / fs::read_symlink(target, none);
    return target;
}

int refusal_of_files(const fs::path& folder)
{
    const FolderHandle nameless(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    if (nameless.fd() >= 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) // else not known there
        return errno;
    constexpr int most_tries = 100;
    for (int k = 0; k < most_tries; ++k) {
        const auto name = folder / temporary_name("trial");
        const FolderHandle file(openat(AT_FDCWD, name.c_str(),
                                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (file.fd() < 0 && errno == EEXIST)
            continue; // another program's
        if (file.fd() < 0)
            return errno;
        unlinkat(AT_FDCWD, name.c_str(), 0);
        return 0;
    }
    return EEXIST;
}

bool is_part_name(const std::string& name, const std::string& stem)
{
    const auto at = name.rfind(mark);
    if (name.empty() || name[0] != '.' || at == std::string::npos || at < 2)
        return false;
    if (!stem.empty() && name.compare(1, at - 1, stem.substr(0, most_stem)) != 0)
        return false;
    const auto number = name.substr(at + mark.size(), digits);
    const auto after = at + mark.size() + digits;
    return number.size() == digits && (after == name.size() || name[after] == '.') &&
           number.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_part_of(const std::string& name, const fs::path& target)
{
    return is_part_name(name, target.stem().string()) &&
           fs::path(name).extension() == target.extension();
}

PartFile::PartFile(const fs::path& target) : target_(target), place_(place_of(target, true))
{
    if (!place_.guarded)
        if (auto real = followed(target); real != target) {
            target_ = std::move(real);
            place_ = place_of(target_, true);
        }
    struct stat s
    {
    };
    if (fstatat(place_.folder.fd(), place_.name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISDIR(s.st_mode))
            throw InputError(target_.string(), "cannot be written: it is a folder");
        if (!S_ISREG(s.st_mode) && !S_ISLNK(s.st_mode))
            throw InputError(target_.string(),
                             "is a device or a pipe, not a file; give another name");
    }
    if (!place_.swept) // an OutputFolder has done it
        sweep_parts(place_.folder, fs::path(place_.name).stem().string());
    try {
        make();
    } catch (...) { // nothing else would remove what it has made
        remove();
        throw;
    }
}

void PartFile::make()
{
    constexpr int most_tries = 100;
    for (int k = 0; k < most_tries; ++k) {
        name_ = temporary_name(place_.name);
        file_ = FolderHandle(openat(place_.folder.fd(), name_.c_str(),
                                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (file_.fd() < 0 && errno == EEXIST) {
            name_.clear(); // another program's
            continue;
        }
        if (file_.fd() < 0) {
            const int why = errno;
            name_.clear();
            throw InputError(target_.string(), std::string("cannot be written: ") +
                                                   std::strerror(why) + "; choose another folder");
        }
        struct stat s
        {
        };
        const bool locked = flock(file_.fd(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        if (locked && fstat(file_.fd(), &s) == 0 && s.st_nlink > 0) // else swept before the lock
            break;
        unlinkat(place_.folder.fd(), name_.c_str(), 0);
    }
    part_ = target_.parent_path() / name_;
    if (place_.guarded) { // the folder that was opened, whatever lies at its path by now
        const auto opened = fs::path("/proc/self/fd") / std::to_string(place_.folder.fd()) / name_;
        if (access(opened.c_str(), F_OK) == 0)
            part_ = opened;
    }
}

PartFile::~PartFile()
{
    remove();
}

void PartFile::remove() noexcept
{
    if (!name_.empty())
        unlinkat(place_.folder.fd(), name_.c_str(), 0);
}

void PartFile::commit()
{
    const FolderHandle written(
        openat(place_.folder.fd(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (written.fd() < 0)
        throw InputError(target_.string(),
                         std::string("cannot be written: ") + std::strerror(errno));
    flush(written.fd(), target_);
    if (renameat(place_.folder.fd(), name_.c_str(), place_.folder.fd(), place_.name.c_str()) != 0)
        throw InputError(target_.string(),
                         std::string("cannot be written: ") + std::strerror(errno));
    name_.clear();
    flush(place_.folder.fd(), target_);
}

} // namespace tawara
