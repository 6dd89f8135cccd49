// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/whole_file.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"

#include <cerrno>
#include <cstring>
#include <ext/stdio_filebuf.h>
#include <fcntl.h>
#include <unistd.h>

namespace tawara {

namespace fs = std::filesystem;

namespace {

/// What a symbolic link to nothing is, as a message has it; empty: it leads somewhere, or is none.
std::string link_to_nothing(const fs::path& link)
{
    std::error_code none, why;
    if (!fs::is_symlink(link, none) || fs::exists(link, why))
        return {};
    const auto to = followed(link);
    if (fs::is_symlink(to, none))
        return "is a symbolic link that leads in a circle";
    if (why)
        return "is a symbolic link to " + to.string() + ", which cannot be reached (" +
               why.message() + ")";
    return "is a symbolic link to nothing: there is no " + to.string();
}

/// Why files could not be written into the folder of a path, or that folder itself; empty: they
/// could. The folder need not exist yet.
std::string in_the_way(const fs::path& folder, const fs::path& path)
{
    std::error_code none;
    fs::path there = folder.empty() ? fs::path(".") : folder;
    while (!fs::exists(there, none) && !fs::is_symlink(there, none) && there.has_relative_path())
        there = there.has_parent_path() ? there.parent_path() : fs::path(".");
    const auto named = there == path ? std::string() : there.string() + " ";
    if (const auto link = link_to_nothing(there); !link.empty())
        return named + link + "; choose another folder";
    if (!fs::is_directory(there, none))
        return named + "is a file, not a folder; choose another folder";
    const int refused = ::access(there.c_str(), W_OK | X_OK) != 0 ? errno : refusal_of_files(there);
    if (refused == 0)
        return {};
    const std::string why = std::string("cannot be written: ") + std::strerror(refused);
    return why +
           (there == folder || folder.empty()
                ? ""
                : " in " + (there == "." ? "the working folder" : there.string())) +
           "; choose another folder";
}

} // namespace

void write_whole_by_path(const fs::path& path, const std::function<void(const fs::path&)>& writer)
{
    PartFile part(path);
    writer(part.path());
    part.commit();
}

void write_part(const PartFile& part, const std::function<void(std::ostream&)>& binary_writer)
{
    constexpr std::size_t buffer = 1 << 16;
    const auto& path = part.target();
    errno = 0;
    // the file that the part holds open; its path is not asked again
    __gnu_cxx::stdio_filebuf<char> file(fcntl(part.fd(), F_DUPFD_CLOEXEC, 0),
                                        std::ios::out | std::ios::binary, buffer);
    std::ostream out(&file);
    if (!file.is_open())
        throw InputError(path.string(), std::string("cannot be written: ") + std::strerror(errno));
    binary_writer(out);
    if (file.close() == nullptr || !out)
        throw InputError(path.string(), std::string("writing failed: ") +
                                            std::strerror(errno ? errno : EIO) +
                                            "; is the disk full?");
}

void write_whole(const fs::path& path, const std::function<void(std::ostream&)>& binary_writer)
{
    PartFile part(path);
    write_part(part, binary_writer);
    part.commit();
}

void need_writable_folder(const fs::path& folder)
{
    if (const auto why = in_the_way(folder, folder); !why.empty())
        throw InputError(folder.string(), why);
}

void need_writable_file(const fs::path& file)
{
    std::error_code none;
    if (fs::is_directory(file, none))
        throw InputError(file.string(), "is a folder; give the name of a file");
    if (fs::exists(file, none) && !fs::is_regular_file(file, none))
        throw InputError(file.string(), "is a device or a pipe, not a file; give another name");
    const auto real = followed(file); // it is made there
    if (fs::is_symlink(real, none))
        throw InputError(file.string(), link_to_nothing(file) + "; give another name");
    if (const auto folder = real.parent_path();
        real != file && !folder.empty() && !fs::exists(folder, none))
        throw InputError(file.string(), "is a symbolic link to nothing: there is no folder " +
                                            folder.string() + "; give another name");
    if (const auto why = in_the_way(real.parent_path(), real); !why.empty())
        throw InputError(real.string(), why);
}

} // namespace tawara
