// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace tawara::simulation {

class DyadRecordings; // dyad_recording.hpp

struct RecordingOptions
{
    std::uint64_t run = 0; ///< of the Scene whose surface vertices are recorded
    double every_ms = 1;   ///< simulated time between frames, as the caller appends them
    std::uint64_t max_bytes = 1ull
                              << 30;   ///< bound of files and index; at least room for a few frames
    int bits = 12;                     ///< of a stored value, 8 to 16; see Recording::step_mV()
    float low_mV = -100, high_mV = 60; ///< what is outside is stored as "below" or "above"
    std::filesystem::path folder;      ///< empty: recording_folder()
    std::size_t network_values = 0;    ///< of a Purkinje network, behind the surface's in a frame
    std::uint64_t network = 0;         ///< which one that is: PurkinjeNetwork::made
};

/// One frame as it was stored; V [mV] per surface vertex, within step_mV() / 2 of what was appended
/// where that lay in [low_mV, high_mV]; low_mV or high_mV where it lay outside, NaN where it was
/// NaN.
struct RecordedFrame
{
    std::size_t index = 0;
    double time_ms = 0;
    std::vector<float> values;
    std::vector<float> network; ///< V [mV] of NetworkShape's points, likewise
    std::int64_t clamped = 0;   ///< how many lay outside or were NaN
};

/// Frames of the potential in compressed, temporary files of bounded size.
///
/// Values are quantised and stored as differences from an earlier frame: frame n from frame n with
/// its lowest set bit cleared, so that no frame depends on one of a finer level (level: trailing
/// zero bits of n) and any frame is at most 5 frames away from a complete one. There is one file
/// per level. When the files would grow over max_bytes, the finest level's file is removed: every
/// second frame of the whole recording is gone, and from then on every second appended frame is
/// kept.
///
/// The files lie in a folder of their own that is removed at the end; remove_orphaned_recordings()
/// removes those that a killed program left.
///
/// @thread append() and clear() from one thread; everything else from any, at any time
class Recording
{
  public:
    /// @throws InputError  when the folder cannot be made or an option makes no sense
    Recording(std::size_t values_per_frame, RecordingOptions options);
    ~Recording(); ///< ends the worker, removes the files
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Takes a frame (and copies it): compressed and written by a worker of the recording's own,
    /// visible to readers soon after. A frame whose time is not later than the newest one's forgets
    /// all frames from that time on (the simulation was set back).
    /// @pre    as many values as the constructor was told, and options.network_values behind them
    /// @throws InputError  when writing failed before (disk full); the frames so far stay readable
    /// @cost   quantisation, about 1 ns per value; waits only when the worker is several frames
    /// behind
    void append(double time_ms, std::span<const float> values);
    /// Waits until all that was appended is stored. @throws InputError as append()
    void flush();
    /// Forgets all frames.
    void clear();

    std::size_t frame_count() const;
    double
    time_of(std::size_t k) const; ///< [ms]; of the nearest frame there is, 0 where there is none
    std::vector<double> times() const; ///< of all frames, rising
    /// Frame k of those that are there now, or null where there is none.
    /// @throws Error  when the file was damaged; other frames may be readable
    /// @cost   up to 5 reads and decompressions, one where a neighbour was read before: about
    ///         a millisecond per 100 thousand values
    std::shared_ptr<const RecordedFrame> frame(std::size_t k) const;
    /// The last frame at or before a time; the first where that is earlier. Null where there is
    /// none. Indices change when the recording thins out; times do not.
    std::shared_ptr<const RecordedFrame> at(double time_ms) const;

    std::uint64_t run() const;
    std::size_t values_per_frame() const; ///< of the surface
    std::uint64_t network() const;        ///< that is recorded with it; 0: none is
    std::uint64_t bytes() const;          ///< of files and index now
    std::uint64_t max_bytes() const;
    double every_ms() const; ///< between frames now: doubles whenever the recording thins out
    int thinned() const;     ///< how often every second frame was dropped
    double step_mV() const;  ///< of the quantisation; the error is at most half of it
    const std::filesystem::path& folder() const; ///< of this recording's files

    /// The cells that are watched meanwhile are recorded there.
    /// @pre  before anybody else has the recording
    void keep_cells(std::shared_ptr<const DyadRecordings> cells);
    /// Null where nobody records them.
    const std::shared_ptr<const DyadRecordings>& cells() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Where recordings lie: tawara/recordings in $XDG_CACHE_HOME or ~/.cache, else in the folder for
/// temporary files.
std::filesystem::path recording_folder();

/// Removes what programs that are no longer running left there; returns how many recordings.
int remove_orphaned_recordings(const std::filesystem::path& folder = recording_folder());

} // namespace tawara::simulation
