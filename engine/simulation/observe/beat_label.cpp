// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/beat_label.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

constexpr double local_share = 0.5; // below it a beat is said to be of a part
constexpr double whole_share = 0.9; // of its places, that repolarised: its maps are whole

} // namespace

std::string beat_label(const BeatSpan& beat, std::int64_t count)
{
    char text[96];
    std::snprintf(text, sizeof text,
                  beat.turn_ms    ? "newest turn in beat %lld of %lld, since %.1f ms"
                  : beat.turns    ? "newest turn in beat %lld of %lld, from %.1f ms"
                  : beat.pulse_ms ? "beat %lld of %lld, since the pulse at %.1f ms"
                                  : "beat %lld of %lld, from %.1f ms",
                  static_cast<long long>(beat.number), static_cast<long long>(count),
                  beat.turn_ms.value_or(beat.pulse_ms.value_or(beat.from_ms)));
    std::string label = text;
    if (beat.share < local_share) {
        const double percent = 100 * beat.share;
        std::snprintf(text, sizeof text,
                      percent < 1 ? ", %.1f %% of the tissue" : ", %.0f %% of the tissue", percent);
        label += text;
    }
    return label;
}

std::string beat_label(const MapFrame& maps)
{
    for (const BeatSpan& b : maps.beats)
        if (b.number == maps.beat) {
            const auto count = maps.beats.back().number;
            const bool passed_over = maps.asked <= 0 && b.propagated && b.number < count;
            return beat_label(b, count) + (!passed_over ? ""
                                           : b.number == newest_propagated(maps.beats)
                                               ? "; newest that propagated"
                                               : "; newest that repolarised");
        }
    return "no beat yet";
}

std::int64_t newest_propagated(std::span<const BeatSpan> beats)
{
    const BeatSpan* found = nullptr;
    for (const BeatSpan& b : beats)
        if (found == nullptr || b.propagated || (!found->propagated && b.share >= found->share))
            found = &b;
    return found != nullptr ? found->number : 0;
}

std::int64_t newest_repolarised(std::span<const BeatSpan> beats)
{
    const auto whole = std::find_if(beats.rbegin(), beats.rend(), [](const BeatSpan& b) {
        return b.propagated && b.repolarised >= whole_share;
    });
    return whole != beats.rend() ? whole->number : newest_propagated(beats);
}

std::int64_t asked_beat(std::int64_t asked, std::span<const BeatSpan> beats)
{
    if (beats.empty())
        return 0;
    if (asked == WatchMaps::newest_repolarised)
        return newest_repolarised(beats);
    return asked <= 0 ? newest_propagated(beats)
                      : std::clamp(asked, beats.front().number, beats.back().number);
}

} // namespace tawara::simulation
