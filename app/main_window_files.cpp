// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the window asks for, reads and writes.
#include "app/examples.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export/save_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/main_window.hpp"
#include "app/mesh_controller.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMessageBox>
#include <QSettings>
#include <QUrl>

#include <algorithm>
#include <memory>
#include <utility>

namespace tawara {
namespace {

constexpr int recent_count = 8;

/// The folder of the examples at the side of a file dialog.
void offerExamples(QFileDialog& dialog)
{
    const QString folder = examplesFolder();
    if (folder.isEmpty())
        return;
    QList<QUrl> places = dialog.sidebarUrls();
    places.append(QUrl::fromLocalFile(folder));
    dialog.setSidebarUrls(places);
}

/// The file that a session is saved in: .json where no suffix was given.
QString sessionFile(const QString& path)
{
    return QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".json") : path;
}

} // namespace

void MainWindow::askForFile()
{
    const auto settings = openSettings();
    QFileDialog dialog(
        this, tr("Open a mesh or a session"), settings->value("files/folder").toString(),
        tr("Meshes and sessions (*.json *.vtu *.vtk *.pts *.elem *.node *.ele *.msh);;All files "
           "(*)"));
    dialog.setFileMode(QFileDialog::ExistingFile);
    offerExamples(dialog);
    const QString path =
        dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
    if (path.isEmpty())
        return;
    settings->setValue("files/folder", QFileInfo(path).absolutePath());
    askAndOpen(path);
}

void MainWindow::askAndOpen(const QString& path)
{
    const QString question = tr("Save them before another is opened?");
    if (path.isEmpty())
        return m_leaving->askUnsaved(question, [this] { open({}); });
    // it is read first: nobody is asked to give something up for a file that cannot be opened
    m_host->open(
        QFileInfo(path).absoluteFilePath(), [this, question](const std::function<void()>& load) {
            const auto go = [this, load] {
                m_message->clear();
                showStart(false);
                load();
            };
            m_leaving->askWhenFree([this, question, go] { m_leaving->askUnsaved(question, go); });
        });
}

void MainWindow::askForSession()
{
    if (!m_host->scene())
        return;
    const QString chosen = QFileDialog::getSaveFileName(
        this, tr("Save the session"),
        ownSession() ? m_path : saveProposal({}, QStringLiteral(".json")), tr("Sessions (*.json)"));
    if (chosen.isEmpty())
        return;
    const QString path = sessionFile(chosen);
    if (path != chosen && QFileInfo::exists(path) &&
        QMessageBox::question(this, tr("Save the session"),
                              tr("%1 exists. Replace it?").arg(path)) != QMessageBox::Yes)
        return;
    saveTo(path);
}

bool MainWindow::ownSession() const
{
    const QFileInfo file(m_path);
    return m_path.endsWith(QLatin1String(".json")) && file.isFile() && file.isWritable() &&
           !file.absolutePath().endsWith(QLatin1String("resources/sessions"));
}

void MainWindow::saveOrAsk()
{
    if (m_host->scene() && ownSession())
        saveTo(m_path);
    else
        askForSession();
}

void MainWindow::saveTo(const QString& path)
{
    if (const QString error = saveSession(path); !error.isEmpty())
        return showError(error, tr("Choose another folder (File, Save session as…)."), "session");
    const QString results = m_leaving->resultsText(true);
    const bool tell = !results.isEmpty() && !std::exchange(m_toldOfResults, true);
    m_message->showMessage(
        MessageBar::Level::done, tr("Saved %1").arg(path),
        tell ? tr("Results are not in it (%1): File > Export, Make a movie.").arg(results)
             : QString(),
        "session");
}

QString MainWindow::saveSession(const QString& chosen)
{
    const QString path = sessionFile(chosen);
    if (const QString folder = QFileInfo(path).absolutePath(); !QFileInfo(folder).isDir())
        return tr("There is no folder %1; the session was not saved.").arg(folder);
    simulation::Session session = m_document->session();
    if (const QString error = m_made->keep(session, path); !error.isEmpty())
        return error;
    session = simulation::moved_to(session, QFileInfo(path).absolutePath().toStdString());
    session.probes.clear();
    for (const ProbeEntry& e : m_probes->entries())
        session.probes.push_back({e.name.toStdString(), e.position});
    QJsonObject view = m_views->settingsNow().toJson();
    view["layout"] = QString::fromLatin1(saveState().toBase64());
    view["ecg"] = m_ecg->look();
    view["tissue"] = m_tissue->look();
    session.view = QJsonDocument(view).toJson(QJsonDocument::Compact).toStdString();
    try {
        simulation::write_session(session, path.toStdString());
    } catch (const std::exception& e) {
        return QString::fromUtf8(e.what());
    }
    m_document->edits().setSaved();
    m_path = QFileInfo(path).absoluteFilePath();
    setSaveDefaults(QFileInfo(path).completeBaseName(), m_path);
    setWindowTitle(titleText());
    rememberFile(m_path);
    return {};
}

void MainWindow::loadAnew(const simulation::Session& session)
{
    m_message->clear();
    m_host->load(session, {m_path, true});
}

QString MainWindow::titleText() const
{
    const auto scene = m_host->scene();
    const QString example = exampleTitle(m_path);
    const QString name = !example.isEmpty()  ? example
                         : !m_path.isEmpty() ? QFileInfo(m_path).fileName()
                         : scene             ? QString::fromStdString(scene->title)
                                             : QString();
    return name.isEmpty() ? tr("Tawara") : tr("%1[*] – Tawara").arg(name);
}

QImage MainWindow::picture(bool wholeWindow)
{
    m_grid->each([](HeartView& v, int) { v.smoothNext(); });
    return wholeWindow ? grab().toImage() : m_grid->picture();
}

void MainWindow::rememberFile(const QString& path)
{
    const auto settings = openSettings();
    QStringList files = settings->value("files/recent").toStringList();
    files.removeAll(path);
    files.prepend(path);
    settings->setValue("files/recent", QStringList(files.mid(0, recent_count)));
    fillStart();
}

QImage MainWindow::pictureOfHeart(const PictureOptions& options, QString* why)
{
    return m_exporting->pictureOfHeart(options, why);
}

void MainWindow::useFibres(const QString& from, const mesh::generator::FibreRules& rule)
{
    m_mesh->useFibres(from, rule);
}

void MainWindow::makeReport(const QString& path)
{
    m_exporting->makeReport(path);
}

void MainWindow::filmScreen(const QString& path)
{
    m_exporting->filmScreen(path);
}

void MainWindow::endFilm()
{
    m_exporting->endFilm();
}

bool MainWindow::filming() const
{
    return m_exporting->filming();
}

QString savePicture(const QImage& image, const QString& path)
{
    return writePicture(image, path);
}

} // namespace tawara
