// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/beat_mapper.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/pacing/capture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::simulation {
namespace {

constexpr double together_ms = 5; ///< between pulses of one beat: tissue takes a moment to rise
constexpr float sampled_within_ms = 5; ///< of the stepper's time is that of samples
constexpr double turning_share = 0.05; ///< of a beat's places more than once: re-entry
constexpr double half = 0.5, least_share = 0.01, least_spread_ms = 30; ///< of BeatSpan::propagated
constexpr float never_ms = std::numeric_limits<float>::quiet_NaN();

bool propagated(double share, double spread_ms)
{
    return share >= half || (share >= least_share && spread_ms >= least_spread_ms);
}

/// Whether an activation that no sample dates can be one of this beat.
bool took_part(const analysis::TissueBeat& b, float exact_ms)
{
    const auto t = static_cast<double>(exact_ms);
    return t > b.from_ms - analysis::TissueBeat::silent_ms &&
           t < b.last_ms + analysis::TissueBeat::silent_ms;
}

/// When the newest turn of a re-entry began: the median cycle before the newest activation.
std::optional<double> newest_turn(const VolumeMaps& at)
{
    std::vector<float> cycles = at.period;
    std::erase_if(cycles, [](float ms) { return !std::isfinite(ms); });
    if (cycles.empty())
        return {};
    const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
    std::nth_element(cycles.begin(), middle, cycles.end());
    float newest = -std::numeric_limits<float>::infinity();
    for (const float ms : at.activation)
        newest = std::isfinite(ms) ? std::max(newest, ms) : newest;
    return std::isfinite(newest) ? std::optional(static_cast<double>(newest - *middle))
                                 : std::nullopt;
}

} // namespace

BeatMapper::BeatMapper(const Tissue& tissue, bool follows)
    : tissue_(tissue), on_vertices_(tissue.on_vertices()), vertices_(tissue.mesh->vertex_count()),
      tracker_(0, 0)
{
    follow(follows);
}

void BeatMapper::follow(bool on)
{
    tracker_ = on ? analysis::ActivationTracker(vertices_, tissue_.problem.activation_threshold_mV)
                  : analysis::ActivationTracker(0, 0);
}

void BeatMapper::clear()
{
    tracker_.clear();
    pulses_.clear();
}

void BeatMapper::pulses(std::span<const double> time_ms)
{
    pulses_.insert(pulses_.end(), time_ms.begin(), time_ms.end());
    std::sort(pulses_.begin(), pulses_.end());
}

std::optional<double> BeatMapper::pulse_of(const BeatSpan& beat) const
{
    if (beat.turns)
        return {};
    auto pulse = std::upper_bound(pulses_.begin(), pulses_.end(), beat.from_ms);
    if (pulse == pulses_.begin() || beat.from_ms - *--pulse > CaptureWatch::window_ms)
        return {};
    while (pulse != pulses_.begin() && *pulse - *(pulse - 1) <= together_ms)
        --pulse; // of sites that fire one after the other the first
    return *pulse;
}

float BeatMapper::at_vertex(const std::vector<double>& list, std::size_t v) const
{
    if (on_vertices_)
        return static_cast<float>(list[v]);
    const auto& stars = tissue_.stars;
    double sum = 0;
    int n = 0;
    for (auto k = stars.first[v]; k < stars.first[v + 1]; ++k) {
        const auto tet = static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(k)]);
        if (std::isfinite(list[tet])) {
            sum += list[tet];
            ++n;
        }
    }
    return n > 0 ? static_cast<float>(sum / n) : never_ms;
}

std::vector<float> BeatMapper::at_vertices(const std::vector<double>& list) const
{
    std::vector<float> out(vertices_);
    for (std::size_t v = 0; v < out.size(); ++v)
        out[v] = at_vertex(list, v);
    return out;
}

