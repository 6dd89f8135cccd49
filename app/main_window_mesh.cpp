// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes that are made in the window, and what else asks for the session to be computed anew.
#include "app/fibre_rule_dialog.hpp"
#include "app/leaving_controller.hpp"
#include "app/length_dialog.hpp"
#include "app/main_window.hpp"
#include "app/mesh_dialog.hpp"
#include "app/numerics_dialog.hpp"
#include "engine/core/whole_file.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QDir>
#include <QEventLoop>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>
#include <QTemporaryDir>

#include <filesystem>
#include <thread>

namespace tawara {

void MainWindow::askForHeart()
{
    auto* dialog = new HeartDialog(newMeshFile(tr("heart")), m_document->session(), this);
    if (m_heart)
        dialog->setParameters(*m_heart);
    else if (const auto* own = std::get_if<simulation::MeshHeart>(&m_document->session().mesh))
        dialog->setParameters(own->parameters);
    const auto remember = [this, dialog] { m_heart = dialog->parameters(); };
    connect(dialog, &MeshDialog::made, this, remember);
    connect(dialog, &MeshDialog::failed, this, remember);
    showMeshDialog(dialog, true);
}

void MainWindow::askForSlab()
{
    showMeshDialog(new SlabDialog(newMeshFile(tr("slab")), m_document->session(), this), true);
}

void MainWindow::askForRefinement()
{
    const auto scene = m_host->scene();
    if (!scene)
        return showError(tr("There is no mesh to refine."),
                         tr("Open a heart first (Ctrl+O), or make one (Ctrl+N)."));
    auto* dialog =
        new RefineDialog(scene->mesh, newMeshFile(tr("refined")), m_document->session(), this);
    dialog->setWindowModality(Qt::WindowModal); // the session goes along: no edits meanwhile
    showMeshDialog(dialog, false);
}

void MainWindow::askForFibres()
{
    if (!m_host->scene() ||
        !std::holds_alternative<simulation::MeshFile>(m_document->session().mesh))
        return showError(tr("What is open is no mesh of a file: its fibres are its own."),
                         tr("Open a mesh or a session of one first (Ctrl+O)."));
    const auto settings = openSettings();
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Fibres"), settings->value("files/folder").toString(),
                                     tr("Fibres (*.vtk *.vtu *.lon *.blon);;All files (*)"));
    if (!path.isEmpty())
        useFibres(path);
}

void MainWindow::askForFibreRule()
{
    const auto* mesh = std::get_if<simulation::MeshFile>(&m_document->session().mesh);
    if (mesh == nullptr)
        return;
    auto* dialog = new FibreRuleDialog(mesh->rule, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        useFibres(QString::fromUtf8(simulation::rule_based.data()), dialog->rule());
    });
    dialog->show();
}

void MainWindow::useFibres(const QString& from, const mesh::generator::FibreRules& rule)
{
    auto session = m_document->session();
    auto* mesh = std::get_if<simulation::MeshFile>(&session.mesh);
    if (mesh == nullptr)
        return;
    mesh->fibres = from.toStdString();
    mesh->rule = rule;
    m_leaving->askRecorded([this, session] {
        m_message->clear();
        m_host->load(session, {m_path, true});
    });
}

void MainWindow::askForNumerics()
{
    if (!m_host->scene())
        return showError(tr("There is nothing to compute yet."),
                         tr("Open a heart first (Ctrl+O)."));
    auto* dialog = new NumericsDialog(m_document->session(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal); // the session goes along: no edits meanwhile
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_leaving->askRecorded([this, session = dialog->session()] {
            m_message->clear();
            m_host->load(session, {m_path, true});
        });
    });
    dialog->show();
}

void MainWindow::askForLength()
{
    const auto scene = m_host->scene();
    if (!scene)
        return showError(tr("There is nothing to compute yet."),
                         tr("Open a heart first (Ctrl+O)."));
    const double end = m_document->session().end_ms;
    auto* dialog = new LengthDialog(end, m_host->status().time_ms, scene->dt_ms, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(m_host, &EngineHost::statusPolled, dialog,
            [dialog](const simulation::Status& s) { dialog->setNow(s.time_ms); });
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_document->edits().edit(tr("Change the length of the run"),
                                 [ms = dialog->end()](simulation::Session& s) { s.end_ms = ms; });
    });
    dialog->show();
}

QString MainWindow::newMeshFile(const QString& name)
{
    if (!m_meshes)
        m_meshes = std::make_unique<QTemporaryDir>(QDir::temp().filePath("tawara-XXXXXX"));
    const QString folder = QString::number(++m_meshCount);
    QDir(m_meshes->path()).mkpath(folder);
    return QDir(m_meshes->path()).filePath(folder + "/" + name + ".vtu");
}

void MainWindow::showMeshDialog(MeshDialog* dialog, bool replaces)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &MeshDialog::made, this,
            [this, replaces, dialog](const simulation::Session& session) {
                // the dialog keeps the mesh until the answer is to go on
                const auto open = [this, session, shown = QPointer(dialog)] {
                    if (!shown)
                        return;
                    const Notices lost = shown->lost();
                    shown->accept();
                    openMade(session, lost);
                };
                if (replaces)
                    m_leaving->askUnsaved(tr("Save them before the new mesh takes its place?"),
                                          open);
                else
                    m_leaving->askRecorded(open);
            });
    dialog->show();
}

void MainWindow::openMade(const simulation::Session& session, const Notices& lost)
{
    m_message->clear();
    for (const auto& n : lost)
        m_message->showMessage(MessageBar::Level::warning, QString::fromStdString(n.text));
    showStart(false);
    m_host->load(session, {{}, true});
}

QString MainWindow::keepMesh(simulation::Session& session, const QString& sessionFile)
{
    auto* mesh = std::get_if<simulation::MeshFile>(&session.mesh);
    if (mesh == nullptr || !m_meshes)
        return {};
    const QString now = QString::fromStdString((session.folder / mesh->file).string());
    if (!now.startsWith(m_meshes->path() + QLatin1Char('/')))
        return {};
    QString& kept = m_keptMeshes[now];
    const QFileInfo target(sessionFile);
    if (kept.isEmpty() || !QFileInfo::exists(kept)) {
        const QString stem = target.absoluteDir().filePath(target.completeBaseName());
        kept = stem + "-mesh.vtu";
        for (int n = 2; QFileInfo::exists(kept); ++n) // somebody else's
            kept = stem + QStringLiteral("-mesh-%1.vtu").arg(n);
        // a large file takes its time: elsewhere, while the window goes on drawing
        QString error;
        QEventLoop wait;
        std::jthread copy([&, from = now.toStdString(), to = kept.toStdString()] {
            try {
                write_whole_by_path(to, [&](const std::filesystem::path& part) {
                    std::filesystem::copy_file(from, part,
                                               std::filesystem::copy_options::overwrite_existing);
                });
            } catch (const std::exception& e) {
                error = QString::fromUtf8(e.what());
            }
            QMetaObject::invokeMethod(&wait, &QEventLoop::quit, Qt::QueuedConnection);
        });
        wait.exec(QEventLoop::ExcludeUserInputEvents);
        if (!error.isEmpty()) {
            const QString to = std::exchange(kept, {});
            return tr("The mesh cannot be kept as %1: %2; the session was not saved.")
                .arg(to, error);
        }
    }
    session.folder = QFileInfo(kept).absolutePath().toStdString();
    mesh->file = QFileInfo(kept).fileName().toStdString();
    return {};
}

} // namespace tawara
