// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/whole_file.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

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

} // namespace tawara
