// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_controller.hpp"

#include "app/export/grid_painter.hpp"
#include "app/export/job.hpp"
#include "app/export/live_movie.hpp"
#include "app/export/movie_dialog.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export/save_dialog.hpp"
#include "app/report_job.hpp"
#include "app/run_account.hpp"
#include "engine/core/provenance.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/results/export.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QAction>
#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QProgressDialog>

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
        return ExportController::tr(
            "V on the heart's surface, epicardium and endocardia, at each "
            "recorded time; the volume "
            "within is not recorded. Frames of the whole volume: tawara-cli run, "
            "with the session's "
            "output.frames_every_ms.");
    if (isOfBeat(kind))
        return ExportController::tr(
            "Of the beat that the views show (View > Of), at all vertices of the "
            "mesh; times count from the pulse that began it");
    return {};
}

} // namespace

ExportController::ExportController(QWidget& window, EngineHost& host, ViewController& views,
                                   ViewGrid& grid, ProbeModel& probes, RunAccount& account,
                                   MessageBar& message)
    : m_window(window), m_host(host), m_views(views), m_grid(grid), m_probes(probes),
      m_account(account), m_message(message)
{
}

QImage ExportController::pictureOfHeart(const PictureOptions& options, QString* why)
{
    return withProvenance(takePicture(m_grid, options, why));
}

std::string ExportController::provenance() const
{
    const auto scene = m_host.scene();
    return scene ? simulation::provenance_of(*scene).text : program_provenance();
}

QImage ExportController::withProvenance(QImage picture) const
{
    if (!picture.isNull())
        picture.setText(QLatin1String(provenance_name), QString::fromStdString(provenance()));
    return picture;
}

void ExportController::askForPicture()
{
    auto* dialog = new PictureDialog(
        [this](const PictureOptions& o, QString* why) { return pictureOfHeart(o, why); },
        (QSizeF(m_grid.size()) * m_window.devicePixelRatioF()).toSize(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PictureDialog::saved, this, [this](const QString& path) {
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(path));
    });
    dialog->show();
}

void ExportController::askForMovie()
{
    const auto recording = m_host.recording();
    if (!recording || recording->frame_count() == 0)
        return m_message.showMessage(
            MessageBar::Level::error, tr("Nothing was recorded yet."),
            tr("Press Record (Ctrl+E) and let the simulation run; the movie is made of "
               "recorded frames."),
            "movie");
    auto* dialog = new MovieDialog(
        recording, MovieDialog::Drawer([this, of = recording.get()] {
            std::vector<bool> recorded;
            m_grid.each([&](HeartView&, int i) {
                recorded.push_back(m_views.settings().shownIn(i) == Quantity::potential);
            });
            auto painter = std::make_unique<GridPainter>(m_grid, recorded,
                                                         m_views.recordedNote(Quantity::potential),
                                                         m_views.settings().annotations);
            painter->setTissue(m_views.tissueOfMovie(of));
            return painter;
        }),
        (QSizeF(m_grid.size()) * m_window.devicePixelRatioF()).toSize(), &m_window);
    showMovie(dialog);
}

void ExportController::askForCellMovie(std::shared_ptr<const simulation::Recording> frames,
                                       std::function<std::unique_ptr<MoviePainter>()> drawer,
                                       const QSize& onScreen)
{
    auto* dialog =
        new MovieDialog(std::move(frames), MovieDialog::Drawer(std::move(drawer)),
                        (QSizeF(onScreen) * m_window.devicePixelRatioF()).toSize(), &m_window);
    dialog->setWindowTitle(tr("Movie of the recorded cell"));
    dialog->offerSize({1280, 720}); // a panel's view is low, and words stand above and below
    showMovie(dialog);
}

void ExportController::showMovie(MovieDialog* dialog)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setProvenance(provenance());
    const auto recording = dialog->recording(); // of a cell: another one than the run's
    connect(dialog, &MovieDialog::written, this, [this, recording, dialog](const QString& path) {
        const auto range = dialog->range();
        if (recording == m_host.recording() && recording->frame_count() > 0 &&
            range.fromMs <= recording->time_of(0)) {
            m_account.framesSaved(range.toMs);
            if (m_account.ofThisRun(*recording))
                m_account.kept(range.toMs);
        }
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(path), {}, "movie");
        Q_EMIT ended({});
    });
    connect(dialog, &MovieDialog::failed, this, [this](const QString& reason) {
        if (reason.isEmpty()) {
            m_message.showMessage(MessageBar::Level::note,
                                  tr("The movie was cancelled; no file was written."), {}, "movie");
            Q_EMIT givenUp();
            return;
        }
        m_message.showMessage(MessageBar::Level::error, reason, tr("Choose another size or file."),
                              "movie");
        Q_EMIT ended(reason);
    });
    if (QApplication::activeModalWidget() != nullptr) // which would block it
        dialog->setWindowModality(Qt::WindowModal);
    dialog->show();
}

