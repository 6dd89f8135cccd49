// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/late_pulses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace tawara::simulation {
namespace {

constexpr double hair_ms = 1e-9;

std::string number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", x);
    return text;
}

/// What a pulse is called: number `k` of run `run` of the stimulus.
std::string pulse_name(const Stimulus& s, std::size_t run, std::int64_t k, std::int64_t before)
{
    const bool extra = s.protocol && s.protocol->kind == Protocol::Kind::s1s2;
    if (!extra) {
        const auto runs = pulse_runs(s);
        const bool alone = runs.size() == 1 && runs[0].count == 1;
        return alone ? "the pulse" : "pulse " + std::to_string(before + k + 1);
    }
    const std::size_t block = 1 + s.protocol->extra_ms.size();
    std::string name = "S" + std::to_string(run % block + 1);
    if (run % block == 0 && s.protocol->count > 1)
        name += " pulse " + std::to_string(k + 1);
    if (s.protocol->repeats > 1)
        name += " of repeat " + std::to_string(run / block + 1);
    return name;
}

/// How many pulses of a run begin before t_ms.
std::int64_t begun(const PulseRun& run, double t_ms)
{
    if (!(run.start_ms < t_ms - hair_ms))
        return 0;
    if (!(run.period_ms > 0))
        return 1;
    const auto n =
        static_cast<std::int64_t>(std::ceil((t_ms - hair_ms - run.start_ms) / run.period_ms));
    return run.count > 0 ? std::min(n, run.count) : n;
}

/// Of the pulses that `chosen` names (one of each run of pulses, by its number; less than 0: none)
/// the one that `better` prefers.
template <class Chosen, class Better>
std::optional<NamedPulse> best_pulse(const Stimulus& s, Chosen chosen, Better better)
{
    std::optional<NamedPulse> best;
    std::int64_t before = 0; // pulses of the runs before this one
    const auto runs = pulse_runs(s);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::int64_t k = chosen(runs[r]);
        const double at = runs[r].start_ms + static_cast<double>(k) * runs[r].period_ms;
        if (k >= 0 && (!best || better(at, best->at_ms)))
            best = NamedPulse{pulse_name(s, r, k, before), at};
        before += runs[r].count;
    }
    return best;
}

} // namespace

std::optional<NamedPulse> pulse_from(const Stimulus& s, double t_ms)
{
    const auto next = [t_ms](const PulseRun& run) {
        const std::int64_t k = begun(run, t_ms);
        const bool comes = run.period_ms > 0 ? run.count == 0 || k < run.count : k == 0;
        return comes ? k : -1;
    };
    return best_pulse(s, next, std::less<>{});
}

std::optional<NamedPulse> pulse_before(const Stimulus& s, double t_ms)
{
    return best_pulse(
        s, [t_ms](const PulseRun& run) { return begun(run, t_ms) - 1; }, std::greater_equal<>{});
}

std::optional<LatePulse> first_late_pulse(const Stimulus& s, double end_ms)
{
    std::optional<LatePulse> late;
    std::int64_t before = 0;
    const auto runs = pulse_runs(s);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const auto& run = runs[r];
        std::int64_t first = 0; // that is late
        if (run.start_ms < end_ms) {
            if (run.count == 0)
                continue;
            first = run.period_ms > 0 && run.count > 1
                        ? static_cast<std::int64_t>(
                              std::min(static_cast<double>(run.count),
                                       std::ceil((end_ms - run.start_ms) / run.period_ms)))
                        : run.count;
        }
        const std::int64_t those = std::max<std::int64_t>(1, run.count) - first;
        if (those > 0 && late)
            late->more += those;
        else if (those > 0)
            late = LatePulse{pulse_name(s, r, first, before),
                             run.start_ms + static_cast<double>(first) * run.period_ms, those - 1};
        before += run.count;
    }
    return late;
}

Notices late_pulses(const Session& s)
{
    Notices out;
    for (const auto& one : s.stimuli)
        if (const auto late = first_late_pulse(one, s.end_ms)) {
            const bool several = late->more > 0;
            out.push_back({Notice::Level::info,
                           "stimulus " + one.name + ": " + late->name + " at " +
                               number(late->at_ms) + " ms" +
                               (several ? " and " + std::to_string(late->more) + " after it come"
                                        : " comes") +
                               " after the end of the run (" + number(s.end_ms) + " ms)"});
        }
    return out;
}

} // namespace tawara::simulation
