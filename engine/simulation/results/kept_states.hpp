// SPDX-License-Identifier: GPL-3.0-or-later
// What windows keep of their documents beside what users save: sessions with their edits, and the
// states that runs had reached.
#pragma once
#include "engine/core/folder_lock.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tawara::simulation {

/// How names of KeptState::mesh begin.
inline constexpr const char* kept_mesh = "mesh-";

/// A document and the state of its run, kept at one moment. Its files lie in one folder under
/// numbers: 12.session.json, 12.state.tcp where a run had begun, and 12.kept.json, which is written
/// last and says that the others are whole.
struct KeptState
{
    std::filesystem::path folder;
    std::int64_t number = 0; ///< the greater the newer, in its folder
    std::string title;       ///< of the document, for people
    std::string file;        ///< that the document was opened from or saved in; empty: none
    std::string reason;      ///< why it was kept, for people: "every 5 minutes"
    double time_ms = 0;      ///< simulated
    std::chrono::system_clock::time_point saved{};
    bool has_state = false;
    std::string
        mesh; ///< a mesh that is in no file of the user's, by its name in `folder`; or empty

    std::filesystem::path session() const; ///< its file
    std::filesystem::path state() const;   ///< the checkpoint; there where has_state
    std::filesystem::path told() const;    ///< what write_kept() writes
};

/// Writes what is said of a state whose files are there, whole or not at all. @throws InputError
void write_kept(const KeptState& s);

/// All states of a folder, the newest first.
/// @param damaged  gets a line for each that cannot be read: which file, and what is wrong
std::vector<KeptState> read_kept(const std::filesystem::path& folder,
                                 std::vector<std::string>* damaged = nullptr);

/// Removes the files of a state.
void remove_kept(const KeptState& s);

class LeftFolder;

/// The folder of one window, for this user alone (mode 0700), locked while this object lives: so
/// windows do not mix, and what a program left that was killed is told by its lock.
/// @thread one at a time
class KeptFolder
{
  public:
    /// Makes one of a name that nobody has below `all`, which is made where it is missing.
    /// @throws InputError  where it cannot be made, or others may write there
    explicit KeptFolder(const std::filesystem::path& all);
    const std::filesystem::path& path() const { return path_; }
    /// Removes older ones until there are at most so many, which take at most so many bytes
    /// together. The newest stays, and the newest with a state, and the one of that number. Meshes
    /// that none of them has go as well.
    void keep_newest(std::size_t count, std::uintmax_t most_bytes, std::int64_t stays = -1) const;
    /// The end of a window that was closed: removes the folder and all in it.
    void remove();

  private:
    friend class LeftFolder;
    friend std::vector<LeftFolder> left_folders(const std::filesystem::path& all);
    KeptFolder() = default;
    std::filesystem::path path_;
    std::unique_ptr<FolderLock> lock_ = std::make_unique<FolderLock>();
};

/// A folder that a window has left which was not closed, held by this program from now on.
class LeftFolder
{
  public:
    const std::filesystem::path& path() const { return held_.path_; }
    /// The newest first.
    const std::vector<KeptState>& states() const { return states_; }
    /// Of those that cannot be read.
    const std::vector<std::string>& damaged() const { return damaged_; }
    void remove() { held_.remove(); }

  private:
    friend std::vector<LeftFolder> left_folders(const std::filesystem::path& all);
    KeptFolder held_;
    std::vector<KeptState> states_;
    std::vector<std::string> damaged_;
};

/// Those below `all` that no program holds, the newest first; empty ones are removed on the way. Of
/// another machine's windows, which may share the home folder, nothing is known: theirs are left
/// alone.
std::vector<LeftFolder> left_folders(const std::filesystem::path& all);

} // namespace tawara::simulation
