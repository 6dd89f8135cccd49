// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/observe/beat_pulses.hpp"
#include "engine/simulation/results/figures.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

using Clock = EngineClock;
using State = Status::State;

/// Steps are taken in batches of about this wall time, so that a command waits no longer.
constexpr double batch_s = 0.004;
constexpr double rate_window_s = 0.5;
constexpr std::size_t most_commands = 4096; ///< that wait; a user gives some a second

} // namespace

void Engine::Impl::set_state(State s)
{
    if (s == state)
        return;
    state = s;
    start_rates();
    publish_status();
    push(StateChanged{s});
}

void Engine::Impl::publish_status()
{
    std::lock_guard hold(status_mutex);
    status.state = state;
    if (sim) {
        status.run = sim->scene->run;
        status.step = sim->simulation.step();
        status.time_ms = sim->simulation.time_ms();
        status.end_ms = static_cast<double>(sim->end_step) * sim->simulation.dt_ms();
        status.samples_dropped = samples_dropped + (sim->feed ? sim->feed->refused() : 0);
        status.recording = recorder.recording();
    }
}

void Engine::Impl::start_rates()
{
    rate_from = limit_from = Clock::now();
    rate_from_step = sim ? sim->simulation.step() : 0;
    if (sim && sim->feed)
        sim->feed->steps_per_second(0);
    limit_from_ms = sim ? sim->simulation.time_ms() : 0;
    std::lock_guard hold(status_mutex);
    status.ms_per_second = status.steps_per_second = status.cell_steps_per_second = 0;
}

void Engine::Impl::update_rates()
{
    const double took = seconds(Clock::now() - rate_from);
    if (took < rate_window_s)
        return;
    const double rate = static_cast<double>(sim->simulation.step() - rate_from_step) / took;
    rate_from = Clock::now();
    rate_from_step = sim->simulation.step();
    sim->feed->steps_per_second(rate);
    const double at_rest = sim->stepper().share_quiescent();
    const auto newton = sim->stepper().newton_counts();
    std::lock_guard hold(status_mutex);
    status.share_quiescent = at_rest;
    status.newton = newton;
    status.steps_per_second = rate;
    status.ms_per_second = rate * sim->simulation.dt_ms();
    status.cell_steps_per_second = rate * static_cast<double>(sim->scene->unknowns);
}

bool Engine::Impl::next(std::pair<std::uint64_t, Command>& out)
{
    std::unique_lock hold(queue_mutex);
    if (state != State::running)
        wake.wait(hold, [&] {
            return quit || !queue.empty() || !finished.empty() || !overflowed.empty() || work_lost;
        });
    if (quit || queue.empty() || !finished.empty())
        return false;
    out = std::move(queue.front());
    queue.pop_front();
    if (std::holds_alternative<Load>(out.second))
        loading = std::stop_source(); // under the lock: a later post() stops this one
    return true;
}

bool Engine::Impl::round()
{
    std::pair<std::uint64_t, Command> c;
    take_faults();
    answer_overflowed();
    while (next(c)) {
        answering = c.first;
        std::visit([&](auto& command) { apply(c.first, command); }, c.second);
        answering = 0;
    }
    for (;;) { // one by one: what a fault leaves is not lost
        std::function<void()> done;
        {
            std::lock_guard hold(queue_mutex);
            if (quit)
                return false;
            if (finished.empty())
                break;
            done = std::move(finished.front());
            finished.pop_front();
        }
        done();
    }
    if (state == State::running)
        work();
    return true;
}

