// SPDX-License-Identifier: GPL-3.0-or-later
// What is connected to what.
#include "app/main_window.hpp"

#include "app/export_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/mesh_controller.hpp"
#include "app/painting_controller.hpp"
#include "app/run_account.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/unpaced_words.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QDockWidget>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

using State = EngineHost::State;

void MainWindow::buildControllers()
{
    m_account = std::make_unique<RunAccount>(*m_host, *m_views);
    m_exporting = std::make_unique<ExportController>(*this, *m_host, *m_views, *m_grid, *m_probes,
                                                     *m_account, *m_message);
    m_leaving = std::make_unique<LeavingController>(*this, *m_host, *m_document, *m_probes,
                                                    *m_account, *m_exporting, *m_message);
    m_made = std::make_unique<MadeMeshes>();
    m_mesh = std::make_unique<MeshController>(*this, *m_host, *m_document, *m_made, *m_leaving,
                                              *m_message);
    m_painting = std::make_unique<PaintingController>(*m_document, *m_views, *m_tissue, *m_message);
}

void MainWindow::connectControllers()
{
    m_exporting->setTitle([this] { return titleText(); });
    connect(m_exporting.get(), &ExportController::filmingChanged, this, [this](bool on) {
        m_strip->setFilming(on);
        m_filmAction->setText(on ? tr("End the &film of the screen") : tr("Film the &screen…"));
    });
    connect(m_strip, &StatusStrip::endFilmRequested, m_exporting.get(), &ExportController::endFilm);
    connect(m_beats, &BeatsPanel::exportRequested, m_exporting.get(), [this](const QString& kind) {
        m_exporting->askForExport(kind, QStringLiteral(".csv"));
    });
    connect(m_exporting.get(), &ExportController::ended, m_leaving.get(),
            &LeavingController::exportEnded);
    connect(m_exporting.get(), &ExportController::givenUp, m_leaving.get(),
            &LeavingController::exportGivenUp);
    m_leaving->setSaver([this] { saveOrAsk(); });
    connect(m_mesh.get(), &MeshController::changed, this, &MainWindow::loadAnew);
    connect(m_mesh.get(), &MeshController::made, this, [this](const simulation::Session& session) {
        showStart(false);
        m_host->load(session, {{}, true});
    });
    connect(m_painting.get(), &PaintingController::strokeBegins, this, &MainWindow::followRun);
}

QString MainWindow::openingName() const
{
    const auto opening = m_host->opening();
    return opening.made && opening.file.isEmpty() ? tr("the new mesh")
           : opening.file.isEmpty()               ? tr("the built-in heart")
                                                  : QFileInfo(opening.file).fileName();
}

