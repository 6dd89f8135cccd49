// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/part_file.hpp"

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace tawara::simulation {

/// Of IgbWriter's files: the frames are behind it.
constexpr std::size_t igb_header_bytes = 1024;

/// Writes a CARP .igb file: a quantity at vertices over evenly spaced times.
///
/// The format: a header of 1024 bytes, "key:value" words in lines that end with CR LF, filled up
/// with blanks, its last byte a form feed; then t frames of x single-precision numbers, little
/// endian. Keys: x vertices, y and z 1, t frames, org_t the first time, dim_t the time from the
/// first frame to the last, unites_t and unites the units, aut the program ("_" stands for a
/// blank), facteur 1 and zero 0 (the value is
/// facteur * stored + zero).
///
/// Until the file is finished its header says t:0, dim_t is the time between two frames, and `run`
/// says which run writes it: frames that are whole in what a killed run left can be gone on from.
class IgbWriter
{
  public:
    /// @param unit  of the values, e.g. "mV"
    /// @param run   a word that tells the run that writes it from others; empty: nobody goes on
    ///              from what is not finished
    IgbWriter(const std::filesystem::path& file, std::size_t values, double start_ms,
              double every_ms, std::string unit, std::string run = {});
    /// Begins with the frames of an earlier file that lead up to this one's first: of as many
    /// values, evenly spaced, without a gap. One that was not finished must be of the same run.
    /// Call it before add().
    /// @return false: that file is none of these, or cannot be read; nothing was taken
    /// @throws InputError when the disk is full
    bool go_on_from(const std::filesystem::path& earlier);
    /// @pre as many values as the constructor was told. @throws InputError when the disk is full:
    /// the frames before can be finished
    void add(std::span<const float> frame);
    /// Ends the file and gives it its name. @throws InputError; without frames: "no frames"
    void finish();
    std::int64_t frames() const { return frames_; }

  private:
    std::string header(std::int64_t frames) const;
    std::uintmax_t bytes(std::int64_t frames) const; ///< of a file
    void check() const;

    PartFile part_;
    std::ofstream out_;
    std::size_t values_;
    double start_ms_, every_ms_;
    std::string unit_, run_;
    std::int64_t frames_ = 0;
};

} // namespace tawara::simulation
