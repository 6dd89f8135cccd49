// SPDX-License-Identifier: GPL-3.0-or-later
// Running, recording, replaying, and what else of a run a user decides.
#include "app/leaving_controller.hpp"
#include "app/length_dialog.hpp"
#include "app/main_window.hpp"
#include "app/numerics_dialog.hpp"
#include "app/run_account.hpp"

#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>

#include <algorithm>

namespace tawara {

using State = EngineHost::State;

namespace {

constexpr double record_every_ms = 1;
constexpr quint64 record_bytes = quint64{1} << 30;

} // namespace

void MainWindow::playOrPause()
{
    followRun();
    switch (m_host->status().state) {
    case State::running:
        m_host->pause();
        break;
    case State::finished: // what was recorded and measured stays until the user gives it up
        m_message->showMessage(
            MessageBar::Level::note,
            tr("The session ends here. Run > Length of the run… lets it go on; Back "
               "to start (Ctrl+R) runs it again; Shift+Space replays what was "
               "recorded."));
        break;
    case State::failed:
        backToStart([this] {
            m_message->clear();
            m_host->play();
        });
        break;
    default:
        m_host->play();
    }
}

void MainWindow::backToStart(std::function<void()> then)
{
    const auto go = [this, then = std::move(then)] {
        if (!m_host->status().recording)
            m_views->tissues().keepFor(m_host->recording());
        m_host->reset();
        if (then)
            then();
    };
    LeavingController::Loss loss = m_leaving->lossOf();
    loss.frames = loss.frames && m_host->status().recording; // else they stay
    if (loss)
        m_leaving->askLoss(loss, go);
    else
        go();
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
        m_leaving->askRecorded([this, session = dialog->session()] { loadAnew(session); });
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

void MainWindow::recordByHand(bool on)
{
    if (!on)
        return record(false);
    const auto begin = [this] {
        m_account->recordingWanted();
        record(true);
    };
    if (m_leaving->lossOf().frames) // a new recording takes the place of the one there is
        m_leaving->askLoss({.frames = true}, begin);
    else
        begin();
}

void MainWindow::record(bool on)
{
    if (on)
        m_host->startRecording(record_every_ms, record_bytes);
    else
        m_host->stopRecording();
}

void MainWindow::replay(bool on)
{
    const auto recording = m_host->recording();
    if (!on || !recording || recording->frame_count() == 0)
        return m_replay.stop();
    const auto shown = m_transport->timeline()->shown();
    const double last = recording->time_of(recording->frame_count() - 1);
    m_replayMs = shown && *shown < last - 1 ? *shown : recording->time_of(0);
    m_replay.start(33);
}

void MainWindow::lookBack(double ms)
{
    const auto recording = m_host->recording();
    if (!recording || !m_host->scene() || recording->run() != m_host->scene()->run)
        return;
    try {
        const auto frame = recording->at(ms);
        if (!frame)
            return;
        m_views->lookBack(frame, recording.get());
        sayCutFace();
        showMoment(frame->time_ms);
        updateBullseye();
        m_message->settle("replay");
    } catch (const std::exception& e) {
        showError(QString::fromUtf8(e.what()), tr("Other moments may still be there."), "replay");
    }
}

void MainWindow::followRun()
{
    m_replay.stop();
    if (!m_views->lookingBack())
        return;
    m_views->lookBack(nullptr);
    sayCutFace();
    showMoment({});
    updateBullseye();
}

void MainWindow::showMoment(std::optional<double> ms)
{
    if (m_host->frame())
        m_transport->setTime(m_host->frame()->time_ms);
    m_transport->setReplay(ms, m_views->tissues().keptFor(m_host->recording().get()));
    m_plot->setMoment(ms);
    showProbeValues();
    m_ecg->plot()->setMoment(ms);
}

int MainWindow::frameInterval(double paint_ms, bool computeFirst)
{
    constexpr double quarter_second_ms = 250, slowest_ms = 2000;
    return static_cast<int>(computeFirst ? std::clamp(10 * paint_ms, quarter_second_ms, slowest_ms)
                                         : std::min(3 * paint_ms, slowest_ms));
}

void MainWindow::paceFrames()
{
    double paint_ms = 0;
    m_grid->each([&paint_ms](const HeartView& v, int) {
        if (v.softwareRendering() && v.isVisible())
            paint_ms += v.paintMilliseconds();
    });
    m_host->setLeastFrameInterval(frameInterval(paint_ms, m_computeFirst->isChecked()));
}

} // namespace tawara
