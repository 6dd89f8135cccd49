// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/engine.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace tawara::simulation {

/// Keeps what an engine pushes, and waits for it.
class Inbox
{
  public:
    Engine::Handler handler()
    {
        return [this](const Event& e) {
            std::lock_guard hold(mutex_);
            events_.push_back(e);
            arrived_.notify_all();
        };
    }
    /// The answer to a command; waits for it.
    Answer answer(std::uint64_t id)
    {
        Answer out;
        wait([&](const Event& e) {
            const auto* a = std::get_if<Answer>(&e);
            if (a && a->command == id)
                out = *a;
            return a && a->command == id;
        });
        return out;
    }
    template <class Match>
    bool wait(Match match, int ms = 120000)
    {
        std::unique_lock hold(mutex_);
        return arrived_.wait_for(hold, std::chrono::milliseconds(ms), [&] {
            return std::any_of(events_.begin(), events_.end(), match);
        });
    }
    bool wait_state(Status::State s, int ms = 120000)
    {
        return wait(
            [&](const Event& e) {
                const auto* c = std::get_if<StateChanged>(&e);
                return c && c->state == s;
            },
            ms);
    }
    void clear()
    {
        std::lock_guard hold(mutex_);
        events_.clear();
    }
    std::vector<Event> all()
    {
        std::lock_guard hold(mutex_);
        return events_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Event> events_;
};

} // namespace tawara::simulation
