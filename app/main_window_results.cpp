// SPDX-License-Identifier: GPL-3.0-or-later
// What the window lets a user leave with: reports, films of the screen.
#include "app/export/job.hpp"
#include "app/export/live_movie.hpp"
#include "app/export/movie_dialog.hpp"
#include "app/export/save_dialog.hpp"
#include "app/main_window.hpp"
#include "app/report_job.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/status_strip.hpp"

#include <QAction>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QProgressDialog>
#include <QPushButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {
namespace {

constexpr double film_rate = 20; // frames per second of a film of the screen

bool isOfBeat(const QString& kind)
{
    return kind.startsWith(QLatin1String("maps")) || kind.startsWith(QLatin1String("activation")) ||
           kind.startsWith(QLatin1String("apd90"));
}

/// What an export holds that its name does not say.
QString aboutExport(const QString& kind)
{
    if (kind.startsWith(QLatin1String("frames")))
        return MainWindow::tr("V on the heart's surface, epicardium and endocardia, at each "
                              "recorded time; the volume "
                              "within is not recorded. Frames of the whole volume: tawara-cli run, "
                              "with the session's "
                              "output.frames_every_ms.");
    if (isOfBeat(kind))
        return MainWindow::tr("Of the beat that the views show (View > Of), at all vertices of the "
                              "mesh; times count from the pulse that began it");
    return {};
}

} // namespace

void MainWindow::makeReport(const QString& path)
{
    auto* job = new ReportJob(m_host, m_views, m_grid->view(0), path, this);
    ++m_exports;
    m_writing += path;
    connect(job, &ReportJob::ended, this,
            [this, job, path, keep = keeper()](const QString& file, const QString& error) {
                if (m_report == job)
                    m_report = nullptr;
                --m_exports;
                m_writing.removeOne(path);
                if (error.isEmpty()) {
                    keep();
                    m_message->showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {},
                                           "report");
                } else {
                    showError(error, tr("Choose another folder."), "report");
                }
                exportEnded(error);
            });
    // one after the other: each holds the maps
    const QPointer<ReportJob> before = std::exchange(m_report, job);
    if (before)
        connect(before, &ReportJob::ended, job, &ReportJob::start, Qt::QueuedConnection);
    else
        job->start();
}

void MainWindow::askForReport()
{
    const QString path = askWhereToSave(
        this, tr("Save the report"), saveProposal(QStringLiteral("report"), QStringLiteral(".pdf")),
        tr("PDF (*.pdf);;HTML (*.html)"));
    if (!path.isEmpty())
        makeReport(path);
}

QString MainWindow::lackOf(const QString& kind) const
{
    const auto scene = m_host->scene();
    if (!scene)
        return tr("Nothing is loaded; open a heart first.");
    const auto is = [&](const char* name) { return kind.startsWith(QLatin1String(name)); };
    if ((is("traces") || is("beats") || is("restitution")) && m_probes->entries().empty())
        return tr("There are no probes; place one with the Probe tool (P).");
    if (is("ecg") && !scene->session.has_ecg())
        return tr("There are no electrodes; the ECG panel places them.");
    if (is("frames") && !(m_host->recording() && m_host->recording()->frame_count() > 0))
        return tr("Nothing was recorded; Record (Ctrl+E) begins to.");
    return {};
}

void MainWindow::updateExports(QMenu* menu)
{
    for (QAction* action : menu->actions()) {
        const QString lack = lackOf(action->data().toString());
        const QString tip = lack.isEmpty() ? aboutExport(action->data().toString()) : lack;
        action->setEnabled(lack.isEmpty());
        action->setToolTip(tip);
        action->setStatusTip(tip);
    }
}

