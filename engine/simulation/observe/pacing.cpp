// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/pacing.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tawara::simulation {
namespace {

double over_ms(const device::StimulusSource& s)
{
    if (s.period_ms > 0 && s.count == 0)
        return std::numeric_limits<double>::infinity();
    const auto pulses = static_cast<double>(std::max<std::int64_t>(s.count, 1) - 1);
    return s.start_ms + pulses * s.period_ms + s.duration_ms;
}

/// The pulse of a source that is on at time t, as a source of its own.
std::optional<device::StimulusSource> pulse_under_way(const device::StimulusSource& s, double t_ms)
{
    double start = s.start_ms;
    if (s.period_ms > 0) {
        double k = std::max(0.0, std::floor((t_ms - s.start_ms) / s.period_ms + 1e-9));
        if (s.count > 0)
            k = std::min(k, static_cast<double>(s.count - 1));
        start += k * s.period_ms;
    }
    if (!(start < t_ms - 1e-9 && t_ms < start + s.duration_ms - 1e-9))
        return {};
    auto rest = s;
    rest.start_ms = start;
    rest.period_ms = 0;
    rest.count = 1;
    return rest;
}

std::string pointer_to(std::size_t stimulus)
{
    return "/stimuli/" + std::to_string(stimulus) + "/region";
}

} // namespace

Pacing::Pacing(Simulation& s, std::string name, std::int64_t sampled_every,
               std::function<void(const CaptureEvent&)> decided)
    : simulation_(s), name_(std::move(name)), sampled_every_(sampled_every),
      decided_(std::move(decided))
{
}

void Pacing::add(device::StimulusSource source, bool listed, const std::string& name)
{
    given_.push_back({source, name, listed, std::numeric_limits<double>::infinity()});
    const double over = over_ms(source);
    const auto id = simulation_.stepper().add_stimulus(source);
    sources_.push_back({id, listed, over, std::move(source), name});
}

void Pacing::begin(std::span<const Stimulus> stimuli, std::vector<KnownPulses> known)
{
    const auto& tissue = simulation_.tissue();
    first_ = log_->set(stimuli, 0);
    keys_.clear();
    for (std::size_t k = 0; k < stimuli.size(); ++k) {
        const auto& s = stimuli[k];
        const auto unknowns = unknowns_in(tissue, s.region, name_, pointer_to(k));
        for (auto& source : sources_of(s, unknowns, pulse_runs(s)))
            add(std::move(source), true, s.name);
        keys_.push_back(s.on ? stimulus_key(s, unknowns) : std::string());
        if (!s.on)
            continue;
        // Pulses that are still to come, or being followed at the checkpoint; what it knows of
        // others of the same stimulus stays known.
        double from_ms = simulation_.time_ms();
        std::span<const double> watch;
        if (k < known.size() && known[k].of == keys_[k]) {
            constexpr double after_ms = 1e-6;
            from_ms = std::max(from_ms, recall(known[k], *log_, first_ + k) + after_ms);
            watch = known[k].watch;
        }
        watch_.add({static_cast<int>(k), first_ + k, capture_places(tissue, unknowns),
                    s.amplitude_pA_per_pF, s.duration_ms, pulses_from(s, from_ms)},
                   watch);
    }
}

void Pacing::install(std::span<const Stimulus> stimuli, double from_ms)
{
    const auto& tissue = simulation_.tissue();
    watch_.clear_listed();
    first_ = log_->set(stimuli, from_ms);
    keys_.clear();
    for (std::size_t k = 0; k < stimuli.size(); ++k) {
        const auto& s = stimuli[k];
        keys_.emplace_back();
        const auto pulses = pulses_from(s, from_ms);
        if (pulses.empty())
            continue;
        const auto unknowns = unknowns_in(tissue, s.region, name_, pointer_to(k));
        keys_.back() = stimulus_key(s, unknowns);
        for (auto& source : sources_of(s, unknowns, pulses))
            add(std::move(source), true, s.name);
        watch_.add({static_cast<int>(k), first_ + k, capture_places(tissue, unknowns),
                    s.amplitude_pA_per_pF, s.duration_ms, pulses});
    }
}

