// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does; main_window_views.cpp has what is shown and of when, main_window_layout.cpp
// and _menus.cpp have where everything stands, main_window_connect.cpp what is connected to what.
#include "app/main_window.hpp"

#include "app/export/save_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/leaving_controller.hpp"
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
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using State = EngineHost::State;
constexpr double electrode_gap_mm = 15;

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

void MainWindow::wallClicked(const scene::Pick& pick)
{
    if (!m_host->scene())
        return;
    auto& edits = m_document->edits();
    if (m_next == Next::electrode) {
        setMode(m_mode);
        const auto place = simulation::electrode_in_front(*m_host->scene()->mesh, pick.position_mm,
                                                          pick.normal, electrode_gap_mm);
        const Vec3 at = placed(place.position_mm);
        const QString name = m_ecg->freeName();
        const bool twelve =
            m_document->session().leads.kind == simulation::Leads::Kind::twelve_lead;
        m_message->showMessage(
            MessageBar::Level::note,
            place.aside ? tr("That wall faces a cavity, or the heart beyond it: electrode %1 "
                             "stands outside the heart beside it, 15 mm away.")
                              .arg(name)
                        : tr("Electrode %1 stands 15 mm in front of the wall.").arg(name),
            twelve ? tr("Its lead follows the 12 leads: its potential against the mean of RA, LA "
                        "and LL.")
                   : QString(),
            "electrode");
        edits.edit(tr("Place an electrode"), [n = name.toStdString(), at](simulation::Session& s) {
            s.electrodes.push_back({n, at});
        });
        return;
    }
    if (m_next == Next::region_centre) {
        setMode(m_mode);
        return placeRegion(placed(pick.position_mm));
    }
    switch (m_mode) {
    case ClickMode::probe:
        m_document->addProbe(m_probes->freeName(), placed(pick.position_mm));
        break;
    case ClickMode::site: {
        const auto fresh = m_pacing->fresh(m_pacing->freeName(), placed(pick.position_mm));
        addSite(tr("Place %1").arg(QString::fromStdString(fresh.name)), fresh);
        break;
    }
    case ClickMode::stimulate: {
        const StimulusSettings s = m_stimulus->settings();
        m_host->stimulate({pick.position_mm, s.radius_mm, s.duration_ms, s.amplitude_pA_per_pF});
        break;
    }
    default:
        break;
    }
}

void MainWindow::sayResultsAreOld(bool on)
{
    if (!on)
        return m_message->settle("old");
    m_message->showMessage(
        MessageBar::Level::warning,
        tr("The run has ended: what is shown is of the tissue before this change."),
        tr("Back to start (Ctrl+R) and Play run it anew; Run > Length of the run… lets it go on "
           "from here."),
        "old");
}

void MainWindow::sayTissue(std::size_t before)
{
    const auto scene = m_host->scene();
    const auto& edits = scene->tissue_edits;
    if (edits.size() < before) { // undone before a step was taken, or back at the start
        m_message->settle("drug");
        m_drugsOn = scene->session.drugs;
        return;
    }
    if (edits.size() > before && m_host->status().state != State::finished)
        m_message->showMessage(
            MessageBar::Level::note,
            tr("The tissue is another one from %1 ms on: maps and beats of before are of the "
               "tissue as it was.")
                .arg(spacedNumber(std::round(10 * edits.back().time_ms) / 10)),
            {}, "drug");
    sayDrugs(); // in place of it, where a drug is what was changed
}

void MainWindow::paceNow(const simulation::Stimulus& site)
{
    const auto* ball = std::get_if<simulation::Sphere>(&site.region);
    if (ball == nullptr)
        return;
    m_host->stimulate(
        {ball->centre, ball->radius, site.duration_ms, site.amplitude_pA_per_pF, site.name});
    const State state = m_host->status().state;
    if (state == State::paused)
        m_message->showMessage(MessageBar::Level::note,
                               tr("%1 gives a pulse as soon as the run goes on.")
                                   .arg(QString::fromStdString(site.name)));
    else if (state == State::finished)
        m_message->showMessage(MessageBar::Level::note,
                               tr("The run has ended: the pulse comes only if it goes on (Run > "
                                  "Length of the run…)."));
}

void MainWindow::sayDrugs()
{
    const auto scene = m_host->scene();
    const auto before = std::exchange(m_drugsOn, scene->session.drugs);
    if (scene->tissue_edits.empty() || m_host->status().state == State::finished)
        return;
    const QString when = spacedNumber(std::round(10 * scene->tissue_edits.back().time_ms) / 10);
    const auto say = [this](const QString& text) {
        m_message->showMessage(MessageBar::Level::note, text, {}, "drug");
    };
    for (const auto& d : m_drugsOn)
        if (std::find(before.begin(), before.end(), d) == before.end())
            return say(tr("%1 acts from %2 ms on.").arg(QString::fromStdString(d.name), when));
    for (const auto& d : before)
        if (std::find(m_drugsOn.begin(), m_drugsOn.end(), d) == m_drugsOn.end())
            return say(
                tr("%1 acts no longer, from %2 ms on.").arg(QString::fromStdString(d.name), when));
}