void ExportController::makeReport(const QString& path)
{
    auto* job = new ReportJob(&m_host, &m_views, m_grid.view(0), path, &m_window);
    ++m_exports;
    m_writing += path;
    connect(
        job, &ReportJob::ended, this,
        [this, job, path, keep = m_account.keeper()](const QString& file, const QString& error) {
            if (m_report == job)
                m_report = nullptr;
            --m_exports;
            m_writing.removeOne(path);
            if (error.isEmpty()) {
                keep();
                m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {},
                                      "report");
            } else {
                m_message.showMessage(MessageBar::Level::error, error, tr("Choose another folder."),
                                      "report");
            }
            Q_EMIT ended(error);
        });
    // one after the other: each holds the maps
    const QPointer<ReportJob> before = std::exchange(m_report, job);
    if (before)
        connect(before, &ReportJob::ended, job, &ReportJob::start, Qt::QueuedConnection);
    else
        job->start();
}

void ExportController::askForReport()
{
    const QString path =
        askWhereToSave(&m_window, tr("Save the report"),
                       saveProposal(QStringLiteral("report"), QStringLiteral(".pdf")),
                       tr("PDF (*.pdf);;HTML (*.html)"));
    if (!path.isEmpty())
        makeReport(path);
}

QString ExportController::lackOf(const QString& kind) const
{
    const auto scene = m_host.scene();
    if (!scene)
        return tr("Nothing is loaded; open a heart first.");
    const auto is = [&](const char* name) { return kind.startsWith(QLatin1String(name)); };
    if ((is("traces") || is("beats") || is("restitution")) && m_probes.entries().empty())
        return tr("There are no probes; place one with the Probe tool (P).");
    if (is("ecg") && !scene->session.has_ecg())
        return tr("There are no electrodes; the ECG panel places them.");
    if (is("frames") && !(m_host.recording() && m_host.recording()->frame_count() > 0))
        return tr("Nothing was recorded; Record (Ctrl+E) begins to.");
    return {};
}

void ExportController::updateExports(QMenu* menu)
{
    for (QAction* action : menu->actions()) {
        const QString lack = lackOf(action->data().toString());
        const QString tip = lack.isEmpty() ? aboutExport(action->data().toString()) : lack;
        action->setEnabled(lack.isEmpty());
        action->setToolTip(tip);
        action->setStatusTip(tip);
    }
}

void ExportController::askForExport(const QString& kind, const QString& extension,
                                    const std::function<void()>& then)
{
    if (const QString lack = lackOf(kind); !lack.isEmpty())
        return m_message.showMessage(MessageBar::Level::error, lack, {});
    // "maps-csv" as "slab-maps.csv", of a beat "slab-maps-beat-2.csv"
    QString what = kind.section(QLatin1Char('-'), 0, -2);
    const auto maps = m_host.maps();
    if (maps && maps->beat > 0 && isOfBeat(kind))
        what += QStringLiteral("-beat-%1").arg(maps->beat);
    const QString path = askWhereToSave(&m_window, tr("Export"), saveProposal(what, extension),
                                        QStringLiteral("*%1").arg(extension));
    if (path.isEmpty())
        return;
    const auto known = simulation::export_kind(kind.toStdString());
    if (known && kind.startsWith(QLatin1String("frames")))
        exportFrames(*known, path, then);
    else
        exportByHost(kind, path);
}

void ExportController::exportByHost(const QString& kind, const QString& path)
{
    m_writing += path;
    auto* until = new QObject(this);
    connect(
        &m_host, &EngineHost::exported, until,
        [this, path, until, keep = m_account.keeper()](const QString& file, const QString& error) {
            if (file != path)
                return;
            m_writing.removeOne(path);
            if (error.isEmpty())
                keep();
            until->deleteLater();
        });
    m_host.exportResults(kind, path);
}

