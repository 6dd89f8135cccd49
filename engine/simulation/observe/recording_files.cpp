// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recording_files.hpp"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
#include "engine/core/kept_files.hpp"
#include "engine/simulation/observe/recording.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lock_extension = ".lock";

/// Whether the path still names the file that is open (nobody has removed it in between), and
/// through no link.
bool same_file(int fd, const fs::path& path)
{
    struct stat open_file
    {
    }, named{};
    return ::fstat(fd, &open_file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/// The name of a lock that an OwnFolder makes: PID-N.lock.
bool is_lock_name(const std::string& name)
{
    constexpr std::string_view digits = "0123456789";
    const auto dash = name.find_first_not_of(digits);
    if (dash == 0 || dash == std::string::npos || name[dash] != '-')
        return false;
    const auto end = name.find_first_not_of(digits, dash + 1);
    return end != std::string::npos && end > dash + 1 && name.substr(end) == lock_extension;
}

} // namespace

OwnFolder::OwnFolder(const fs::path& parent)
{
    static std::atomic<unsigned> counter{0};
    if (const int why = make_own_folders(parent); why != 0)
        throw InputError(parent.string(), std::string("recordings cannot be kept there: ") +
                                              std::strerror(why) +
                                              "; set XDG_CACHE_HOME to a folder with space");
    if (const auto why = distrust_of(parent); !why.empty()) // others' frames there, or links
        throw InputError(parent.string(), "recordings cannot be kept there: " + why +
                                              "; set XDG_CACHE_HOME to a folder of your own");
    for (int attempt = 0; attempt < 100; ++attempt) {
        path_ = parent / (std::to_string(getpid()) + "-" + std::to_string(counter++));
        lock_ = path_.string() + std::string(lock_extension);
        fd_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd_ < 0) {
            if (errno == EEXIST)
                continue; // of a process that had this number before
            throw InputError(parent.string(), std::string("recordings cannot be kept there: ") +
                                                  std::strerror(errno) +
                                                  "; set XDG_CACHE_HOME to a folder with space");
        }
        if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 && same_file(fd_, lock_) &&
            ::mkdir(path_.c_str(), S_IRWXU) == 0)
            return;
        ::close(fd_);
        ::unlink(lock_.c_str());
    }
    throw InputError(parent.string(), "no folder for a recording could be made there");
}

OwnFolder::~OwnFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    fs::remove(lock_, ignored);
    ::close(fd_);
}

GrowingFile::GrowingFile(fs::path path) : path_(std::move(path))
{
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd_ < 0)
        throw InputError(path_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

GrowingFile::~GrowingFile()
{
    ::close(fd_);
    ::unlink(path_.c_str());
}

std::uint64_t GrowingFile::append(std::string_view bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto n = ::pwrite(fd_, bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(size_ + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int why = errno;
            [[maybe_unused]] const int cut = ::ftruncate(fd_, static_cast<off_t>(size_));
            throw InputError(path_.parent_path().string(),
                             std::string("the recording cannot be written on: ") +
                                 std::strerror(why) +
                                 "; make room there or lower the recording's bound");
        }
        done += static_cast<std::size_t>(n);
    }
    const auto at = size_;
    size_ += bytes.size();
    return at;
}

std::string GrowingFile::read(std::uint64_t offset, std::size_t size) const
{
    std::string out(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const auto n =
            ::pread(fd_, out.data() + done, size - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            throw Error(path_.string() + ": a recorded frame is missing: the file was cut");
        done += static_cast<std::size_t>(n);
    }
    return out;
}

fs::path recording_folder()
{
    const fs::path cache = cache_folder();
    if (!cache.empty())
        return cache / "recordings";
    // beside those of other users who have no folder of their own either
    return fs::temp_directory_path() / ("tawara-" + std::to_string(::geteuid())) / "recordings";
}

int remove_orphaned_recordings(const fs::path& folder)
{
    int removed = 0;
    std::error_code e;
    if (!distrust_of(folder).empty())
        return 0; // another's files may lie there
    for (const auto& entry : fs::directory_iterator(folder, e)) {
        if (!is_lock_name(entry.path().filename().string()))
            continue;
        const int fd = ::open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && same_file(fd, entry.path())) {
            auto data = entry.path();
            std::error_code ignored;
            fs::remove_all(data.replace_extension(), ignored); // of a link the link alone
            fs::remove(entry.path(), ignored);
            ++removed;
        }
        ::close(fd);
    }
    return removed;
}

} // namespace tawara::simulation
