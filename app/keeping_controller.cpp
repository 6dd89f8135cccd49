// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/keeping_controller.hpp"

#include "app/document.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/opening_controller.hpp"
#include "app/run_controller.hpp"
#include "app/saving_controller.hpp"
#include "app/settings.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"

#include <QActionGroup>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <utility>

namespace tawara {

namespace fs = std::filesystem;
using simulation::KeptState;
using State = EngineHost::State;

namespace {

constexpr std::size_t most_kept = 3;   ///< of a window
constexpr int again_ms = 5000;         ///< until a state is asked for again that was changing
constexpr qint64 longest_ms = 600'000; ///< that keeping may take
constexpr int minutes_offered[] = {1, 5, 15, 0};
constexpr std::chrono::seconds looks_again[] = {std::chrono::seconds(10), std::chrono::seconds(60)};
constexpr double hair_ms = 1e-6;

/// The mesh in a folder of kept documents, under a name that tells it from others.
void keepMesh(const fs::path& from, const fs::path& to)
{
    if (!fs::exists(to))
        write_whole_by_path(to, [&](const fs::path& part) {
            fs::copy_file(from, part, fs::copy_options::overwrite_existing);
        });
}

} // namespace

KeepingController::KeepingController(QWidget& window, EngineHost& host, const Others& others)
    : m_window(window), m_host(host), m_with(others)
{
    connect(&m_timer, &QTimer::timeout, this, [this] { keep(tr("every %1 min").arg(m_minutes)); });
    connect(&m_with.document, &Document::changed, this, [this] { ++m_edits; });
    connect(
        &m_with.document, &Document::searchBegins, this, [this](const simulation::Session& before) {
            keepSession(tr("before conductivities were searched for"), m_with.saving.whole(before));
        });
    connect(&m_host, &EngineHost::aboutToReplace, this, [this](bool toStart) {
        keep(toStart ? tr("before the run went back to the start")
                     : tr("before another took its place"));
    });
    connect(&m_host, &EngineHost::stateKept, this, &KeepingController::stateKept);
    connect(&m_host, &EngineHost::samplesCleared, this,
            [this] { ++m_starts; }); // the same step may have another state now
    connect(&m_host, &EngineHost::loadingEnded, this, &KeepingController::loadingEnded);
}

KeepingController::~KeepingController()
{
    m_pool.waitForDone();
}

template <class Job, class Done>
void KeepingController::aside(Job job, Done done)
{
    m_pool.start(this, [this, job = std::move(job), done = std::move(done)]() mutable {
        QString error;
        try {
            job();
        } catch (const std::bad_alloc&) {
            error = tr("there is not enough memory");
        } catch (const std::exception& e) {
            error = QString::fromUtf8(e.what());
        }
        postTo(this, [done = std::move(done), error]() mutable { done(error); });
    });
}

void KeepingController::begin(const fs::path& all)
{
    try {
        if (all.empty())
            throw InputError("HOME", "is not set, so that there is no folder to keep anything in");
        m_folder = std::make_shared<simulation::KeptFolder>(all);
    } catch (const std::exception& e) {
        m_with.message.showMessage(
            MessageBar::Level::warning,
            tr("What is open is not kept against a crash: %1").arg(QString::fromUtf8(e.what())));
    }
    setEvery(m_minutes);
    look(all);
    for (const auto later : looks_again) // a program that crashed may take a while to end
        QTimer::singleShot(later, this, [this, all] { look(all); });
}

void KeepingController::look(const fs::path& all)
{
    auto found = simulation::left_folders(all); // but for those that this window holds
    if (found.empty())
        return;
    for (const auto& left : found)
        for (const auto& line : left.damaged())
            m_with.message.showMessage(MessageBar::Level::error,
                                       tr("What an earlier window kept cannot be restored: %1")
                                           .arg(QString::fromStdString(line)),
                                       tr("Nothing of it was removed."));
    m_left.insert(m_left.begin(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
    m_with.leaving.askWhenFree([this] { offer(); });
}

void KeepingController::setEvery(int minutes)
{
    m_minutes = std::max(0, minutes);
    if (m_minutes > 0 && m_folder)
        m_timer.start(std::chrono::minutes(m_minutes));
    else
        m_timer.stop();
}

void KeepingController::restore(const QSettings& settings)
{
    setEvery(settings.value("keep/everyMinutes", m_minutes).toInt());
    setMost(settings.value("keep/mostMB", m_mostBytes / 1e6).toDouble() * 1e6);
}

void KeepingController::keep(const QString& reason)
{
    if (m_folder && m_host.scene())
        keepSession(reason, m_with.saving.whole(m_with.document.session()));
}

void KeepingController::keepSession(const QString& reason, simulation::Session session)
{
    const auto scene = m_host.scene();
    if (m_work && m_work->since.hasExpired(longest_ms))
        m_work.reset(); // nobody answers: that was lost
    if (!m_folder || !scene || m_work)
        return; // where one is being kept it is of a moment ago
    const auto& now = m_host.status();
    const bool begun = now.time_ms > 0 && now.run == scene->run && now.state != State::failed;
    const Mark mark{scene->run, begun ? now.step : 0, m_edits, m_starts};
    if ((!begun && !m_with.document.edits().modified()) || m_kept == mark)
        return;
    KeptState about;
    about.folder = m_folder->path();
    about.number = ++m_number;
    about.title = scene->title;
    about.file = m_with.saving.path().toStdString();
    about.reason = reason.toStdString();
    about.saved = std::chrono::system_clock::now();
    const bool restored = m_restored && m_restored->run == scene->run;
    m_work.emplace(Work{about,
                        std::move(session),
                        {},
                        0,
                        mark,
                        restored ? m_restored : std::optional<Restored>(),
                        {}});
    m_work->since.start();
    m_work->mesh = m_with.made.fileOf(m_work->session);
    if (begun)
        m_work->command = m_host.keepState(about.state(), m_mostBytes);
    else
        write();
}

void KeepingController::stateKept(const simulation::StateKept& kept)
{
    if (!m_work || kept.command != m_work->command)
        return;
    if (!kept.error.empty() && m_host.status().changing_tissue) { // it soon has another state
        const QString reason = QString::fromStdString(m_work->about.reason);
        m_work.reset();
        return QTimer::singleShot(again_ms, this, [this, reason] { keep(reason); });
    }
    const QString why = QString::fromStdString(kept.error);
    if (!why.isEmpty() && why != m_said)
        m_with.message.showMessage(
            MessageBar::Level::warning,
            tr("The state of the run is not kept against a crash: %1.").arg(why),
            tr("The session with its edits is."), "keep");
    m_said = why;
    m_work->about.has_state = kept.error.empty();
    m_work->about.time_ms = kept.error.empty() ? kept.time_ms : 0;
    write();
}

void KeepingController::write()
{
    auto& about = m_work->about;
    if (m_work->mesh) // the same file of a mesh is one, whichever document is of it
        about.mesh = simulation::kept_mesh + m_work->mesh->parent_path().filename().string() + "-" +
                     m_work->mesh->filename().string();
    const auto stays = m_restoring ? m_restoring->from.number : -1;
    auto of = *m_work;
    of.session = {};
    aside(
        [about, folder = m_folder, session = m_work->session, from = m_work->mesh,
         most = m_mostBytes, stays]() mutable {
            session = simulation::moved_to(std::move(session), about.folder);
            if (from) {
                keepMesh(*from, about.folder / about.mesh);
                std::get<simulation::MeshFile>(session.mesh).file = about.mesh;
            }
            simulation::write_session(session, about.session());
            simulation::write_kept(about);
            folder->keep_newest(most_kept, static_cast<std::uintmax_t>(most), stays);
        },
        [this, of](const QString& error) { written(of, error); });
}

void KeepingController::written(const Work& of, const QString& error)
{
    if (m_work && m_work->about.number == of.about.number)
        m_work.reset(); // else another was begun, since this one took too long
    if (error.isEmpty() && m_folder) {
        m_kept = of.mark;
        m_own.emplace_back(of.about, of.mark);
        std::erase_if(m_own, [](const auto& s) { return !fs::exists(s.first.told()); });
        if (of.restored && (of.about.has_state || !of.restored->has_state)) {
            removeLeft(of.restored->left);
            if (m_restored && m_restored->run == of.restored->run)
                m_restored.reset();
        }
    } else if (m_folder && error != m_said) {
        m_said = error;
        m_with.message.showMessage(MessageBar::Level::warning,
                                   tr("What is open is not kept against a crash: %1").arg(error),
                                   {}, "keep");
    }
    Q_EMIT kept();
    if (!of.restored)
        keepRestored();
}

void KeepingController::keepRestored()
{
    const auto scene = m_host.scene();
    if (!m_restored || !scene || scene->run != m_restored->run)
        return;
    m_kept.reset();
    keep(tr("when it was restored")); // once nothing else is being kept: written()
}

void KeepingController::closed()
{
    m_timer.stop();
    if (!m_folder)
        return;
    m_pool.waitForDone();
    m_folder->remove();
    m_folder.reset();
    m_work.reset();
}

QString KeepingController::words(const KeptState& s) const
{
    const auto at = QDateTime::fromSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::seconds>(s.saved.time_since_epoch()).count());
    const QString file = QFileInfo(QString::fromStdString(s.file)).fileName();
    const QString name = file.isEmpty() ? QString::fromStdString(s.title) : file;
    const QString when = QLocale().toString(at, at.date() == QDate::currentDate()
                                                    ? QStringLiteral("HH:mm")
                                                    : QStringLiteral("d MMM yyyy HH:mm"));
    return s.has_state ? tr("%1 at %2 ms, kept at %3 (%4)")
                             .arg(name, QString::number(s.time_ms, 'g', 7), when,
                                  QString::fromStdString(s.reason))
                       : tr("%1 before its first step, kept at %2 (%3)")
                             .arg(name, when, QString::fromStdString(s.reason));
}

void KeepingController::offer()
{
    const auto left = std::find_if(m_left.begin(), m_left.end(),
                                   [](const auto& f) { return !f.states().empty(); });
    if (left == m_left.end() || m_window.findChild<QMessageBox*>("kept") != nullptr)
        return;
    const KeptState state = left->states().front();
    // Nothing runs behind the question: Restore would ask whether that run may be lost.
    const bool loading = m_host.isLoading(), running = m_host.status().state == State::running;
    if (loading)
        m_with.run.holdNext();
    if (running)
        m_host.pause();
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Restore"),
        tr("A window was not closed, and this was kept of what it had open:") +
            QStringLiteral("\n\n%1\n\n").arg(words(state)) +
            tr("Restore opens it as a session that is not saved. Later leaves it in File > Kept "
               "states."),
        QMessageBox::NoButton, &m_window);
    box->setObjectName("kept");
    box->setTextFormat(Qt::PlainText);
    // No letter presses a button: what is typed while the window opens must not discard anything.
    auto* go = box->addButton(tr("Restore"), QMessageBox::AcceptRole);
    auto* discard = box->addButton(tr("Discard"), QMessageBox::DestructiveRole);
    auto* later = box->addButton(tr("Later"), QMessageBox::RejectRole);
    box->setDefaultButton(go);
    box->setEscapeButton(later);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [=, this] {
        if (box->clickedButton() == go)
            return take(state);
        if (box->clickedButton() == discard)
            removeLeft(state.folder);
        if (loading)
            m_with.run.startHeld();
        if (running)
            m_host.play();
    });
    box->open();
}

