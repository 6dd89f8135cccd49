// SPDX-License-Identifier: GPL-3.0-or-later
// Commands, each applied between two steps and answered.
#include "engine/simulation/live/engine_impl.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

using State = Status::State;

void Engine::Impl::play()
{
    start_rates();
    set_state(State::running);
}

void Engine::Impl::apply(std::uint64_t id, const Play&)
{
    if (!sim)
        return answer(id, "nothing is loaded; open a mesh or a session first");
    if (state == State::failed)
        return answer(id, "the run failed; reset it first");
    if (state == State::finished)
        return answer(id, "the run has reached its end; reset it or give it a later end");
    if (!pace_cells(id))
        return;
    sim->until_step = -1;
    play();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Pause&)
{
    if (state == State::running)
        stop_at(State::paused);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const StepOnce& c)
{
    if (!sim || state != State::paused)
        return answer(id, state == State::finished
                              ? "The run has reached its end: back to start, or give it a later end"
                              : "Only a paused simulation can be stepped");
    if (!pace_cells(id))
        return;
    set_state(State::paused);
    steps(std::min<std::int64_t>(std::max(c.steps, 1), sim->end_step - sim->stepper->step()));
    if (state == State::paused)
        stop_at(sim->stepper->step() >= sim->end_step ? State::finished : State::paused);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Reset&)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    try {
        for (const auto& source : sim->sources)
            sim->stepper->remove_stimulus(source.id);
        sim->sources.clear();
        sim->capture.clear();
        sim->pulses.clear();
        sim->pulses_told_ms = 0;
        sim->until_step = -1;
        sim->stepped = {};
        sim->stepper->restore(initial_snapshot(sim->tissue.problem));
        install_stimuli(*sim);
        forget_lost_state();
        if (auto scene = std::make_shared<Scene>(*sim->scene); forget_tissue_change(*scene)) {
            sim->scene = scene;
            push(SceneChanged{scene});
        }
    } catch (const std::exception& e) {
        return answer(id, e.what());
    }
    {
        std::lock_guard hold(trace_mutex);
        switched_ms.clear();
    }
    stepping_s = 0;
    other_kernels = added({}, sim->stepper->kernels(), -1);
    note_kernels();
    show_start();
    record_due = 0;
    record(true);
    start_rates();
    publish_status();
    set_state(State::paused);
    answer(id);
}

void Engine::Impl::show_start()
{
    {
        std::lock_guard hold(trace_mutex);
        for (auto& t : traces) {
            t.time_ms.clear();
            t.V_mV.clear();
        }
    }
    sim->analyst->restart();
    sample_due = 0;
    sample(true);
    install_probes();
    frame_step = -1;
    publish_frame(true);
}

void Engine::Impl::apply(std::uint64_t id, const AddProbe& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    take_samples();
    const auto shown = static_cast<std::ptrdiff_t>(probes.size() - removed_probes);
    const auto first = probes.begin() + shown;
    const auto again = std::find_if(first, probes.end(), [&](const LiveProbe& p) {
        return p.probe.name == c.name && p.probe.position_mm == c.position_mm;
    });
    if (again != probes.end()) { // it was removed, and has its samples
        const auto at = again - probes.begin();
        std::rotate(first, again, again + 1);
        {
            std::lock_guard hold(trace_mutex);
            std::rotate(traces.begin() + shown, traces.begin() + at, traces.begin() + at + 1);
            --removed_probes;
        }
        install_probes();
        return answer(id, {}, probes[static_cast<std::size_t>(shown)].id);
    }
    const std::uint64_t probe = next_probe++;
    probes.insert(first, {probe, {c.name, c.position_mm}});
    {
        std::lock_guard hold(trace_mutex);
        traces.insert(traces.begin() + shown, {probe, c.name, c.position_mm, {}, {}});
    }
    try {
        install_probes();
    } catch (const Error& e) {
        probes.erase(probes.begin() + shown);
        {
            std::lock_guard hold(trace_mutex);
            traces.erase(traces.begin() + shown);
        }
        return answer(id, e.what());
    }
    answer(id, {}, probe);
}

void Engine::Impl::apply(std::uint64_t id, const RemoveProbe& c)
{
    constexpr std::size_t most_removed = 8; // each costs what a probe costs
    const auto shown = static_cast<std::ptrdiff_t>(probes.size() - removed_probes);
    const auto last = probes.begin() + shown;
    const auto found =
        std::find_if(probes.begin(), last, [&](const LiveProbe& p) { return p.id == c.probe; });
    if (found == last)
        return answer(id, "there is no such probe");
    take_samples();
    const auto at = found - probes.begin();
    const bool full = removed_probes == most_removed; // the one removed first goes for good
    std::rotate(found, found + 1, probes.end());
    if (full)
        probes.erase(probes.begin() + shown - 1);
    {
        std::lock_guard hold(trace_mutex);
        std::rotate(traces.begin() + at, traces.begin() + at + 1, traces.end());
        if (full)
            traces.erase(traces.begin() + shown - 1);
        else
            ++removed_probes;
    }
    install_probes();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const LimitSpeed& c)
{
    limit_ms_per_s = std::max(0.0, c.ms_per_second);
    start_rates();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const FrameInterval& c)
{
    frame_interval_s = std::max(0.0, c.wall_ms / 1e3);
    frame_due = {}; // not what the former one had planned
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const FrameValues& c)
{
    frame_values = c;
    if (sim && state != State::running) { // nothing else would make another frame
        frame_step = -1;
        publish_frame(true);
    }
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const RunUntil& c)
{
    if (!sim || state == State::failed)
        return answer(id, "nothing is loaded that can run");
    const auto step = std::llround(c.time_ms / sim->stepper->dt_ms());
    if (step > sim->end_step)
        sim->end_step = step;
    if (step <= sim->stepper->step()) {
        publish_frame(true);
        set_state(State::paused);
        return answer(id);
    }
    if (!pace_cells(id))
        return;
    sim->until_step = step;
    play();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const SetEnd& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    const double dt = sim->stepper->dt_ms();
    if (!std::isfinite(c.end_ms) || !(c.end_ms >= dt) || c.end_ms / dt > 1e15)
        return answer(id, "the end must be at least one time step");
    const auto step = std::llround(c.end_ms / dt);
    if (step < sim->stepper->step())
        return answer(id, "the run is past that time already; reset it or give a later end");
    sim->end_step = step;
    Session session = sim->scene->session;
    session.end_ms = c.end_ms;
    edited(std::move(session));
    if (state == State::finished && step > sim->stepper->step())
        set_state(State::paused);
    publish_status();
    answer(id);
}

} // namespace tawara::simulation
