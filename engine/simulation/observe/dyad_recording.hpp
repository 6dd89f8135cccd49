// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/dyad_frame.hpp"
#include "engine/simulation/observe/recording.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tawara::simulation {

/// One cell's dyads over a time in which it was watched: their numbers in a Recording of its own,
/// what is known of the whole cell beside it.
///
/// Concentrations are kept to 0.3 % of their value (in the JSR to 1.2 uM), V to 0.06 mV, numbers of
/// open RyR exactly. What lies beyond 0.01 to 2000 uM (cleft), 0.005 to 1000 uM (subspace), 0.005
/// to 100 uM (myoplasm) and 5 mM (JSR) is kept as the end of that range.
///
/// @thread append() from one thread, the rest from any
class DyadRecording
{
  public:
    static constexpr std::size_t most_samples = 1 << 15; ///< before every second one is left out

    /// Of the cell of that frame, which is the first.
    /// @throws InputError as Recording()
    DyadRecording(const DyadFrame& first, const RecordingOptions& options);
    /// Whether a frame is of the same cell, with as many dyads.
    bool is_of(const DyadFrame& f) const;
    /// @pre    is_of(f)
    /// @throws InputError as Recording::append()
    /// @cost   a logarithm for each value: about 0.5 ms for 10 000 dyads
    void append(const DyadFrame& f);

    const calcium::Grid& grid() const { return like_.picture.grid; }
    double first_ms() const; ///< of what is there now
    double last_ms() const;
    /// The cell at the last frame at or before a time, with the transients and the sparks until
    /// then; the first frame where that is earlier. Null where there is none.
    /// @throws Error as Recording::at()
    std::shared_ptr<const DyadFrame> at(double time_ms) const;
    /// The same of a frame of frames().
    std::shared_ptr<const DyadFrame> cell_of(const RecordedFrame& f) const;
    /// Its pictures, to be made a movie of.
    const std::shared_ptr<Recording>& frames() const { return frames_; }

  private:
    DyadFrame like_; ///< cell, regions and grid, without values
    std::shared_ptr<Recording> frames_;
    mutable std::mutex mutex_; ///< of the next lines
    std::vector<DyadSample> samples_;
    std::shared_ptr<const SparkLog> sparks_;
};

/// The cells that were watched while a recording was made, each for as long as it was: the newest
/// most_cells of them. Each is kept in at most a sixteenth of the bytes that the recording may
/// have, so that all take a quarter of them beside it, and in most_samples samples in memory.
///
/// @thread append() from one thread, the rest from any
class DyadRecordings
{
  public:
    static constexpr std::size_t most_cells = 4;

    /// @param options  of the recording
    explicit DyadRecordings(RecordingOptions options) : options_(std::move(options)) {}
    /// The watched cell with a frame of the recording. A time that is not later than the newest one
    /// forgets what was recorded from then on. Never throws for a cell that cannot be kept: why()
    /// says it.
    void append(const DyadFrame& f);
    /// The run was set back to that time: cells that were chosen then or later are forgotten.
    void forget_from(double time_ms);

    /// The newest cell that was watched at a time; null where none was.
    std::shared_ptr<const DyadRecording> watched_at(double time_ms) const;
    /// That cell then, as DyadRecording::at().
    std::shared_ptr<const DyadFrame> at(double time_ms) const;
    /// The cell that was watched last; null where none was.
    std::shared_ptr<const DyadRecording> newest() const;
    std::uint64_t bytes() const; ///< of files and indices
    /// Why the newest cell is not recorded, or no longer; empty: it is.
    std::string why() const;

  private:
    RecordingOptions options_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<DyadRecording>> cells_; ///< by their beginnings
    std::string why_;
};

} // namespace tawara::simulation
