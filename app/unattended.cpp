// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/unattended.hpp"

#include "app/export/movie_job.hpp"
#include "app/export/picture_dialog.hpp"

#include <QCoreApplication>
#include <QTimer>

#include <cstdio>

namespace tawara {
namespace {

constexpr int bad_input = 2, not_finite = 3;
constexpr int settle_ms = 250; // until curves and labels of a time have been shown as well

} // namespace

Unattended::Unattended(EngineHost* host, QObject* parent) : QObject(parent), m_host(host)
{
    connect(host, &EngineHost::loadingEnded, this, [this] {
        if (m_host->scene() && !m_ended)
            start();
    });
    connect(host, &EngineHost::frameArrived, this, [this](const EngineHost::FramePtr& f) {
        if (!m_ended)
            frame(f);
    });
    connect(host, &EngineHost::openFailed, this,
            [this](const QString& reason) { fail(bad_input, reason); });
    connect(host, &EngineHost::refused, this,
            [this](const QString& reason) { fail(bad_input, reason); });
    connect(host, &EngineHost::runFailed, this,
            [this](const QString& reason) { fail(not_finite, reason); });
}

bool Unattended::reached(const EngineHost::FramePtr& f, double timeMs) const
{
    const double slack = m_host->scene() ? 0.51 * m_host->scene()->dt_ms : 0;
    return f->time_ms >= timeMs - slack;
}

void Unattended::end()
{
    m_ended = true;
    QCoreApplication::exit(0);
}

void Unattended::fail(int status, const QString& reason)
{
    if (m_ended)
        return;
    m_ended = true;
    std::fprintf(stderr, "error: %s\n", qPrintable(reason));
    QCoreApplication::exit(status);
}

UnattendedPicture::UnattendedPicture(EngineHost* host, std::function<QImage(QString* why)> maker,
                                     const QString& file, double atMs, QObject* parent)
    : Unattended(host, parent), m_maker(std::move(maker)), m_file(file), m_atMs(atMs)
{
}

void UnattendedPicture::start()
{
    if (m_atMs > 0.51 * m_host->scene()->dt_ms)
        m_host->runUntil(m_atMs);
}

void UnattendedPicture::frame(const EngineHost::FramePtr& f)
{
    if (m_reached || !reached(f, m_atMs))
        return;
    m_reached = true;
    QTimer::singleShot(settle_ms, this, &UnattendedPicture::save);
}

void UnattendedPicture::save()
{
    QString why;
    const QImage image = m_maker(&why);
    if (image.isNull())
        return fail(bad_input, why);
    if (const QString error = writePicture(image, m_file); !error.isEmpty())
        return fail(bad_input, error);
    end();
}

UnattendedMovie::UnattendedMovie(EngineHost* host, PictureMaker maker, const QString& file,
                                 const movie::MovieOptions& options, const PictureOptions& picture,
                                 double untilMs, double everyMs, QObject* parent)
    : Unattended(host, parent), m_maker(std::move(maker)), m_picture(picture),
      m_times(movieTimes({0, untilMs, everyMs}, 1)), m_encoder(file, options)
{
    m_picture.size = m_encoder.size();
    connect(&m_encoder, &MovieEncoder::failed, this,
            [this](const QString& reason) { fail(bad_input, reason); });
    connect(&m_encoder, &MovieEncoder::written, this, [this] { end(); });
    connect(&m_encoder, &MovieEncoder::roomAgain, this, [this] {
        if (m_due && !m_ended)
            take();
    });
}

void UnattendedMovie::start()
{
    if (m_host->scene()->session.dt_ms > 0 && m_times.size() > 1)
        m_host->setFrameInterval(0);
}

void UnattendedMovie::frame(const EngineHost::FramePtr& f)
{
    if (m_due || m_at >= m_times.size() || !reached(f, m_times[m_at]))
        return;
    m_due = true;
    // when everyone who was told of the frame has shown it
    QTimer::singleShot(0, this, &UnattendedMovie::take);
}

void UnattendedMovie::take()
{
    if (m_ended || !m_due || m_encoder.full())
        return; // goes on with roomAgain()
    m_due = false;
    QString why;
    const QImage image = m_maker(m_picture, &why);
    if (image.isNull())
        return fail(bad_input, why);
    m_encoder.add(image);
    if (++m_at < m_times.size())
        m_host->runUntil(m_times[m_at]);
    else
        m_encoder.finish();
}

} // namespace tawara
