// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/action_potential.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tawara::bench {

inline constexpr double pulse_ms = 1;  ///< length of the stimulus
inline constexpr double sample_ms = 1; ///< between the samples of V in the last beats

/// What a cell has come to: its last two beats and its state.
struct Paced
{
    std::array<std::vector<double>, 2> v; ///< of the last beat but one and the last, each sample_ms
    std::array<double, 2> apd90_ms{NAN, NAN};
    std::vector<double> low, high; ///< of each state in these beats, at whole milliseconds
    std::vector<double> least;     ///< of each state over the run
    double failed_at_ms = NAN;     ///< where V stopped being finite, or a concentration left
    std::string why;               ///< its range
    bool done = false;             ///< or the time was over before
};

/// Follows one cell and keeps what is asked for.
class Follower
{
  public:
    Follower(double cycle_ms, double end_ms, std::size_t states)
        : cycle_(cycle_ms), beats_(static_cast<long>(std::floor(end_ms / cycle_ms + 1e-9)))
    {
        out_.low = out_.least = std::vector<double>(states, INFINITY);
        out_.high.assign(states, -INFINITY);
    }
    long beats() const { return beats_; }
    double end_ms() const { return static_cast<double>(beats_) * cycle_; }
    bool on() const { return !out_.done; }
    bool stimulated(double middle_ms) const { return std::fmod(middle_ms, cycle_) < pulse_ms; }

    /// The state at time t; state(s) gives one. Times of whole milliseconds are kept.
    template <class State>
    void at(double t_ms, double v_mV, State&& state)
    {
        if (!on())
            return;
        const double whole = std::round(t_ms / sample_ms) * sample_ms;
        const bool sampled = std::abs(t_ms - whole) < 1e-6;
        if (sampled)
            for (std::size_t s = 0; s < out_.least.size(); ++s)
                out_.least[s] = std::min(out_.least[s], state(s));
        const double from = static_cast<double>(beats_ - 2) * cycle_;
        if (t_ms < from - 1e-6)
            return;
        const double last = from + cycle_;
        for (const double start : {from, last})
            if (std::abs(t_ms - start) < 1e-6)
                meter_.start_beat(t_ms);
        meter_.sample(t_ms, v_mV);
        if (sampled)
            for (std::size_t s = 0; s < out_.low.size(); ++s) {
                out_.low[s] = std::min(out_.low[s], state(s));
                out_.high[s] = std::max(out_.high[s], state(s));
            }
        if (sampled && t_ms < end_ms() - 1e-6)
            out_.v[t_ms < last - 1e-6 ? 0 : 1].push_back(v_mV);
        if (t_ms < end_ms() - 1e-6)
            return;
        for (const auto& b : meter_.finish())
            out_.apd90_ms[b.activation_ms < last ? 0 : 1] = b.apd90_ms;
        out_.done = true;
    }
    void fail(double t_ms, std::string why)
    {
        if (!on())
            return;
        out_.failed_at_ms = t_ms;
        out_.why = std::move(why);
        out_.done = true;
    }
    Paced take() { return std::move(out_); }

  private:
    double cycle_;
    long beats_;
    cell::ActionPotentialMeter meter_;
    Paced out_;
};

} // namespace tawara::bench
