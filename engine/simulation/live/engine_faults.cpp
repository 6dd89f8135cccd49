// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of failures: nothing that is thrown leaves the engine's threads, what was reached is
// shown, and what happened is said.
#include "engine/cell/numerics_error.hpp"
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/session/notice_kinds.hpp"

#include <algorithm>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace tawara::simulation {

using State = Status::State;

std::string text_of(const std::exception& e)
{
    return dynamic_cast<const std::bad_alloc*>(&e) != nullptr ? "not enough memory" : e.what();
}

Failed Engine::Impl::failure_of(const std::exception& e) const
{
    Failed out{text_of(e)};
    if (const auto* n = dynamic_cast<const NumericsError*>(&e))
        out.place_mm = n->position_mm;
    if (const auto* d = dynamic_cast<const DeviceError*>(&e)) {
        out.device = d->device;
        if (sim)
            out.plan = device::plan_without(d->device, sim->devices, sim->precision,
                                            device::usable_gpus());
    }
    return out;
}

void Engine::Impl::push(const Event& e) noexcept
{
    if (!handler)
        return;
    try {
        handler(e);
    } catch (...) { // said by the next round
        handler_threw = true;
    }
}

void Engine::Impl::guarded_run() noexcept
{
    // On Linux a thread has a niceness of its own, which the threads that it starts inherit: with
    // work for all, one of niceness 5 gets a third of what one of 0 gets, and wakes after it.
    if (options.niceness > 0)
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::min(options.niceness, 19));
    for (;;)
        try {
            if (!round())
                break;
        } catch (const std::exception& e) {
            fault(e);
        } catch (...) {
            fault(Error("an error of an unknown kind"));
        }
    if (changing)
        changing->request_stop();
}

void Engine::Impl::fault(const std::exception& e) noexcept
{
    try {
        const auto why = text_of(e);
        const auto id = std::exchange(answering, 0);
        const bool device = dynamic_cast<const DeviceError*>(&e) != nullptr;
        measuring = false;
        if (sim && (state == State::running || state == State::loading || device))
            fail_run(failure_of(e));
        else if (!sim)
            set_state(State::empty);
        if (id != 0)
            answer(id, why);
        else if (!sim)
            push(Failed{why});
        else if (state != State::failed)
            note(notice_kind::fault, why);
    } catch (...) { // no memory even for the words: the state alone is told
        state = sim ? State::failed : State::empty;
        {
            const std::lock_guard hold(status_mutex);
            status.state = state;
        }
        push(StateChanged{state});
    }
}

void Engine::Impl::fail_run(const Failed& why)
{
    publish_reached();
    set_state(State::failed);
    push(why);
}

void Engine::Impl::publish_reached() noexcept
{
    const auto attempt = [](auto&& what) {
        try {
            what();
        } catch (...) { // a device that failed gives nothing more; the first failure is told
        }
    };
    attempt([&] { sim->simulation.collect(); });
    attempt([&] { publish_frame(true); });
    attempt([&] { note_kernels(); });
    attempt([&] { publish_status(); });
}

void Engine::Impl::note(Notice::Kind kind, const std::string& text)
{
    if (!sim)
        return;
    auto scene = std::make_shared<Scene>(*sim->scene);
    replace_kind(scene->notices, {Notice::Level::warning, text, kind});
    sim->scene = scene;
    push(SceneChanged{scene});
}

void Engine::Impl::answer_overflowed()
{
    std::vector<std::uint64_t> ids;
    {
        const std::lock_guard hold(queue_mutex);
        ids.swap(overflowed);
    }
    for (const auto id : ids)
        answer(id, "too many commands wait; this one was refused");
}

void Engine::Impl::take_faults()
{
    // Once: a handler that throws again must not bring the next notice.
    if (std::exchange(handler_threw, false) && sim &&
        !has_kind(sim->scene->notices, notice_kind::event_lost))
        note(notice_kind::event_lost,
             "an event could not be delivered; the window may show something older than the run");
    if (!work_lost.exchange(false))
        return;
    measuring = false;
    if (changing)
        drop_change("not enough memory");
    note(notice_kind::work_lost, "work beside the run was lost: not enough memory");
}

} // namespace tawara::simulation
