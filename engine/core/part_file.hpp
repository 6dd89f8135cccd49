// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>

namespace tawara {

/// A file in the making: its content goes to a temporary name with the same extension in the same
/// folder until commit() renames it; without that nothing is left behind. For writers that cannot
/// be one call of write_whole().
class PartFile
{
  public:
    /// Makes missing parent folders; follows a symbolic link. @throws InputError when a folder
    /// cannot be made, or the target is neither a file nor nothing
    explicit PartFile(std::filesystem::path target);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::filesystem::path& path() const { return part_; }     ///< to be written to
    const std::filesystem::path& target() const { return target_; } ///< where it will be
    /// Flushes to disk and renames. @pre the file is closed. @throws InputError
    void commit();

  private:
    std::filesystem::path target_, part_;
};

} // namespace tawara
