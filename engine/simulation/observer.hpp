// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace tawara::simulation {

class Moment;

/// Whoever wants to know something of a simulation: traces, capture, electrocardiogram, maps,
/// recordings, frames, checkpoints. An observer says when it wants to look and which sums of
/// potentials it wants sampled on the way there; the simulation takes no step past such a time.
///
/// @thread the thread that takes the steps
class Observer
{
  public:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    virtual ~Observer() = default;

    /// Sums of potentials that are sampled on the device while steps are taken; asked for when
    /// samples are planned anew (Simulation::plan_samples()).
    virtual device::Gather plan_columns() { return {}; }
    /// Steps between samples of those, at most; 0: none are wanted. Samples come as often as the
    /// most frequent observer wants its own.
    virtual std::int64_t sampled_every() const { return 0; }
    /// A row of them [mV], as of after that step; rows come in order.
    virtual void sampled(std::int64_t /*step*/, std::span<const double> /*V_mV*/) {}

    /// The first step after `step` at which it wants to look; `never`: at none.
    virtual std::int64_t due_after(std::int64_t /*step*/) const { return never; }
    /// Looks, at a step that due_after() named or at which a driver stops.
    virtual void observe(Moment& /*now*/) {}
};

/// The first multiple of `every` after `step`; Observer::never for 0.
inline std::int64_t next_multiple(std::int64_t step, std::int64_t every)
{
    return every > 0 ? (step / every + 1) * every : Observer::never;
}

} // namespace tawara::simulation