void Engine::Impl::work()
{
    const auto now = Clock::now();
    if (measuring) { // ceilings of a machine that steps as well would be none
        std::unique_lock hold(queue_mutex);
        wake.wait_for(hold, std::chrono::duration<double>(batch_s),
                      [&] { return quit || !queue.empty() || !finished.empty(); });
        return;
    }
    if (limit_ms_per_s > 0) {
        const double due_s = (sim->simulation.time_ms() - limit_from_ms) / limit_ms_per_s;
        const double early = due_s - seconds(now - limit_from);
        if (early > 0.001) {
            std::unique_lock hold(queue_mutex);
            wake.wait_for(hold, std::chrono::duration<double>(std::min(early, batch_s)),
                          [&] { return quit || !queue.empty() || !finished.empty(); });
            return;
        }
        // A solver slower than the limit must not sprint later to catch up.
        if (early < -0.25) {
            limit_from = now;
            limit_from_ms = sim->simulation.time_ms();
        }
    }
    const auto at = sim->simulation.step();
    std::int64_t n = std::min(batch, sim->end_step - at);
    if (sim->until_step >= 0)
        n = std::min(n, sim->until_step - at);
    if (limit_ms_per_s > 0)
        n = std::min<std::int64_t>(
            n, std::max<std::int64_t>(
                   1, std::llround(limit_ms_per_s * batch_s / sim->simulation.dt_ms())));
    if (n > 0)
        n = steps(n);
    if (state != State::running)
        return;
    const double took = seconds(Clock::now() - now);
    if (took < batch_s / 2 && n == batch)
        batch = std::min<std::int64_t>(batch * 2, 1024);
    else if (took > batch_s)
        batch = std::max<std::int64_t>(batch / 2, 1);
    update_rates();
    if (kernels_asked.exchange(false))
        note_kernels();
    if (sim->until_step >= 0 && sim->simulation.step() >= sim->until_step) {
        sim->until_step = -1;
        stop_at(State::paused);
    } else if (sim->simulation.step() >= sim->end_step) {
        stop_at(State::finished);
    } else {
        publish_frame(false);
    }
}

std::int64_t Engine::Impl::steps(std::int64_t n)
{
    auto& s = sim->simulation;
    const auto from = s.step();
    try {
        s.advance(n);
    } catch (const std::exception& e) {
        fail_run(failure_of(e));
        return s.step() - from;
    }
    if (sim->pacing->drop_ended())
        s.plan_samples();
    publish_status();
    return s.step() - from;
}

void Engine::Impl::attach(Frame& f)
{
    constexpr std::size_t at_once =
        300'000; // more would stall the stepping; the analyst brings those
    if (watch.volume && sim->tissue().on_vertices() && sim->tissue().problem.size() <= at_once) {
        std::vector<double> v(sim->tissue().problem.size());
        sim->stepper().potential(v);
        f.volume = std::make_shared<const std::vector<float>>(v.begin(), v.end());
        f.volume_time_ms = f.time_ms;
    } else if (const auto volume = watch.volume ? results->volume.newest() : nullptr) {
        f.volume = volume->v;
        f.volume_time_ms = volume->time_ms;
    }
    if (const auto phase = watch.phase ? results->phase.newest() : nullptr) {
        f.phase = phase->surface;
        f.singularities = phase->singularities;
        f.phase_time_ms = phase->time_ms;
        f.phase_volume = phase->volume;
    }
}

void Engine::Impl::publish_frame(bool now)
{
    const auto time = Clock::now();
    const auto step = sim->simulation.step();
    if ((!now && time < frame_due) || (step == frame_step && sim->scene->run == frame_run))
        return;
    auto f = std::make_shared<Frame>();
    f->run = sim->scene->run;
    f->step = step;
    f->time_ms = sim->simulation.time_ms();
    if (frame_values.device)
        f->feed = sim->stepper().publish_display();
    if (frame_values.host || !f->feed) {
        f->values.resize(sim->display.size());
        sim->stepper().display(f->values);
    }
    if (watch.volume || watch.phase)
        attach(*f);
    f->dyads = dyads.frame();
    if (sim->scene->network && sim->simulation.network() != nullptr)
        f->network = network_frame(*sim->scene->network, *sim->simulation.network(), f->time_ms);
    f->made = Clock::now();
    frames.put(std::move(f));
    frame_step = step;
    frame_run = sim->scene->run;
    // so many a second in the mean, although frames come at ends of batches alone
    const auto interval = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(frame_interval_s));
    frame_due = (time - frame_due < interval ? frame_due : time) + interval;
    std::lock_guard hold(status_mutex);
    status.frames_published = frames.published();
    status.frames_dropped = frames.dropped();
}

