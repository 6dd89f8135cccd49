// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/study/scheduler.hpp"
#include "widgets/models/study_model.hpp"

#include <QObject>

#include <mutex>
#include <thread>

namespace tawara {

/// The scheduler of a study on a thread of its own, which gives way to the window.
///
/// @thread GUI thread; the destructor stops it and waits
class StudyWork : public QObject
{
    Q_OBJECT
  public:
    StudyWork() = default;
    ~StudyWork() override;

    /// Takes the study's runs until there is none that is free. @pre not running()
    void start(study::Study s, study::StudyOptions o, const Context& context);
    /// Runs under way keep where they are and are free again; ended() follows.
    void stop();
    bool running() const { return m_thread.joinable(); }
    bool stopping() const { return m_stopping; }
    /// How many runs it computes at once.
    unsigned atOnce() const { return m_atOnce; }
    /// Where its runs stand.
    RunProgress progress() const;
    /// What it is at, while no run has begun; empty then.
    QString stage() const;

  Q_SIGNALS:
    /// It takes no more runs. @param error  why, where that is a failure; one line
    void ended(const QString& error);
    void remarked(const QString& text); ///< of a run, a warning

  private:
    void compute(const study::Study& s, study::StudyOptions o, const Context& context,
                 const std::stop_token& stop);
    void finish(const QString& error);

    mutable std::mutex m_mutex; ///< of what follows
    RunProgress m_progress;
    QString m_stage;
    bool m_stopping = false;
    unsigned m_atOnce = 1;
    std::jthread m_thread;
};

} // namespace tawara
