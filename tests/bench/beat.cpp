// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/beat.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace tawara::bench {

namespace {
using Clock = std::chrono::steady_clock;
double since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}
} // namespace

TimeErrors compare(const std::vector<double>& a, const std::vector<double>& b)
{
    TimeErrors e;
    std::vector<double> sizes;
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a[i]) != std::isnan(b[i]))
            ++e.one;
        if (std::isnan(a[i]) || std::isnan(b[i]))
            continue;
        const double d = a[i] - b[i];
        sizes.push_back(std::abs(d));
        squares += d * d;
        e.mean += d;
    }
    e.both = sizes.size();
    if (sizes.empty())
        return e;
    const auto n = static_cast<double>(sizes.size());
    e.rms = std::sqrt(squares / n);
    e.mean /= n;
    std::sort(sizes.begin(), sizes.end());
    e.max = sizes.back();
    e.percentile99 = sizes[sizes.size() * 99 / 100];
    return e;
}

Beat run_beat(const Bench& b, const device::TissueProblem& p, const device::StepperOptions& how,
              double simulated_ms)
{
    Beat beat;
    auto start = Clock::now();
    const auto s = device::make_stepper(p, how, {{}, {}, Context::whole_machine()});
    s->add_stimulus(b.stimulus(p));
    beat.setup_seconds = since(start);
    beat.device = s->device();
    beat.unknowns = p.size();
    const auto steps = static_cast<std::int64_t>(std::llround(simulated_ms / p.dt_ms));
    beat.simulated_ms = static_cast<double>(steps) * p.dt_ms;
    start = Clock::now();
    const auto worked = std::clock();
    s->advance(steps);
    beat.seconds = since(start);
    beat.processor_seconds = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
    beat.maps = s->maps();
    beat.kernels = s->kernels();
    beat.newton = s->newton_counts();
    beat.share_quiescent = s->share_quiescent();
    for (std::size_t u = 0; u < p.size(); ++u) {
        if (!std::isnan(beat.maps.activation_ms[u])) {
            ++beat.activated;
            beat.last_activation_ms = std::max(beat.last_activation_ms, beat.maps.activation_ms[u]);
        }
        beat.repolarised += !std::isnan(beat.maps.repolarisation_ms[u]);
    }
    return beat;
}

} // namespace tawara::bench