void KeepingController::removeLeft(const fs::path& folder)
{
    for (auto& left : m_left)
        if (left.path() == folder)
            left.remove();
    std::erase_if(m_left, [&](const auto& left) { return left.path() == folder; });
}

void KeepingController::take(const KeptState& state, std::optional<device::MemoryPlan> plan)
{
    const QString mesh = QString::fromStdString(state.mesh);
    const QString to =
        mesh.isEmpty() ? QString() : m_with.made.newFile(QFileInfo(mesh).completeBaseName());
    const auto session = std::make_shared<simulation::Session>();
    const QString origin = QString::fromStdString(state.file);
    const fs::path home =
        (origin.isEmpty() ? QDir::homePath() : QFileInfo(origin).absolutePath()).toStdString();
    aside(
        [state, session, to, home] {
            const fs::path file = to.toStdString();
            *session = simulation::moved_to(simulation::read_session(state.session()),
                                            to.isEmpty() ? home : file.parent_path());
            auto* mesh = std::get_if<simulation::MeshFile>(&session->mesh);
            if (to.isEmpty() || mesh == nullptr)
                return;
            fs::copy_file(state.folder / state.mesh, file);
            mesh->file = file.filename().string();
        },
        [this, state, session, plan](const QString& error) {
            if (!error.isEmpty())
                return m_with.message.showMessage(
                    MessageBar::Level::error, tr("What was kept cannot be restored: %1").arg(error),
                    tr("What is open stays, and so does what was kept, in %1.")
                        .arg(QString::fromStdString(state.folder.string())),
                    "kept");
            const auto go = [this, state, session, plan] { opened(state, *session, plan); };
            const bool same = std::any_of(m_own.begin(), m_own.end(), [&](const auto& s) {
                return s.first.told() == state.told() && s.second.edits == m_edits &&
                       m_host.scene() && s.second.run == m_host.scene()->run;
            });
            if (same) // with all edits that there are
                go();
            else
                m_with.leaving.askUnsaved(tr("Save them before what was kept takes their place?"),
                                          go);
        });
}

