// SPDX-License-Identifier: GPL-3.0-or-later
// Which controllers there are, and what is connected to what.
#include "app/main_window.hpp"

#include "app/calcium_controller.hpp"
#include "app/cell_model_controller.hpp"
#include "app/click_controller.hpp"
#include "app/conduction_controller.hpp"
#include "app/export_controller.hpp"
#include "app/frame_pace.hpp"
#include "app/keeping_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/look_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/mesh_controller.hpp"
#include "app/opening_controller.hpp"
#include "app/painting_controller.hpp"
#include "app/picture_changes.hpp"
#include "app/replay_controller.hpp"
#include "app/results_controller.hpp"
#include "app/run_account.hpp"
#include "app/run_controller.hpp"
#include "app/saving_controller.hpp"
#include "app/scene_work.hpp"
#include "app/study_controller.hpp"
#include "app/tissue_controller.hpp"
#include "app/tool_bar.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

namespace tawara {

void MainWindow::buildControllers()
{
    auto& host = *m_host;
    auto& document = *m_document;
    auto& views = *m_views;
    auto& message = *m_message;
    const Panels& p = m_panels;
    m_work = std::make_unique<SceneWork>(host);
    m_changes = std::make_unique<PictureChanges>(*view());
    m_pace = std::make_unique<FramePace>(host, *m_grid);
    m_account = std::make_unique<RunAccount>(host, views);
    m_exporting = std::make_unique<ExportController>(*this, host, views, *m_grid, *m_probes,
                                                     *m_account, message);
    m_leaving = std::make_unique<LeavingController>(*this, host, document, *m_probes, *m_account,
                                                    *m_exporting, message);
    m_made = std::make_unique<MadeMeshes>();
    m_mesh = std::make_unique<MeshController>(*this, host, document, *m_made, *m_leaving, message);
    m_saving = std::make_unique<SavingController>(*this, host, document, *m_probes, *m_made,
                                                  *m_leaving, message);
    m_opening = std::make_unique<OpeningController>(*this, host, *m_leaving, *m_saving, *m_overlay,
                                                    *m_start, message);
    m_replay = std::make_unique<ReplayController>(host, views, *m_transport, *p.plot,
                                                  *p.ecg->plot(), message);
    m_run = std::make_unique<RunController>(*this, host, document, views, *m_leaving, *m_account,
                                            *m_replay, *m_transport, message);
    m_results = std::make_unique<ResultsController>(host, document, *m_probes, *p.plot, *p.beats,
                                                    *p.ecg, *m_changes, message);
    m_look =
        std::make_unique<LookController>(host, document, views, *m_grid, *m_displayPath, *p.view,
                                         LookController::Seen{*p.beats, *p.performance});
    m_tissue =
        std::make_unique<TissueController>(host, document, views, *p.tissue, *m_work, message);
    m_cells =
        std::make_unique<CellModelController>(*this, host, document, *p.tissue, *m_work, message);
    m_painting = std::make_unique<PaintingController>(document, views, *p.tissue, message);
    m_clicks =
        std::make_unique<ClickController>(host, document, *m_probes, views, *m_grid, *p.pacing,
                                          *p.tissue, *p.ecg, *m_look, *m_painting, message);
    m_calcium = std::make_unique<CalciumController>(
        *this, host, *p.calcium,
        CalciumController::Others{document, *m_clicks, *m_replay, *m_exporting, message});
    m_conduction = std::make_unique<ConductionController>(
        *this, host, *p.conduction,
        ConductionController::Others{document, *m_clicks, *m_replay, views, *m_look, message});
    m_study = std::make_unique<StudyController>(
        *this, host, *p.study, StudyController::Others{document, *m_leaving, *m_made, message});
    m_keeping = std::make_unique<KeepingController>(
        *this, host,
        KeepingController::Others{document, *m_saving, *m_opening, *m_leaving, *m_run, *m_made,
                                  message});
}

void MainWindow::connectControllers()
{
    m_leaving->setSaver([this] { m_saving->saveOrAsk(); });
    m_saving->setLook([this] {
        QJsonObject view = m_views->settingsNow().toJson();
        m_docks->addLook(view);
        m_calcium->addLook(view);
        m_docks->addLayout(view);
        return view;
    });
    connect(m_saving.get(), &SavingController::saved, this, [this] {
        setWindowTitle(m_saving->title());
        m_opening->remember(m_saving->path());
    });
    connect(m_opening.get(), &OpeningController::begins, this, [this] { showStart(false); });
    m_run->setGoBack([this](std::optional<device::MemoryPlan> plan) {
        return m_keeping->goBack(std::move(plan));
    });
    connect(m_run.get(), &RunController::failedAt, m_clicks.get(), &ClickController::showFailure);
    connect(m_mesh.get(), &MeshController::worksSoon, m_keeping.get(),
            [this] { m_keeping->keep(tr("before a mesh was made")); });
    connect(m_mesh.get(), &MeshController::changed, m_opening.get(), &OpeningController::loadAnew);
    connect(m_mesh.get(), &MeshController::made, m_opening.get(),
            [this](const simulation::Session& s) { m_opening->openMade(s); });
    connect(m_run.get(), &RunController::changed, m_opening.get(), &OpeningController::loadAnew);
    connect(m_replay.get(), &ReplayController::momentChanged, m_results.get(),
            &ResultsController::showProbeValues);
    connect(m_replay.get(), &ReplayController::momentChanged, m_look.get(),
            &LookController::followMoment);
    connect(m_results.get(), &ResultsController::probesChanged, m_clicks.get(),
            &ClickController::updateMarkers);
    connect(m_tissue.get(), &TissueController::laidOut, m_look.get(),
            &LookController::fillBullseye);
    connect(m_painting.get(), &PaintingController::strokeBegins, m_replay.get(),
            &ReplayController::follow);
    connect(m_clicks.get(), &ClickController::panelWanted, this, &MainWindow::raisePanel);
    connect(m_clicks.get(), &ClickController::modeChanged, m_tools, &ToolBar::setMode);
    connect(m_study.get(), &StudyController::panelWanted, this, &MainWindow::raisePanel);
    connect(m_study.get(), &StudyController::sessionMade, m_opening.get(),
            &OpeningController::openMade);
    connect(m_study.get(), &StudyController::stopped, m_leaving.get(),
            &LeavingController::studyStopped);
    m_leaving->setStudy({[this] { return m_study->computing() ? m_study->stateText() : QString(); },
                         [this] { m_study->stop(); }});
}

void MainWindow::connectExports()
{
    m_exporting->setTitle([this] { return m_saving->title(); });
    connect(m_exporting.get(), &ExportController::filmingChanged, m_strip,
            &StatusStrip::setFilming);
    connect(m_strip, &StatusStrip::endFilmRequested, m_exporting.get(), &ExportController::endFilm);
    connect(
        m_panels.beats, &BeatsPanel::exportRequested, m_exporting.get(),
        [this](const QString& kind) { m_exporting->askForExport(kind, QStringLiteral(".csv")); });
    connect(m_host, &EngineHost::exported, m_exporting.get(), &ExportController::exported);
    connect(m_exporting.get(), &ExportController::ended, m_leaving.get(),
            &LeavingController::exportEnded);
    connect(m_exporting.get(), &ExportController::givenUp, m_leaving.get(),
            &LeavingController::exportGivenUp);
}

void MainWindow::connectHost()
{
    connect(m_host, &EngineHost::loaded, this, &MainWindow::hostLoaded);
    connect(m_host, &EngineHost::statusPolled, this, &MainWindow::showStatus);
    connect(m_host, &EngineHost::frameArrived, this, &MainWindow::showFrame);
    connect(m_host, &EngineHost::sceneChanged, this, &MainWindow::sceneChanged);
}

void MainWindow::connectResults()
{
    connect(m_host, &EngineHost::mapsArrived, m_views, &ViewController::showMaps);
    connect(m_host, &EngineHost::mapsArrived, m_look.get(), &LookController::showMapBeats);
    connect(m_host, &EngineHost::stimulated, this, [this](const simulation::Stimulate& s) {
        m_grid->each([&](HeartView& v, int) { v.flash(s.position_mm, s.radius_mm); });
    });
    connect(m_host, &EngineHost::kernelsPolled, this,
            [this](const std::vector<simulation::KernelFigure>& k) {
                m_panels.performance->setKernels(k, m_host->status());
            });
    connect(m_host, &EngineHost::ceilingsMeasured, m_panels.performance,
            &PerformancePanel::setCeilings);
    connect(m_host, &EngineHost::samplesCleared, this, [this] {
        m_results->restarted();
        m_document->forgetCaptures();
        m_message->settle("state");
        m_account->restarted();
        m_replay->follow();
    });
}

void MainWindow::connectWidgets()
{
    connect(m_start, &StartPage::closed, this, [this] { showStart(false); });
    connect(m_start, &StartPage::guideRequested, this, [this] { showGuide("start"); });
    connect(view(), &VtkView::glReady, this, [this] { m_pace->followRenderer(); });
    connect(m_displayPath, &DisplayPath::changed, this,
            [this] { m_strip->setRenderPath(m_displayPath->text(), m_displayPath->tip()); });
    connect(m_views, &ViewController::modelReady, this, &MainWindow::modelReady);
}

void MainWindow::connectDocument()
{
    connect(&m_document->edits(), &EditStack::modifiedChanged, this, &QWidget::setWindowModified);
    connect(m_document, &Document::changed, this, &MainWindow::documentChanged);
    // with the next edit; that an edit was refused is said after it was taken back
    connect(m_document, &Document::changed, this, [this] { m_message->settle("edit"); });
    connect(m_document, &Document::tissueChanged, this, [this] {
        m_tissue->layRegions();
        m_tissue->estimateVelocity();
    });
    connect(m_document, &Document::outdated, m_tissue.get(), &TissueController::sayResultsAreOld);
    connect(m_document, &Document::capturesChanged, this, [this] {
        m_panels.pacing->setCapture(m_document->captures());
        m_clicks->updateMarkers();
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
        m_message->showMessage(MessageBar::Level::error, reason,
                               tr("The run keeps the model as it was read before."), "model");
    });
}

void MainWindow::connectPanels()
{
    const Panels& p = m_panels;
    const auto edit =
        [edits = &m_document->edits()](const QString& what, const SessionChange& change,
                                       const QString& key) { edits->edit(what, change, key); };
    connect(p.pacing, &PacingPanel::edited, this, edit);
    connect(p.tissue, &TissuePanel::edited, this, edit);
    connect(p.ecg, &EcgPanel::edited, this, edit);
    connect(p.tissue, &TissuePanel::modelFileRequested, m_cells.get(),
            &CellModelController::askForFile);
    connect(p.tissue, &TissuePanel::chosenChanged, m_tissue.get(),
            &TissueController::estimateVelocity);
    connect(p.probes, &ProbePanel::removeRequested, this, [this](quint64 id) {
        for (const ProbeEntry& e : m_probes->entries())
            if (e.id == id)
                return m_document->removeProbe(e.name, id);
    });
    connect(p.probes, &ProbePanel::placeRequested, this, [this] { setMode(ClickMode::probe); });
    connect(p.performance, &PerformancePanel::measureRequested, m_host,
            &EngineHost::measureCeilings);
    connect(p.performance, &PerformancePanel::partitionRequested, this, [this] {
        m_views->setPartition(m_host->partition());
        m_look->chooseShown(Quantity::partition);
    });
    // what nobody sees is not computed
    connect(m_docks.get(), &PanelDocks::seenChanged, m_look.get(), &LookController::watch);
    connect(m_docks.get(), &PanelDocks::focusLost, this,
            [this] { m_grid->view(m_grid->current())->setFocus(); });
}

} // namespace tawara
