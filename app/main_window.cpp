// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does where no controller does it: main_window_views.cpp has what is shown and of
// when, _results.cpp what the run gave, _run.cpp what it is told, _clicks.cpp what the mouse does
// on the heart, _layout.cpp and _menus.cpp where everything stands, _connect.cpp what is connected
// to what.
#include "app/main_window.hpp"

#include "app/export/save_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/mesh_controller.hpp"
#include "app/painting_controller.hpp"
#include "app/pool_work.hpp"
#include "app/run_account.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/pacing/pulse_strength.hpp"
#include "engine/simulation/results/export_kind.hpp"
#include "engine/simulation/session/session_paths.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/laid_tissue.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"
#include "widgets/view3d/picture.hpp"

#include <QActionGroup>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>
#include <QScreen>
#include <QSettings>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using State = EngineHost::State;

/// A session may come from others: what it reads outside its folder is said.
void sayFilesElsewhere(MessageBar* bar, const simulation::Session& session)
{
    const auto files = simulation::files_elsewhere(session);
    if (files.empty())
        return;
    QString list;
    for (const auto& f : files)
        list += (list.isEmpty() ? "" : ", ") + QString::fromStdString(f);
    bar->showMessage(MessageBar::Level::note,
                     MainWindow::tr("This session reads files outside its folder: %1.").arg(list));
}

} // namespace

Vec3 placed(const Vec3& p)
{
    Vec3 out;
    std::transform(p.begin(), p.end(), out.begin(),
                   [](double x) { return std::round(1e3 * x) / 1e3; });
    return out;
}

MainWindow::MainWindow(EngineHost* host, QWidget* parent)
    : QMainWindow(parent), m_host(host), m_document(new Document(host, this)),
      m_models(new ModelFiles(this)), m_probes(new ProbeModel(this))
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
    m_pool.setMaxThreadCount(1);
    buildCentre();
    buildDocks();
    buildControllers();
    buildTools();
    buildMenus();
    connectWidgets();
    connectPanels();
    connectHost();
    connectModels();
    connectControllers();
    restoreSettings();
    setMode(ClickMode::stimulate);
    m_overlay->showEmpty();
    updateWatches();
    // descriptions of models are read once, elsewhere
    startGuarded(m_pool, this, [this] {
        std::vector<const cell::ModelInfo*> models;
        for (const auto& n : cell::model_names())
            models.push_back(&cell::model_info(n));
        QMetaObject::invokeMethod(
            this, [this, models] { m_tissue->setModels(models); }, Qt::QueuedConnection);
    });
}

void MainWindow::setLongRun(qint64 ms)
{
    m_account->setLongRun(ms);
}

void MainWindow::setAsking(bool on)
{
    m_leaving->setAsking(on);
}

MainWindow::~MainWindow()
{
    hide(); // what is being typed ends while all is there
    m_pool.waitForDone();
    m_host->disconnect(this);
    m_grid->each([this](HeartView& v, int) { v.disconnect(this); });
}

void MainWindow::open(const QString& path)
{
    m_message->clear();
    showStart(false);
    m_host->open(path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath());
}

void MainWindow::hostLoaded()
{
    const auto scene = m_host->scene();
    m_changes.clear();
    m_probes->clear();
    m_measured.clear();
    showBeats();
    m_plot->removeCurves();
    for (int k : {0, 1})
        m_ecg->plot()->setMark(k, {});
    if (m_host->origin().file != m_path || m_path.isEmpty())
        m_keepAction->setChecked(false); // curves of another document are none to compare with
    m_performance->reset();
    m_painting->setBall({});
    m_exporting->closeIdleMovies();
    m_account->loaded();
    m_toldOfResults = false;
    m_drugsOn = scene->session.drugs;
    followRun();
    m_views->setScene(scene);
    m_viewPanel->setBeats({}, 1);
    restoreView(scene->session.view);
    m_models->forget();
    m_document->open(scene->session);
    m_ecg->clearPulses();
    m_path = m_host->origin().file;
    setSaveDefaults(QFileInfo(m_path).completeBaseName().isEmpty()
                        ? QString::fromStdString(scene->title)
                        : QFileInfo(m_path).completeBaseName(),
                    m_path);
    if (m_host->origin().made)
        m_document->edits().setUnsaved();
    m_info->setScene(scene.get());
    m_tissue->setNotices(scene->notices);
    m_tissue->setLabels({});
    m_tissue->setFibres(!scene->mesh || !scene->mesh->fibre.empty());
    using Places = std::pair<std::vector<mesh::RegionName>, simulation::Sphere>;
    elsewhere(
        [mesh = scene->mesh] {
            return mesh ? Places{mesh::region_names(*mesh), simulation::ball_in_tissue(*mesh)}
                        : Places{};
        },
        [this](const Places& places) {
            m_tissue->setLabels(places.first);
            m_info->setLabels(places.first);
            m_tissue->setStart(places.second);
        });
    elsewhere([mesh = scene->mesh] { return mesh ? mesh::mean_edge_mm(*mesh) : 0; },
              [this](double edge_mm) {
                  m_stimulus->setCapturing(simulation::capturing_radius_mm(edge_mm));
              });
    m_strip->setDevice(QString::fromStdString(scene->device));
    m_saveAction->setEnabled(true);
    setWindowTitle(titleText());
    if (m_transport->speedLimit() > 0)
        m_host->limitSpeed(m_transport->speedLimit());
    if (m_autoRecordAction->isChecked())
        record(true);
    for (auto n = scene->notices.rbegin(); n != scene->notices.rend(); ++n) // the first on top
        if (n->level == Notice::Level::warning)
            m_message->showMessage(MessageBar::Level::warning, QString::fromStdString(n->text));
    if (m_path.endsWith(".json", Qt::CaseInsensitive))
        sayFilesElsewhere(m_message, scene->session);
    if (!m_path.isEmpty())
        rememberFile(m_path);
}

