// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace tawara {

/// Worker threads that share the cores for one parallel loop at a time.
///
/// The range is cut into one contiguous piece per worker (static, so that the same thread count
/// gives the same pieces and memory stays with the core that touched it first).
class ThreadPool
{
  public:
    /// @param threads  at least 1, the caller's counted
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned size() const;

    /// Calls body(begin, end, worker) on as many workers as there are multiples of `grain`, at most
    /// on all, the pieces' bounds being such multiples (except the last end); returns when all are
    /// done. What one worker does the caller's thread does. The first exception is thrown again
    /// here.
    /// @thread one caller at a time; not from inside a body
    void
    for_range(std::size_t n, std::size_t grain,
              const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& body);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// How many threads to take for steps over `items` that wait for each other several times a step:
/// as many as asked for, or, of 0, as many as have enough to do that waiting costs them little, at
/// most those there are.
unsigned threads_for(unsigned asked, unsigned there, std::size_t items,
                     std::size_t items_per_thread);

} // namespace tawara
