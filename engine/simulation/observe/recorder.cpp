// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tawara::simulation {

void Recorder::begin(Simulation& s, std::size_t values_per_frame, DyadWatch* cell)
{
    simulation_ = &s;
    cell_ = cell;
    cells_.reset();
    network_.reset();
    values_ = values_per_frame;
    every_ = 0;
    std::lock_guard hold(mutex_);
    recording_.reset();
}

void Recorder::start(const RecordingOptions& o)
{
    auto options = o;
    options.network_values = network_ ? network_->point.size() : 0;
    options.network = network_ ? network_->network->made : 0;
    auto fresh = std::make_shared<Recording>(values_, options);
    recorded_points_.assign(options.network_values, std::numeric_limits<float>::quiet_NaN());
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
    if (const auto recorded = recording_->network(); recorded > 0) {
        if (network_ && network_->network->made == recorded)
            recorded_points_ = network_potentials(*network_, *simulation_->network());
        else
            recorded_points_.assign(recorded_points_.size(),
                                    std::numeric_limits<float>::quiet_NaN());
        values.insert(values.end(), recorded_points_.begin(), recorded_points_.end());
    }
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
