// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <QObject>
#include <QString>

namespace tawara {

class MainWindow;

/// Runs what is being opened to a time, saves a picture, and ends the program: exit status 0, 2 for
/// bad input, 3 when the run failed; with one line on standard error where it was not 0.
class UnattendedPicture : public QObject
{
    Q_OBJECT
  public:
    UnattendedPicture(EngineHost* host, MainWindow* window, const QString& file, double atMs,
                      bool wholeWindow, QObject* parent = nullptr);

  private:
    void start();
    void frame(const EngineHost::FramePtr& frame);
    void save();
    void fail(int status, const QString& reason);

    EngineHost* m_host;
    MainWindow* m_window;
    QString m_file;
    double m_atMs;
    bool m_wholeWindow, m_ended = false;
    double m_slackMs = 0;
};

} // namespace tawara
