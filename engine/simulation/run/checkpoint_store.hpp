// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/checkpoint.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tawara::simulation {

/// Writes a run's checkpoints beside its steps, and of the periodic ones keeps the newest so many.
/// One that was written because the run was stopped there stays: no later one takes its place.
///
/// One is packed and written while the run goes on; a second waits for it, so that there are never
/// more than two in memory. One that cannot be written takes nothing else along: the older ones
/// stay, later ones are tried.
/// @thread one thread gives them; they are written on a thread of the store's own
class CheckpointStore
{
  public:
    /// @param keep      of the periodic ones; 0: all
    /// @param every_ms  between these; 0: there are none
    CheckpointStore(std::filesystem::path folder, std::size_t keep, double every_ms);
    ~CheckpointStore(); ///< waits for the one that is being written
    CheckpointStore(const CheckpointStore&) = delete;
    CheckpointStore& operator=(const CheckpointStore&) = delete;

    /// Periodic ones of the same run that lie there already count among the kept, in the order of
    /// their times; `from`, which the run goes on from, is never removed.
    void go_on(const std::filesystem::path& from, double time_ms);
    /// Waits until one more may be made: at most one is being written then.
    void room();
    /// @pre room()
    void put(Checkpoint c, double time_ms);
    /// Waits until all are written.
    void flush();

    /// The newest that is whole on disk; empty: none.
    std::filesystem::path newest() const;
    std::size_t failed() const; ///< how many could not be written
    /// Why the first could not, once; empty: all were, or it was told before.
    std::string take_failure();

  private:
    void work(const std::stop_token& stop);
    void write(const Checkpoint& c, double time_ms);
    bool is_periodic(double time_ms) const;

    const std::filesystem::path folder_;
    const std::size_t keep_;
    const double every_ms_;
    std::filesystem::path from_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<std::pair<Checkpoint, double>> waiting_; ///< with its time [ms]
    bool busy_ = false, told_ = false;
    std::deque<std::filesystem::path> kept_; ///< periodic ones, the oldest first
    std::filesystem::path newest_;
    std::size_t failed_ = 0;
    std::exception_ptr failure_; ///< of the first
    std::jthread thread_;        // last: ends before the rest goes
};

} // namespace tawara::simulation