void ExportController::exportFrames(simulation::ExportKind kind, const QString& path,
                                    const std::function<void()>& then)
{
    simulation::ExportSource source;
    source.scene = m_host.scene();
    source.recording = m_host.recording();
    const auto recording = source.recording;
    const auto frames = recording->frame_count();
    const double last_ms = frames > 0 ? recording->time_of(frames - 1) : -1;
    if (then) // what comes next must not lose what would be recorded or edited meanwhile
        m_host.pause();
    auto* job =
        new Job([source = std::move(source), kind, file = path.toStdString()](
                    const Progress& p) { simulation::export_results(source, kind, file, p); },
                m_host.context(), this);
    auto* shown =
        new QProgressDialog(tr("Writing recorded frames to %1").arg(QFileInfo(path).fileName()),
                            tr("Cancel"), 0, 1000, &m_window);
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
    const auto keep = m_account.ofThisRun(*recording) ? m_account.keeper() : [] {};
    connect(job, &Job::ended, this, [=, this](const QString& error, bool cancelled) {
        shown->hide();
        shown->deleteLater();
        job->deleteLater();
        --m_exports;
        m_writing.removeOne(path);
        m_writtenOf = nullptr;
        if (error.isEmpty() && !cancelled)
            keep();
        if (error.isEmpty() && !cancelled && recording == m_host.recording())
            m_account.framesSaved(last_ms);
        if (cancelled) {
            m_message.showMessage(MessageBar::Level::note,
                                  tr("The export was cancelled; nothing of it is left."), {},
                                  "export");
            Q_EMIT givenUp();
        } else {
            Q_EMIT m_host.exported(path, error);
        }
        if (error.isEmpty() && !cancelled && then)
            then();
    });
    job->start();
}

bool ExportController::exporting() const
{
    const auto movies = m_window.findChildren<MovieDialog*>();
    return m_exports > 0 || m_film != nullptr || m_host.exporting() ||
           std::any_of(movies.begin(), movies.end(), [](const auto* m) { return m->busy(); });
}

QString ExportController::beingWritten() const
{
    QStringList names;
    for (const QString& path : m_writing)
        names += QFileInfo(path).fileName();
    for (const auto* m : m_window.findChildren<MovieDialog*>())
        if (m->busy())
            names += tr("a movie");
    return names.isEmpty() ? tr("a file") : names.join(QStringLiteral(", "));
}

void ExportController::filmScreen(const QString& path)
{
    if (m_film)
        return;
    const QSize size = (QSizeF(m_grid.size()) * m_window.devicePixelRatioF()).toSize();
    m_film = new LiveMovie(
        path,
        {size.width(), size.height(), film_rate, 75,
         m_title().remove(QStringLiteral("[*]")).toStdString()},
        [this](const PictureOptions& o, QString* why) { return pictureOfHeart(o, why); }, this);
    m_writing += path;
    const auto over = [this, path] {
        m_writing.removeOne(path);
        m_film->deleteLater();
        m_film = nullptr;
        Q_EMIT filmingChanged(false);
    };
    connect(m_film, &LiveMovie::written, this, [this, over](const QString& file) {
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {}, "film");
        over();
        Q_EMIT ended({});
    });
    connect(m_film, &LiveMovie::failed, this, [this, over](const QString& reason) {
        m_message.showMessage(MessageBar::Level::error, reason, tr("Choose another folder."),
                              "film");
        over();
        Q_EMIT ended(reason);
    });
    Q_EMIT filmingChanged(true);
    m_film->start();
}

void ExportController::endFilm()
{
    if (m_film)
        m_film->stop();
}

void ExportController::askForFilm()
{
    if (m_film)
        return endFilm();
    const QString path =
        askWhereToSave(&m_window, tr("Film what is on screen"),
                       saveProposal(QStringLiteral("screen"), QStringLiteral(".mp4")),
                       tr("Movies (*.mp4 *.webm)"));
    if (path.isEmpty())
        return;
    filmScreen(path);
}

void ExportController::exported(const QString& path, const QString& error)
{
    const auto reports = m_window.findChildren<ReportJob*>();
    if (std::any_of(reports.begin(), reports.end(),
                    [&path](const ReportJob* r) { return r->owns(path); }))
        return; // no file that somebody wants, and it says itself what failed
    if (error.isEmpty())
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(path), {}, "export");
    else
        m_message.showMessage(MessageBar::Level::error, error, tr("Choose another kind or folder."),
                              "export");
    Q_EMIT ended(error);
}

void ExportController::closeIdleMovies()
{
    for (auto* movie : m_window.findChildren<MovieDialog*>())
        if (!movie->busy())
            movie->close();
}

double ExportController::framesWrittenToMs(
    const std::shared_ptr<const simulation::Recording>& recording) const
{
    double written = m_writtenOf == recording.get() ? m_writtenToMs : -1;
    for (const auto* m : m_window.findChildren<MovieDialog*>())
        if (m->busy() && m->recording() == recording && m->range().fromMs <= recording->time_of(0))
            written = std::max(written, m->range().toMs);
    return written;
}

} // namespace tawara
