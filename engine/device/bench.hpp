// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"

namespace tawara::device {

/// One kernel family of a benchmark against the ceilings measured in the same run. `bound_by` is
/// "memory" or "arithmetic" for the larger of the two times that the ceilings allow, "latency" when
/// the kernel takes more than twice the larger one.
struct BenchKernel
{
    std::string name;
    double ms = 0;            ///< per step
    double bytes = 0;         ///< per step, at least, by the data structures
    double flops = 0;         ///< floating-point instructions per step
    double counted_bytes = 0; ///< per step, by hardware counters; 0: not counted
    double ceiling_GB_per_s = 0;
    double fraction = 0; ///< of the ceiling that bounds it
    std::string bound_by;
};

struct BenchResult
{
    std::string bench, device, precision;
    std::size_t unknowns = 0;
    std::int64_t steps = 0;
    double seconds = 0; ///< of all steps
    double unknown_steps_per_s = 0;
    std::vector<double> samples_ms;  ///< per step, one for each batch of steps
    double median_ms = 0;            ///< of the samples; of an even number the middle two's mean
    double activated = 0;            ///< share of the unknowns, at the end
    int diffusion_stages = 1;        ///< passes over the matrix in one step
    std::vector<std::int64_t> parts; ///< unknowns of each device, where there are several
    std::vector<BenchKernel> kernels;
    Ceilings ceilings;       ///< of one device
    std::string not_counted; ///< why there are no counted_bytes where they were asked for
};

struct BenchOptions
{
    std::string bench = "step"; ///< step, diffusion, reaction or ceilings
    StepperOptions stepper;
    std::int64_t steps = 1000; ///< at least 10
    /// Else the first tenth of the unknowns is stimulated in the first 2 ms.
    std::optional<StimulusSource> source{};
    std::int64_t warm_up = 200;
    std::function<void(Stepper&)> prepare{}; ///< of what is timed, e.g. parts that are joined
    std::int64_t counted = 0; ///< steps under hardware counters, after the timed ones
};

/// Times steps of a problem: whole ones, or the diffusion or reaction kernels within them (then run
/// as kernels of their own, and `seconds` is theirs). Part of it is stimulated, so that the tissue
/// does what tissue does. "ceilings" runs no step.
/// @throws InputError for an unknown bench, fewer than 10 steps, or devices that cannot be used
BenchResult bench(const TissueProblem& p, const BenchOptions& options,
                  const Progress& progress = {});

} // namespace tawara::device
