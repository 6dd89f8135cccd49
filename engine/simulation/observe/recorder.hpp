// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/dyad_recording.hpp"
#include "engine/simulation/observe/dyad_watch.hpp"
#include "engine/simulation/observe/network_frame.hpp"
#include "engine/simulation/simulation.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace tawara::simulation {

/// Records the display field of a running simulation, one frame every so many steps, and with each
/// its Purkinje network and the cell whose dyads are watched.
/// @thread  newest() from any, the rest from the thread that takes the steps
class Recorder final : public Observer
{
  public:
    /// @param failed  called with a sentence when recording ended because a frame could not be kept
    explicit Recorder(std::function<void(std::string)> failed) : failed_(std::move(failed)) {}

    /// Of another simulation, which outlives it; what was recorded of the one before is let go.
    /// @param cell  whose cell is recorded, too; it outlives the simulation, or is null
    void begin(Simulation& s, std::size_t values_per_frame, DyadWatch* cell);
    /// The simulation's Purkinje network, whose V is recorded, too; null: it has none. A recording
    /// that is under way keeps the one that it began with: it has none of the other's values.
    void set_network(std::shared_ptr<const NetworkShape> network) { network_ = std::move(network); }
    /// A new recording, from here on. @throws InputError as Recording()
    void start(const RecordingOptions& o);
    void stop() { every_ = 0; }
    bool recording() const { return every_ > 0; }
    /// A frame of this moment, whether one is due or not; nothing unless recording.
    void record();
    /// The watched cell of this moment, since it is another one.
    void record_cell();
    /// The recording under way or the last one; null before the first.
    std::shared_ptr<Recording> newest() const;

    std::int64_t due_after(std::int64_t step) const override { return next_multiple(step, every_); }
    void observe(Moment&) override { record(); }

  private:
    Simulation* simulation_ = nullptr;
    std::function<void(std::string)> failed_;
    DyadWatch* cell_ = nullptr;
    std::shared_ptr<DyadRecordings> cells_; ///< of recording_
    std::shared_ptr<const NetworkShape> network_;
    std::vector<float> recorded_points_; ///< of the recording's network; as many in each frame
    std::size_t values_ = 0;
    std::int64_t every_ = 0; ///< steps; 0: not recording
    mutable std::mutex mutex_;
    std::shared_ptr<Recording> recording_;
};

} // namespace tawara::simulation
