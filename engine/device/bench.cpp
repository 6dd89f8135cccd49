// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/bench.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tawara::device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t batches = 10;
constexpr double latency_factor =
    2; // slower than the ceilings by so much: neither of them bounds it

BenchKernel against(const KernelRecord& now, const KernelRecord& before, std::int64_t steps,
                    const Ceilings& c, Precision precision)
{
    const auto n = static_cast<double>(steps);
    BenchKernel k;
    k.name = now.name;
    k.ms = (now.ms - before.ms) / n;
    k.bytes = (now.bytes - before.bytes) / n;
    k.flops = (now.flops - before.flops) / n;
    k.ceiling_GB_per_s = c.triad_GB_per_s;
    const double memory_ms = k.bytes / c.triad_GB_per_s * 1e-6;
    // An instruction is one of the ceiling's fused multiply-adds, which count two operations each.
    const double rate = precision == Precision::single ? c.fp32_GFLOP_per_s : c.fp64_GFLOP_per_s;
    const double arithmetic_ms = 2 * k.flops / rate * 1e-6;
    const double bound = std::max(memory_ms, arithmetic_ms);
    k.fraction = k.ms > 0 ? bound / k.ms : 0;
    k.bound_by = k.ms > latency_factor * bound ? "latency"
                 : memory_ms >= arithmetic_ms  ? "memory"
                                               : "arithmetic";
    return k;
}

StimulusSource first_tenth(std::size_t n)
{
    StimulusSource s;
    s.amplitude_pA_per_pF = 50;
    s.duration_ms = 2;
    for (std::size_t u = 0; u < n / 10 + 1 && u < n; ++u)
        s.unknowns.push_back(static_cast<std::int32_t>(u));
    return s;
}

} // namespace

BenchResult bench(const TissueProblem& p, const BenchOptions& options, const Progress& progress)
{
    BenchResult r;
    r.bench = options.bench;
    r.precision = std::string(name(options.stepper.precision));
    const bool parts = r.bench == "diffusion" || r.bench == "reaction";
    if (!parts && r.bench != "step" && r.bench != "ceilings")
        throw InputError("bench", "unknown benchmark '" + r.bench +
                                      "'; use step, diffusion, reaction or ceilings");
    r.ceilings = measure_ceilings(options.stepper.devices, options.stepper.threads > 0
                                                               ? options.stepper.threads
                                                               : progress.context.threads);
    if (r.bench == "ceilings") {
        r.device = options.stepper.devices.text();
        return r;
    }
    if (options.steps < batches)
        throw InputError("--steps", "is too small; use at least " + std::to_string(batches));
    auto how = options.stepper;
    if (parts)
        how.tuning.fused = false;
    const auto s = make_stepper(p, how, progress);
    r.device = s->device();
    r.unknowns = p.size();
    r.diffusion_stages = p.substeps.stages;
    for (const auto shard : s->shard_of_unknown()) {
        r.parts.resize(std::max(r.parts.size(), static_cast<std::size_t>(shard) + 1));
        ++r.parts[static_cast<std::size_t>(shard)];
    }
    s->add_stimulus(options.source.value_or(first_tenth(p.size())));
    if (options.prepare)
        options.prepare(*s);
    s->advance(std::max<std::int64_t>(options.warm_up, 1));
    const auto before = s->kernels();
    const std::int64_t batch = options.steps / batches;
    for (std::int64_t k = 0; k < batches; ++k) {
        progress.at(static_cast<double>(k) / batches, "timing steps");
        const auto start = Clock::now();
        s->advance(batch);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        r.samples_ms.push_back(1e3 * seconds / static_cast<double>(batch));
        r.seconds += seconds;
    }
    r.steps = batch * batches;
    for (double t : s->maps().activation_ms)
        r.activated += !std::isnan(t);
    r.activated /= static_cast<double>(std::max<std::size_t>(r.unknowns, 1));
    const auto after = s->kernels();
    if (options.counted > 0)
        r.not_counted = s->advance_counted(options.counted);
    const auto counted = s->kernels();
    const auto all = static_cast<double>(s->step());
    for (std::size_t k = 0; k < after.size(); ++k)
        if (!parts || after[k].name.rfind(r.bench, 0) == 0)
            r.kernels.push_back(
                against(after[k], before[k], r.steps, r.ceilings, options.stepper.precision)),
                r.kernels.back().counted_bytes = counted[k].counted_bytes / all;
    if (parts) {
        r.seconds = 0;
        for (const auto& k : r.kernels)
            r.seconds += 1e-3 * k.ms * static_cast<double>(r.steps);
    }
    r.unknown_steps_per_s =
        static_cast<double>(r.unknowns) * static_cast<double>(r.steps) / r.seconds;
    auto sorted = r.samples_ms;
    std::sort(sorted.begin(), sorted.end());
    r.median_ms = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    return r;
}

} // namespace tawara::device
