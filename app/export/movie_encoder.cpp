// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/movie_encoder.hpp"

#include "engine/core/provenance.hpp"

#include <QMetaObject>

namespace tawara {
namespace {

constexpr std::size_t queue_length = 3; // pictures that wait for the codec

movie::MovieOptions even(movie::MovieOptions o)
{
    o.width -= o.width % 2;
    o.height -= o.height % 2;
    return o;
}

} // namespace

MovieEncoder::MovieEncoder(const QString& file, movie::MovieOptions options, QObject* parent)
    : QObject(parent), m_file(file), m_options(even(std::move(options))),
      m_thread([this](const std::stop_token& stop) { work(stop); })
{
}

MovieEncoder::~MovieEncoder() = default;

bool MovieEncoder::full() const
{
    const std::lock_guard hold(m_mutex);
    return m_queue.size() >= queue_length;
}

bool MovieEncoder::add(const QImage& image)
{
    {
        const std::lock_guard hold(m_mutex);
        if (m_last || m_over || m_queue.size() >= queue_length)
            return false;
        m_queue.push_back(image);
    }
    ++m_taken;
    m_changed.notify_all();
    return true;
}

void MovieEncoder::finish()
{
    {
        const std::lock_guard hold(m_mutex);
        m_last = true;
    }
    m_changed.notify_all();
}

void MovieEncoder::work(const std::stop_token& stop)
{
    QString error;
    qint64 frames = 0;
    try {
        movie::MovieWriter writer(m_file.toStdString(), m_options);
        for (;;) {
            QImage image;
            {
                std::unique_lock hold(m_mutex);
                if (!m_changed.wait(hold, stop, [this] { return m_last || !m_queue.empty(); }))
                    return; // given up: the writer leaves nothing behind
                if (m_queue.empty())
                    break;
                image = std::move(m_queue.front());
                m_queue.pop_front();
            }
            QMetaObject::invokeMethod(this, &MovieEncoder::roomAgain, Qt::QueuedConnection);
            image = image.convertToFormat(QImage::Format_RGBX8888);
            if (image.width() != m_options.width || image.height() != m_options.height)
                image = image.scaled(m_options.width, m_options.height, Qt::IgnoreAspectRatio,
                                     Qt::SmoothTransformation);
            if (writer.frames() == 0)
                if (const QString by = image.text(QLatin1String(provenance_name)); !by.isEmpty())
                    writer.set_provenance(by.toStdString());
            writer.add({image.constBits(), static_cast<std::size_t>(image.sizeInBytes())},
                       static_cast<std::size_t>(image.bytesPerLine()));
        }
        writer.finish();
        frames = writer.frames();
    } catch (const std::exception& e) {
        error = QString::fromUtf8(e.what());
    }
    {
        const std::lock_guard hold(m_mutex);
        m_over = true;
        m_queue.clear();
    }
    QMetaObject::invokeMethod(
        this,
        [this, error, frames] {
            if (error.isEmpty())
                Q_EMIT written(m_file, frames);
            else
                Q_EMIT failed(error);
        },
        Qt::QueuedConnection);
}

} // namespace tawara
