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
    /// @param threads  0: one per hardware thread
    explicit ThreadPool(unsigned threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned size() const;

    /// Calls body(begin, end, worker) on every worker, the pieces' bounds being multiples of
    /// `grain` (except the last end); returns when all are done. The first exception is thrown
    /// again here.
    /// @thread one caller at a time; not from inside a body
    void
    for_range(std::size_t n, std::size_t grain,
              const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& body);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace tawara
