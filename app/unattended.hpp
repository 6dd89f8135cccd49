// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/export/movie_encoder.hpp"
#include "widgets/view3d/picture.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace tawara {

/// Draws what the window shows of the heart. Null where it cannot, with the reason.
using PictureMaker = std::function<QImage(const PictureOptions&, QString* why)>;

/// What pictures and movies without a user have in common: they end the program with exit status 0,
/// 2 for bad input, 3 when the run failed, and one line on standard error where it was not 0.
class Unattended : public QObject
{
    Q_OBJECT
  public:
    explicit Unattended(EngineHost* host, QObject* parent = nullptr);

  protected:
    /// What was opened is there: begin.
    virtual void start() = 0;
    virtual void frame(const EngineHost::FramePtr& frame) = 0;
    void end();
    void fail(int status, const QString& reason);
    bool reached(const EngineHost::FramePtr& frame, double timeMs) const;

    EngineHost* m_host;
    bool m_ended = false;
};

/// Runs what is being opened to a time, saves a picture, and ends the program.
class UnattendedPicture : public Unattended
{
    Q_OBJECT
  public:
    /// @param maker  makes the picture once the time is reached
    UnattendedPicture(EngineHost* host, std::function<QImage(QString* why)> maker,
                      const QString& file, double atMs, QObject* parent = nullptr);

  private:
    void start() override;
    void frame(const EngineHost::FramePtr& frame) override;
    void save();

    std::function<QImage(QString* why)> m_maker;
    QString m_file;
    double m_atMs;
    bool m_reached = false;
};

/// Runs what is being opened to a time, with a picture every so many simulated ms, each of exactly
/// its time, and ends the program when the movie of them is written.
class UnattendedMovie : public Unattended
{
    Q_OBJECT
  public:
    UnattendedMovie(EngineHost* host, PictureMaker maker, const QString& file,
                    const movie::MovieOptions& options, const PictureOptions& picture,
                    double untilMs, double everyMs, QObject* parent = nullptr);

  private:
    void start() override;
    void frame(const EngineHost::FramePtr& frame) override;
    void take();

    PictureMaker m_maker;
    PictureOptions m_picture;
    std::vector<double> m_times;
    std::size_t m_at = 0;
    bool m_due = false; // a frame is shown that was not taken yet: the encoder is behind
    MovieEncoder m_encoder;
};

} // namespace tawara
