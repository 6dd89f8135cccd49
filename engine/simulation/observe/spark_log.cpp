// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/spark_log.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

void SparkLog::add(const calcium::Spark& s)
{
    std::lock_guard hold(mutex_);
    if (sparks_.size() == most) {
        sparks_.pop_front();
        ++dropped_;
    }
    sparks_.push_back(s);
}

void SparkLog::looked(double ms)
{
    std::lock_guard hold(mutex_);
    if (std::isnan(first_ms_))
        first_ms_ = ms;
    last_ms_ = ms;
}

SparkSummary SparkLog::until(double ms) const
{
    std::lock_guard hold(mutex_);
    SparkSummary out;
    if (std::isnan(first_ms_))
        return out;
    out.observed_ms = std::max(0.0, std::min(ms, last_ms_) - first_ms_);
    out.count = dropped_;
    for (const auto& s : sparks_) {
        if (s.start_ms > ms)
            continue;
        ++out.count;
        if (!out.last || s.start_ms >= out.last->start_ms)
            out.last = s;
    }
    return out;
}

std::vector<calcium::Spark> SparkLog::sparks() const
{
    std::lock_guard hold(mutex_);
    return {sparks_.begin(), sparks_.end()};
}

std::int64_t SparkLog::dropped() const
{
    std::lock_guard hold(mutex_);
    return dropped_;
}

} // namespace tawara::simulation
