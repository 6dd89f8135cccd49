// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tawara {

/// A folder that is open: an owned file descriptor; -1: none.
class FolderHandle
{
  public:
    explicit FolderHandle(int fd = -1) : fd_(fd) {}
    ~FolderHandle();
    FolderHandle(FolderHandle&& other) noexcept;
    FolderHandle& operator=(FolderHandle&& other) noexcept;
    int fd() const { return fd_; }

  private:
    int fd_;
};

/// Where a file lies or will lie: its folder, opened, and its name there.
struct FilePlace
{
    FolderHandle folder;
    std::string name;
    bool guarded = false; ///< below an OutputFolder: no link is followed
    bool swept = false;   ///< below one that has removed what killed writers left
};

/// @param make  missing folders are made
/// @throws InputError  at the path, when its folder cannot be opened or made; below an OutputFolder
///                     also where a folder on the way is a symbolic link
FilePlace place_of(const std::filesystem::path& file, bool make);

/// A folder that results are written into. It is opened once: while this object lives, every path
/// below it, however it is written, means the folder that was opened, whatever becomes of the path
/// meanwhile. No symbolic link below it is followed: one in the place of a subfolder is refused,
/// one under the name of a file is replaced by the file.
/// @thread any; several may be open
class OutputFolder
{
  public:
    OutputFolder() = default;
    /// Makes it where it is missing, and removes what killed writers left in it (sweep_parts()).
    /// @param spared  what was being written of a file of this name stays; empty: nothing
    /// @throws InputError
    explicit OutputFolder(const std::filesystem::path& folder,
                          const std::filesystem::path& spared = {});
    /// One that others write into as well: temporary files that their killed writers left stay,
    /// since a run that goes on there may need them.
    static OutputFolder among_others(const std::filesystem::path& folder);
    ~OutputFolder();
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&& other) noexcept;

    bool is_open() const { return id_ != 0; }
    int swept() const { return swept_; } ///< files that were removed then

  private:
    void open(const FolderHandle& opened, const std::filesystem::path& folder, bool swept);

    int swept_ = 0;
    std::size_t id_ = 0;
};

/// Whether something has that name, be it a link that leads nowhere.
bool is_taken(const std::filesystem::path& file);
/// A regular file, and no link to one.
bool is_plain_file(const std::filesystem::path& file);
/// Its content; nothing where it is no plain file, is longer than that, or cannot be read.
std::optional<std::string> read_plain_file(const std::filesystem::path& file, std::size_t longest);
/// Removes a plain file; leaves what is none.
/// @return false: there was none @throws InputError when it cannot be removed
bool remove_plain_file(const std::filesystem::path& file);

/// Removes what writers that were killed left in a folder (PartFile), of those that no program is
/// writing any more. @param stem  of these files alone; empty: of all. @param spared  what was
/// being written of a file of this name stays; empty: nothing. @return how many
int sweep_parts(const FolderHandle& folder, const std::string& stem = {},
                const std::filesystem::path& spared = {});
/// Their names, of one file in the folder that it lies in; they stay.
std::vector<std::string> left_parts(const std::filesystem::path& file);

} // namespace tawara
