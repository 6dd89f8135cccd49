// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tawara::simulation {

void Recorder::begin(Simulation& s, std::size_t values_per_frame, DyadWatch* cell)
{
    simulation_ = &s;
    cell_ = cell;
    cells_.reset();
    values_ = values_per_frame;
    every_ = 0;
    std::lock_guard hold(mutex_);
    recording_.reset();
}

void Recorder::start(const RecordingOptions& o)
{
    auto fresh = std::make_shared<Recording>(values_, o);
    cells_ = std::make_shared<DyadRecordings>(o);
    fresh->keep_cells(cells_);
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
        record_cell();
    } catch (const std::exception& e) {
        stop();
        failed_(std::string("recording ended: ") + e.what());
    }
}

void Recorder::record_cell()
{
    if (!recording())
        return;
    cells_->forget_from(simulation_->time_ms());
    if (const auto f = cell_ ? cell_->moment() : nullptr)
        cells_->append(*f);
}

std::shared_ptr<Recording> Recorder::newest() const
{
    std::lock_guard hold(mutex_);
    return recording_;
}

} // namespace tawara::simulation
