// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tawara::simulation {

void Recorder::begin(Simulation& s, std::size_t values_per_frame)
{
    simulation_ = &s;
    values_ = values_per_frame;
    every_ = 0;
    std::lock_guard hold(mutex_);
    recording_.reset();
}

void Recorder::start(const RecordingOptions& o)
{
    auto fresh = std::make_shared<Recording>(values_, o);
    {
        std::lock_guard hold(mutex_);
        recording_ = std::move(fresh);
    }
    every_ = std::max<std::int64_t>(1, std::llround(o.every_ms / simulation_->dt_ms()));
    record();
}

void Recorder::record()
{
    if (!recording())
        return;
    std::vector<float> values(values_);
    simulation_->stepper().display(values);
    try {
        recording_->append(simulation_->time_ms(), values);
    } catch (const std::exception& e) {
        stop();
        failed_(std::string("recording ended: ") + e.what());
    }
}

std::shared_ptr<Recording> Recorder::newest() const
{
    std::lock_guard hold(mutex_);
    return recording_;
}

} // namespace tawara::simulation
