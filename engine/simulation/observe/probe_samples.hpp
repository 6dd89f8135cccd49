// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tawara::simulation {

/// The value of row k of a gather: the sum of its weights times V.
double value_at(const device::Gather& weights, std::size_t k, std::span<const double> v_mV);

/// Which samples of the probes are kept for curves and beats, of one for each step: one every
/// `every_ms`, and while V moves fast at any of them, each: the steepest rise of an upstroke is
/// then what a trace of all steps says. All probes keep the same samples.
class TraceThinner
{
  public:
    /// Apart from the sample kept last, V moves fast [mV].
    static constexpr double fast_mV = 0.5;

    explicit TraceThinner(double every_ms) : every_ms_(every_ms) {}

    /// The next sample: V at each probe. Calls `keep` for what is kept, in order of time: nothing,
    /// this sample, or the one before and this one.
    /// @pre times ascend since the last restart()
    void feed(double t_ms, std::span<const double> v_mV,
              const std::function<void(double t_ms, std::span<const double> v_mV)>& keep);

    /// What comes next goes on from nothing: other probes, or time went back.
    void restart();

  private:
    double every_ms_, kept_ms_ = -std::numeric_limits<double>::infinity(), skipped_ms_ = 0;
    std::vector<double> kept_, skipped_; ///< skipped_: empty when the sample before was kept
};

} // namespace tawara::simulation
