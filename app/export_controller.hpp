// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/view_controller.hpp"
#include "engine/simulation/results/export_kind.hpp"
#include "widgets/view3d/picture.hpp"

#include <QObject>
#include <QPointer>

#include <functional>

class QMenu;
class QWidget;

namespace tawara {

class LiveMovie;
class MessageBar;
class MovieDialog;
class ProbeModel;
class ReportJob;
class RunAccount;

/// What is written to files other than the session: results, reports, pictures, movies, films of
/// the screen.
///
/// @thread GUI thread
class ExportController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    ExportController(QWidget& window, EngineHost& host, ViewController& views, ViewGrid& grid,
                     ProbeModel& probes, RunAccount& account, MessageBar& message);
    /// The heart at any size, off the screen; null (with the reason) where that fails.
    QImage pictureOfHeart(const PictureOptions& options, QString* why = nullptr);
    /// What files made of the simulation now say of it.
    std::string provenance() const;
    /// With that as a text of the picture's file.
    QImage withProvenance(QImage picture) const;
    /// Writes a report of the run with pictures (.html or .pdf); a message says when it is there.
    void makeReport(const QString& path);
    /// Begins a movie of what the views show from now on.
    void filmScreen(const QString& path);
    void endFilm();
    bool filming() const { return m_film != nullptr; }
    void askForPicture();
    void askForMovie();
    /// A movie of recorded frames of a cell.
    /// @param frames    of the cell, at least one
    /// @param onScreen  size of its view
    void askForCellMovie(std::shared_ptr<const simulation::Recording> frames,
                         std::function<std::unique_ptr<MoviePainter>()> drawer,
                         const QSize& onScreen);
    /// Ends the film where there is one.
    void askForFilm();
    void askForReport();
    /// @param then  when it is written; for recorded frames alone
    void askForExport(const QString& kind, const QString& extension,
                      const std::function<void()>& then = {});
    /// Says of each action of a menu whether that export can be made now.
    void updateExports(QMenu* menu);
    /// Another document was loaded: movies of recordings that are gone cannot be made.
    void closeIdleMovies();
    /// Whether files are being written that would be given up with the window.
    bool exporting() const;
    /// The names of the files that are being written, as far as they are known.
    QString beingWritten() const;
    /// Up to when the frames of that recording, from its first one, are being written.
    double framesWrittenToMs(const std::shared_ptr<const simulation::Recording>& recording) const;
    /// The engine has written that file; the error is empty when it is there.
    void exported(const QString& path, const QString& error);
    /// What films are called.
    void setTitle(std::function<QString()> title) { m_title = std::move(title); }

  Q_SIGNALS:
    /// One of them has ended; the error is empty where all went well.
    void ended(const QString& error);
    void givenUp(); ///< one of them was cancelled
    void filmingChanged(bool on);

  private:
    /// Why that export cannot be made now, and what would change it; empty: it can.
    QString lackOf(const QString& kind) const;
    /// Recorded frames are many files' worth: says how far it is, and can be cancelled.
    void exportFrames(simulation::ExportKind kind, const QString& path,
                      const std::function<void()>& then);
    /// Shows a dialog that makes a movie and says what became of it.
    void showMovie(MovieDialog* dialog);
    void exportByHost(const QString& kind, const QString& path);

    QWidget& m_window;
    EngineHost& m_host;
    ViewController& m_views;
    ViewGrid& m_grid;
    ProbeModel& m_probes;
    RunAccount& m_account;
    MessageBar& m_message;
    std::function<QString()> m_title;
    LiveMovie* m_film = nullptr;
    int m_exports = 0;                 // reports and recorded frames that are being written
    QPointer<ReportJob> m_report;      // the newest that has not ended
    QStringList m_writing;             // paths of what is being written; movies of recordings aside
    const void* m_writtenOf = nullptr; // the recording that is being exported
    double m_writtenToMs = -1;         // up to there
};

} // namespace tawara
