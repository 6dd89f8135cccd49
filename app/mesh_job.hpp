// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session.hpp"

#include <QObject>

#include <functional>
#include <thread>

namespace tawara {

/// Makes a mesh and a session on it, on a thread of its own.
///
/// @thread GUI thread; the work runs on another. Destruction cancels and waits.
class MeshJob : public QObject
{
    Q_OBJECT
  public:
    using Work = std::function<simulation::Session(const Progress&)>;
    explicit MeshJob(Work work, QObject* parent = nullptr);
    ~MeshJob() override;
    void start();
    /// Asks it to end; failed() follows, with no reason.
    void cancel();

  Q_SIGNALS:
    void progressed(double fraction, const QString& stage);
    void made(const tawara::simulation::Session& session);
    void failed(const QString& reason); ///< empty: it was cancelled

  private:
    void run(const std::stop_token& stop);

    Work m_work;
    std::jthread m_thread;
};

} // namespace tawara
