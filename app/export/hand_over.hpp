// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaObject>
#include <QObject>

#include <atomic>
#include <utility>

namespace tawara {

/// A function that one thread makes and another calls and destroys.
///
/// The queues of Qt that carry it are atomics inside a library that is built without the thread
/// sanitizer, which sees no order there. So the function carries its own: what is written before
/// it lies in its place is released there, and acquired by who calls or destroys it. What the call
/// does is released behind it: Qt may leave it to the thread that posted to destroy the function.
template <class F>
class HandedOver
{
  public:
    explicit HandedOver(F f) : m_f(std::move(f)) { release(); }
    HandedOver(HandedOver&& other) : m_f((other.acquire(), std::move(other.m_f))) { release(); }
    HandedOver& operator=(HandedOver&&) = delete;
    ~HandedOver() { acquire(); }
    void operator()()
    {
        acquire();
        m_f();
        release();
    }

  private:
    void release() { m_made.store(true, std::memory_order_release); }
    void acquire() const { static_cast<void>(m_made.load(std::memory_order_acquire)); }

    F m_f;
    std::atomic<bool> m_made = false;
};

/// Has the event loop of the receiver's thread call `f`, unless the receiver is gone by then.
/// @thread any
template <class F>
void postTo(QObject* receiver, F f)
{
    QMetaObject::invokeMethod(receiver, HandedOver<F>(std::move(f)), Qt::QueuedConnection);
}

} // namespace tawara
