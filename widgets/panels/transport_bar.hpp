// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QWidget>

#include <optional>

class QComboBox;
class QToolButton;

namespace tawara {

class SteadyLabel;
class Timeline;

/// Play, pause, step, reset, record; simulated time; timeline; bound of the speed and the speed
/// reached. No part of it grows or moves with what it says.
class TransportBar : public QWidget
{
    Q_OBJECT
  public:
    explicit TransportBar(QWidget* parent = nullptr);
    void setStatus(const simulation::Status& status);
    /// Simulated time of the newest picture [ms].
    void setTime(double ms);
    /// The recorded moment that is shown in place of it: both are said then.
    /// @param ofBefore  it is of the run before that was set back: that is said instead
    void setReplay(std::optional<double> ms, bool ofBefore = false);
    /// The chosen bound [simulated ms per wall second]; 0: as fast as possible.
    double speedLimit() const;
    Timeline* timeline() { return m_timeline; }
    /// Bytes of the recording, for its tool tip.
    void setRecordingText(const QString& text);
    void setSpeedLimit(double msPerSecond);

  Q_SIGNALS:
    void playRequested();
    void pauseRequested();
    void stepRequested(int steps);
    void resetRequested();
    void speedLimitChosen(double msPerSecond);
    void recordRequested(bool on);

  private:
    QToolButton* button(const QString& icon, const QString& text, const QString& name);

    simulation::Status::State m_state = simulation::Status::State::empty;
    void showTime();
    void showSpeed(const simulation::Status& status);
    QLayout* buildTimes();
    QLayout* buildSpeeds();
    double m_runMs = 0; ///< time of the newest picture
    std::optional<double> m_replayMs;
    bool m_ofBefore = false; ///< what m_replayMs is of
    QString m_endText;       ///< what stands below the time while the run is followed
    QToolButton *m_play, *m_step, *m_reset, *m_record;
    Timeline* m_timeline;
    SteadyLabel *m_time, *m_end, *m_speed;
    QComboBox* m_limit;
};

} // namespace tawara