void MainWindow::connectHost()
{
    connect(m_host, &EngineHost::loadingStarted, this, [this] {
        const QString title = tr("Opening %1").arg(openingName());
        if (!m_overlay->loading() || m_overlay->title() != title)
            m_overlay->showLoading(title);
    });
    connect(m_host, &EngineHost::loadingProgress, m_overlay, &Overlay::setProgress);
    connect(m_host, &EngineHost::preparationStarted, this,
            [this] { m_overlay->showLoading(tr("Preparing the run")); });
    connect(m_host, &EngineHost::preparationEnded, this, [this] {
        if (!m_host->isLoading())
            m_overlay->hide();
    });
    connect(m_host, &EngineHost::loaded, this, &MainWindow::hostLoaded);
    connect(m_host, &EngineHost::loadingEnded, this, [this] {
        if (m_host->scene() || m_start->isVisible())
            m_overlay->hide();
        else
            m_overlay->showEmpty();
        // only what was opened just now, not what stayed after a failure
        if (m_host->scene() && m_startedRun != m_host->scene()->run) {
            m_startedRun = m_host->scene()->run;
            if (m_autoPlay)
                m_host->play();
        }
    });
    connect(m_host, &EngineHost::openFailed, this, [this](const QString& reason) {
        if (m_host->isLoading()) { // what was chosen before
            m_overlay->showLoading(tr("Opening %1").arg(openingName()));
            return showError(reason, tr("%1 is still being opened.").arg(openingName()), "open");
        }
        showError(reason,
                  m_host->scene() ? tr("What was open before is still here.")
                                  : tr("Choose another file with Ctrl+O, or the built-in heart."),
                  "open");
    });
    connect(m_host, &EngineHost::runFailed, this, [this](const QString& reason) {
        showError(reason,
                  tr("The run stopped. Go back to the start (Ctrl+R); a smaller time step or a "
                     "weaker stimulus often helps."),
                  "run");
    });
    connect(m_host, &EngineHost::refused, this, [this](const QString& reason) {
        m_message->showMessage(MessageBar::Level::warning, reason, {}, "command");
    });
    connect(m_host, &EngineHost::stateChanged, this, [this](State s) {
        if (s == State::running)
            m_message->settle("run");
        m_views->setRunEnded(s == State::finished || s == State::failed);
    });
    connect(m_host, &EngineHost::statusPolled, this, [this](const simulation::Status& s) {
        m_transport->setStatus(s);
        m_account->polled(s);
        m_pacing->setTime(s.time_ms, s.ms_per_second);
        m_ecg->setTime(s.time_ms, s.state == State::finished);
        m_strip->setStatus(s, view()->framesPerSecond(), view()->detail());
        const auto recording = m_host->recording();
        if (recording && m_host->scene() && recording->run() == m_host->scene()->run &&
            recording->frame_count() > 0) {
            const double first = recording->time_of(0),
                         last = recording->time_of(recording->frame_count() - 1);
            m_transport->timeline()->setRecorded(std::pair{first, last},
                                                 m_views->tissues().keptFor(recording.get()));
            m_transport->setRecordingText(
                tr("%1 frames, every %2 ms, %3 MB on disk")
                    .arg(recording->frame_count())
                    .arg(recording->every_ms())
                    .arg(static_cast<double>(recording->bytes()) / 1e6, 0, 'f', 1));
        } else {
            m_transport->timeline()->setRecorded({});
        }
    });
    connectResults();
    connectTraces();
}

void MainWindow::connectResults()
{
    connect(m_host, &EngineHost::frameArrived, this, &MainWindow::showFrame);
    connect(m_host, &EngineHost::mapsArrived, m_views, &ViewController::showMaps);
    connect(m_host, &EngineHost::mapsArrived, this, &MainWindow::showMapBeats);
    connect(m_host, &EngineHost::stimulated, this, [this](const simulation::Stimulate& s) {
        m_message->settle("command");
        m_grid->each([&](HeartView& v, int) { v.flash(s.position_mm, s.radius_mm); });
        if (const auto state = m_host->status().state; s.site.empty() && state != State::running)
            m_message->showMessage(MessageBar::Level::note,
                                   state == State::finished
                                       ? tr("The run has ended: the pulse waits until it goes on.")
                                       : tr("The run is paused: the pulse comes when it goes on "
                                            "(Space)."),
                                   {}, "pulse");
    });
    connect(m_host, &EngineHost::captureKnown, this, &MainWindow::showCapture);
    connect(m_host, &EngineHost::ecgArrived, this, &MainWindow::showEcg);
    connect(m_host, &EngineHost::kernelsPolled, this,
            [this](const std::vector<simulation::KernelFigure>& k) {
                m_performance->setKernels(k, m_host->status());
            });
    connect(m_host, &EngineHost::ceilingsMeasured, m_performance, &PerformancePanel::setCeilings);
    connect(m_host, &EngineHost::stateLost, this, [this](const QString& why) {
        m_message->showMessage(MessageBar::Level::warning, why,
                               tr("Back to start (Ctrl+R) and Play run it anew."), "state");
    });
    connect(m_host, &EngineHost::exported, m_exporting.get(), &ExportController::exported);
    connect(m_host, &EngineHost::sceneChanged, this,
            [this, run = std::uint64_t{0}, told = std::size_t{0}]() mutable {
                const auto scene = m_host->scene();
                m_info->setScene(scene.get());
                m_tissue->setNotices(scene->notices);
                m_views->followTissue(scene);
                showBeats();
                const auto before = std::exchange(run, scene->run) == scene->run ? told : 0;
                told = scene->tissue_edits.size();
                sayTissue(before);
            });
}

