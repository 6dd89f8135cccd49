// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does; main_window_layout.cpp and _menus.cpp have where everything stands,
// main_window_connect.cpp what is connected to what.
#include "app/main_window.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/ecg.hpp"
#include "engine/simulation/export_kind.hpp"
#include "engine/simulation/recording.hpp"
#include "engine/simulation/regions.hpp"
#include "engine/simulation/suggest.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
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
#include <QSettings>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using State = EngineHost::State;
constexpr double electrode_gap_mm = 15, record_every_ms = 1;
constexpr quint64 record_bytes = quint64{1} << 30;

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
      m_probes(new ProbeModel(this))
{
    setWindowTitle(tr("Tawara"));
    setWindowIcon(themedIcon("heart"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    resize(1280, 800);
    m_pool.setMaxThreadCount(1);
    buildCentre();
    buildDocks();
    buildTools();
    buildMenus();
    connectWidgets();
    connectPanels();
    connectHost();
    restoreSettings();
    setMode(ClickMode::stimulate);
    m_overlay->showEmpty();
    updateWatches();
    // descriptions of models are read once, elsewhere
    m_pool.start([this] {
        std::vector<const cell::ModelInfo*> models;
        for (const auto& n : cell::model_names())
            models.push_back(&cell::model_info(n));
        QMetaObject::invokeMethod(
            this, [this, models] { m_tissue->setModels(models); }, Qt::QueuedConnection);
    });
}

MainWindow::~MainWindow()
{
    m_pool.waitForDone();
    m_host->disconnect(this);
    m_grid->each([this](HeartView& v, int) { v.disconnect(this); });
}

void MainWindow::open(const QString& path)
{
    m_opening = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    m_making.clear();
    m_message->clear();
    showStart(false);
    m_host->open(m_opening);
}

void MainWindow::hostLoaded()
{
    const auto scene = m_host->scene();
    m_changes.clear();
    m_probes->clear();
    m_measured.clear();
    showBeats();
    m_plot->removeCurves();
    m_performance->reset();
    m_ball.reset();
    followRun();
    m_views->setScene(scene);
    restoreView(scene->session.view);
    m_document->open(scene->session);
    m_path = m_opening;
    if (!m_making.isEmpty())
        m_document->edits().setUnsaved();
    m_info->setScene(scene.get());
    m_strip->setDevice(QString::fromStdString(scene->device));
    m_saveAction->setEnabled(true);
    setWindowTitle(tr("%1[*] – Tawara").arg(QString::fromStdString(scene->title)));
    if (m_transport->speedLimit() > 0)
        m_host->limitSpeed(m_transport->speedLimit());
    if (m_autoRecordAction->isChecked())
        m_host->startRecording(record_every_ms, record_bytes);
    for (auto n = scene->notices.rbegin(); n != scene->notices.rend(); ++n) // the first on top
        if (n->level == Notice::Level::warning)
            m_message->showMessage(MessageBar::Level::warning, QString::fromStdString(n->text));
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
              [this](const std::shared_ptr<const BallIndex>& b) { m_ball = b; });
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
    describeModels();
    m_ecg->setSession(s);
    updateMarkers();
    setWindowModified(m_document->edits().modified());
}

void MainWindow::showFrame(const EngineHost::FramePtr& frame)
{
    m_views->showFrame(frame);
    withPicture([this, ms = frame->time_ms] {
        if (!m_views->lookingBack())
            m_transport->setTime(ms);
    });
    // the bull's-eye of the potential follows at the pace of the plots, not of the picture
    static constexpr int every = 6;
    if (frame->step % every == 0 && m_viewPanel->isVisible())
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

void MainWindow::showError(const QString& reason, const QString& advice)
{
    m_message->showMessage(MessageBar::Level::error, reason, advice);
}

void MainWindow::playOrPause()
{
    followRun();
    switch (m_host->status().state) {
    case State::running:
        m_host->pause();
        break;
    case State::finished: // what was recorded and measured stays until the user gives it up
        m_message->showMessage(MessageBar::Level::note,
                               tr("The session ends here. Back to start (Ctrl+R) runs it again; "
                                  "Shift+Space replays what was recorded."));
        break;
    case State::failed:
        m_host->reset();
        m_message->clear();
        m_host->play();
        break;
    default:
        m_host->play();
    }
}

void MainWindow::setMode(ClickMode mode)
{
    m_next = Next::nothing;
    if (mode == ClickMode::paint && m_mode != ClickMode::paint) {
        auto s = m_viewPanel->settings();
        auto& shown = s.shown[static_cast<std::size_t>(m_grid->current())];
        m_beforePainting = shown;
        shown = Quantity::regions;
        applyView(s);
    } else if (mode != ClickMode::paint && m_beforePainting) {
        auto s = m_viewPanel->settings();
        s.shown[static_cast<std::size_t>(m_grid->current())] = *m_beforePainting;
        m_beforePainting.reset();
        applyView(s);
    }
    m_mode = mode;
    m_views->setMode(mode, mode == ClickMode::paint ? m_tissue->brushRadius()
                                                    : m_stimulus->settings().radius_mm);
    for (auto* a : m_modes->actions())
        a->setChecked(a->data().toInt() == static_cast<int>(mode));
}

void MainWindow::wallClicked(const scene::Pick& pick)
{
    if (!m_host->scene())
        return;
    auto& edits = m_document->edits();
    if (m_next == Next::electrode) {
        m_next = Next::nothing;
        const auto n = m_document->session().electrodes.size() + 1;
        const Vec3 at = placed(pick.position_mm + electrode_gap_mm * pick.normal);
        edits.edit(tr("Place an electrode"), [n, at](simulation::Session& s) {
            s.electrodes.push_back({"E" + std::to_string(n), at});
        });
        return;
    }
    if (m_next == Next::region_centre) {
        m_next = Next::nothing;
        const auto i = static_cast<std::size_t>(std::max(0, m_tissue->chosen()));
        edits.edit(tr("Place a region"),
                   [i, at = placed(pick.position_mm)](simulation::Session& s) {
                       if (i < s.regions.size() && s.regions[i].where)
                           if (auto* ball = std::get_if<simulation::Sphere>(&*s.regions[i].where))
                               ball->centre = at;
                   });
        return;
    }
    switch (m_mode) {
    case ClickMode::probe:
        m_document->addProbe(m_probes->freeName(), placed(pick.position_mm));
        break;
    case ClickMode::site: {
        const auto fresh = m_pacing->fresh(m_pacing->freeName(), placed(pick.position_mm));
        edits.edit(tr("Place %1").arg(QString::fromStdString(fresh.name)),
                   [fresh](simulation::Session& s) { s.stimuli.push_back(fresh); });
        m_pacing->choose(static_cast<int>(m_document->session().stimuli.size()) - 1);
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
    elsewhere(
        [scene, edited = m_document->session()] {
            auto session = edited;
            std::vector<std::int32_t> of;
            try {
                auto& regions = session.regions;
                std::vector<std::size_t> number;
                for (std::size_t i = 0; i < regions.size(); ++i)
                    number.push_back(i);
                // what is not placed yet cannot be laid
                for (std::size_t i = regions.size(); i-- > 0;)
                    if (regions[i].where)
                        if (const auto* t = std::get_if<simulation::Tetrahedra>(&*regions[i].where);
                            t != nullptr && t->tetrahedra.empty()) {
                            regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(i));
                            number.erase(number.begin() + static_cast<std::ptrdiff_t>(i));
                        }
                const auto laid = simulation::lay_regions(session, *scene->mesh);
                for (auto r : laid.of_tetrahedron)
                    of.push_back(static_cast<std::int32_t>(
                        number[laid.origin[static_cast<std::size_t>(r)]]));
            } catch (const std::exception&) {
                of.clear(); // the engine says what is wrong when it gets the same
            }
            return of;
        },
        [this](const std::vector<std::int32_t>& of) {
            m_views->setRegions(of);
            updateBullseye();
        });
}

void MainWindow::updateVelocity()
{
    const auto scene = m_host->scene();
    const int i = m_tissue->chosen();
    const auto& regions = m_document->session().regions;
    if (!scene || !scene->mesh || scene->mesh->tetrahedron_count() == 0 || i < 0 ||
        static_cast<std::size_t>(i) >= regions.size() ||
        regions[static_cast<std::size_t>(i)].inherits())
        return m_tissue->setVelocity({}, {});
    m_tissue->setVelocity(tr("Estimating the conduction velocity…"), {});
    struct Said
    {
        QString text, warning;
    };
    elsewhere(
        [scene, session = m_document->session(), region = regions[static_cast<std::size_t>(i)]] {
            try {
                const auto v = simulation::estimate_velocity(session, region,
                                                             mesh::mean_edge_mm(*scene->mesh));
                const auto text = [](const Vec3& u) {
                    return QStringLiteral("%1, %2, %3")
                        .arg(u[0], 0, 'f', 2)
                        .arg(u[1], 0, 'f', 2)
                        .arg(u[2], 0, 'f', 2);
                };
                return Said{
                    tr("Conduction along fibre, sheet, normal: %1 m/s; on this mesh (mean edge "
                       "%2 mm): %3 m/s")
                        .arg(text(v.fine))
                        .arg(v.edge_mm, 0, 'f', 2)
                        .arg(text(v.mesh)),
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

void MainWindow::updateWatches()
{
    const auto& s = m_views->settings();
    m_host->watchMaps(s.needsMaps());
    m_host->watchVolume(s.needsVolume());
    m_host->watchPhase(s.needsPhase());
    m_host->watchBeats(m_beats->isVisible());
    m_host->watchKernels(m_performance->isVisible());
    // the bull's-eye sums values of the potential here
    m_displayPath->needHost(s.shownIn(m_grid->current()) == Quantity::potential &&
                            m_viewPanel->isVisible() && m_views->hasSegments());
}

void MainWindow::updateBullseye()
{
    const Quantity q = m_views->settings().shownIn(m_grid->current());
    if (q == Quantity::regions) {
        // what was laid over the tissue stands out of it
        const auto& regions = m_document->session().regions;
        const bool over =
            std::any_of(regions.begin(), regions.end(), [](const auto& r) { return r.inherits(); });
        const QColor ground = palette().color(QPalette::Base);
        std::vector<BullseyePlot::Part> parts;
        for (const QString& name : m_views->regionNames()) {
            const auto i = parts.size();
            QColor color = regionColor(i);
            if (over && i < regions.size() && !regions[i].inherits())
                color = QColor((color.red() + 2 * ground.red()) / 3,
                               (color.green() + 2 * ground.green()) / 3,
                               (color.blue() + 2 * ground.blue()) / 3);
            parts.push_back({name, color});
        }
        return m_viewPanel->bullseye()->setParts(m_views->segmentRegions(), quantityTitle(q),
                                                 parts);
    }
    const auto style = m_views->settings().style(q);
    const auto [low, high] = m_views->range(q);
    const auto map = mapOf(style, m_views->settings().customMaps);
    m_viewPanel->bullseye()->setValues(
        m_views->segmentMeans(q), quantityTitle(q), quantityInfo(q).decimals,
        [map, low = low, high = high](double v) {
            const double t = std::clamp((v - low) / (high - low), 0.0, 1.0);
            const auto& c = map.colors[static_cast<std::size_t>(255 * t)];
            return QColor(c[0], c[1], c[2]);
        });
}

void MainWindow::changeView(const ViewSettings& next)
{
    const ViewSettings before = m_views->settings();
    const QString what = viewChange(before, next);
    if (what.isEmpty())
        return;
    m_document->edits().aside(
        what, [this, next] { applyView(next); }, [this, before] { applyView(before); }, what);
}

void MainWindow::applyView(const ViewSettings& s)
{
    if (m_viewPanel->settings() != s)
        m_viewPanel->setSettings(s);
    m_views->setSettings(s);
    updateWatches();
    updateBullseye();
}

void MainWindow::restoreView(const std::string& json)
{
    if (json.empty()) { // colours and layout stay; what was cut or laid over another heart does not
        const ViewSettings usual;
        ViewSettings s = m_viewPanel->settings();
        s.cut = usual.cut;
        s.opacity = usual.opacity;
        s.depolarised = usual.depolarised;
        s.fibres = usual.fibres;
        s.filaments = usual.filaments;
        s.arrows = usual.arrows;
        s.cameras = {};
        return applyView(s);
    }
    const auto o = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (o.isEmpty())
        return;
    const auto s = ViewSettings::fromJson(o);
    applyView(s);
    if (const auto layout = QByteArray::fromBase64(o["layout"].toString().toLatin1());
        !layout.isEmpty())
        restoreState(layout);
}

void MainWindow::paint(const scene::Pick& pick, bool erase)
{
    const int i = m_tissue->chosen();
    const auto& regions = m_document->session().regions;
    if (i < 0 || !m_ball || !regions[static_cast<std::size_t>(i)].where ||
        !std::holds_alternative<simulation::Tetrahedra>(
            *regions[static_cast<std::size_t>(i)].where)) {
        m_message->showMessage(
            MessageBar::Level::note,
            tr("Choose a painted region in the Tissue panel first, or add one there: "
               "scar core, border zone, ischaemia."));
        return;
    }
    if (m_paintedRegion != i) {
        const auto& t =
            std::get<simulation::Tetrahedra>(*regions[static_cast<std::size_t>(i)].where);
        m_painted = {t.tetrahedra.begin(), t.tetrahedra.end()};
        m_paintedRegion = i;
    }
    const auto touched = m_ball->within(pick.position_mm, m_tissue->brushRadius());
    m_views->paintRegion({touched.begin(), touched.end()}, i, erase);
    for (auto t : touched) {
        if (erase)
            m_painted.erase(t);
        else
            m_painted.insert(t);
    }
}

void MainWindow::paintEnded()
{
    if (m_paintedRegion < 0)
        return;
    const auto i = static_cast<std::size_t>(m_paintedRegion);
    m_paintedRegion = -1;
    m_document->edits().edit(tr("Paint tissue"),
                             [i, all = std::vector<std::int64_t>(
                                     m_painted.begin(), m_painted.end())](simulation::Session& s) {
                                 if (i < s.regions.size())
                                     s.regions[i].where = simulation::Tetrahedra{all};
                             });
    m_painted.clear();
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
        m_views->lookBack(frame);
        m_transport->timeline()->setShown(frame->time_ms);
        m_transport->setTime(frame->time_ms);
    } catch (const std::exception& e) {
        showError(QString::fromUtf8(e.what()), tr("Other moments may still be there."));
    }
}

void MainWindow::followRun()
{
    m_replay.stop();
    if (!m_views->lookingBack())
        return;
    m_views->lookBack(nullptr);
    m_transport->timeline()->setShown({});
    if (m_host->frame())
        m_transport->setTime(m_host->frame()->time_ms);
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

void MainWindow::record(bool on)
{
    if (on)
        m_host->startRecording(record_every_ms, record_bytes);
    else
        m_host->stopRecording();
}

} // namespace tawara
