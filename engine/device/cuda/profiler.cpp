// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/profiler.cuh"

#include "engine/core/error.hpp"
#include "engine/device/cuda/kernels.cuh"

#include <limits>

namespace tawara::device::cuda {
namespace {
constexpr std::int64_t first_timed = 4; // steps before it warm up
constexpr auto never = std::numeric_limits<std::int64_t>::max();
} // namespace

Profiler::Profiler(std::size_t shards, std::int64_t every)
    : every_(every), next_(every ? first_timed : never), ms_(shards)
{
}

void Profiler::measured(Family f, std::size_t shard, StreamRef stream,
                        const std::function<void()>& body)
{
    const Current here(stream.device);
    if (counters_) {
        stream.synchronize();
        counters_->begin();
        body();
        stream.synchronize();
        counters_->end();
        ranges_.push_back(f);
        return;
    }
    Timing t{shard, f, Event(stream.device, true), Event(stream.device, true)};
    hold(stream); // what lies between the events is then enqueued before the first one happens
    t.begin.record(stream);
    body();
    t.end.record(stream);
    pending_.push_back(std::move(t));
}

void Profiler::step_taken(std::int64_t steps_done)
{
    if (counters_)
        return;
    ++pending_steps_;
    next_ = every_ ? steps_done + every_ : never;
}

void Profiler::read()
{
    for (auto& t : pending_)
        ms_[t.shard][t.family] += static_cast<double>(t.end.since(t.begin));
    pending_.clear();
    timed_steps_ += std::exchange(pending_steps_, 0);
}

double Profiler::ms_per_step(std::size_t shard, Family f) const
{
    return timed_steps_ ? ms_[shard][f] / static_cast<double>(timed_steps_) : 0;
}

std::string Profiler::count_begin(int device, std::size_t ranges)
{
    try {
        counters_ = std::make_unique<MemoryCounters>(device, ranges);
    } catch (const DeviceError& e) {
        return e.what();
    }
    ranges_.clear();
    return {};
}

void Profiler::count_end(std::int64_t steps)
{
    const auto counters = std::exchange(counters_, nullptr);
    if (!counters || steps == 0)
        return;
    const auto bytes = counters->finish();
    for (std::size_t k = 0; k < bytes.size(); ++k)
        bytes_[ranges_[k]] += bytes[k].read + bytes[k].written;
    counted_steps_ += steps;
}

double Profiler::bytes_per_step(Family f) const
{
    return counted_steps_ ? bytes_[f] / static_cast<double>(counted_steps_) : 0;
}

} // namespace tawara::device::cuda
