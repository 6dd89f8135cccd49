// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"

#include <limits>
#include <string>
#include <vector>

namespace tawara::cell {

/// How far a paced cell still is from its steady rhythm, by what its states are at the beats' ends.
struct Drift
{
    static constexpr double steady_percent = 1; ///< left at most of each state

    std::string state; ///< component.variable that has most left; empty: not known
    /// Estimated: what it has still to go, of its value (a concentration) or of 1 (any other
    /// state). Infinite where it does not slow down.
    double left_percent = std::numeric_limits<double>::quiet_NaN();
    double per_beat_percent = 0; ///< its change from beat to beat, with its sign

    bool known() const { return !state.empty(); }
    bool steady() const { return known() && left_percent <= steady_percent; }
    /// "sodium.Nai changes by 0.05 % a beat, and about 6 % are left"; of what is steady "at most
    /// 0.2 % are left (sodium.Nai)".
    std::string words() const;
};

/// Follows the states of one cell at the ends of its beats.
///
/// A state that nears its steady value as a geometric series does (a slow exponential) moves by d1
/// and then by d2 in two spans of equally many beats, and has d2 q / (1 - q) left, q = d2 / d1.
/// Spans are a quarter of all beats, an even number of them so that alternating beats are compared
/// with their like, and 200 at most.
/// @thread as it stands, one
class SteadinessMeter
{
  public:
    explicit SteadinessMeter(const CellType& type);
    /// The states at the end of the next beat, ModelInfo::states order.
    template <class Value>
    void beat(Value&& value)
    {
        std::vector<double> x;
        for (const std::size_t s : watched_)
            x.push_back(value(s));
        add(std::move(x));
    }
    long beats() const { return beats_; }
    Drift drift() const;
    /// For pacing that ends by itself: steady at three looks in a row, one every 10 beats from the
    /// 50th on, so that no state that only turns round is taken for one that rests.
    bool settled() const { return steady_looks_ >= 3; }

  private:
    void add(std::vector<double> x);
    double left_percent(std::size_t k, std::size_t span) const;

    std::vector<std::size_t> watched_; ///< all states but V
    std::vector<bool> relative_;       ///< of each: it is a concentration
    std::vector<std::string> names_;
    std::vector<std::vector<double>> last_; ///< [beat mod its size][watched state]
    long beats_ = 0, steady_looks_ = 0;
};

} // namespace tawara::cell
