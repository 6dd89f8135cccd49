// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/opening_controller.hpp"

#include "app/engine_host.hpp"
#include "app/examples.hpp"
#include "app/leaving_controller.hpp"
#include "app/saving_controller.hpp"
#include "app/settings.hpp"
#include "engine/core/resource.hpp"
#include "engine/simulation/session/session_paths.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/start_page.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QUrl>

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

/// A session may come from others: what it reads outside its folder is said.
void sayFilesElsewhere(MessageBar& bar, const simulation::Session& session)
{
    const auto files = simulation::files_elsewhere(session);
    if (files.empty())
        return;
    QString list;
    for (const auto& f : files)
        list += (list.isEmpty() ? "" : ", ") + QString::fromStdString(f);
    bar.showMessage(
        MessageBar::Level::note,
        OpeningController::tr("This session reads files outside its folder: %1.").arg(list));
}

QStringList recentFiles()
{
    return openSettings()->value("files/recent").toStringList();
}

} // namespace

OpeningController::OpeningController(QWidget& window, EngineHost& host, LeavingController& leaving,
                                     SavingController& saving, Overlay& overlay, StartPage& start,
                                     MessageBar& message)
    : m_window(window), m_host(host), m_leaving(leaving), m_saving(saving), m_overlay(overlay),
      m_start(start), m_message(message)
{
    connectHost();
    connectPages();
}

void OpeningController::connectHost()
{
    connect(&m_host, &EngineHost::loadingStarted, this, &OpeningController::showLoading);
    connect(&m_host, &EngineHost::loadingProgress, &m_overlay, &Overlay::setProgress);
    connect(&m_host, &EngineHost::preparationStarted, this,
            [this] { m_overlay.showLoading(tr("Preparing the run")); });
    connect(&m_host, &EngineHost::preparationEnded, this, [this] {
        if (!m_host.isLoading())
            m_overlay.hide();
    });
    connect(&m_host, &EngineHost::loadingEnded, this, &OpeningController::ended);
    connect(&m_host, &EngineHost::openFailed, this, &OpeningController::failed);
    connect(&m_host, &EngineHost::memoryShort, this, &OpeningController::offerPlan);
}

void OpeningController::connectPages()
{
    connect(&m_overlay, &Overlay::cancelRequested, &m_host, &EngineHost::cancelLoading);
    connect(&m_overlay, &Overlay::openRequested, this, &OpeningController::ask);
    connect(&m_overlay, &Overlay::heartRequested, this, [this] { askAndOpen({}); });
    connect(&m_start, &StartPage::heartRequested, this, [this] { askAndOpen({}); });
    connect(&m_start, &StartPage::openRequested, this, [this](const QString& file) {
        if (file.isEmpty())
            ask();
        else
            askAndOpen(file);
    });
}

QString OpeningController::name() const
{
    const auto opening = m_host.opening();
    return opening.made && opening.file.isEmpty() ? tr("the new mesh")
           : opening.file.isEmpty()               ? tr("the built-in heart")
                                                  : QFileInfo(opening.file).fileName();
}

void OpeningController::showLoading()
{
    const QString title = tr("Opening %1").arg(name());
    if (!m_overlay.loading() || m_overlay.title() != title)
        m_overlay.showLoading(title);
}

void OpeningController::ended()
{
    if (m_host.scene() || m_start.isVisible())
        m_overlay.hide();
    else
        m_overlay.showEmpty();
}

void OpeningController::failed(const QString& reason)
{
    const auto say = [&](const QString& advice) {
        m_message.showMessage(MessageBar::Level::error, reason, advice, "open");
    };
    if (m_host.isLoading()) { // what was chosen before
        m_overlay.showLoading(tr("Opening %1").arg(name()));
        return say(tr("%1 is still being opened.").arg(name()));
    }
    say(m_host.scene() ? tr("What was open before is still here.")
                       : tr("Choose another file with Ctrl+O, or the built-in heart."));
}

