// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"

#include <QObject>

class QLabel;
class QStatusBar;

namespace tawara {

/// The status bar's fields: state, device and precision, render path, steps per second, frames per
/// second, times slower than real time, memory of the program.
class StatusStrip : public QObject
{
    Q_OBJECT
  public:
    explicit StatusStrip(QStatusBar* bar);
    void setStatus(const simulation::Status& status, double framesPerSecond, double detail = 1);
    void setDevice(const QString& text);
    void setRenderPath(const QString& text, const QString& tip);

  private:
    QLabel *m_state, *m_device, *m_path, *m_steps, *m_slower, *m_frames, *m_memory;
    int m_polls = 0;
};

} // namespace tawara
