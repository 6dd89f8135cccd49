// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/movie/movie_writer.hpp"

#include <QImage>
#include <QObject>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tawara {

/// Encodes pictures to a movie on a thread of its own, so that the window never waits for the
/// codec.
///
/// Emits one of written() and failed(), then nothing more. Without finish() no file appears.
/// @thread all members on the GUI thread; signals come there, too
class MovieEncoder : public QObject
{
    Q_OBJECT
  public:
    /// Sizes are made even by leaving out the last row or column.
    MovieEncoder(const QString& file, movie::MovieOptions options, QObject* parent = nullptr);
    ~MovieEncoder() override; ///< gives an unfinished movie up

    /// Whether the next picture would have to wait.
    bool full() const;
    /// Takes a picture, which is scaled to the movie's size by the encoder's thread. False when it
    /// was dropped: full, or after an end.
    bool add(const QImage& image);
    /// No more pictures come: the file is ended and gets its name.
    void finish();
    qint64 framesTaken() const { return m_taken; }
    QString file() const { return m_file; }
    QSize size() const { return {m_options.width, m_options.height}; }

  Q_SIGNALS:
    void roomAgain(); ///< full() may be false now
    void written(const QString& file, qint64 frames);
    void failed(const QString& reason);

  private:
    void work(const std::stop_token& stop);

    QString m_file;
    movie::MovieOptions m_options;
    qint64 m_taken = 0;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<QImage> m_queue;
    bool m_last = false, m_over = false;
    std::jthread m_thread; // last: ends before the rest goes
};

} // namespace tawara
