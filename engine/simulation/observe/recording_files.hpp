// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

// The files under a recording: one folder, locked while its program lives, a file per level in it.
namespace tawara::simulation {

/// A folder of its own below `parent` with a locked file beside it (NAME.lock), so that another
/// process can tell whether its owner still runs. Both go with this object.
class OwnFolder
{
  public:
    /// @throws InputError when it cannot be made
    explicit OwnFolder(const std::filesystem::path& parent);
    ~OwnFolder();
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_, lock_;
    int fd_ = -1;
};

/// A file that grows at its end and is read anywhere; removed with this object.
/// @thread read() from any thread while another appends
class GrowingFile
{
  public:
    /// @throws InputError when it cannot be made
    explicit GrowingFile(std::filesystem::path path);
    ~GrowingFile();
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    /// @return where it begins. @throws InputError  when it could not be written whole; the file
    /// then
    ///         ends where it ended before
    std::uint64_t append(std::string_view bytes);
    /// @throws Error when the file does not hold so much
    std::string read(std::uint64_t offset, std::size_t size) const;
    std::uint64_t size() const { return size_; } ///< of what was appended; of the appending thread

  private:
    std::filesystem::path path_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

} // namespace tawara::simulation