void KeepingController::opened(const KeptState& state, const simulation::Session& session,
                               const std::optional<device::MemoryPlan>& plan)
{
    m_restoring.emplace(Restoring{state, m_host.scene() ? m_host.scene()->run : 0});
    m_with.run.holdNext();
    m_with.opening.openKept(session, QString::fromStdString(state.file),
                            state.has_state ? state.state() : fs::path(), plan);
}

void KeepingController::loadingEnded()
{
    const auto restored = std::exchange(m_restoring, {});
    const auto scene = m_host.scene();
    if (!restored || !scene || scene->run == restored->before)
        return; // what was open stays, which is said
    const auto& from = restored->from;
    const auto left = std::find_if(m_left.begin(), m_left.end(),
                                   [&](const auto& f) { return f.path() == from.folder; });
    const bool newest = left != m_left.end() && left->states().front().number == from.number;
    if (from.has_state && std::abs(m_host.status().time_ms - from.time_ms) > hair_ms) {
        m_with.message.showMessage( // the scene's notice says why
            MessageBar::Level::error, tr("The session is restored, its state is not."),
            tr("What was kept stays in %1.").arg(QString::fromStdString(from.folder.string())),
            "kept");
        return;
    }
    m_with.message.showMessage(
        MessageBar::Level::done, tr("Restored: %1.").arg(words(from)),
        tr("It is not saved. Play goes on from there; curves and frames begin anew."), "kept");
    m_restored.emplace(Restored{scene->run, newest ? from.folder : fs::path(), from.has_state});
    keepRestored();
}

