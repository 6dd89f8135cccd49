// SPDX-License-Identifier: GPL-3.0-or-later
// When pulses come: protocols as runs of evenly spaced pulses.
#include "engine/simulation/session/session.hpp"

#include <algorithm>

namespace tawara::simulation {
namespace {

/// S1-S2(-S3) blocks, each after the other.
void s1s2(const Stimulus& s, const Protocol& p, std::vector<PulseRun>& out)
{
    double at = s.start_ms;
    for (int r = 0; r < std::max(1, p.repeats); ++r) {
        auto extra = p.extra_ms;
        if (!extra.empty())
            extra.back() -= r * p.decrement_ms;
        for (double coupling : extra)
            if (!(coupling > s.duration_ms))
                return;
        const int n = std::max(1, p.count);
        out.push_back({at, p.cycle_ms, n});
        at += (n - 1) * p.cycle_ms;
        for (double coupling : extra)
            out.push_back({at += coupling, 0, 1});
        at += p.pause_ms;
    }
}

void bursts(const Stimulus& s, const Protocol& p, std::vector<PulseRun>& out)
{
    double at = s.start_ms;
    for (int r = 0; r < std::max(1, p.repeats); ++r) {
        const double cycle = p.cycle_ms - r * p.decrement_ms;
        if (!(cycle > s.duration_ms))
            return;
        const int n = std::max(1, p.count);
        out.push_back({at, cycle, n});
        at += (n - 1) * cycle + p.pause_ms;
    }
}

} // namespace

std::vector<PulseRun> pulse_runs(const Stimulus& s)
{
    std::vector<PulseRun> out;
    if (!s.on)
        return out;
    if (!s.protocol) {
        if (s.period_ms > 0)
            out.push_back({s.start_ms, s.period_ms, s.count});
        else
            out.push_back({s.start_ms, 0, 1});
        return out;
    }
    const Protocol& p = *s.protocol;
    switch (p.kind) {
    case Protocol::Kind::single:
        out.push_back({s.start_ms, 0, 1});
        break;
    case Protocol::Kind::train:
        out.push_back({s.start_ms, p.cycle_ms, p.count});
        break;
    case Protocol::Kind::s1s2:
        s1s2(s, p, out);
        break;
    case Protocol::Kind::burst:
        bursts(s, p, out);
        break;
    }
    return out;
}

std::vector<double> pulse_times(const Stimulus& s, double end_ms)
{
    constexpr std::size_t most = 100'000; // no timeline can show more
    std::vector<double> out;
    for (const auto& run : pulse_runs(s))
        for (std::int64_t k = 0; run.count == 0 || k < run.count; ++k) {
            const double at = run.start_ms + static_cast<double>(k) * run.period_ms;
            if (!(at < end_ms) || (k > 0 && !(run.period_ms > 0)) || out.size() == most)
                break;
            out.push_back(at);
        }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace tawara::simulation
