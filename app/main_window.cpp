// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does where no controller does it; main_window_layout.cpp and _menus.cpp have
// where everything stands, _connect.cpp what is connected to what.
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

#include "engine/mesh/measure.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/pacing/pulse_strength.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QScreen>

namespace tawara {

MainWindow::MainWindow(EngineHost* host, QWidget* parent)
    : QMainWindow(parent), m_host(host), m_document(new Document(host, this)),
      m_probes(new ProbeModel(this))
{
    setWindowTitle(tr("Tawara"));
    setWindowIcon(themedIcon("heart"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    constexpr QSize usual(1280, 800), border(8, 48); // a desktop's title and borders come on top
    if (const QScreen* on = screen())
        resize(usual.boundedTo(on->availableSize() - border));
    else
        resize(usual);
    buildCentre();
    m_docks = std::make_unique<PanelDocks>(*this, *m_probes);
    m_panels = m_docks->panels();
    buildControllers();
    buildTools();
    buildMenus();
    connectWidgets();
    connectDocument();
    connectPanels();
    connectHost();
    connectResults();
    connectControllers();
    connectExports();
    restoreSettings();
    setMode(ClickMode::stimulate);
    m_overlay->showEmpty();
    m_look->watch();
    m_cells->describe();
}

MainWindow::~MainWindow()
{
    hide(); // what is being typed ends while all is there
    m_work.reset();
    m_host->disconnect(this);
    m_grid->each([this](HeartView& v, int) { v.disconnect(this); });
}

void MainWindow::open(const QString& path)
{
    m_opening->open(path);
}

void MainWindow::setAutoPlay(bool on)
{
    m_run->setAutoPlay(on);
}

void MainWindow::setLongRun(qint64 ms)
{
    m_account->setLongRun(ms);
}

void MainWindow::setAsking(bool on)
{
    m_leaving->setAsking(on);
}

void MainWindow::showPhase(const simulation::PhasePlane& p)
{
    m_look->showPhase(p);
}

void MainWindow::setMode(ClickMode mode)
{
    m_clicks->setMode(mode);
}

ClickMode MainWindow::mode() const
{
    return m_clicks->mode();
}

void MainWindow::raisePanel(const QString& dock)
{
    m_docks->raise(dock);
}

QImage MainWindow::picture(bool wholeWindow)
{
    m_grid->each([](HeartView& v, int) { v.smoothNext(); });
    return wholeWindow ? grab().toImage() : m_grid->picture();
}

void MainWindow::hostLoaded()
{
    const auto scene = m_host->scene();
    m_results->loaded(!m_saving->path().isEmpty() && m_host->origin().file == m_saving->path());
    m_panels.performance->reset();
    m_painting->setBall({});
    m_exporting->closeIdleMovies();
    m_account->loaded();
    m_tissue->loaded();
    m_replay->follow();
    m_views->setScene(scene);
    m_panels.view->setBeats({}, 1);
    restoreView(scene->session.view);
    m_cells->forget();
    m_document->open(scene->session);
    m_panels.ecg->clearPulses();
    m_saving->loaded();
    m_panels.info->setScene(scene.get());
    m_panels.tissue->setNotices(scene->notices);
    m_panels.tissue->setTuned(scene->tuned);
    m_panels.tissue->setLabels({});
    m_panels.tissue->setFibres(!scene->mesh || !scene->mesh->fibre.empty());
    using Places = std::pair<std::vector<mesh::RegionName>, simulation::Sphere>;
    m_work->run(
        [mesh = scene->mesh] {
            return mesh ? Places{mesh::region_names(*mesh), simulation::ball_in_tissue(*mesh)}
                        : Places{};
        },
        [this](const Places& places) {
            m_panels.tissue->setLabels(places.first);
            m_panels.info->setLabels(places.first);
            m_panels.tissue->setStart(places.second);
        });
    m_work->run([mesh = scene->mesh] { return mesh ? mesh::mean_edge_mm(*mesh) : 0; },
                [this](double edge_mm) {
                    m_panels.pacing->clickPulse()->setCapturing(
                        simulation::capturing_radius_mm(edge_mm));
                });
    m_strip->setDevice(QString::fromStdString(scene->device));
    setWindowTitle(m_saving->title());
    m_run->loaded();
    m_opening->loaded();
}

void MainWindow::modelReady()
{
    const auto scene = m_host->scene();
    if (!scene)
        return;
    m_clicks->updateMarkers();
    if (m_host->frame())
        m_views->showFrame(m_host->frame());
    m_views->setPartition(m_host->partition());
    m_work->run([scene] { return simulation::suggested_sites(*scene->mesh, *scene->surface); },
                [this](const std::vector<simulation::Site>& sites) {
                    std::vector<SuggestedSite> out;
                    for (const auto& s : sites)
                        out.push_back({QString::fromStdString(s.name),
                                       QString::fromStdString(s.group), s.position_mm});
                    m_panels.pacing->setSuggestions(out);
                });
    m_work->run([scene] { return std::make_shared<const BallIndex>(*scene->mesh); },
                [this](const std::shared_ptr<const BallIndex>& b) { m_painting->setBall(b); });
    m_tissue->layRegions();
    m_tissue->estimateVelocity();
    showHints();
}

void MainWindow::sceneChanged()
{
    m_panels.info->setScene(m_host->scene().get());
    m_tissue->follow();
    m_results->showBeats();
}

void MainWindow::documentChanged()
{
    const auto& s = m_document->session();
    m_panels.pacing->setSession(s);
    m_panels.pacing->setCapture(m_document->captures());
    m_panels.tissue->setSession(s);
    m_cells->follow(s);
    m_panels.ecg->setSession(s);
    m_clicks->updateMarkers();
    setWindowModified(m_document->edits().modified());
}

void MainWindow::showFrame(const EngineHost::FramePtr& frame)
{
    m_pace->follow();
    m_views->showFrame(frame);
    m_changes->add([this, ms = frame->time_ms] { m_transport->setTime(ms); });
    // the bull's-eye follows at the pace of the plots, not of the picture, while it runs
    static constexpr int every = 6;
    const bool due =
        frame->step % every == 0 || m_host->status().state != EngineHost::State::running;
    if (due && m_panels.view->isVisible())
        m_look->fillBullseye();
}

void MainWindow::showStatus(const simulation::Status& s)
{
    m_transport->setStatus(s);
    m_account->polled(s);
    m_panels.pacing->setTime(s.time_ms, s.ms_per_second);
    m_panels.ecg->setTime(s.time_ms, s.state == EngineHost::State::finished);
    m_panels.beats->setEnded(s.state == EngineHost::State::finished);
    m_strip->setStatus(s, view()->framesPerSecond(), view()->detail());
    m_replay->sayRecorded();
}

} // namespace tawara
