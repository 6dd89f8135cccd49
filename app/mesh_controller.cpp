// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mesh_controller.hpp"

#include "app/document.hpp"
#include "app/fibre_rule_dialog.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/mesh_dialog.hpp"
#include "app/settings.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QFileDialog>
#include <QPointer>

namespace tawara {

MeshController::MeshController(QWidget& window, EngineHost& host, Document& document,
                               MadeMeshes& made, LeavingController& leaving, MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_made(made), m_leaving(leaving),
      m_message(message)
{
}

void MeshController::askForHeart()
{
    auto* dialog = new HeartDialog(m_made.newFile(tr("heart")), m_document.session(), &m_window);
    if (m_heart)
        dialog->setParameters(*m_heart);
    else if (const auto* own = std::get_if<simulation::MeshHeart>(&m_document.session().mesh))
        dialog->setParameters(own->parameters);
    const auto remember = [this, dialog] { m_heart = dialog->parameters(); };
    connect(dialog, &MeshDialog::made, this, remember);
    connect(dialog, &MeshDialog::failed, this, remember);
    showMeshDialog(dialog, true);
}

void MeshController::askForSlab()
{
    showMeshDialog(new SlabDialog(m_made.newFile(tr("slab")), m_document.session(), &m_window),
                   true);
}

void MeshController::askForRefinement()
{
    const auto scene = m_host.scene();
    if (!scene)
        return m_message.showMessage(MessageBar::Level::error, tr("There is no mesh to refine."),
                                     tr("Open a heart first (Ctrl+O), or make one (Ctrl+N)."));
    auto* dialog = new RefineDialog(scene->mesh, m_made.newFile(tr("refined")),
                                    m_document.session(), &m_window);
    dialog->setWindowModality(Qt::WindowModal); // the session goes along: no edits meanwhile
    showMeshDialog(dialog, false);
}

void MeshController::askForFibres()
{
    if (!m_host.scene() || !std::holds_alternative<simulation::MeshFile>(m_document.session().mesh))
        return m_message.showMessage(
            MessageBar::Level::error,
            tr("What is open is no mesh of a file: its fibres are its own."),
            tr("Open a mesh or a session of one first (Ctrl+O)."));
    const auto settings = openSettings();
    const QString path = QFileDialog::getOpenFileName(
        &m_window, tr("Fibres"), settings->value("files/folder").toString(),
        tr("Fibres (*.vtk *.vtu *.lon *.blon);;All files (*)"));
    if (!path.isEmpty())
        useFibres(path);
}

void MeshController::askForFibreRule()
{
    const auto* mesh = std::get_if<simulation::MeshFile>(&m_document.session().mesh);
    if (mesh == nullptr)
        return;
    auto* dialog = new FibreRuleDialog(mesh->rule, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        useFibres(QString::fromUtf8(simulation::rule_based.data()), dialog->rule());
    });
    dialog->show();
}

void MeshController::useFibres(const QString& from, const mesh::generator::FibreRules& rule)
{
    auto session = m_document.session();
    auto* mesh = std::get_if<simulation::MeshFile>(&session.mesh);
    if (mesh == nullptr)
        return;
    mesh->fibres = from.toStdString();
    mesh->rule = rule;
    m_leaving.askRecorded([this, session] { Q_EMIT changed(session); });
}

void MeshController::showMeshDialog(MeshDialog* dialog, bool replaces)
{
    Q_EMIT worksSoon();
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setContext(m_host.context());
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
                    m_leaving.askUnsaved(tr("Save them before the new mesh takes its place?"),
                                         open);
                else
                    m_leaving.askRecorded(open);
            });
    dialog->show();
}

void MeshController::openMade(const simulation::Session& session, const Notices& lost)
{
    m_message.clear();
    for (const auto& n : lost)
        m_message.showMessage(MessageBar::Level::warning, QString::fromStdString(n.text));
    Q_EMIT made(session);
}

} // namespace tawara
