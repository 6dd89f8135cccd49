// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/calcium/sparks.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace tawara::simulation {

/// Sparks of a cell up to a time.
struct SparkSummary
{
    std::int64_t count = 0;
    std::array<std::int64_t, calcium::spark_kinds> kinds{}; ///< by calcium::SparkKind
    std::int64_t under_way = 0; ///< at the last look, and not counted yet; 0 at times before it
    double observed_ms = 0;     ///< from the first look to that time
    /// The newest one by its beginning.
    std::optional<calcium::Spark> last;

    /// Of the whole cell; NaN before time has passed.
    double per_s() const
    {
        return observed_ms > 0 ? 1e3 * static_cast<double>(count) / observed_ms
                               : std::numeric_limits<double>::quiet_NaN();
    }
};

/// The sparks that were found in a cell since it is watched: all are counted, the newest ones kept.
/// A spark counts once all of it is known (calcium::SparkFinder).
///
/// @thread any
class SparkLog
{
  public:
    static constexpr std::size_t most = 20'000; ///< that are kept: about 5 MB

    void add(const calcium::Spark& s);
    /// The cell was looked at then. @param under_way  SparkFinder::under_way()
    void looked(double ms, std::int64_t under_way);
    /// Of the sparks that began at that time or before; those that are no longer kept count as
    /// earlier ones.
    /// @cost  linear in those that are kept
    SparkSummary until(double ms = std::numeric_limits<double>::infinity()) const;
    /// Those that are kept, in the order in which all was known of them.
    std::vector<calcium::Spark> sparks() const;
    std::int64_t dropped() const; ///< that are no longer kept

  private:
    mutable std::mutex mutex_;
    std::deque<calcium::Spark> sparks_;
    std::array<std::int64_t, calcium::spark_kinds> dropped_{};
    double first_ms_ = std::numeric_limits<double>::quiet_NaN(), last_ms_ = 0;
    std::int64_t under_way_ = 0;
};

} // namespace tawara::simulation