void MainWindow::addSite(const QString& what, const simulation::Stimulus& fresh)
{
    const QString schedule = m_pacing->scheduleOf(fresh);
    m_document->edits().edit(what, [fresh](simulation::Session& s) { s.stimuli.push_back(fresh); });
    m_pacing->choose(static_cast<int>(m_document->session().stimuli.size()) - 1);
    // it paces in its next cycle, which may be long
    const bool waits = m_host->status().time_ms > 0 && m_host->status().state != State::finished;
    m_message->showMessage(MessageBar::Level::note, schedule,
                           waits ? tr("\"Pace now\" in the Pacing panel gives one pulse at once.")
                                 : QString());
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

/// Of what a session's region was laid on, by number of tetrahedra the first.
static std::optional<std::size_t> widestOf(const simulation::RegionMap& laid, std::size_t origin)
{
    std::vector<std::size_t> count(laid.regions.size());
    for (const auto r : laid.of_tetrahedron)
        ++count[static_cast<std::size_t>(r)];
    std::optional<std::size_t> widest;
    for (std::size_t r = 0; r < count.size(); ++r)
        if (laid.origin[r] == origin && laid.beneath[r] >= 0 && count[r] > 0 &&
            (!widest || count[r] > count[*widest]))
            widest = r;
    return widest;
}

void MainWindow::updateVelocity()
{
    const auto scene = m_host->scene();
    const int i = m_tissue->chosen();
    const auto& regions = m_document->session().regions;
    if (!scene || !scene->mesh || scene->mesh->tetrahedron_count() == 0 || i < 0 ||
        static_cast<std::size_t>(i) >= regions.size())
        return m_tissue->setVelocity({}, {});
    m_tissue->setVelocity(tr("Estimating the conduction velocity…"), {});
    struct Said
    {
        QString text, warning;
    };
    elsewhere(
        [scene, session = m_document->session(), at = static_cast<std::size_t>(i)] {
            try {
                auto used = session;
                auto region = session.regions[at];
                QString what = tr("Conduction");
                if (region.inherits() && !region.insulating) {
                    const auto laid = simulation::lay_regions(session, *scene->mesh);
                    const auto widest = widestOf(laid, at);
                    if (!widest)
                        return Said{};
                    region = laid.regions[*widest];
                    const auto beneath = static_cast<std::size_t>(laid.beneath[*widest]);
                    what = tr("Over “%1”, conduction")
                               .arg(regionTitles(session.regions)
                                        .at(static_cast<qsizetype>(laid.origin[beneath])));
                    used.drugs.clear(); // they are in its parameters
                }
                if (region.insulating || region.conductivity_S_per_m == diffusion::Conductivity{})
                    return Said{tr("Insulating: no cells and no current; waves go around it."), {}};
                const auto v =
                    simulation::estimate_velocity(used, region, mesh::mean_edge_mm(*scene->mesh));
                constexpr double shown_mm_per_ms = 0.005; // less is written as 0
                if (region.kind == "scar_core" && v.mesh == Vec3{} &&
                    *std::max_element(v.fine.begin(), v.fine.end()) < shown_mm_per_ms)
                    return Said{tr("A scar: no wave enters it, waves go around."), {}};
                const auto text = [](const Vec3& u) {
                    return QStringLiteral("%1, %2, %3")
                        .arg(u[0], 0, 'f', 2)
                        .arg(u[1], 0, 'f', 2)
                        .arg(u[2], 0, 'f', 2);
                };
                return Said{
                    tr("%1 along fibre, sheet, normal: %2 m/s; on this mesh (mean edge %3 mm): %4 "
                       "m/s")
                            .arg(what, text(v.fine))
                            .arg(v.edge_mm, 0, 'f', 2)
                            .arg(text(v.mesh)) +
                        (v.target && !session.regions[at].inherits()
                             ? tr("; target, as in tissue: %1 m/s").arg(text(*v.target))
                             : QString()),
                    QString::fromStdString(v.warning)};
            } catch (const std::exception& e) {
                return Said{{}, QString::fromUtf8(e.what())};
            }
        },
        [this, i](const Said& s) {
            if (m_tissue->chosen() == i)
                m_tissue->setVelocity(s.text, s.warning);
        });
}

} // namespace tawara
