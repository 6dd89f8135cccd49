// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/view_controller.hpp"

#include <QElapsedTimer>

#include <functional>

namespace tawara {

/// What a run has cost so far, and up to where it is kept in files.
///
/// @thread GUI thread
class RunAccount
{
  public:
    RunAccount(EngineHost& host, ViewController& views) : m_host(host), m_views(views) {}
    /// How much wall time of computing is not given up unasked [ms].
    void setLongRun(qint64 ms) { m_longRunMs = ms; }
    /// Another document was loaded.
    void loaded();
    /// The run is back at the start.
    void restarted();
    void polled(const simulation::Status& s);
    /// Somebody asked for the recording that begins now.
    void recordingWanted();
    bool recordWanted() const { return m_recordWanted; }
    qint64 computedMs() const { return m_computedMs; }
    /// Whether the run took long to compute and was exported before it came here.
    bool longAndNotKept() const;
    /// The recording is saved up to there.
    double framesSavedToMs() const { return m_savedToMs; }
    void framesSaved(double toMs) { m_savedToMs = std::max(m_savedToMs, toMs); }
    /// Results of the run are in a file up to there.
    void kept(double toMs) { m_keptToMs = std::max(m_keptToMs, toMs); }
    /// What an export that is asked for now calls when it is written where the user chose: results
    /// of this run are kept up to here, if it is still the run then.
    std::function<void()> keeper();
    /// Whether that was recorded in the run as it is now, not in one before the last start.
    bool ofThisRun(const simulation::Recording& recording) const;

  private:
    EngineHost& m_host;
    ViewController& m_views;
    QElapsedTimer m_sinceStatus;
    qint64 m_computedMs = 0; // wall time that this run took
    qint64 m_longRunMs = 30'000;
    bool m_recordWanted = false; // somebody pressed Record
    double m_savedToMs = -1;     // as an export or a movie
    double m_keptToMs = -1;      // results were exported when the run was there
    quint64 m_starts = 0;        // of runs: loaded, or back at the start
};

} // namespace tawara
