// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"
#include "tests/bench/tissue.hpp"

#include <map>
#include <optional>

namespace tawara::bench {

/// Differences of two sets of times where both are known.
struct TimeErrors
{
    std::size_t both = 0, one = 0; ///< places where both, where only one of them has a time
    double rms = 0, max = 0, mean = 0, percentile99 = 0;
};
TimeErrors compare(const std::vector<double>& a, const std::vector<double>& b);

/// A whole beat: what it took and what came of it.
struct Beat
{
    std::string device;
    double simulated_ms = 0, seconds = 0, setup_seconds = 0;
    double processor_seconds = 0; ///< of all threads
    std::size_t activated = 0, repolarised = 0, unknowns = 0;
    double last_activation_ms = 0;
    double share_quiescent = 0; ///< Stepper::share_quiescent()
    device::Maps maps;
    std::vector<device::KernelRecord> kernels;
    std::optional<device::NewtonCounts> newton;
};
/// Runs `simulated_ms` from rest, the stimulus at 0.
Beat run_beat(const Bench& b, const device::TissueProblem& p, const device::StepperOptions& how,
              double simulated_ms);

} // namespace tawara::bench
