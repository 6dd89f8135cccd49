// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/whole_file.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace tawara {

namespace fs = std::filesystem;

void write_whole_by_path(const fs::path& path, const std::function<void(const fs::path&)>& writer)
{
    PartFile part(path);
    writer(part.path());
    part.commit();
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

void need_writable_folder(const fs::path& folder)
{
    std::error_code none;
    fs::path there = folder.empty() ? fs::path(".") : folder;
    while (!fs::exists(there, none) && there.has_relative_path())
        there = there.has_parent_path() ? there.parent_path() : fs::path(".");
    if (!fs::is_directory(there, none))
        throw InputError(folder.string(), (there == folder ? "" : there.string() + " ") +
                                              "is a file, not a folder; choose another folder");
    if (::access(there.c_str(), W_OK | X_OK) != 0)
        throw InputError(folder.string(), std::string("cannot be written: ") +
                                              std::strerror(errno) + "; choose another folder");
}

void need_writable_file(const fs::path& file)
{
    std::error_code none;
    if (fs::is_directory(file, none))
        throw InputError(file.string(), "is a folder; give the name of a file");
    if (fs::exists(file, none) && !fs::is_regular_file(file, none))
        throw InputError(file.string(), "is a device or a pipe, not a file; give another name");
    need_writable_folder(file.parent_path());
}

} // namespace tawara
