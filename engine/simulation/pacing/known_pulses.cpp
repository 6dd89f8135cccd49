// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/known_pulses.hpp"

#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr std::size_t columns = 4; // of verdicts

} // namespace

std::string stimulus_key(const Stimulus& s, std::span<const std::int32_t> unknowns)
{
    std::uint64_t places = 14695981039346656037ULL; // FNV-1a
    for (const auto u : unknowns)
        places = (places ^ static_cast<std::uint32_t>(u)) * 1099511628211ULL;
    return number_text(s.amplitude_pA_per_pF, 17) + " pA/pF, " + number_text(s.duration_ms, 17) +
           " ms, " + std::to_string(places);
}

KnownPulses known_pulses(const std::string& key, const PulseLog& log, std::uint64_t number,
                         std::vector<double> watch)
{
    KnownPulses out{key, {}, std::move(watch)};
    for (const auto& e : log.verdicts(number))
        out.verdicts.insert(out.verdicts.end(), {e.time_ms, e.captured ? 1.0 : 0.0, e.around_mV,
                                                 e.overtaken ? 1.0 : 0.0});
    return out;
}

double recall(const KnownPulses& known, PulseLog& log, std::uint64_t number)
{
    double newest = CaptureWatch::followed_ms(known.watch);
    for (std::size_t k = 0; k + columns <= known.verdicts.size(); k += columns) {
        const auto* v = &known.verdicts[k];
        CaptureEvent e;
        e.command = number;
        e.stimulus = 0;
        e.time_ms = v[0];
        e.captured = v[1] > 0;
        e.around_mV = v[2];
        e.overtaken = v[3] > 0;
        log.decided(e);
        newest = std::max(newest, e.time_ms);
    }
    return newest;
}

} // namespace tawara::simulation
