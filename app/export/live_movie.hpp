// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_encoder.hpp"
#include "widgets/view3d/picture.hpp"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>

namespace tawara {

/// A movie of what the window shows while it is used: the wave as it is computed, the camera as it
/// is turned. It plays as long as it was watched: where drawing or encoding cannot keep up,
/// pictures are shown longer.
///
/// @thread GUI thread
class LiveMovie : public QObject
{
    Q_OBJECT
  public:
    using Maker = std::function<QImage(const PictureOptions&, QString* why)>;
    LiveMovie(const QString& file, const movie::MovieOptions& options, Maker maker,
              QObject* parent = nullptr);
    void start();
    /// Ends the movie; written() or failed() follows.
    void stop();
    bool running() const { return m_tick.isActive(); }

  Q_SIGNALS:
    void written(const QString& file, qint64 frames);
    void failed(const QString& reason);

  private:
    void tick();

    double m_rate;
    Maker m_maker;
    QTimer m_tick;
    QElapsedTimer m_clock;
    QImage m_image;
    MovieEncoder m_encoder;
};

} // namespace tawara