/// What arrives of probes, and when that begins anew.
void MainWindow::connectTraces()
{
    connect(m_host, &EngineHost::probeAdded, this,
            [this](quint64 id, const QString& name, const Vec3& position) {
                const ProbeEntry& e = m_probes->add(id, name, position);
                m_plot->addCurve(id, name, e.color);
                showProbeValues();
                updateMarkers();
            });
    connect(m_host, &EngineHost::probeRemoved, this, [this](quint64 id) {
        flushChanges();
        m_probes->remove(id);
        m_plot->removeCurve(id);
        showProbeValues();
        m_measured.remove(id);
        showBeats();
        updateMarkers();
    });
    connect(m_host, &EngineHost::samplesArrived, this,
            [this](quint64 id, const std::vector<double>& t, const std::vector<float>& v) {
                withPicture([this, id, t, v] {
                    m_plot->append(id, t, v);
                    m_probes->setValue(id, v.back());
                    showProbeValues(); // the window of time moves beneath the mouse and the cursors
                });
            });
    connect(m_plot, &TracePlot::readingChanged, this, &MainWindow::showProbeValues);
    connect(m_host, &EngineHost::samplesCleared, this, [this] {
        flushChanges();
        m_plot->clearSamples();
        m_probes->clearValues();
        m_ecg->clearPulses();
        m_measured.clear();
        showBeats();
        m_document->forgetCaptures();
        m_message->settle("state");
        m_account->restarted();
        followRun();
    });
    connect(m_host, &EngineHost::beatsMeasured, this,
            [this](const QHash<quint64, std::vector<simulation::Beat>>& beats) {
                m_measured = beats;
                showBeats();
            });
}

