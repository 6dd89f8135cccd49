// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

class QStatusBar;
class QWidget;

namespace tawara {

class SteadyLabel;

/// The status bar's fields: state, device and precision, render path, steps per second, frames per
/// second, speed beside real time, memory of the program; a note while the screen is filmed.
/// Numbers keep their places; what is too long for a narrow window ends in "…" and has its tool
/// tip.
class StatusStrip : public QObject
{
    Q_OBJECT
  public:
    explicit StatusStrip(QStatusBar* bar);
    void setStatus(const simulation::Status& status, double framesPerSecond, double detail = 1);
    void setDevice(const QString& text);
    void setRenderPath(const QString& text, const QString& tip);
    /// A note with its time and a button that ends it.
    void setFilming(bool on);

  Q_SIGNALS:
    void endFilmRequested();

  private:
    QWidget* buildFilming();
    void showFilmed();

    SteadyLabel *m_state, *m_device, *m_path, *m_steps, *m_slower, *m_frames, *m_memory;
    QWidget* m_filming;
    SteadyLabel* m_filmed;
    QTimer m_filmTick;
    QElapsedTimer m_filmingSince;
    int m_polls = 0;
};

} // namespace tawara
