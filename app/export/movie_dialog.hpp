// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_job.hpp"

#include <QDialog>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSlider;

namespace tawara {

class NumberBox;
class SizeRow;

/// Asks how a movie of a recording is to be (size, frames per second, speed, part, quality), makes
/// it and shows how far it is. The window stays usable; closing or Cancel gives an unfinished movie
/// up.
class MovieDialog : public QDialog
{
    Q_OBJECT
  public:
    /// Makes what draws a movie when one is begun.
    using Drawer = std::function<std::unique_ptr<MoviePainter>()>;
    MovieDialog(MovieJob::RecordingPtr recording, Drawer drawer, const QSize& onScreen,
                QWidget* parent = nullptr);
    MovieDialog(MovieJob::RecordingPtr recording, MovieJob::Painter painter, const QSize& onScreen,
                QWidget* parent = nullptr);
    ~MovieDialog() override;
    /// What the movie is of.
    const MovieJob::RecordingPtr& recording() const { return m_recording; }
    /// The size that is offered first; without it that on screen.
    void offerSize(const QSize& size);
    /// What the file is to say of the simulation; without it of the program alone.
    void setProvenance(const std::string& text) { m_provenance = text; }
    MovieRange range() const;
    movie::MovieOptions options() const;
    /// Makes the movie there; nothing is asked.
    void make(const QString& path);
    bool busy() const { return m_job != nullptr; }

  Q_SIGNALS:
    void written(const QString& path);
    void failed(const QString& reason);

  protected:
    void reject() override;

  private:
    void askAndMake();
    void describe();
    void ended(const QString& text);

    MovieJob::RecordingPtr m_recording;
    Drawer m_drawer;
    SizeRow* m_size;
    NumberBox *m_from, *m_to, *m_speed;
    QComboBox* m_rate;
    QSlider* m_quality;
    QLabel* m_note;
    std::string m_provenance;
    QProgressBar* m_bar;
    QPushButton *m_make, *m_cancel;
    std::unique_ptr<MovieJob> m_job;
};

} // namespace tawara
