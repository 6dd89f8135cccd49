// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/live_movie.hpp"

#include <cmath>

namespace tawara {

LiveMovie::LiveMovie(const QString& file, const movie::MovieOptions& options, Maker maker,
                     QObject* parent)
    : QObject(parent), m_rate(options.frames_per_second), m_maker(std::move(maker)),
      m_encoder(file, options)
{
    m_tick.setInterval(static_cast<int>(std::lround(1000 / m_rate)));
    m_tick.setTimerType(Qt::PreciseTimer);
    connect(&m_tick, &QTimer::timeout, this, &LiveMovie::tick);
    connect(&m_encoder, &MovieEncoder::written, this, &LiveMovie::written);
    connect(&m_encoder, &MovieEncoder::failed, this, [this](const QString& reason) {
        m_tick.stop();
        Q_EMIT failed(reason);
    });
}

void LiveMovie::start()
{
    m_clock.start();
    m_tick.start();
    tick();
}

void LiveMovie::stop()
{
    m_tick.stop();
    m_encoder.finish();
}

void LiveMovie::tick()
{
    const auto due = [this] {
        return static_cast<qint64>(static_cast<double>(m_clock.elapsed()) / 1e3 * m_rate) + 1 -
               m_encoder.framesTaken();
    };
    // what could not be drawn in time is filled with the picture before
    while (!m_image.isNull() && due() > 1 && m_encoder.add(m_image)) {
    }
    if (due() <= 0 || m_encoder.full())
        return;
    PictureOptions o;
    o.size = m_encoder.size();
    QString why;
    m_image = m_maker(o, &why);
    if (m_image.isNull()) {
        m_tick.stop();
        Q_EMIT failed(why);
        return;
    }
    m_encoder.add(m_image);
}

} // namespace tawara