void MainWindow::askForExport(const QString& kind, const QString& extension,
                              std::function<void()> then)
{
    if (const QString lack = lackOf(kind); !lack.isEmpty())
        return showError(lack, {});
    // "maps-csv" as "slab-maps.csv", of a beat "slab-maps-beat-2.csv"
    QString what = kind.section(QLatin1Char('-'), 0, -2);
    const auto maps = m_host->maps();
    if (maps && maps->beat > 0 && isOfBeat(kind))
        what += QStringLiteral("-beat-%1").arg(maps->beat);
    const QString path = askWhereToSave(this, tr("Export"), saveProposal(what, extension),
                                        QStringLiteral("*%1").arg(extension));
    if (path.isEmpty())
        return;
    const auto known = simulation::export_kind(kind.toStdString());
    if (known && kind.startsWith(QLatin1String("frames")))
        exportFrames(*known, path, std::move(then));
    else
        exportByHost(kind, path);
}

void MainWindow::exportByHost(const QString& kind, const QString& path)
{
    m_writing += path;
    auto* until = new QObject(this);
    connect(m_host, &EngineHost::exported, until,
            [this, path, until, keep = keeper()](const QString& file, const QString& error) {
                if (file != path)
                    return;
                m_writing.removeOne(path);
                if (error.isEmpty())
                    keep();
                until->deleteLater();
            });
    m_host->exportResults(kind, path);
}

void MainWindow::exportFrames(simulation::ExportKind kind, const QString& path,
                              std::function<void()> then)
{
    simulation::ExportSource source;
    source.scene = m_host->scene();
    source.recording = m_host->recording();
    const auto recording = source.recording;
    const auto frames = recording->frame_count();
    const double last_ms = frames > 0 ? recording->time_of(frames - 1) : -1;
    if (then) // what comes next must not lose what would be recorded or edited meanwhile
        m_host->pause();
    auto* job =
        new Job([source = std::move(source), kind, file = path.toStdString()](
                    const Progress& p) { simulation::export_results(source, kind, file, p); },
                this);
    auto* shown =
        new QProgressDialog(tr("Writing recorded frames to %1").arg(QFileInfo(path).fileName()),
                            tr("Cancel"), 0, 1000, this);
    shown->setObjectName("exportProgress");
    if (then)
        shown->setWindowModality(Qt::WindowModal);
    shown->setWindowTitle(tr("Export"));
    shown->setMinimumDuration(300); // shorter ones are over before they are read
    shown->setAutoReset(false);
    shown->setAutoClose(false);
    connect(job, &Job::progressed, shown,
            [shown](double f) { shown->setValue(static_cast<int>(std::lround(1000 * f))); });
    connect(shown, &QProgressDialog::canceled, job, &Job::cancel);
    ++m_exports;
    m_writing += path;
    m_writtenOf = recording.get();
    m_writtenToMs = last_ms;
    const auto keep = ofThisRun(*recording) ? keeper() : [] {};
    connect(job, &Job::ended, this, [=, this](const QString& error, bool cancelled) {
        shown->hide();
        shown->deleteLater();
        job->deleteLater();
        --m_exports;
        m_writing.removeOne(path);
        m_writtenOf = nullptr;
        if (error.isEmpty() && !cancelled)
            keep();
        if (error.isEmpty() && !cancelled && recording == m_host->recording())
            m_savedToMs = std::max(m_savedToMs, last_ms);
        if (cancelled) {
            m_message->showMessage(MessageBar::Level::note,
                                   tr("The export was cancelled; nothing of it is left."), {},
                                   "export");
            exportGivenUp();
        } else {
            Q_EMIT m_host->exported(path, error);
        }
        if (error.isEmpty() && !cancelled && then)
            askRecorded(then); // nothing came meanwhile, unless the file was another run's
    });
    job->start();
}

bool MainWindow::exporting() const
{
    const auto movies = findChildren<MovieDialog*>();
    return m_exports > 0 || m_film != nullptr || m_host->exporting() ||
           std::any_of(movies.begin(), movies.end(), [](const auto* m) { return m->busy(); });
}

QString MainWindow::beingWritten() const
{
    QStringList names;
    for (const QString& path : m_writing)
        names += QFileInfo(path).fileName();
    for (const auto* m : findChildren<MovieDialog*>())
        if (m->busy())
            names += tr("a movie");
    return names.isEmpty() ? tr("a file") : names.join(QStringLiteral(", "));
}

