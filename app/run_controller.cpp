// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_controller.hpp"

#include "app/document.hpp"
#include "app/frame_pace.hpp"
#include "app/leaving_controller.hpp"
#include "app/length_dialog.hpp"
#include "app/numerics_dialog.hpp"
#include "app/outputs_dialog.hpp"
#include "app/replay_controller.hpp"
#include "app/run_account.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/transport_bar.hpp"

#include <QAction>
#include <QMenu>
#include <QSettings>

#include <utility>

namespace tawara {

using State = EngineHost::State;

namespace {

constexpr double record_every_ms = 1;
constexpr quint64 record_bytes = quint64{1} << 30;

} // namespace

RunController::RunController(QWidget& window, EngineHost& host, Document& document,
                             ViewController& views, LeavingController& leaving, RunAccount& account,
                             ReplayController& replay, TransportBar& transport, MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_views(views), m_leaving(leaving),
      m_account(account), m_replay(replay), m_transport(transport), m_message(message)
{
    connectTransport();
    connectHost();
}

void RunController::connectTransport()
{
    connect(&m_transport, &TransportBar::playRequested, this, &RunController::playOrPause);
    connect(&m_transport, &TransportBar::pauseRequested, &m_host, &EngineHost::pause);
    connect(&m_transport, &TransportBar::stepRequested, &m_host, &EngineHost::step);
    connect(&m_transport, &TransportBar::resetRequested, this, [this] { backToStart(); });
    connect(&m_transport, &TransportBar::speedLimitChosen, &m_host, &EngineHost::limitSpeed);
    connect(&m_transport, &TransportBar::recordRequested, this, [this](bool on) {
        recordByHand(on);
        if (on)
            m_transport.setStatus(m_host.status()); // the button says what is, until that changes
    });
}

void RunController::connectHost()
{
    connect(&m_host, &EngineHost::loadingEnded, this, &RunController::loadingEnded);
    connect(&m_host, &EngineHost::runFailed, this, &RunController::failed);
    connect(&m_host, &EngineHost::loaded, this, [this] { Q_EMIT failedAt({}); });
    connect(&m_host, &EngineHost::refused, this, [this](const QString& reason) {
        m_message.showMessage(MessageBar::Level::warning, reason, {}, "command");
    });
    connect(&m_host, &EngineHost::stateChanged, this, [this](State s) {
        if (s == State::running)
            m_message.settle("run");
        if (s != State::failed)
            Q_EMIT failedAt({});
        m_views.setRunEnded(s == State::finished || s == State::failed);
        if (s == State::finished)
            sayUnexcited();
    });
    connect(&m_host, &EngineHost::sceneChanged, this, [this] { // the engine may take it back
        if (!has_kind(m_host.scene()->notices, simulation::notice_kind::unexcited))
            m_message.settle("unexcited");
    });
    connect(&m_host, &EngineHost::stateLost, this, [this](const QString& why) {
        m_message.showMessage(MessageBar::Level::warning, why,
                              tr("Back to start (Ctrl+R) and Play run it anew."), "state");
    });
}

void RunController::failed(const QString& reason)
{
    const auto& why = m_host.failure();
    const bool others = !why.device.empty() && why.plan;
    const auto back = m_goBack ? m_goBack(others ? why.plan : std::nullopt) : MessageBar::Offer{};
    if (others && back.act && m_outlive != nullptr && m_outlive->isChecked()) {
        m_goOn = true;
        back.act();
        return m_message.showMessage(
            MessageBar::Level::warning, reason,
            tr("The run goes on with %1, from the last state that was kept (%2).")
                .arg(QString::fromStdString(why.plan->words), back.text),
            "run");
    }
    QString advice = why.place_mm ? tr("The run stopped. A smaller time step or a weaker stimulus "
                                       "often helps.")
                                  : tr("The run stopped.");
    advice += QLatin1Char(' ') +
              (back.act ? tr("The last state that was kept can be gone back to, or the start "
                             "(Ctrl+R).")
                        : tr("No state of it was kept: go back to the start (Ctrl+R)."));
    m_message.showMessage(MessageBar::Level::error, reason, advice, "run", back);
    Q_EMIT failedAt(why.place_mm);
}

void RunController::addChoices(QMenu& menu, FramePace& pace)
{
    m_autoPlayAction = menu.addAction(tr("Start &when opened"));
    m_autoPlayAction->setCheckable(true);
    m_autoPlayAction->setChecked(m_autoPlay);
    connect(m_autoPlayAction, &QAction::toggled, this,
            [this](bool on) { m_autoPlay = m_autoPlayChosen = on; });
    m_autoRecordAction = menu.addAction(tr("&Record when opened"));
    m_autoRecordAction->setCheckable(true);
    m_autoRecordAction->setChecked(true);
    m_computeFirst = menu.addAction(tr("&Compute first: fewer pictures"));
    m_computeFirst->setObjectName("computeFirst");
    m_computeFirst->setCheckable(true);
    m_computeFirst->setToolTip(tr("Where the processor draws as well as computes, the run gets "
                                  "ahead faster. Turning the heart stays smooth."));
    connect(m_computeFirst, &QAction::toggled, this,
            [&pace](bool on) { pace.setComputeFirst(on); });
    m_outlive = menu.addAction(tr("&Go on where a device fails"));
    m_outlive->setObjectName("outliveDevices");
    m_outlive->setCheckable(true);
    m_outlive->setToolTip(tr("From the last kept state (File > Kept states), on other GPUs or on "
                             "the processor. It is said when that happens."));
}

void RunController::restore(const QSettings& settings)
{
    m_autoPlayAction->setChecked(settings.value("run/autoPlay", true).toBool());
    m_autoRecordAction->setChecked(settings.value("run/autoRecord", true).toBool());
    m_outlive->setChecked(settings.value("run/outliveDevices", false).toBool());
    m_computeFirst->setChecked(settings.value("run/computeFirst", false).toBool());
}

void RunController::save(QSettings& settings) const
{
    settings.setValue("run/autoPlay", m_autoPlayChosen);
    settings.setValue("run/autoRecord", m_autoRecordAction->isChecked());
    settings.setValue("run/outliveDevices", m_outlive->isChecked());
    settings.setValue("run/computeFirst", m_computeFirst->isChecked());
}

void RunController::setAutoPlay(bool on)
{
    const bool chosen = m_autoPlayChosen;
    m_autoPlayAction->setChecked(on); // the menu shows what holds now
    m_autoPlayChosen = chosen;
}

void RunController::loaded()
{
    if (m_transport.speedLimit() > 0)
        m_host.limitSpeed(m_transport.speedLimit());
    if (m_autoRecordAction->isChecked())
        record(true);
}

void RunController::sayUnexcited()
{
    const auto scene = m_host.scene();
    if (!scene)
        return;
    for (const auto& n : scene->notices)
        if (n.kind == simulation::notice_kind::unexcited)
            return m_message.showMessage(MessageBar::Level::warning, QString::fromStdString(n.text),
                                         {}, "unexcited");
}

void RunController::loadingEnded()
{
    const bool hold = std::exchange(m_hold, false), goOn = std::exchange(m_goOn, false);
    // only what was opened just now, not what stayed after a failure
    if (!m_host.scene() || m_startedRun == m_host.scene()->run)
        return;
    m_startedRun = m_host.scene()->run;
    if ((goOn || (m_autoPlay && !hold)) &&
        m_host.status().state != State::finished) // with the checkpoint of its end
        m_host.play();
}

void RunController::startHeld()
{
    if (std::exchange(m_hold, false)) // it is being opened yet
        return;
    if (m_autoPlay && m_host.scene() && m_host.status().state == State::paused)
        m_host.play();
}

void RunController::playOrPause()
{
    m_replay.follow();
    switch (m_host.status().state) {
    case State::running:
        m_host.pause();
        break;
    case State::finished: // what was recorded and measured stays until the user gives it up
        m_message.showMessage(
            MessageBar::Level::note,
            tr("The session ends here. Run > Length of the run… lets it go on; Back "
               "to start (Ctrl+R) runs it again; Shift+Space replays what was "
               "recorded."));
        break;
    case State::failed:
        backToStart([this] {
            m_message.clear();
            m_host.play();
        });
        break;
    default:
        m_host.play();
    }
}

void RunController::stepMillisecond()
{
    if (const auto s = m_host.scene(); s && s->dt_ms > 0)
        m_host.step(qMax(1, qRound(1 / s->dt_ms)));
}

void RunController::sayNothingOpen()
{
    m_message.showMessage(MessageBar::Level::error, tr("There is nothing to compute yet."),
                          tr("Open a heart first (Ctrl+O)."));
}

void RunController::backToStart(std::function<void()> then)
{
    const auto go = [this, then = std::move(then)] {
        if (!m_host.status().recording)
            m_views.tissues().keepFor(m_host.recording());
        m_host.reset();
        if (then)
            then();
    };
    LeavingController::Loss loss = m_leaving.lossOf();
    loss.frames = loss.frames && m_host.status().recording; // else they stay
    if (loss)
        m_leaving.askLoss(loss, go);
    else
        go();
}

void RunController::askForNumerics()
{
    if (!m_host.scene())
        return sayNothingOpen();
    auto* dialog = new NumericsDialog(m_document.session(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal); // the session goes along: no edits meanwhile
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_leaving.askRecorded([this, session = dialog->session()] { Q_EMIT changed(session); });
    });
    dialog->show();
}

void RunController::askForLength()
{
    const auto scene = m_host.scene();
    if (!scene)
        return sayNothingOpen();
    const double end = m_document.session().end_ms;
    auto* dialog = new LengthDialog(end, m_host.status().time_ms, scene->dt_ms, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(&m_host, &EngineHost::statusPolled, dialog,
            [dialog](const simulation::Status& s) { dialog->setNow(s.time_ms); });
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_document.edits().edit(tr("Change the length of the run"),
                                [ms = dialog->end()](simulation::Session& s) { s.end_ms = ms; });
    });
    dialog->show();
}

void RunController::askForOutputs()
{
    if (!m_host.scene())
        return sayNothingOpen();
    auto* dialog = new OutputsDialog(m_document.session(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const auto change = dialog->change();
        if (!change)
            return;
        if (!dialog->startsAnew())
            return m_document.edits().edit(tr("Change the outputs"), change);
        auto session = m_document.session();
        change(session);
        m_leaving.askRecorded([this, session] { Q_EMIT changed(session); });
    });
    dialog->show();
}

void RunController::recordByHand(bool on)
{
    if (!on)
        return record(false);
    const auto begin = [this] {
        m_account.recordingWanted();
        record(true);
    };
    if (m_leaving.lossOf().frames) // a new recording takes the place of the one there is
        m_leaving.askLoss({.frames = true}, begin);
    else
        begin();
}

void RunController::record(bool on)
{
    if (on)
        m_host.startRecording(record_every_ms, record_bytes);
    else
        m_host.stopRecording();
}

} // namespace tawara
