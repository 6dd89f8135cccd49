// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tawara::analysis {

/// Times of places to the 128th of a millisecond, NaN where there is none, in few bytes.
///
/// Which places have one, a bit each; of these the difference from the one before in whole ticks,
/// its sign in the lowest bit; first the lowest bytes of all, then the next; deflate. A wave's
/// times, neighbours close to each other in the list, take about 1.5 bytes a place, those of a
/// patch little more than its places.
class PackedTimes
{
  public:
    static constexpr float ticks_per_ms = 128;
    /// The nearest whole tick [ms]; exact below 131 s, from there on a float's own precision.
    static float whole(float t_ms);

    PackedTimes() = default;
    /// @pre whole ticks or NaN, within 2^24 ms of zero
    explicit PackedTimes(std::span<const float> times_ms);
    /// What was packed, bit for bit.
    /// @cost  about 10 ns a place
    std::vector<float> unpack() const;
    std::size_t bytes() const { return data_.size(); }

  private:
    std::size_t places_ = 0, known_ = 0;
    std::string data_;
};

} // namespace tawara::analysis
