// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/movie_job.hpp"

#include <cmath>

namespace tawara {
namespace {

constexpr int look_ms = 2; // between two looks whether a picture is there

class AtOnce : public MoviePainter
{
  public:
    explicit AtOnce(MovieJob::Painter painter) : m_painter(std::move(painter)) {}
    QString begin(const simulation::RecordedFrame& frame, const QSize& size) override
    {
        m_why.clear();
        m_image = m_painter(frame, size, &m_why);
        return {};
    }
    std::optional<QImage> take(QString* why) override
    {
        *why = m_why;
        return m_image;
    }

  private:
    MovieJob::Painter m_painter;
    QImage m_image;
    QString m_why;
};

} // namespace

std::vector<double> movieTimes(const MovieRange& range, double framesPerSecond)
{
    std::vector<double> out;
    const double step = range.msPerSecond / framesPerSecond;
    if (!(step > 0) || !(range.toMs >= range.fromMs))
        return out;
    const auto n = static_cast<std::size_t>(std::floor((range.toMs - range.fromMs) / step + 1e-6));
    for (std::size_t k = 0; k <= n; ++k)
        out.push_back(range.fromMs + static_cast<double>(k) * step);
    return out;
}

std::unique_ptr<MoviePainter> MovieJob::atOnce(Painter painter)
{
    return std::make_unique<AtOnce>(std::move(painter));
}

MovieJob::MovieJob(RecordingPtr recording, const MovieRange& range, const QString& file,
                   const movie::MovieOptions& options, Painter painter, QObject* parent)
    : MovieJob(std::move(recording), range, file, options, atOnce(std::move(painter)), parent)
{
}

MovieJob::MovieJob(RecordingPtr recording, const MovieRange& range, const QString& file,
                   const movie::MovieOptions& options, std::unique_ptr<MoviePainter> painter,
                   QObject* parent)
    : QObject(parent), m_recording(std::move(recording)),
      m_times(movieTimes(range, options.frames_per_second)), m_painter(std::move(painter)),
      m_encoder(std::make_unique<MovieEncoder>(file, options))
{
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &MovieJob::next);
    connect(m_encoder.get(), &MovieEncoder::roomAgain, this, [this] {
        if (!m_ended && m_at < m_times.size())
            m_turn.start();
    });
    connect(m_encoder.get(), &MovieEncoder::failed, this, &MovieJob::fail);
    connect(m_encoder.get(), &MovieEncoder::written, this,
            [this](const QString& path, qint64 frames) {
                m_ended = true;
                Q_EMIT progressed(1);
                Q_EMIT written(path, frames);
            });
}

void MovieJob::start()
{
    m_turn.start();
}

void MovieJob::cancel()
{
    fail({});
}

void MovieJob::fail(const QString& reason)
{
    if (m_ended)
        return;
    m_ended = true;
    m_drawing = false;
    m_turn.stop();
    // gone after its own signal, which may have brought us here; nothing of the file is left then
    m_encoder.release()->deleteLater();
    Q_EMIT failed(reason);
}

void MovieJob::next()
{
    if (!m_drawing) {
        if (m_encoder->full())
            return m_turn.stop(); // goes on with roomAgain()
        return begin();
    }
    QString why;
    const auto image = m_painter->take(&why);
    if (m_ended || !image) // cancelled, or not there yet
        return;
    if (image->isNull())
        return fail(why);
    m_drawing = false;
    m_turn.setInterval(0);
    m_encoder->add(*image);
    ++m_at;
    Q_EMIT progressed(static_cast<double>(m_at) / static_cast<double>(m_times.size() + 1));
    if (m_at == m_times.size()) {
        m_turn.stop();
        m_encoder->finish();
    }
}

void MovieJob::begin()
{
    std::shared_ptr<const simulation::RecordedFrame> frame;
    try {
        if (m_at < m_times.size())
            frame = m_recording->at(m_times[m_at]);
    } catch (const std::exception& e) {
        return fail(QString::fromUtf8(e.what()));
    }
    if (!frame)
        return fail(tr("Nothing was recorded in that time; record first."));
    if (const QString why = m_painter->begin(*frame, m_encoder->size()); !why.isEmpty())
        return fail(why);
    m_drawing = true;
    m_turn.setInterval(look_ms); // the picture needs some of them
}

} // namespace tawara