void MainWindow::modelReady()
{
    const auto scene = m_host->scene();
    if (!scene)
        return;
    updateMarkers();
    if (m_host->frame())
        m_views->showFrame(m_host->frame());
    m_views->setPartition(m_host->partition());
    elsewhere([scene] { return simulation::suggested_sites(*scene->mesh, *scene->surface); },
              [this](const std::vector<simulation::Site>& sites) {
                  std::vector<SuggestedSite> out;
                  for (const auto& s : sites)
                      out.push_back({QString::fromStdString(s.name),
                                     QString::fromStdString(s.group), s.position_mm});
                  m_pacing->setSuggestions(out);
              });
    elsewhere([scene] { return std::make_shared<const BallIndex>(*scene->mesh); },
              [this](const std::shared_ptr<const BallIndex>& b) { m_painting->setBall(b); });
    updateRegions();
    updateVelocity();
    showHints();
}

void MainWindow::documentChanged()
{
    const auto& s = m_document->session();
    m_pacing->setSession(s);
    m_pacing->setCapture(m_document->captures());
    m_tissue->setSession(s);
    std::vector<std::string> models;
    for (const auto& r : s.regions)
        if (!r.inherits())
            models.push_back(r.model);
    m_models->follow(models);
    m_ecg->setSession(s);
    updateMarkers();
    setWindowModified(m_document->edits().modified());
}

void MainWindow::showFrame(const EngineHost::FramePtr& frame)
{
    paceFrames();
    m_views->showFrame(frame);
    withPicture([this, ms = frame->time_ms] { m_transport->setTime(ms); });
    // the bull's-eye follows at the pace of the plots, not of the picture, while it runs
    static constexpr int every = 6;
    const bool due = frame->step % every == 0 || m_host->status().state != State::running;
    if (due && m_viewPanel->isVisible())
        updateBullseye();
}

void MainWindow::withPicture(std::function<void()> change)
{
    static constexpr int longest_wait_ms = 100;
    if (!view()->softwareRendering())
        return change();
    m_changes.push_back(std::move(change));
    if (!m_changesDue.isActive())
        m_changesDue.start(longest_wait_ms);
}

void MainWindow::flushChanges()
{
    m_changesDue.stop();
    for (const auto& change : std::exchange(m_changes, {}))
        change();
}

void MainWindow::showError(const QString& reason, const QString& advice, const QString& about)
{
    m_message->showMessage(MessageBar::Level::error, reason, advice, about);
}

void MainWindow::updateMarkers()
{
    std::vector<scene::Marker> markers;
    const auto rgb = [](const QColor& c) {
        return std::array<double, 3>{c.redF(), c.greenF(), c.blueF()};
    };
    for (const ProbeEntry& e : m_probes->entries())
        markers.push_back({e.id, e.name.toStdString(), e.position, rgb(e.color)});
    const auto& s = m_document->session();
    for (std::size_t i = 0; i < s.stimuli.size(); ++i)
        if (const auto* ball = std::get_if<simulation::Sphere>(&s.stimuli[i].region)) {
            const auto& known = m_document->captures();
            markers.push_back(
                {i, s.stimuli[i].name, ball->centre,
                 rgb(captureColor(s.stimuli[i], i < known.size() ? known[i] : CaptureState{})),
                 scene::Marker::Kind::site, static_cast<int>(i) == m_pacing->chosen()});
        }
    for (std::size_t i = 0; i < s.electrodes.size(); ++i)
        markers.push_back({i,
                           s.electrodes[i].name,
                           s.electrodes[i].position_mm,
                           {0.75, 0.79, 0.85},
                           scene::Marker::Kind::electrode});
    m_views->setMarkers(std::move(markers));
}

void MainWindow::updateRegions()
{
    const auto scene = m_host->scene();
    m_views->setRegionNames(regionTitles(m_document->session().regions));
    if (!scene || !m_views->ready())
        return;
    m_views->tissues().setNow(m_document->session().regions);
    elsewhere(
        [scene, edited = m_document->session()] {
            return std::make_shared<LaidTissue>(layTissue(edited, *scene->mesh, *scene->surface));
        },
        [this](const std::shared_ptr<LaidTissue>& laid) {
            m_views->setTissue(std::move(*laid));
            updateBullseye();
        });
}

} // namespace tawara
