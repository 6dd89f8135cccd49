// SPDX-License-Identifier: GPL-3.0-or-later
// Stimuli while a run goes on: those of the session, live ones, and whether they capture.
#include "engine/simulation/live/engine_impl.hpp"

#include <cmath>
#include <limits>

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

} // namespace

void Engine::Impl::add_source(LoadedRun& s, device::StimulusSource source, int stimulus)
{
    const double over = over_ms(source);
    const auto id = s.stepper->add_stimulus(source);
    s.sources.push_back({id, stimulus, over, std::move(source)});
}

void Engine::Impl::install_stimuli(LoadedRun& s)
{
    const auto& session = s.scene->session;
    s.capture.clear_listed();
    const double now = s.stepper->time_ms();
    const auto number = s.pulses.set(session.stimuli, now);
    for (std::size_t k = 0; k < session.stimuli.size(); ++k) {
        const auto& stimulus = session.stimuli[k];
        const auto pulses = pulses_from(stimulus, now);
        if (pulses.empty())
            continue;
        const auto unknowns = unknowns_in(s.tissue, stimulus.region, session.name,
                                          "/stimuli/" + std::to_string(k) + "/region");
        for (auto& source : sources_of(stimulus, unknowns, pulses))
            add_source(s, std::move(source), static_cast<int>(k));
        s.capture.add({static_cast<int>(k), number + k, capture_places(s.tissue, unknowns),
                       stimulus.amplitude_pA_per_pF, stimulus.duration_ms, pulses});
    }
}

void Engine::Impl::drop_ended_sources()
{
    const double now = sim->stepper->time_ms();
    auto& list = sim->sources;
    for (auto i = list.begin(); i != list.end();)
        if (now >= i->over_ms) {
            sim->stepper->remove_stimulus(i->id);
            i = list.erase(i);
        } else {
            ++i;
        }
    if (sim->capture.drop_ended())
        install_probes();
}

void Engine::Impl::apply(std::uint64_t id, const SetStimuli& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    const auto& name = sim->scene->session.name;
    try { // refused as a whole, before anything changes
        for (std::size_t k = 0; k < c.stimuli.size(); ++k) {
            const auto& s = c.stimuli[k];
            if (!(s.duration_ms > 0) || !std::isfinite(s.amplitude_pA_per_pF))
                throw InputError(name, "/stimuli/" + std::to_string(k),
                                 "a stimulus needs a positive duration and a finite amplitude");
            (void)unknowns_in(sim->tissue, s.region, name,
                              "/stimuli/" + std::to_string(k) + "/region");
        }
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    take_samples();
    const double now = sim->stepper->time_ms();
    std::vector<ActiveSource> keep;
    std::vector<device::StimulusSource> rest;
    for (auto& s : sim->sources) {
        if (s.stimulus < 0) {
            keep.push_back(std::move(s));
            continue;
        }
        if (auto pulse = pulse_under_way(s.source, now))
            rest.push_back(std::move(*pulse));
        sim->stepper->remove_stimulus(s.id);
    }
    sim->sources = std::move(keep);
    for (auto& r : rest)
        add_source(*sim, std::move(r), -1);
    Session session = sim->scene->session;
    session.stimuli = c.stimuli;
    edited(std::move(session));
    install_stimuli(*sim);
    install_probes();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Stimulate& c)
{
    if (!sim || state == Status::State::failed)
        return answer(id, "nothing runs that could be stimulated");
    if (!(c.radius_mm > 0) || !(c.duration_ms > 0) || !std::isfinite(c.amplitude_pA_per_pF))
        return answer(id, "a stimulus needs a positive radius and duration");
    device::StimulusSource source;
    try {
        source.unknowns = unknowns_in(sim->tissue, Sphere{c.position_mm, c.radius_mm},
                                      sim->scene->title, "stimulus");
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    source.amplitude_pA_per_pF = c.amplitude_pA_per_pF;
    source.start_ms = sim->stepper->time_ms();
    source.duration_ms = c.duration_ms;
    take_samples();
    sim->capture.add({-1,
                      id,
                      capture_places(sim->tissue, source.unknowns),
                      c.amplitude_pA_per_pF,
                      c.duration_ms,
                      {{source.start_ms, 0, 1}}});
    sim->pulses.add(id, c, source.start_ms);
    add_source(*sim, std::move(source), -1);
    install_probes();
    answer(id);
}

CaptureEvent Engine::Impl::of_its_site(CaptureEvent e) const
{
    if (e.stimulus != -1)
        return e;
    const auto site = sim->pulses.site_of(e.command);
    const auto& list = sim->scene->session.stimuli;
    for (std::size_t k = 0; k < list.size() && !site.empty(); ++k)
        if (list[k].name == site) {
            e.stimulus = static_cast<int>(k);
            break;
        }
    return e;
}

} // namespace tawara::simulation
