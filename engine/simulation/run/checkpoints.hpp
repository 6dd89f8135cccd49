// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/simulation.hpp"

#include <functional>

namespace tawara::simulation {

/// Calls when a checkpoint is due: every so many steps, but at the one that the run starts with.
class CheckpointsDue final : public Observer
{
  public:
    /// @param every_steps  0: never
    CheckpointsDue(std::int64_t every_steps, std::function<void()> write)
        : every_(every_steps), write_(std::move(write))
    {
    }
    void start_at(std::int64_t step) { first_ = step; }
    std::int64_t every() const { return every_; }
    bool at(std::int64_t step) const { return every_ > 0 && step > first_ && step % every_ == 0; }

    std::int64_t due_after(std::int64_t step) const override { return next_multiple(step, every_); }
    void observe(Moment& now) override
    {
        if (at(now.step()))
            write_();
    }

  private:
    std::int64_t every_, first_ = 0;
    std::function<void()> write_;
};

/// Where maps begin after the start of a run: what was activated before does not count.
class MapsStart final : public Observer
{
  public:
    explicit MapsStart(Simulation& s) : simulation_(s) {}
    std::int64_t step = 0; ///< maps are of what is activated after it
    double begun_ms = 0;   ///< those so far are of what came after it

    std::int64_t due_after(std::int64_t now) const override { return now < step ? step : never; }
    void observe(Moment& now) override
    {
        if (step > 0 && now.step() == step)
            restart();
    }
    void restart()
    {
        simulation_.restart_maps();
        begun_ms = simulation_.time_ms();
    }

  private:
    Simulation& simulation_;
};

} // namespace tawara::simulation