Engine::Engine(Handler handler, EngineOptions options)
    : impl_(std::make_unique<Impl>(std::move(handler), std::move(options)))
{
}

Engine::~Engine() = default;

std::uint64_t Engine::post(Command command)
{
    std::uint64_t id = 0;
    {
        std::lock_guard hold(impl_->queue_mutex);
        id = impl_->next_command++;
        const bool always = std::holds_alternative<Load>(command) ||
                            std::holds_alternative<CancelLoad>(command) ||
                            std::holds_alternative<Pause>(command);
        if (impl_->queue.size() >= most_commands && !always) {
            impl_->overflowed.push_back(id); // answered when the others are
            return id;
        }
        if (std::holds_alternative<Load>(command) || std::holds_alternative<CancelLoad>(command))
            impl_->loading.request_stop();
        impl_->queue.emplace_back(id, std::move(command));
    }
    impl_->wake.notify_all();
    return id;
}

std::shared_ptr<const Frame> Engine::newest_frame() const
{
    return impl_->frames.newest();
}

Status Engine::status() const
{
    std::lock_guard hold(impl_->status_mutex);
    return impl_->status;
}

std::vector<Trace> Engine::traces() const
{
    return impl_->traces.traces();
}

Trace Engine::trace(std::uint64_t probe, std::size_t from) const
{
    return impl_->traces.trace(probe, from);
}

std::shared_ptr<const MapFrame> Engine::newest_maps() const
{
    std::lock_guard hold(impl_->shared_mutex);
    return impl_->results->maps.newest();
}

Ecg Engine::ecg(std::size_t from) const
{
    std::shared_ptr<AnalystResults> results;
    {
        std::lock_guard hold(impl_->shared_mutex);
        results = impl_->results;
    }
    std::lock_guard hold(results->ecg_mutex);
    const Ecg& e = results->ecg;
    const auto n = static_cast<std::ptrdiff_t>(std::min(from, e.time_ms.size()));
    Ecg out{e.leads,      e.electrodes, {e.time_ms.begin() + n, e.time_ms.end()}, {}, e.every_ms,
            e.generation, e.activated};
    for (const auto& lead : e.mV)
        out.mV.emplace_back(lead.begin() + n, lead.end());
    return out;
}

std::vector<KernelFigure> Engine::kernels() const
{
    impl_->kernels_asked = true;
    std::lock_guard hold(impl_->shared_mutex);
    std::vector<KernelFigure> out;
    const bool single = impl_->kernel_precision == Precision::single;
    for (const auto& k : impl_->kernel_records)
        out.push_back(figure(k, impl_->kernel_device, impl_->ceilings, single));
    return out;
}

std::shared_ptr<const Partition> Engine::partition() const
{
    std::lock_guard hold(impl_->shared_mutex);
    return impl_->cut;
}

std::vector<Beat> Engine::beats(std::uint64_t probe) const
{
    const auto t = impl_->traces.trace(probe);
    const auto switched = impl_->traces.switched_ms();
    auto beats = beats_of(t.time_ms, t.V_mV, switch_times_of(switched, probe), t.driven);
    std::shared_ptr<const PulseLog> pulses;
    {
        std::lock_guard hold(impl_->shared_mutex);
        pulses = impl_->pulses;
    }
    if (pulses && !beats.empty())
        note_makers(beats, pulses->until(t.time_ms.back()), t.position_mm);
    return beats;
}

std::shared_ptr<const Recording> Engine::recording() const
{
    return impl_->recorder.newest();
}

} // namespace tawara::simulation