BeatMapper::EarlyBeat BeatMapper::early_beat(std::span<const float> first_activation,
                                             const device::Maps& first) const
{
    const double since = tracker_.since_ms();
    EarlyBeat e;
    double from = since, last = -1;
    for (float a : first_activation)
        if (static_cast<double>(a) < since) { // false for NaN
            from = std::min(from, static_cast<double>(a));
            last = std::max(last, static_cast<double>(a));
        }
    if (!(from < since))
        return e;
    std::vector<std::uint8_t> busy(static_cast<std::size_t>(last - from) + 1); // of each ms
    for (float a : first_activation)
        if (static_cast<double>(a) < since)
            busy[static_cast<std::size_t>(static_cast<double>(a) - from)] = 1;
    std::size_t end = 0;
    for (std::size_t k = 1;
         k < busy.size() && static_cast<double>(k - end) <= analysis::TissueBeat::silent_ms; ++k)
        if (busy[k])
            end = k;
    e.known = true;
    e.span.number = 1;
    e.span.from_ms = from;
    e.span.last_ms = std::min(last, from + static_cast<double>(end) + 1);
    const auto& beats = tracker_.beats();
    e.goes_on = e.span.last_ms == last && !beats.empty() && beats.front().number == 1 &&
                beats.front().from_ms - last <= analysis::TissueBeat::silent_ms;
    std::size_t places = 0;
    for (float a : first_activation)
        places += static_cast<double>(a) <= e.span.last_ms;
    e.span.share = static_cast<double>(places) / static_cast<double>(first_activation.size());
    std::size_t ended = 0;
    for (std::size_t v = 0; v < first_activation.size(); ++v)
        ended += static_cast<double>(first_activation[v]) <= e.span.last_ms &&
                 std::isfinite(at_vertex(first.repolarisation_ms, v));
    e.span.repolarised = static_cast<double>(ended) / static_cast<double>(places);
    e.span.propagated = propagated(e.span.share, e.span.last_ms - from);
    return e;
}

BeatMaps BeatMapper::beat(std::int64_t number, const device::Maps& first) const
{
    // of what was followed from its start on the stepper adds the exact times alone
    const bool late = tracker_.since_ms() > 0;
    const auto all = late ? at_vertices(first.activation_ms) : std::vector<float>();
    const EarlyBeat early = early_beat(all, first);
    BeatMaps out;
    if (early.known && !early.goes_on)
        out.beats.push_back(early.span);
    const std::int64_t before = out.beats.empty() ? 0 : 1;
    const auto n = static_cast<double>(std::max<std::size_t>(1, vertices_));
    for (const auto& b : tracker_.beats()) {
        BeatSpan s{b.number + before, b.from_ms, b.last_ms, static_cast<double>(b.places) / n,
                   static_cast<double>(b.turns) > turning_share * static_cast<double>(b.places)};
        s.repolarised = static_cast<double>(b.ended) / static_cast<double>(b.places);
        if (early.goes_on && b.number == 1) {
            const double share = s.share + early.span.share;
            s.repolarised =
                (s.repolarised * s.share + early.span.repolarised * early.span.share) / share;
            s.from_ms = early.span.from_ms;
            s.share = std::min(1.0, share);
        }
        s.propagated = propagated(s.share, b.newest_place_ms - s.from_ms);
        out.beats.push_back(s);
    }
    for (auto* f : {&out.at.activation, &out.at.repolarisation, &out.at.apd90, &out.at.period})
        f->assign(vertices_, never_ms);
    for (auto& b : out.beats)
        b.pulse_ms = pulse_of(b);
    if (out.beats.empty())
        return out;
    out.beat = asked_beat(number, out.beats);
    const analysis::TissueBeat* followed = nullptr;
    for (const auto& b : tracker_.beats())
        if (b.number + before == out.beat)
            followed = &b;
    const auto times =
        followed != nullptr ? tracker_.times(followed->number) : analysis::BeatTimes();
    const bool of_stepper = followed == nullptr || (early.goes_on && followed->number == 1);
    for (std::size_t v = 0; v < vertices_; ++v) {
        float& at = out.at.activation[v];
        float& end = out.at.repolarisation[v];
        if (followed != nullptr) {
            at = times.activation[v];
            end = times.repolarisation[v];
            out.at.period[v] = times.period[v];
        }
        // the stepper knows a place's first activation to the step
        const bool within_hole = !late && std::isnan(at) && tracker_.count[v] == 1;
        const float a = late                             ? all[v]
                        : std::isnan(at) && !within_hole ? never_ms
                                                         : at_vertex(first.activation_ms, v);
        const bool same = within_hole ? followed != nullptr && took_part(*followed, a)
                          : std::isnan(at)
                              ? of_stepper && static_cast<double>(a) <= early.span.last_ms
                              : std::fabs(a - at) < sampled_within_ms;
        if (same) {
            const float r = at_vertex(first.repolarisation_ms, v);
            at = a;
            end = std::isnan(r) ? end : r;
        }
        out.at.apd90[v] = end - at;
    }
    for (auto& b : out.beats) {
        if (b.number != out.beat)
            continue;
        if (b.turns)
            b.turn_ms = newest_turn(out.at);
        for (auto* f : {&out.at.activation, &out.at.repolarisation})
            for (float& t : *f)
                t -= static_cast<float>(b.zero_ms());
    }
    return out;
}

} // namespace tawara::simulation
