// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/part_file.hpp"

#include "engine/core/error.hpp"

#include <atomic>
#include <fcntl.h>
#include <unistd.h>

namespace tawara {
namespace {

namespace fs = std::filesystem;

/// A name beside `path` that no other writer of this or another process uses.
fs::path temporary_beside(const fs::path& path)
{
    static std::atomic<unsigned> counter{0};
    return path.parent_path() / ("." + path.stem().string() + ".part-" + std::to_string(getpid()) +
                                 "-" + std::to_string(counter++) + path.extension().string());
}

void make_parent(const fs::path& path)
{
    std::error_code e;
    if (path.has_parent_path() && !fs::exists(path.parent_path()))
        fs::create_directories(path.parent_path(), e);
    if (e)
        throw InputError(path.string(), "cannot make the folder " + path.parent_path().string() +
                                            ": " + e.message() + "; choose another one");
}

void flush_to_disk(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
}

} // namespace

PartFile::PartFile(fs::path target)
{
    std::error_code none;
    constexpr int most_links = 40; // of links to links, as the kernel follows them
    for (int k = 0; k < most_links && fs::is_symlink(target, none); ++k) // the links stay
        target = target.parent_path() / fs::read_symlink(target);
    if (fs::exists(target, none) && !fs::is_regular_file(target, none) &&
        !fs::is_directory(target, none))
        throw InputError(target.string(), "is a device or a pipe, not a file; give another name");
    target_ = std::move(target);
    part_ = temporary_beside(target_);
    make_parent(target_);
}

PartFile::~PartFile()
{
    if (part_.empty())
        return;
    std::error_code ignored;
    fs::remove(part_, ignored);
}

void PartFile::commit()
{
    flush_to_disk(part_);
    std::error_code e;
    fs::rename(part_, target_, e);
    if (e)
        throw InputError(target_.string(), "cannot be written: " + e.message());
    part_.clear();
}

} // namespace tawara
