// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tawara {

/// Makes a folder and those above it that are missing, for this user alone.
/// @return 0, or why one could not be made, as errno has it
int make_own_folders(const std::filesystem::path& folder);

/// Why others could have put something into a folder, or another folder in its place: it is a
/// symbolic link or no folder, it is not this user's, others may write there, the folder above is
/// another user's (root aside) or lets others rename what it holds, or a link on the way there is
/// another user's (root aside) or lies where others could replace it. Empty: nobody could.
std::string distrust_of(const std::filesystem::path& folder);

/// A folder of files that the program could make again and that it takes as its own: a file that
/// another user could have put or changed there is none of them.
class KeptFiles
{
  public:
    /// Makes the folder, for this user alone, where it is missing.
    /// @param extension   of the files, with its dot; others in the folder are left alone
    /// @param most_bytes  of all of them together
    KeptFiles(std::filesystem::path folder, std::string extension, std::uintmax_t most_bytes);

    /// Why nothing is kept in the folder: it could not be made, is another user's, or others may
    /// write there. Empty: it can be used.
    const std::string& distrust() const { return distrust_; }

    std::filesystem::path file(std::string_view name) const;
    /// Whether a file is there that only this user can have written; marks it as wanted now.
    bool has(std::string_view name) const;
    /// Its content; nothing where has() says no.
    std::optional<std::string> content(std::string_view name) const;
    /// After a file was written: nobody else may write on it, whatever the mask of new files is.
    void take_from_others(std::string_view name) const;
    /// Takes away what was not wanted for the longest time until there is room for so many bytes.
    /// False where there never is.
    bool make_room(std::uintmax_t bytes) const;

  private:
    std::filesystem::path folder_;
    std::string extension_, distrust_;
    std::uintmax_t most_bytes_;
};

} // namespace tawara
