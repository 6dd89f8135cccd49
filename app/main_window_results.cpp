// SPDX-License-Identifier: GPL-3.0-or-later
// What the window lets a user leave with: reports, films of the screen.
#include "app/export/live_movie.hpp"
#include "app/export/save_dialog.hpp"
#include "app/main_window.hpp"
#include "app/report_job.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QAction>
#include <QFileInfo>
#include <QSettings>

namespace tawara {
namespace {

constexpr double film_rate = 20;    // frames per second of a film of the screen

} // namespace

void MainWindow::makeReport(const QString& path)
{
    auto* job = new ReportJob(m_host, m_views, m_grid->view(0), path, this);
    connect(job, &ReportJob::ended, this, [this](const QString& file, const QString& error) {
        if (error.isEmpty())
            m_message->showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {}, "report");
        else
            showError(error, tr("Choose another folder."), "report");
    });
    job->start();
}

void MainWindow::askForReport()
{
    const auto settings = openSettings();
    const QString path =
        askWhereToSave(this, tr("Save the report"),
                       settings->value("files/results").toString() + QStringLiteral("/report.pdf"),
                       tr("PDF (*.pdf);;HTML (*.html)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/results", QFileInfo(path).absolutePath());
    makeReport(path);
}

void MainWindow::filmScreen(const QString& path)
{
    if (m_film)
        return;
    const QSize size = (QSizeF(m_grid->size()) * devicePixelRatioF()).toSize();
    m_film = new LiveMovie(
        path, {size.width(), size.height(), film_rate, 75, windowTitle().toStdString()},
        [this](const PictureOptions& o, QString* why) { return pictureOfHeart(o, why); }, this);
    const auto over = [this] {
        m_film->deleteLater();
        m_film = nullptr;
        m_filmAction->setText(tr("Film the &screen…"));
    };
    connect(m_film, &LiveMovie::written, this, [this, over](const QString& file) {
        m_message->showMessage(MessageBar::Level::done, tr("Saved %1").arg(file), {}, "film");
        over();
    });
    connect(m_film, &LiveMovie::failed, this, [this, over](const QString& reason) {
        showError(reason, tr("Choose another folder."), "film");
        over();
    });
    m_filmAction->setText(tr("End the &film of the screen"));
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
    const auto settings = openSettings();
    const QString path =
        askWhereToSave(this, tr("Film what is on screen"),
                       settings->value("files/pictures").toString() + QStringLiteral("/tawara.mp4"),
                       tr("Movies (*.mp4 *.webm)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/pictures", QFileInfo(path).absolutePath());
    filmScreen(path);
}

} // namespace tawara
