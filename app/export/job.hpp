// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <thread>

namespace tawara {

/// Work that takes long, on a thread of its own: tells how far it is, can be cancelled.
///
/// @thread GUI thread; the work runs on another. Destruction cancels and waits.
class Job : public QObject
{
    Q_OBJECT
  public:
    /// What it throws is the reason in ended(); Cancelled: it was cancelled.
    using Work = std::function<void(const Progress&)>;
    explicit Job(Work work, const Context& context, QObject* parent = nullptr);
    ~Job() override;
    void start();
    /// ended() follows.
    void cancel();

  Q_SIGNALS:
    void progressed(double fraction, const QString& stage); ///< every 50 ms at most
    /// error: one line; empty when all is done, and when it was cancelled.
    void ended(const QString& error, bool cancelled);

  private:
    void run(const std::stop_token& stop);

    const Work m_work;
    const Context m_context; // what the work may use
    std::jthread m_thread;   // after what it runs
};

} // namespace tawara
