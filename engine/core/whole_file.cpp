// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/whole_file.hpp"

#include "engine/core/error.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
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
    const int fd = ::open(path.c_str(), O_RDONLY);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
}

} // namespace

void write_whole_by_path(const fs::path& path, const std::function<void(const fs::path&)>& writer)
{
    make_parent(path);
    const fs::path part = temporary_beside(path);
    try {
        writer(part);
    } catch (...) {
        std::error_code ignored;
        fs::remove(part, ignored);
        throw;
    }
    flush_to_disk(part);
    std::error_code e;
    fs::rename(part, path, e);
    if (e) {
        std::error_code ignored;
        fs::remove(part, ignored);
        throw InputError(path.string(), "cannot be written: " + e.message());
    }
}

void write_whole(const fs::path& path, const std::function<void(std::ostream&)>& binary_writer)
{
    write_whole_by_path(path, [&](const fs::path& part) {
        errno = 0;
        std::ofstream out(part, std::ios::binary);
        if (!out)
            throw InputError(path.string(), std::string("cannot be written: ") +
                                                std::strerror(errno) + "; choose another folder");
        binary_writer(out);
        out.close();
        if (!out)
            throw InputError(path.string(), std::string("writing failed: ") +
                                                std::strerror(errno ? errno : EIO) +
                                                "; is the disk full?");
    });
}

} // namespace tawara
