// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/engine_impl.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

using Clock = EngineClock;
using State = Status::State;

/// Steps are taken in batches of about this wall time, so that a command waits no longer.
constexpr double batch_s = 0.008;
constexpr double rate_window_s = 0.5;

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
        status.step = sim->stepper->step();
        status.time_ms = sim->stepper->time_ms();
        status.end_ms = static_cast<double>(sim->end_step) * sim->stepper->dt_ms();
    }
}

void Engine::Impl::start_rates()
{
    rate_from = limit_from = Clock::now();
    rate_from_step = sim ? sim->stepper->step() : 0;
    limit_from_ms = sim ? sim->stepper->time_ms() : 0;
    std::lock_guard hold(status_mutex);
    status.ms_per_second = status.steps_per_second = status.cell_steps_per_second = 0;
}

void Engine::Impl::update_rates()
{
    const double took = seconds(Clock::now() - rate_from);
    if (took < rate_window_s)
        return;
    const double rate = static_cast<double>(sim->stepper->step() - rate_from_step) / took;
    rate_from = Clock::now();
    rate_from_step = sim->stepper->step();
    std::lock_guard hold(status_mutex);
    status.steps_per_second = rate;
    status.ms_per_second = rate * sim->stepper->dt_ms();
    status.cell_steps_per_second = rate * static_cast<double>(sim->scene->unknowns);
}

bool Engine::Impl::next(std::pair<std::uint64_t, Command>& out)
{
    std::unique_lock hold(queue_mutex);
    if (state != State::running)
        wake.wait(hold, [&] { return quit || !queue.empty(); });
    if (quit || queue.empty())
        return false;
    out = std::move(queue.front());
    queue.pop_front();
    if (std::holds_alternative<Load>(out.second))
        loading = std::stop_source(); // under the lock: a later post() stops this one
    return true;
}

void Engine::Impl::run()
{
    for (;;) {
        std::pair<std::uint64_t, Command> c;
        while (next(c))
            std::visit([&](auto& command) { apply(c.first, command); }, c.second);
        {
            std::lock_guard hold(queue_mutex);
            if (quit)
                return;
        }
        if (state == State::running)
            work();
    }
}

void Engine::Impl::work()
{
    const auto now = Clock::now();
    if (limit_ms_per_s > 0) {
        const double due_s = (sim->stepper->time_ms() - limit_from_ms) / limit_ms_per_s;
        const double early = due_s - seconds(now - limit_from);
        if (early > 0.001) {
            std::unique_lock hold(queue_mutex);
            wake.wait_for(hold, std::chrono::duration<double>(std::min(early, batch_s)),
                          [&] { return quit || !queue.empty(); });
            return;
        }
        // A solver slower than the limit must not sprint later to catch up.
        if (early < -0.25) {
            limit_from = now;
            limit_from_ms = sim->stepper->time_ms();
        }
    }
    const auto at = sim->stepper->step();
    std::int64_t n = std::min(batch, sim->end_step - at);
    if (sim->until_step >= 0)
        n = std::min(n, sim->until_step - at);
    if (limit_ms_per_s > 0)
        n = std::min<std::int64_t>(n,
                                   std::max<std::int64_t>(1, std::llround(limit_ms_per_s * batch_s /
                                                                          sim->stepper->dt_ms())));
    if (n > 0)
        steps(n);
    if (state != State::running)
        return;
    const double took = seconds(Clock::now() - now);
    if (took < batch_s / 2 && n == batch)
        batch = std::min<std::int64_t>(batch * 2, 1024);
    else if (took > batch_s)
        batch = std::max<std::int64_t>(batch / 2, 1);
    update_rates();
    if (sim->until_step >= 0 && sim->stepper->step() >= sim->until_step) {
        sim->until_step = -1;
        publish_frame(true);
        set_state(State::paused);
    } else if (sim->stepper->step() >= sim->end_step) {
        publish_frame(true);
        set_state(State::finished);
    } else {
        publish_frame(false);
    }
}

void Engine::Impl::steps(std::int64_t n)
{
    try {
        sim->stepper->advance(n);
    } catch (const std::exception& e) {
        take_samples();
        publish_frame(true);
        set_state(State::failed);
        push(Failed{e.what()});
        return;
    }
    take_samples();
    auto& live = sim->live_stimuli;
    for (auto i = live.begin(); i != live.end();)
        if (sim->stepper->time_ms() >= i->second) {
            sim->stepper->remove_stimulus(i->first);
            i = live.erase(i);
        } else {
            ++i;
        }
    publish_status();
}

void Engine::Impl::take_samples()
{
    std::vector<std::int64_t> at;
    std::vector<double> samples;
    sim->stepper->take_samples(at, samples);
    if (at.empty())
        return;
    std::lock_guard hold(trace_mutex);
    for (std::size_t k = 0; k < at.size(); ++k)
        for (std::size_t p = 0; p < probes.size(); ++p) {
            traces[p].time_ms.push_back(static_cast<double>(at[k]) * sim->stepper->dt_ms());
            traces[p].V_mV.push_back(static_cast<float>(samples[k * probes.size() + p]));
        }
}

void Engine::Impl::publish_frame(bool now)
{
    const auto time = Clock::now();
    const auto step = sim->stepper->step();
    if ((!now && time < frame_due) || (step == frame_step && sim->scene->run == frame_run))
        return;
    auto f = std::make_shared<Frame>();
    f->run = sim->scene->run;
    f->step = step;
    f->time_ms = sim->stepper->time_ms();
    f->values.resize(sim->display.size());
    sim->stepper->display(f->values);
    f->made = Clock::now();
    frames.put(std::move(f));
    frame_step = step;
    frame_run = sim->scene->run;
    frame_due = time + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(frame_interval_s));
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
    std::lock_guard hold(impl_->trace_mutex);
    return impl_->traces;
}

Trace Engine::trace(std::uint64_t probe, std::size_t from) const
{
    std::lock_guard hold(impl_->trace_mutex);
    for (const auto& t : impl_->traces)
        if (t.probe == probe) {
            const auto n = std::min(from, t.time_ms.size());
            Trace out{t.probe, t.name, t.position_mm, {}, {}};
            out.time_ms.assign(t.time_ms.begin() + static_cast<std::ptrdiff_t>(n), t.time_ms.end());
            out.V_mV.assign(t.V_mV.begin() + static_cast<std::ptrdiff_t>(n), t.V_mV.end());
            return out;
        }
    return {};
}

std::shared_ptr<const MapFrame> Engine::newest_maps() const
{
    return {};
}

Ecg Engine::ecg(std::size_t) const
{
    return {};
}

std::vector<KernelFigure> Engine::kernels() const
{
    return {};
}

std::shared_ptr<const Partition> Engine::partition() const
{
    return {};
}

std::vector<Beat> Engine::beats(std::uint64_t) const
{
    return {};
}

std::shared_ptr<const Recording> Engine::recording() const
{
    return {};
}

} // namespace tawara::simulation
