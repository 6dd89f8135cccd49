// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_encoder.hpp"
#include "engine/simulation/observe/recording.hpp"

#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tawara {

/// Which part of a recording becomes a movie, and how fast it plays.
struct MovieRange
{
    double fromMs = 0, toMs = 0;
    double msPerSecond = 50; ///< simulated ms in a second of the movie
};

/// When each frame of a movie is: from `fromMs` to `toMs`, both within.
std::vector<double> movieTimes(const MovieRange& range, double framesPerSecond);

/// Draws the frames of a movie; a picture may take several turns of the event loop.
class MoviePainter
{
  public:
    virtual ~MoviePainter() = default;
    /// Begins a frame. @return why it cannot; empty when it has begun
    virtual QString begin(const simulation::RecordedFrame& frame, const QSize& size) = 0;
    /// The picture once it is there; null with the reason in `why` when it failed.
    virtual std::optional<QImage> take(QString* why) = 0;
};

/// Draws recorded frames again, one by one, and encodes them: a movie of any size and rate, while
/// the run goes on. Between two frames the window serves its events.
///
/// @thread GUI thread
class MovieJob : public QObject
{
    Q_OBJECT
  public:
    using RecordingPtr = std::shared_ptr<const simulation::Recording>;
    /// Draws a frame at the movie's size; null (with the reason) where it cannot.
    using Painter =
        std::function<QImage(const simulation::RecordedFrame&, const QSize&, QString* why)>;

    MovieJob(RecordingPtr recording, const MovieRange& range, const QString& file,
             const movie::MovieOptions& options, std::unique_ptr<MoviePainter> painter,
             QObject* parent = nullptr);
    MovieJob(RecordingPtr recording, const MovieRange& range, const QString& file,
             const movie::MovieOptions& options, Painter painter, QObject* parent = nullptr);
    /// A painter that draws at once.
    static std::unique_ptr<MoviePainter> atOnce(Painter painter);
    void start();
    /// Gives the movie up; no file appears. Emits failed() with an empty reason.
    void cancel();
    qint64 frameCount() const { return static_cast<qint64>(m_times.size()); }

  Q_SIGNALS:
    void progressed(double fraction);
    void written(const QString& file, qint64 frames);
    void failed(const QString& reason);

  private:
    void next();
    void begin();
    void fail(const QString& reason);

    RecordingPtr m_recording;
    std::vector<double> m_times;
    std::size_t m_at = 0;
    std::unique_ptr<MoviePainter> m_painter;
    bool m_drawing = false; // a frame was begun
    std::unique_ptr<MovieEncoder> m_encoder;
    QTimer m_turn;
    bool m_ended = false;
};

} // namespace tawara
