// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tawara::study {
namespace {

bool came_back(const AfterPulse& a)
{
    std::vector<int> counts(a.places.volume.size());
    for (const auto& e : a.places.activations)
        ++counts[static_cast<std::size_t>(e.place)];
    double all = 0, twice = 0;
    for (std::size_t p = 0; p < counts.size(); ++p) {
        all += a.places.volume[p];
        if (counts[p] - a.awaited[p] >= 2)
            twice += a.places.volume[p];
    }
    return twice > 0 && twice >= AfterPulse::least_share * all;
}

} // namespace

const char* name(Outcome o)
{
    constexpr std::array names{"blocked", "none", "focal", "non-sustained", "sustained"};
    return names[static_cast<std::size_t>(o)];
}

std::vector<char> awaited_at_pulse(std::span<const char> before,
                                   std::span<const double> activation_ms)
{
    constexpr char most = 100; // where no wave ever comes
    std::vector<char> out(before.begin(), before.end());
    for (std::size_t p = 0; p < out.size(); ++p)
        if (std::isnan(activation_ms[p]))
            out[p] = static_cast<char>(std::min<int>(out[p] + 1, most));
    return out;
}

Verdict verdict(const AfterPulse& a)
{
    Verdict out;
    if (!came_back(a))
        return out;
    double last = a.pulse_ms;
    for (const auto& e : a.places.activations)
        last = std::max(last, static_cast<double>(e.time_ms));
    out.duration_ms = last - a.pulse_ms;
    const double half = a.sustained_ms / 2;
    const bool goes_on =
        a.to_its_end && a.now_ms - last <= std::min(AfterPulse::longest_pause_ms, half);
    if (!goes_on) {
        out.outcome = Outcome::transient;
        out.reentry = analysis::describe_reentry(a.places, a.pulse_ms, last);
        return out;
    }
    out.reentry = analysis::describe_reentry(a.places, a.now_ms - half, a.now_ms);
    const double old = analysis::share_of_old_waves(a.places, a.neighbours,
                                                    out.reentry.cycle_length_ms, a.now_ms - half);
    out.outcome = old >= AfterPulse::least_share ? Outcome::sustained : Outcome::focal;
    return out;
}

} // namespace tawara::study
