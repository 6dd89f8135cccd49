// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tawara {
namespace {

/// Waits for a condition for about ten microseconds, which is less than it takes to wake a thread.
template <class Condition>
void soon(Condition&& condition)
{
    constexpr int looks = 256;
    for (int k = 0; k < looks && !condition(); ++k) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

} // namespace

struct ThreadPool::State
{
    using Body = std::function<void(std::size_t, std::size_t, unsigned)>;

    std::mutex mutex;
    std::condition_variable start, done;
    const Body* body = nullptr;
    std::size_t n = 0, grain = 1;
    std::atomic<std::uint64_t> round = 0; ///< this and the next are set under the mutex
    std::atomic<unsigned> pending = 0;
    unsigned workers = 1;
    unsigned parts = 1; ///< workers of this round
    bool quit = false;
    std::exception_ptr error;
    std::vector<std::thread> threads;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() // also where the pool could not start all of its threads
    {
        {
            const std::lock_guard hold(mutex);
            quit = true;
        }
        start.notify_all();
        for (auto& t : threads)
            t.join();
    }

    void piece(unsigned worker)
    {
        const std::size_t blocks = (n + grain - 1) / grain;
        const std::size_t begin = std::min(n, blocks * worker / parts * grain);
        const std::size_t end = std::min(n, blocks * (worker + 1) / parts * grain);
        if (begin >= end)
            return;
        try {
            (*body)(begin, end, worker);
        } catch (...) {
            std::lock_guard hold(mutex);
            if (!error)
                error = std::current_exception();
        }
    }

    void work(unsigned worker)
    {
        std::uint64_t seen = 0;
        for (;;) {
            soon([&] { return round.load(std::memory_order_relaxed) != seen; });
            {
                std::unique_lock hold(mutex);
                start.wait(hold, [&] { return quit || round != seen; });
                if (quit)
                    return;
                seen = round;
                if (worker >= parts)
                    continue;
            }
            piece(worker);
            std::lock_guard hold(mutex);
            if (--pending == 0)
                done.notify_one();
        }
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>())
{
    state_->workers = std::max(1U, threads);
    for (unsigned w = 1; w < state_->workers; ++w)
        state_->threads.emplace_back([s = state_.get(), w] { s->work(w); });
}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::size() const
{
    return state_->workers;
}

void ThreadPool::for_range(std::size_t n, std::size_t grain, const State::Body& body)
{
    State& s = *state_;
    const std::size_t least = std::max<std::size_t>(grain, 1);
    const auto parts =
        static_cast<unsigned>(std::min<std::size_t>(s.workers, (n + least - 1) / least));
    if (parts < 2) {
        if (n > 0)
            body(0, n, 0);
        return;
    }
    {
        std::lock_guard hold(s.mutex);
        s.body = &body;
        s.n = n;
        s.grain = least;
        s.parts = parts;
        s.pending = parts - 1;
        s.error = nullptr;
        ++s.round;
    }
    s.start.notify_all();
    s.piece(0);
    soon([&] { return s.pending.load(std::memory_order_relaxed) == 0; });
    std::unique_lock hold(s.mutex);
    s.done.wait(hold, [&] { return s.pending == 0; });
    if (s.error)
        std::rethrow_exception(s.error);
}

unsigned threads_for(unsigned asked, unsigned there, std::size_t items,
                     std::size_t items_per_thread)
{
    if (asked > 0)
        return asked;
    const std::size_t busy = std::max<std::size_t>(1, items / items_per_thread);
    return static_cast<unsigned>(std::min<std::size_t>(busy, std::max(1U, there)));
}

} // namespace tawara
