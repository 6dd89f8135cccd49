// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/output_folder.hpp"

#include <filesystem>
#include <string>

namespace tawara {

/// A file in the making: its content goes to a temporary name with the same extension in the same
/// folder until commit() renames it; without that nothing is left behind. For writers that cannot
/// be one call of write_whole().
///
/// The temporary file is made here, under a name that nobody can know before, through no link, and
/// it is locked while this object lives: what a killed program left is told by the lock that it no
/// longer holds, and removed when the next one writes there (sweep_parts()).
class PartFile
{
  public:
    /// Makes missing parent folders. Follows a symbolic link to its target, for whoever named the
    /// file means that one; below an OutputFolder the link is replaced.
    /// @throws InputError when a folder or the file cannot be made, or the target is neither a file
    /// nor nothing
    explicit PartFile(const std::filesystem::path& target);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::filesystem::path& path() const { return part_; }     ///< to be written to
    const std::filesystem::path& target() const { return target_; } ///< where it will be
    int fd() const { return file_.fd(); } ///< of the temporary file, open for writing
    /// Flushes file and folder to disk, with the name changed between. @pre what was written
    /// through path() is closed. @throws InputError
    void commit();

  private:
    void make();
    void remove() noexcept; ///< the part, where there is one

    std::filesystem::path target_, part_;
    FilePlace place_;
    std::string name_; ///< of the part; empty after commit()
    FolderHandle file_;
};

/// Why no file can be made in a folder that is there, as errno has it; 0: one was made, and
/// is gone. Permissions alone do not tell it: in /proc, and on disks of other machines, they may
/// lie.
int refusal_of_files(const std::filesystem::path& folder);

/// Where a symbolic link leads, be it to what is not there; a link where that is a circle. Any
/// other path is given back.
std::filesystem::path followed(std::filesystem::path target);

/// Whether a name is that of a PartFile's temporary file. @param stem  of its target; empty: of any
bool is_part_name(const std::string& name, const std::string& stem = {});
/// Whether it is that of a file of this name.
bool is_part_of(const std::string& name, const std::filesystem::path& target);

} // namespace tawara
