// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saving_controller.hpp"

#include "app/document.hpp"
#include "app/examples.hpp"
#include "app/export/save_dialog.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMessageBox>

#include <utility>

namespace tawara {
namespace {

/// The file that a session is saved in: .json where no suffix was given.
QString sessionFile(const QString& path)
{
    return QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".json") : path;
}

} // namespace

SavingController::SavingController(QWidget& window, EngineHost& host, Document& document,
                                   ProbeModel& probes, MadeMeshes& made, LeavingController& leaving,
                                   MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_probes(probes), m_made(made),
      m_leaving(leaving), m_message(message)
{
}

void SavingController::loaded()
{
    m_toldOfResults = false;
    m_path = m_host.origin().file;
    const QString stem = QFileInfo(m_path).completeBaseName();
    setSaveDefaults(stem.isEmpty() ? QString::fromStdString(m_host.scene()->title) : stem, m_path);
    if (m_host.origin().made)
        m_document.edits().setUnsaved();
}

void SavingController::ask()
{
    if (!m_host.scene())
        return;
    const QString chosen = QFileDialog::getSaveFileName(
        &m_window, tr("Save the session"),
        own() ? m_path : saveProposal({}, QStringLiteral(".json")), tr("Sessions (*.json)"));
    if (chosen.isEmpty())
        return;
    const QString path = sessionFile(chosen);
    if (path != chosen && QFileInfo::exists(path) &&
        QMessageBox::question(&m_window, tr("Save the session"),
                              tr("%1 exists. Replace it?").arg(path)) != QMessageBox::Yes)
        return;
    saveAndSay(path);
}

bool SavingController::own() const
{
    const QFileInfo file(m_path);
    return m_path.endsWith(QLatin1String(".json")) && file.isFile() && file.isWritable() &&
           !file.absolutePath().endsWith(QLatin1String("resources/sessions"));
}

void SavingController::saveOrAsk()
{
    if (m_host.scene() && own())
        saveAndSay(m_path);
    else
        ask();
}

void SavingController::saveAndSay(const QString& path)
{
    if (const QString error = save(path); !error.isEmpty())
        return m_message.showMessage(MessageBar::Level::error, error,
                                     tr("Choose another folder (File, Save session as…)."),
                                     "session");
    const QString results = m_leaving.resultsText(true);
    const bool tell = !results.isEmpty() && !std::exchange(m_toldOfResults, true);
    m_message.showMessage(
        MessageBar::Level::done, tr("Saved %1").arg(path),
        tell ? tr("Results are not in it (%1): File > Export, Make a movie.").arg(results)
             : QString(),
        "session");
}

simulation::Session SavingController::whole(simulation::Session session) const
{
    session.probes.clear();
    for (const ProbeEntry& e : m_probes.entries())
        session.probes.push_back({e.name.toStdString(), e.position});
    session.view = QJsonDocument(m_look()).toJson(QJsonDocument::Compact).toStdString();
    return session;
}

QString SavingController::save(const QString& chosen)
{
    const QString path = sessionFile(chosen);
    if (const QString folder = QFileInfo(path).absolutePath(); !QFileInfo(folder).isDir())
        return tr("There is no folder %1; the session was not saved.").arg(folder);
    simulation::Session session = m_document.session();
    if (const QString error = m_made.keep(session, path); !error.isEmpty())
        return error;
    session = whole(simulation::moved_to(session, QFileInfo(path).absolutePath().toStdString()));
    try {
        simulation::write_session(session, path.toStdString());
    } catch (const std::exception& e) {
        return QString::fromUtf8(e.what());
    }
    m_document.edits().setSaved();
    m_path = QFileInfo(path).absoluteFilePath();
    setSaveDefaults(QFileInfo(path).completeBaseName(), m_path);
    Q_EMIT saved();
    return {};
}

QString SavingController::title() const
{
    const auto scene = m_host.scene();
    const QString example = exampleTitle(m_path);
    const QString name = !example.isEmpty()  ? example
                         : !m_path.isEmpty() ? QFileInfo(m_path).fileName()
                         : scene             ? QString::fromStdString(scene->title)
                                             : QString();
    return name.isEmpty() ? tr("Tawara") : tr("%1[*] – Tawara").arg(name);
}

} // namespace tawara