MessageBar::Offer KeepingController::goBack(std::optional<device::MemoryPlan> plan)
{
    const auto scene = m_host.scene();
    const auto last = std::find_if(m_own.rbegin(), m_own.rend(), [&](const auto& s) {
        return scene && s.second.run == scene->run && s.first.has_state;
    });
    if (last == m_own.rend())
        return {};
    return {tr("Back to %1 ms").arg(QString::number(last->first.time_ms, 'g', 7)),
            [this, state = last->first, plan] { take(state, plan); }};
}

void KeepingController::addMenu(QMenu& file)
{
    auto* menu = file.addMenu(tr("&Kept states"));
    menu->setObjectName("keptStates");
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(*menu); });
}

void KeepingController::fill(QMenu& menu)
{
    menu.clear();
    const auto add = [&](const KeptState& s) {
        menu.addAction(words(s).replace('&', QLatin1String("&&")), this, [this, s] { take(s); });
    };
    for (auto s = m_own.rbegin(); s != m_own.rend(); ++s)
        add(s->first);
    if (!m_left.empty())
        menu.addSection(tr("Of windows that were not closed"));
    for (const auto& left : m_left)
        for (const auto& s : left.states())
            add(s);
    if (menu.isEmpty())
        menu.addAction(tr("Nothing was kept yet"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(tr("&Keep the state now"), this, [this] { keep(tr("by hand")); })
        ->setEnabled(m_folder && m_host.scene());
    addChoices(menu);
}

void KeepingController::addChoices(QMenu& menu)
{
    auto* group = new QActionGroup(&menu);
    for (const int n : minutes_offered) {
        auto* a = menu.addAction(n == 0   ? tr("Only &before what may lose it")
                                 : n == 1 ? tr("Every minute")
                                          : tr("Every %1 minutes").arg(n),
                                 this, [this, n] {
                                     setEvery(n);
                                     openSettings()->setValue("keep/everyMinutes", n);
                                 });
        a->setCheckable(true);
        a->setChecked(n == m_minutes);
        group->addAction(a);
    }
}

} // namespace tawara
