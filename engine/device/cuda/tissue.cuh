// SPDX-License-Identifier: GPL-3.0-or-later
// A tissue on its devices: what a stepper and its plan of steps share.
#pragma once
#include "engine/device/cuda/exchange.cuh"
#include "engine/device/cuda/port_set.cuh"
#include "engine/device/cuda/profiler.cuh"
#include "engine/device/cuda/stimuli.cuh"

namespace tawara::device::cuda {

template <class Real>
struct Tissue
{
    /// @param others  of a share of a tissue; null: all of it is here
    Tissue(Shards<Real> all, std::vector<partition::Place> places, double dt,
           std::int64_t timed_every, Halo* others)
        : shards(std::move(all)), place(std::move(places)), dt_ms(dt),
          exchange(shards, others == nullptr
                               ? nullptr
                               : std::make_unique<RankLink<Real>>(*others, *shards[0], place)),
          stimuli(shards, place, dt), ports(shards, place), profiler(shards.size(), timed_every)
    {
    }
    Tissue(const Tissue&) = delete;
    Tissue& operator=(const Tissue&) = delete;

    bool single() const { return exchange.single(); }
    /// Which of the two vectors holds the present potential.
    int parity() const { return static_cast<int>((step - base) & 1); }
    double time_ms() const { return static_cast<double>(step) * dt_ms; }
    bool stimulated() const { return stimuli.on() || ports.any(); }
    ShardState<Real>& first() const { return *shards[0]; }
    void synchronize() const
    {
        exchange.synchronize();
        ports.synchronize();
    }
    void step_done(std::int64_t n = 1) { step += n, steps_done += n; }

    const Shards<Real> shards;
    const std::vector<partition::Place> place; ///< of each unknown
    const double dt_ms;
    std::int64_t step = 0;       ///< enqueued so far
    std::int64_t base = 0;       ///< step whose potential lies in the first vector
    std::int64_t steps_done = 0; ///< by this stepper
    Exchange<Real> exchange;
    Stimuli<Real> stimuli;
    PortSet<Real> ports;
    Profiler profiler;
};

} // namespace tawara::device::cuda
