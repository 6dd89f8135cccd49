// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/hand_over.hpp"

#include <QRunnable>
#include <QThreadPool>
#include <QtDebug>

#include <atomic>
#include <exception>
#include <new>
#include <utility>

namespace tawara {

/// Work beside the window, one piece after the other on one thread.
class WorkPool
{
  public:
    WorkPool() { m_pool.setMaxThreadCount(1); }
    ~WorkPool() { waitForDone(); }
    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    /// Runs `work`. What it throws goes no further: it is said on standard error, and `failed` is
    /// called on the receiver's thread, to take back what waits for the work.
    template <class Work, class Failed>
    void start(QObject* receiver, Work work, Failed failed)
    {
        auto guarded = [receiver, work = std::move(work), failed = std::move(failed)]() mutable {
            try {
                work();
                return;
            } catch (const std::bad_alloc&) {
                qWarning("not enough memory for what is computed beside the window");
            } catch (const std::exception& e) {
                qWarning("what is computed beside the window failed: %s", e.what());
            } catch (...) {
                qWarning("what is computed beside the window failed");
            }
            try {
                postTo(receiver, std::move(failed));
            } catch (...) { // nor is there memory to say so
            }
        };
        m_pool.start(new Piece<decltype(guarded)>(std::move(guarded), m_done));
    }
    template <class Work>
    void start(QObject* receiver, Work work)
    {
        start(receiver, std::move(work), [] {});
    }

    /// Until all that was started is done and gone; what it posted may still be under way.
    void waitForDone()
    {
        m_pool.waitForDone();
        static_cast<void>(m_done.load(std::memory_order_acquire));
    }

  private:
    struct Done
    {
        std::atomic<unsigned>& count;
        ~Done() { count.fetch_add(1, std::memory_order_release); }
    };
    template <class F>
    class Piece final : public QRunnable
    {
      public:
        Piece(F f, std::atomic<unsigned>& done) : m_done{done}, m_f(std::move(f)) {}
        void run() override { m_f(); }

      private:
        Done m_done;       // first: what the piece was given goes before
        HandedOver<F> m_f; // last: hands over what is above, too
    };

    std::atomic<unsigned> m_done = 0; ///< pieces; orders what they did before waitForDone() returns
    QThreadPool m_pool;
};

} // namespace tawara