void MainWindow::askExporting()
{
    m_closeWhenWritten = false;
    m_lossAgreed = false;
    if (findChild<QMessageBox*>("exporting") != nullptr)
        return; // it is being asked
    auto* box = new QMessageBox(QMessageBox::Question, tr("Export"),
                                tr("This is being written: %1. Closing the window now gives it up; "
                                   "nothing of it is kept.")
                                    .arg(beingWritten()),
                                QMessageBox::Cancel, this);
    box->setObjectName("exporting");
    box->setTextFormat(Qt::PlainText);
    auto* wait = box->addButton(tr("&Wait for it, then close"), QMessageBox::AcceptRole);
    auto* giveUp = box->addButton(tr("&Give it up"), QMessageBox::DestructiveRole);
    box->button(QMessageBox::Cancel)->setText(tr("Go &on working"));
    box->setDefaultButton(wait);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, box, wait, giveUp] {
        if (box->clickedButton() == giveUp) {
            m_giveUpExports = true; // by closing alone: what is asked next may be cancelled
            close();
            m_giveUpExports = false;
        } else if (box->clickedButton() == wait) {
            // all questions come before the wait, which may be long
            askUnsaved(
                tr("Save them before the window closes?"),
                [this, before = m_notWritten] {
                    if (before == m_notWritten) // else somebody should know first
                        closeWhenWritten();
                },
                Frames::being_written_count_as_saved);
        }
    });
    box->open();
}

void MainWindow::closeWhenWritten()
{
    m_closeWhenWritten = true;
    m_lossAgreed = true;
    connect(
        m_document, &Document::changed, this, [this] { m_lossAgreed = false; },
        Qt::SingleShotConnection);
    m_message->showMessage(MessageBar::Level::note,
                           tr("The window closes when the file is written."));
    endFilm();
    exportEnded({}); // it may be there by now
}

void MainWindow::exportGivenUp()
{
    ++m_notWritten;
    m_lossAgreed = false; // what it would have saved was not asked about
    exportEnded({});
}

void MainWindow::exportEnded(const QString& error)
{
    if (!error.isEmpty()) {
        ++m_notWritten;
        m_closeWhenWritten = false; // somebody should read it
        m_lossAgreed = false;
    }
    if (exporting() || !std::exchange(m_closeWhenWritten, false))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            close();
            m_lossAgreed = false;
        },
        Qt::QueuedConnection);
}

void MainWindow::filmScreen(const QString& path)
{
    if (m_film)
        return;
    const QSize size = (QSizeF(m_grid->size()) * devicePixelRatioF()).toSize();
    m_film = new LiveMovie(
        path,
        {size.width(), size.height(), film_rate, 75,
         titleText().remove(QStringLiteral("[*]")).toStdString()},
        [this](const PictureOptions& o, QString* why) { return pictureOfHeart(o, why); }, this);
    m_writing += path;
    const auto over = [this, path] {
        m_writing.removeOne(path);
        m_film->deleteLater();
        m_film = nullptr;
        m_strip->setFilming(false);
        m_filmAction->setText(tr("Film the &screen…"));
    };
    connect(m_film, &LiveMovie::written, this, [this, over](const QString& file) {
        m_message->showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {}, "film");
        over();
        exportEnded({});
    });
    connect(m_film, &LiveMovie::failed, this, [this, over](const QString& reason) {
        showError(reason, tr("Choose another folder."), "film");
        over();
        exportEnded(reason);
    });
    m_filmAction->setText(tr("End the &film of the screen"));
    m_strip->setFilming(true);
    m_film->start();
}

void MainWindow::endFilm()
{
    if (m_film)
        m_film->stop();
}

void MainWindow::askForFilm()
{
    if (m_film)
        return endFilm();
    const QString path =
        askWhereToSave(this, tr("Film what is on screen"),
                       saveProposal(QStringLiteral("screen"), QStringLiteral(".mp4")),
                       tr("Movies (*.mp4 *.webm)"));
    if (path.isEmpty())
        return;
    filmScreen(path);
}

} // namespace tawara
