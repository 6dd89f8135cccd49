// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/unattended.hpp"

#include "app/main_window.hpp"

#include <QCoreApplication>
#include <QTimer>

#include <cstdio>

namespace tawara {
namespace {

constexpr int bad_input = 2, not_finite = 3;

}

UnattendedPicture::UnattendedPicture(EngineHost* host, MainWindow* window, const QString& file,
                                     double atMs, bool wholeWindow, QObject* parent)
    : QObject(parent), m_host(host), m_window(window), m_file(file), m_atMs(atMs),
      m_wholeWindow(wholeWindow)
{
    connect(host, &EngineHost::loadingEnded, this, &UnattendedPicture::start);
    connect(host, &EngineHost::frameArrived, this, &UnattendedPicture::frame);
    connect(host, &EngineHost::openFailed, this,
            [this](const QString& reason) { fail(bad_input, reason); });
    connect(host, &EngineHost::refused, this,
            [this](const QString& reason) { fail(bad_input, reason); });
    connect(host, &EngineHost::runFailed, this,
            [this](const QString& reason) { fail(not_finite, reason); });
}

void UnattendedPicture::start()
{
    if (!m_host->scene())
        return;
    m_slackMs = 0.51 * m_host->scene()->dt_ms;
    if (m_atMs > m_slackMs)
        m_host->runUntil(m_atMs);
}

void UnattendedPicture::frame(const EngineHost::FramePtr& f)
{
    if (m_ended || f->time_ms < m_atMs - m_slackMs)
        return;
    m_ended = true;
    // after the curves and labels of this time have been shown as well
    QTimer::singleShot(250, this, &UnattendedPicture::save);
}

void UnattendedPicture::save()
{
    const QString error = savePicture(m_window->picture(m_wholeWindow), m_file);
    if (!error.isEmpty()) {
        m_ended = false;
        return fail(bad_input, error);
    }
    QCoreApplication::exit(0);
}

void UnattendedPicture::fail(int status, const QString& reason)
{
    if (m_ended)
        return;
    m_ended = true;
    std::fprintf(stderr, "error: %s\n", qPrintable(reason));
    QCoreApplication::exit(status);
}

} // namespace tawara
