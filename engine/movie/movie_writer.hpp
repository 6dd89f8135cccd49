// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tawara::movie {

struct MovieOptions
{
    int width = 1280, height = 720; ///< pixels; even
    double frames_per_second = 30;
    int quality = 75;         ///< 0 (small) to 100 (as good as the codec goes)
    std::string title;        ///< kept in the file
    std::string provenance{}; ///< its comment; empty: program_provenance()
};

/// Writes a movie frame by frame: .mp4 with H.264, .webm with VP9, by the file's extension. The
/// file appears whole when finish() returns, or not at all.
///
/// Colours are BT.709 in the video range, chroma at half the resolution, as players expect.
///
/// @thread one thread at a time
/// @cost   encoding works on all cores; about 10 ms per 1280 x 720 frame of H.264 on two
class MovieWriter
{
  public:
    /// @throws InputError  for another extension, an odd or impossible size, a file that cannot be
    ///                     written, or when FFmpeg was built without the encoder
    MovieWriter(const std::filesystem::path& file, const MovieOptions& options);
    ~MovieWriter(); ///< without finish(): leaves nothing behind
    MovieWriter(const MovieWriter&) = delete;
    MovieWriter& operator=(const MovieWriter&) = delete;

    /// What MovieOptions::provenance says, told later. @pre no frame was added yet
    void set_provenance(std::string text);
    /// Adds a frame; alpha is not looked at.
    /// @param rgba            rows from the top, 4 bytes a pixel
    /// @param bytes_per_row   at least 4 * width
    /// @throws InputError     when the disk is full
    void add(std::span<const std::uint8_t> rgba, std::size_t bytes_per_row);
    /// Ends the file and gives it its name. @throws InputError; without frames: "no frames"
    void finish();
    std::int64_t frames() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Extensions that can be written here and now, with their dots; ".mp4" first.
std::vector<std::string> movie_extensions();

} // namespace tawara::movie