void Pacing::replace(const std::vector<Stimulus>& stimuli)
{
    for (std::size_t k = 0; k < stimuli.size();
         ++k) { // refused as a whole, before anything changes
        const auto& s = stimuli[k];
        if (!(s.duration_ms > 0) || !std::isfinite(s.amplitude_pA_per_pF))
            throw InputError(name_, "/stimuli/" + std::to_string(k),
                             "a stimulus needs a positive duration and a finite amplitude");
        (void)unknowns_in(simulation_.tissue(), s.region, name_, pointer_to(k));
    }
    simulation_.collect();
    const double now = simulation_.time_ms();
    std::vector<ActiveSource> keep;
    std::vector<std::pair<device::StimulusSource, std::string>> rest;
    for (auto& s : sources_) {
        if (!s.listed) {
            keep.push_back(std::move(s));
            continue;
        }
        if (auto pulse = pulse_under_way(s.source, now))
            rest.emplace_back(std::move(*pulse), s.name);
        simulation_.stepper().remove_stimulus(s.id);
    }
    sources_ = std::move(keep);
    for (auto& g : given_)
        if (g.listed)
            g.until_ms = std::min(g.until_ms, now);
    for (auto& [source, name] : rest)
        add(std::move(source), false, name);
    install(stimuli, now);
    simulation_.plan_samples();
}

void Pacing::stimulate(std::uint64_t command, const Stimulate& s)
{
    device::StimulusSource source;
    source.unknowns =
        unknowns_in(simulation_.tissue(), Sphere{s.position_mm, s.radius_mm}, name_, "stimulus");
    source.amplitude_pA_per_pF = s.amplitude_pA_per_pF;
    source.start_ms = simulation_.time_ms();
    source.duration_ms = s.duration_ms;
    simulation_.collect();
    watch_.add({-1,
                command,
                capture_places(simulation_.tissue(), source.unknowns),
                s.amplitude_pA_per_pF,
                s.duration_ms,
                {{source.start_ms, 0, 1}}});
    log_->add(command, s, source.start_ms);
    const auto site = log_->site_of(command);
    add(std::move(source), false, site.empty() ? "click" : site);
    simulation_.plan_samples();
}

void Pacing::restart(std::span<const Stimulus> stimuli)
{
    for (const auto& s : sources_)
        simulation_.stepper().remove_stimulus(s.id);
    sources_.clear();
    given_.clear();
    watch_.clear();
    log_->clear();
    install(stimuli, simulation_.time_ms());
}

std::string Pacing::current_in(std::span<const std::int32_t> unknowns, double from_ms,
                               double to_ms) const
{
    constexpr double hair = 1e-6; // of the time
    const auto holds = [](const std::vector<std::int32_t>& all, std::int32_t unknown) {
        return std::binary_search(all.begin(), all.end(), unknown); // they ascend
    };
    for (const auto& g : given_)
        if (g.source.amplitude_pA_per_pF > 0 && from_ms < g.until_ms &&
            g.source.overlap(from_ms, to_ms - from_ms) > hair &&
            std::any_of(unknowns.begin(), unknowns.end(),
                        [&](std::int32_t u) { return holds(g.source.unknowns, u); }))
            return g.name;
    return {};
}

void Pacing::move_to_new_stepper()
{
    for (auto& s : sources_)
        s.id = simulation_.stepper().add_stimulus(s.source);
}

bool Pacing::drop_ended()
{
    const double now = simulation_.time_ms();
    std::erase_if(sources_, [&](const ActiveSource& s) {
        if (now < s.over_ms)
            return false;
        simulation_.stepper().remove_stimulus(s.id);
        return true;
    });
    return watch_.drop_ended();
}

std::vector<KnownPulses> Pacing::known() const
{
    std::vector<KnownPulses> out;
    auto watched = watch_.states();
    for (std::size_t k = 0; k < keys_.size(); ++k)
        out.push_back(known_pulses(keys_[k], *log_, first_ + k, std::move(watched[first_ + k])));
    return out;
}

/// The places by which capture is judged, each by itself.
device::Gather Pacing::plan_columns()
{
    device::Gather out;
    for (auto unknown : watch_.columns()) {
        out.unknown.push_back(unknown);
        out.weight.push_back(1);
        out.first.push_back(static_cast<std::int64_t>(out.unknown.size()));
    }
    return out;
}

void Pacing::sampled(std::int64_t step, std::span<const double> V_mV)
{
    if (watch_.empty())
        return;
    watch_.feed(static_cast<double>(step) * simulation_.dt_ms(), V_mV,
                [this](const CaptureEvent& e) {
                    log_->decided(e);
                    if (decided_)
                        decided_(e);
                });
}

} // namespace tawara::simulation
