// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/simulation.hpp"

namespace tawara::simulation {

/// Frames of the potential, written as the steps are taken.
class FramesObserver final : public Observer
{
  public:
    /// @param every_steps  0: none
    FramesObserver(const Tissue& t, const std::filesystem::path& out, FrameFormat format,
                   std::int64_t every_steps, unsigned threads, ProvenanceSource by)
        : writer_(t, out, format, static_cast<double>(every_steps) * t.problem.dt_ms, threads,
                  std::move(by)),
          every_(every_steps)
    {
    }
    FrameWriter& writer() { return writer_; }
    const FrameWriter& writer() const { return writer_; }
    std::int64_t every() const { return every_; } ///< steps; 0: none

    std::int64_t due_after(std::int64_t step) const override { return next_multiple(step, every_); }
    void observe(Moment& now) override
    {
        if (every_ > 0 && now.step() % every_ == 0)
            writer_.write(now.step(), now.time_ms(), now.potential());
    }

  private:
    FrameWriter writer_;
    std::int64_t every_;
};

} // namespace tawara::simulation
