// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/folder_lock.hpp"

#include "engine/core/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tawara {

FolderLock::~FolderLock()
{
    if (fd_ >= 0)
        close(fd_);
}

void FolderLock::take(const std::filesystem::path& folder)
{
    if (fd_ >= 0)
        return;
    fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return;
    close(fd_);
    fd_ = -1;
    throw InputError(folder.string(), "another run is writing into this folder; give another by "
                                      "--out, or wait for its end");
}

} // namespace tawara
