// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/export.hpp"

#include <QObject>
#include <QString>

#include <stop_token>
#include <thread>

namespace tawara {

/// Writes results that take long on a thread of its own: tells how far it is, can be cancelled.
///
/// @thread GUI thread
class ExportJob : public QObject
{
    Q_OBJECT
  public:
    ExportJob(simulation::ExportSource source, simulation::ExportKind kind, const QString& file,
              QObject* parent = nullptr);
    /// Cancels, and waits until that has come about.
    ~ExportJob() override;
    void start();
    /// ended() follows; nothing of the files is left then.
    void cancel();

  Q_SIGNALS:
    void progressed(double fraction);
    /// error: one line; empty when all is written, and when it was cancelled.
    void ended(const QString& file, const QString& error, bool cancelled);

  private:
    void write(const std::stop_token& stop);

    const simulation::ExportSource m_source;
    const simulation::ExportKind m_kind;
    const QString m_file;
    std::jthread m_thread; // after what it reads
};

} // namespace tawara