void MainWindow::connectWidgets()
{
    connect(m_transport, &TransportBar::playRequested, this, &MainWindow::playOrPause);
    connect(m_transport, &TransportBar::pauseRequested, m_host, &EngineHost::pause);
    connect(m_transport, &TransportBar::stepRequested, m_host, &EngineHost::step);
    connect(m_transport, &TransportBar::resetRequested, this, [this] { backToStart(); });
    connect(m_transport, &TransportBar::speedLimitChosen, m_host, &EngineHost::limitSpeed);
    connect(m_transport, &TransportBar::recordRequested, this, [this](bool on) {
        recordByHand(on);
        if (on)
            m_transport->setStatus(m_host->status()); // the button says what is, until that changes
    });
    connect(m_transport->timeline(), &Timeline::scrubbed, this, &MainWindow::lookBack);
    connect(m_transport->timeline(), &Timeline::followRequested, this, &MainWindow::followRun);
    m_changesDue.setSingleShot(true);
    connect(&m_changesDue, &QTimer::timeout, this, &MainWindow::flushChanges);
    connect(&m_replay, &QTimer::timeout, this, [this] {
        const auto recording = m_host->recording();
        if (!recording || recording->frame_count() == 0)
            return m_replay.stop();
        const double speed = m_transport->speedLimit() > 0 ? m_transport->speedLimit() : 100;
        m_replayMs += speed * m_replay.interval() / 1000.0;
        lookBack(m_replayMs);
        if (m_replayMs > recording->time_of(recording->frame_count() - 1))
            m_replay.stop();
    });
    connect(m_overlay, &Overlay::cancelRequested, m_host, &EngineHost::cancelLoading);
    connect(m_overlay, &Overlay::openRequested, this, &MainWindow::askForFile);
    connect(m_overlay, &Overlay::heartRequested, this, [this] { askAndOpen({}); });
    connect(m_start, &StartPage::closed, this, [this] { showStart(false); });
    connect(m_start, &StartPage::heartRequested, this, [this] { askAndOpen({}); });
    connect(m_start, &StartPage::guideRequested, this, [this] { showGuide("start"); });
    connect(m_start, &StartPage::openRequested, this, [this](const QString& file) {
        if (file.isEmpty())
            askForFile();
        else
            askAndOpen(file);
    });
    connect(m_grid, &ViewGrid::viewAdded, this, &MainWindow::connectView);
    m_grid->each([this](HeartView& v, int i) { connectView(&v, i); });
    connect(m_grid, &ViewGrid::currentChanged, this, [this](int i) {
        m_viewPanel->setCurrentView(i);
        updateWatches();
        updateBullseye();
        sayCutFace();
    });
    connect(m_grid, &ViewGrid::quantityChosen, this, [this](int i, int q) {
        auto s = m_viewPanel->settings();
        s.shown[static_cast<std::size_t>(i)] = static_cast<Quantity>(q);
        changeView(s);
    });
    connect(m_displayPath, &DisplayPath::changed, this,
            [this] { m_strip->setRenderPath(m_displayPath->text(), m_displayPath->tip()); });
    connect(m_views, &ViewController::modelReady, this, &MainWindow::modelReady);
    connect(m_views, &ViewController::valuesShown, this, &MainWindow::updateBullseye);
    connect(m_views, &ViewController::rangeFound, m_viewPanel, &ViewPanel::setFoundRange);
    connect(m_document, &Document::changed, this, &MainWindow::documentChanged);
    // with the next edit; that an edit was refused is said after it was taken back
    connect(m_document, &Document::changed, this, [this] { m_message->settle("edit"); });
    connect(m_document, &Document::tissueChanged, this, [this] {
        updateRegions();
        updateVelocity();
    });
    connect(m_document, &Document::outdated, this, &MainWindow::sayResultsAreOld);
    connect(m_document, &Document::capturesChanged, this, [this] {
        m_pacing->setCapture(m_document->captures());
        updateMarkers();
    });
    connect(m_document, &Document::refused, this, [this](const QString& reason) {
        m_message->showMessage(MessageBar::Level::warning, reason, tr("The change was taken back."),
                               "edit");
    });
    connect(m_document, &Document::steppedOver, this, [this](const QString& what) {
        m_message->showMessage(MessageBar::Level::note, what,
                               tr("That step of undo was passed over: the next one takes back the "
                                  "edit before it."),
                               "edit");
    });
    connect(m_document, &Document::notRenewed, this, [this](const QString& reason) {
        showError(reason, tr("The run keeps the model as it was read before."), "model");
    });
}

