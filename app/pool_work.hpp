// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <QtDebug>

#include <exception>
#include <new>
#include <utility>

namespace tawara {

/// Runs `work` on a pool. What it throws goes no further: it is said on standard error, and
/// `failed` is called on the receiver's thread, to take back what waits for the work.
template <class Work, class Failed>
void startGuarded(QThreadPool& pool, QObject* receiver, Work work, Failed failed)
{
    pool.start([receiver, work = std::move(work), failed = std::move(failed)]() mutable {
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
            QMetaObject::invokeMethod(receiver, std::move(failed), Qt::QueuedConnection);
        } catch (...) { // nor is there memory to say so
        }
    });
}

template <class Work>
void startGuarded(QThreadPool& pool, QObject* receiver, Work work)
{
    startGuarded(pool, receiver, std::move(work), [] {});
}

} // namespace tawara
