// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>

namespace tawara {

/// Keeps other programs that ask for it too from writing into a folder meanwhile. Nothing is left
/// in the folder, and the system takes the lock back when the program ends, however it does.
class FolderLock
{
  public:
    FolderLock() = default;
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    /// Takes it; nothing happens where the folder is not there, is held already by this object, or
    /// is on a file system that knows no locks.
    /// @throws InputError when another holds it
    void take(const std::filesystem::path& folder);

  private:
    int fd_ = -1;
};

} // namespace tawara
