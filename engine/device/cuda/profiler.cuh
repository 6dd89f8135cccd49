// SPDX-License-Identifier: GPL-3.0-or-later
// Times and hardware counters of a stepper's kernels.
#pragma once
#include "engine/device/cuda/counters.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tawara::device::cuda {

/// Kernels that are timed and counted together.
enum Family { f_diffusion, f_reaction, f_fused, f_moving, f_solver, f_currents, family_count };

/// Takes one step in many kernel by kernel, between two events each, so that times cost next to
/// nothing; and, where it is asked for, under the counters of the memory.
/// @thread that of the stepper
class Profiler
{
  public:
    /// @param every  one step in so many is timed; 0: none
    Profiler(std::size_t shards, std::int64_t every);

    /// Whether the step after so many is taken kernel by kernel.
    bool due(std::int64_t steps_done) const { return counters_ || steps_done >= next_; }
    /// Runs what enqueues a family's work on a shard's stream, and times or counts that work.
    void measured(Family f, std::size_t shard, StreamRef stream, const std::function<void()>& body);
    /// A step was taken kernel by kernel; sets when the next one is due.
    void step_taken(std::int64_t steps_done);
    /// Reads what was timed; every event must have happened.
    void read();
    /// @return mean time of a family's work in one step; 0 where nothing was timed
    double ms_per_step(std::size_t shard, Family f) const;

    /// From here to count_end() steps are counted, `ranges` pieces of work at most.
    /// @return why that cannot be; else empty
    std::string count_begin(int device, std::size_t ranges);
    /// @param steps  taken under the counters; 0: the counting failed and nothing is kept
    void count_end(std::int64_t steps);
    /// To and from the memory by a family's work in one step; 0 where nothing was counted.
    double bytes_per_step(Family f) const;

  private:
    struct Timing
    {
        std::size_t shard;
        Family family;
        Event begin, end;
    };
    std::int64_t every_, next_;
    std::vector<Timing> pending_;
    std::vector<std::array<double, family_count>> ms_; ///< [shard], in all
    std::int64_t timed_steps_ = 0, pending_steps_ = 0;
    std::unique_ptr<MemoryCounters> counters_; ///< while steps are taken under them
    std::vector<Family> ranges_;
    std::array<double, family_count> bytes_{};
    std::int64_t counted_steps_ = 0;
};

} // namespace tawara::device::cuda
