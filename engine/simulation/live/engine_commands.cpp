// SPDX-License-Identifier: GPL-3.0-or-later
// Commands, each applied between two steps and answered.
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/session/notice_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {

using State = Status::State;

void Engine::Impl::play()
{
    forget(notice_kind::unexcited); // it goes on, or begins anew
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
    steps(std::min<std::int64_t>(std::max(c.steps, 1), sim->end_step - sim->simulation.step()));
    if (state == State::paused)
        stop_at(sim->simulation.step() >= sim->end_step ? State::finished : State::paused);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Reset&)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    try {
        sim->until_step = -1;
        sim->stepped = {};
        sim->simulation.restore(sim->simulation.first_state());
        sim->pacing->restart(sim->scene->session.stimuli);
        sim->maps_from_ms = 0;
        forget(notice_kind::state_lost);
        forget(notice_kind::unexcited);
        forget(notice_kind::maps_begin);
        if (auto scene = std::make_shared<Scene>(*sim->scene); forget_tissue_change(*scene)) {
            sim->scene = scene;
            push(SceneChanged{scene});
        }
    } catch (const std::exception& e) {
        return answer(id, e.what());
    }
    sim->simulation.restart_clocks();
    other_kernels = added({}, sim->stepper().kernels(), -1);
    note_kernels();
    show_start();
    recorder.record();
    start_rates();
    publish_status();
    set_state(State::paused);
    answer(id);
}

void Engine::Impl::show_start()
{
    traces.restart();
    dyads.restart();
    sim->feed->restart();
    sim->simulation.plan_samples();
    frame_step = -1;
    publish_frame(true);
}

void Engine::Impl::apply(std::uint64_t id, const AddProbe& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    sim->simulation.collect();
    std::uint64_t probe = 0;
    try {
        probe = traces.add({c.name, c.position_mm});
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    sim->simulation.plan_samples();
    answer(id, {}, probe);
}

void Engine::Impl::apply(std::uint64_t id, const RemoveProbe& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    sim->simulation.collect();
    if (!traces.remove(c.probe))
        return answer(id, "there is no such probe");
    sim->simulation.plan_samples();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const SetStimuli& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    try {
        sim->pacing->replace(c.stimuli);
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    Session session = sim->scene->session;
    session.stimuli = c.stimuli;
    edited(std::move(session));
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Stimulate& c)
{
    if (!sim || state == Status::State::failed)
        return answer(id, "nothing runs that could be stimulated");
    if (!(c.radius_mm > 0) || !(c.duration_ms > 0) || !std::isfinite(c.amplitude_pA_per_pF))
        return answer(id, "a stimulus needs a positive radius and duration");
    try {
        sim->pacing->stimulate(id, c);
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    answer(id);
}

CaptureEvent Engine::Impl::of_its_site(CaptureEvent e) const
{
    if (e.stimulus != -1)
        return e;
    const auto site = sim->pacing->log().site_of(e.command);
    const auto& list = sim->scene->session.stimuli;
    for (std::size_t k = 0; k < list.size() && !site.empty(); ++k)
        if (list[k].name == site) {
            e.stimulus = static_cast<int>(k);
            break;
        }
    return e;
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
    const auto step = std::llround(c.time_ms / sim->simulation.dt_ms());
    if (step > sim->end_step)
        sim->end_step = step;
    if (step <= sim->simulation.step()) {
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
    const double dt = sim->simulation.dt_ms();
    if (!std::isfinite(c.end_ms) || !(c.end_ms >= dt) || c.end_ms / dt > 1e15)
        return answer(id, "the end must be at least one time step");
    const auto step = std::llround(c.end_ms / dt);
    if (step < sim->simulation.step())
        return answer(id, "the run is past that time already; reset it or give a later end");
    sim->end_step = step;
    Session session = sim->scene->session;
    session.end_ms = c.end_ms;
    edited(std::move(session));
    if (state == State::finished && step > sim->simulation.step()) {
        forget(notice_kind::unexcited);
        set_state(State::paused);
    }
    publish_status();
    answer(id);
}

} // namespace tawara::simulation