void MainWindow::connectPanels()
{
    auto* edits = &m_document->edits();
    connect(edits, &EditStack::modifiedChanged, this, &QWidget::setWindowModified);
    const auto edit = [edits](const QString& what, const SessionChange& change,
                              const QString& key) { edits->edit(what, change, key); };
    connect(m_pacing, &PacingPanel::edited, this, edit);
    connect(m_tissue, &TissuePanel::edited, this, edit);
    connect(m_ecg, &EcgPanel::edited, this, edit);
    connect(m_pacing, &PacingPanel::placeRequested, this, [this] { setMode(ClickMode::site); });
    connect(m_pacing, &PacingPanel::chosenChanged, this, &MainWindow::updateMarkers);
    connect(m_pacing, &PacingPanel::paceNowRequested, this, &MainWindow::paceNow);
    connect(m_pacing, &PacingPanel::siteSuggested, this,
            [this](const QString& name, const Vec3& position) {
                addSite(tr("Pace at %1").arg(name), m_pacing->fresh(name, placed(position)));
            });
    connect(m_stimulus, &StimulusPanel::changed, this, [this](const StimulusSettings& s) {
        if (m_mode != ClickMode::paint && m_next == Next::nothing)
            m_views->setMode(m_mode, s.radius_mm);
    });
    connect(m_tissue, &TissuePanel::paintRequested, this, [this] { setMode(ClickMode::paint); });
    connect(m_tissue, &TissuePanel::placeRequested, this, [this] {
        awaitClick(Next::region_centre,
                   tr("Click on the heart: there the region's middle will be. Esc: not now."));
    });
    connect(m_tissue->brush(), &BrushCard::doneRequested, this,
            [this] { setMode(ClickMode::stimulate); });
    connect(m_tissue->brush(), &BrushCard::radiusChanged, this, [this](double mm) {
        if (m_mode == ClickMode::paint && m_next == Next::nothing)
            m_views->setMode(m_mode, mm);
    });
    connect(m_tissue, &TissuePanel::modelFileRequested, this, &MainWindow::askForModelFile);
    connect(m_tissue, &TissuePanel::chosenChanged, this, &MainWindow::updateVelocity);
    connect(m_ecg, &EcgPanel::placeRequested, this, [this] {
        awaitClick(Next::electrode,
                   tr("Click on the heart: the electrode stands 15 mm in front of it. Esc: not "
                      "now."));
    });
    connect(m_viewPanel, &ViewPanel::changed, this, &MainWindow::changeView);
    connect(m_probePanel, &ProbePanel::removeRequested, this, [this](quint64 id) {
        for (const ProbeEntry& e : m_probes->entries())
            if (e.id == id)
                return m_document->removeProbe(e.name, id);
    });
    connect(m_probePanel, &ProbePanel::placeRequested, this, [this] { setMode(ClickMode::probe); });
    connect(m_performance, &PerformancePanel::measureRequested, m_host,
            &EngineHost::measureCeilings);
    connect(m_performance, &PerformancePanel::partitionRequested, this, [this] {
        m_views->setPartition(m_host->partition());
        auto s = m_viewPanel->settings();
        s.shown[static_cast<std::size_t>(m_grid->current())] = Quantity::partition;
        changeView(s);
    });
    // what nobody sees is not computed
    for (auto* d : m_docks)
        connect(d, &QDockWidget::visibilityChanged, this, [this, d](bool seen) {
            updateWatches();
            if (!seen)
                releaseFocus(d);
        });
}

void MainWindow::connectView(HeartView* v, int index)
{
    connect(v, &HeartView::picked, this, [this](const scene::Pick& p) { wallClicked(p); });
    connect(v, &HeartView::missed, this, [this] {
        if (m_host->scene())
            m_message->showMessage(MessageBar::Level::note,
                                   tr("That click missed the heart: click on its wall."));
    });
    connect(v, &HeartView::painted, m_painting.get(), &PaintingController::paint);
    connect(v, &HeartView::paintEnded, m_painting.get(), &PaintingController::endStroke);
    connect(v, &HeartView::markerClicked, this, [this](const scene::Marker& m) {
        if (m.kind == scene::Marker::Kind::site) {
            raisePanel("pacingDock");
            m_pacing->choose(static_cast<int>(m.id));
            updateMarkers();
        }
    });
    connect(v, &HeartView::markerMoved, this,
            [this](const scene::Marker& m, const scene::Pick& pick, bool dropped) {
                if (!dropped) { // only its picture moves
                    m_grid->each([&](HeartView& each, int) {
                        each.scene().set_brush(pick.position_mm, m_stimulus->settings().radius_mm);
                        each.schedule();
                    });
                    return;
                }
                m_grid->each([](HeartView& each, int) { each.scene().set_brush({}, 1); });
                if (m.kind == scene::Marker::Kind::probe)
                    return m_document->moveProbe(QString::fromStdString(m.name),
                                                 placed(pick.position_mm));
                m_document->edits().edit(
                    tr("Move %1").arg(QString::fromStdString(m.name)),
                    [i = m.id, at = placed(pick.position_mm)](simulation::Session& s) {
                        if (i < s.stimuli.size())
                            if (auto* ball = std::get_if<simulation::Sphere>(&s.stimuli[i].region))
                                ball->centre = at;
                    });
            });
    if (index == 0) {
        connect(v, &VtkView::glReady, this, &MainWindow::showGl);
        connect(v, &VtkView::arrived, this, &MainWindow::flushChanges);
    }
}

void MainWindow::showGl()
{
    // the engine need not make more frames than are drawn
    m_host->setFrameInterval(view()->softwareRendering() ? 33 : 16);
}

} // namespace tawara
