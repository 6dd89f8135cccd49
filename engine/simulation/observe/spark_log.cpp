// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/spark_log.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tawara::simulation {

void SparkLog::add(const calcium::Spark& s)
{
    std::lock_guard hold(mutex_);
    if (sparks_.size() == most) {
        ++dropped_[static_cast<std::size_t>(sparks_.front().kind)];
        sparks_.pop_front();
    }
    sparks_.push_back(s);
}

void SparkLog::looked(double ms, std::int64_t under_way)
{
    std::lock_guard hold(mutex_);
    if (std::isnan(first_ms_))
        first_ms_ = ms;
    last_ms_ = ms;
    under_way_ = under_way;
}

SparkSummary SparkLog::until(double ms) const
{
    std::lock_guard hold(mutex_);
    SparkSummary out;
    if (std::isnan(first_ms_))
        return out;
    out.observed_ms = std::max(0.0, std::min(ms, last_ms_) - first_ms_);
    out.under_way = ms >= last_ms_ ? under_way_ : 0;
    out.kinds = dropped_;
    for (const auto& s : sparks_) {
        if (s.start_ms > ms)
            continue;
        ++out.kinds[static_cast<std::size_t>(s.kind)];
        if (!out.last || s.start_ms >= out.last->start_ms)
            out.last = s;
    }
    out.count = std::accumulate(out.kinds.begin(), out.kinds.end(), std::int64_t{0});
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
    return std::accumulate(dropped_.begin(), dropped_.end(), std::int64_t{0});
}

} // namespace tawara::simulation