void OpeningController::offerPlan(const QString& reason, const simulation::Load& asked,
                                  const SessionOrigin& origin,
                                  const std::vector<device::MemoryPlan>& plans)
{
    const auto& plan = plans.front();
    m_message.showMessage(
        MessageBar::Level::error, reason,
        m_host.scene() ? tr("What was open before is still here.") : QString(), "open",
        {tr("Open it in %1").arg(QString::fromStdString(plan.words)), [this, asked, origin, plan] {
             Q_EMIT begins();
             m_host.load(asked.session, origin, asked.checkpoint, plan);
         }});
}

void OpeningController::open(const QString& path)
{
    m_message.clear();
    Q_EMIT begins();
    m_host.open(path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath());
}

void OpeningController::ask()
{
    const auto settings = openSettings();
    QFileDialog dialog(
        &m_window, tr("Open a mesh or a session"), settings->value("files/folder").toString(),
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

void OpeningController::askAndOpen(const QString& path)
{
    const QString question = tr("Save them before another is opened?");
    if (path.isEmpty())
        return m_leaving.askUnsaved(question, [this] { open({}); });
    // it is read first: nobody is asked to give something up for a file that cannot be opened
    m_host.open(
        QFileInfo(path).absoluteFilePath(), [this, question](const std::function<void()>& load) {
            const auto go = [this, load] {
                m_message.clear();
                Q_EMIT begins();
                load();
            };
            m_leaving.askWhenFree([this, question, go] { m_leaving.askUnsaved(question, go); });
        });
}

void OpeningController::loadAnew(const simulation::Session& session)
{
    m_message.clear();
    m_host.load(session, {m_saving.path(), true});
}

void OpeningController::openMade(const simulation::Session& session,
                                 const std::filesystem::path& checkpoint)
{
    Q_EMIT begins();
    m_host.load(session, {{}, true}, checkpoint);
}

void OpeningController::openKept(const simulation::Session& session, const QString& file,
                                 const std::filesystem::path& checkpoint,
                                 const std::optional<device::MemoryPlan>& plan)
{
    m_message.clear();
    Q_EMIT begins();
    m_host.load(session, {file, true}, checkpoint, plan);
}

void OpeningController::loaded()
{
    const auto scene = m_host.scene();
    const QString& path = m_saving.path();
    for (auto n = scene->notices.rbegin(); n != scene->notices.rend(); ++n) // the first on top
        if (n->level == Notice::Level::warning)
            m_message.showMessage(MessageBar::Level::warning, QString::fromStdString(n->text));
    if (path.endsWith(".json", Qt::CaseInsensitive))
        sayFilesElsewhere(m_message, scene->session);
    if (!path.isEmpty())
        remember(path);
}

void OpeningController::remember(const QString& path)
{
    const auto settings = openSettings();
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    settings->setValue("files/recent", QStringList(files.mid(0, recent_count)));
    fillStart();
}

void OpeningController::fillRecent(QMenu& menu)
{
    menu.clear();
    const QStringList files = recentFiles();
    for (const QString& f : files)
        menu.addAction(f, this, [this, f] { askAndOpen(f); });
    if (files.isEmpty())
        menu.addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void OpeningController::fillStart()
{
    std::vector<Example> shown;
    for (const ExampleText& e : exampleTexts()) {
        try {
            const auto path = resource(std::string("resources/sessions/") + e.file);
            const QString stem = QString::fromLatin1(e.file).section('.', 0, 0);
            QPixmap picture;
            picture.loadFromData(resourceFile(QStringLiteral("guide/%1.png").arg(stem)));
            shown.push_back({QString::fromStdString(path.string()), exampleWords(e.title),
                             exampleWords(e.text), picture});
        } catch (const std::exception&) {
            continue; // an installation without this example
        }
    }
    m_start.setExamples(shown);
    m_start.setRecent(recentFiles());
}

} // namespace tawara
