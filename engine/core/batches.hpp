// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tawara {

/// The stage of Progress with which results begin: the output folder is taken, and what an earlier
/// run left there goes. From there on a stop is answered by writing what was reached.
inline constexpr std::string_view stage_of_outputs = "taking the output folder";

/// How many steps a run takes between two looks at whether a stop was asked for: what takes about a
/// tenth of a second, so that a stop is answered soon.
class Batches
{
  public:
    std::int64_t next() const { return steps_; }
    /// @param seconds  wall time of the last ones and of all that was done with them: samples,
    ///                 rows of tables, frames
    void took(double seconds)
    {
        if (seconds < shortest_s)
            steps_ = std::min(2 * steps_, most);
        else if (seconds > longest_s)
            steps_ = std::max<std::int64_t>(steps_ / 2, 1);
    }

  private:
    static constexpr double shortest_s = 0.05, longest_s = 0.2;
    static constexpr std::int64_t most = 4096;
    std::int64_t steps_ = 1;
};

} // namespace tawara
