// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recording_files.hpp"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
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

/// Whether the path still names the file that is open (nobody has removed it in between).
bool same_file(int fd, const fs::path& path)
{
    struct stat open_file
    {
    }, named{};
    return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/// Whether a folder is this user's.
bool is_own(const fs::path& folder)
{
    struct stat s
    {
    };
    return ::stat(folder.c_str(), &s) == 0 && s.st_uid == ::geteuid();
}

} // namespace

OwnFolder::OwnFolder(const fs::path& parent)
{
    static std::atomic<unsigned> counter{0};
    std::error_code e;
    fs::create_directories(parent, e);
    if (e)
        throw InputError(parent.string(), "recordings cannot be kept there: " + e.message() +
                                              "; set XDG_CACHE_HOME to a folder with space");
    if (!is_own(parent)) // who could put other frames there, or links
        throw InputError(parent.string(), "recordings cannot be kept there: the folder belongs to "
                                          "another user; set XDG_CACHE_HOME to one of your own");
    for (int attempt = 0; attempt < 100; ++attempt) {
        path_ = parent / (std::to_string(getpid()) + "-" + std::to_string(counter++));
        lock_ = path_.string() + ".lock";
        fd_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd_ < 0) {
            if (errno == EEXIST)
                continue; // of a process that had this number before
            throw InputError(parent.string(), std::string("recordings cannot be kept there: ") +
                                                  std::strerror(errno) +
                                                  "; set XDG_CACHE_HOME to a folder with space");
        }
        if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 && same_file(fd_, lock_) &&
            fs::create_directory(path_, e))
            return;
        ::close(fd_);
        fs::remove(lock_, e);
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
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
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
    if (!is_own(folder))
        return 0;
    for (const auto& entry : fs::directory_iterator(folder, e)) {
        if (entry.path().extension() != ".lock")
            continue;
        const int fd = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && same_file(fd, entry.path())) {
            auto data = entry.path();
            std::error_code ignored;
            fs::remove_all(data.replace_extension(), ignored);
            fs::remove(entry.path(), ignored);
            ++removed;
        }
        ::close(fd);
    }
    return removed;
}

} // namespace tawara::simulation
