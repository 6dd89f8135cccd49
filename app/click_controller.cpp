// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/click_controller.hpp"

#include "app/document.hpp"
#include "app/look_controller.hpp"
#include "app/painting_controller.hpp"
#include "app/view_controller.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using State = EngineHost::State;
constexpr double electrode_gap_mm = 15;

/// A place to the micrometre: what a session says of one that was pointed at [mm].
Vec3 placed(const Vec3& p)
{
    Vec3 out;
    std::transform(p.begin(), p.end(), out.begin(),
                   [](double x) { return std::round(1e3 * x) / 1e3; });
    return out;
}

} // namespace

ClickController::ClickController(EngineHost& host, Document& document, ProbeModel& probes,
                                 ViewController& views, ViewGrid& grid, PacingPanel& pacing,
                                 TissuePanel& tissue, EcgPanel& ecg, LookController& look,
                                 PaintingController& painting, MessageBar& message)
    : m_host(host), m_document(document), m_probes(probes), m_views(views), m_grid(grid),
      m_pacing(pacing), m_tissue(tissue), m_ecg(ecg), m_look(look), m_painting(painting),
      m_message(message)
{
    connectPacing();
    connectTissue();
    connect(&m_ecg, &EcgPanel::placeRequested, this, [this] {
        await(Next::electrode,
              tr("Click on the heart: the electrode stands 15 mm in front of it. Esc: not now."));
    });
    connect(&m_grid, &ViewGrid::viewAdded, this, &ClickController::connectView);
    m_grid.each([this](HeartView& v, int) { connectView(&v); });
}

void ClickController::connectPacing()
{
    connect(&m_pacing, &PacingPanel::placeRequested, this, [this] { setMode(ClickMode::site); });
    connect(&m_pacing, &PacingPanel::chosenChanged, this, &ClickController::updateMarkers);
    connect(&m_pacing, &PacingPanel::paceNowRequested, this, &ClickController::paceNow);
    connect(&m_pacing, &PacingPanel::siteSuggested, this,
            [this](const QString& name, const Vec3& position) {
                addSite(tr("Pace at %1").arg(name), m_pacing.fresh(name, placed(position)));
            });
    connect(m_pacing.clickPulse(), &StimulusPanel::changed, this,
            [this](const StimulusSettings& s) {
                if (m_mode != ClickMode::paint)
                    setRadius(s.radius_mm);
            });
}

void ClickController::connectTissue()
{
    connect(&m_tissue, &TissuePanel::paintRequested, this, [this] { setMode(ClickMode::paint); });
    connect(&m_tissue, &TissuePanel::placeRequested, this, [this] {
        await(Next::region_centre,
              tr("Click on the heart: there the region's middle will be. Esc: not now."));
    });
    connect(m_tissue.brush(), &BrushCard::doneRequested, this,
            [this] { setMode(ClickMode::stimulate); });
    connect(m_tissue.brush(), &BrushCard::radiusChanged, this, [this](double mm) {
        if (m_mode == ClickMode::paint)
            setRadius(mm);
    });
}

void ClickController::connectView(HeartView* v)
{
    connect(v, &HeartView::picked, this, [this](const scene::Pick& p) { wallClicked(p); });
    connect(v, &HeartView::missed, this, [this] {
        if (m_host.scene())
            m_message.showMessage(MessageBar::Level::note,
                                  m_mode == ClickMode::branch
                                      ? tr("That click missed the network: click on a branch.")
                                      : tr("That click missed the heart: click on its wall."));
    });
    connect(v, &HeartView::branchPicked, this, &ClickController::branchChosen);
    connect(v, &HeartView::painted, &m_painting, &PaintingController::paint);
    connect(v, &HeartView::paintEnded, &m_painting, &PaintingController::endStroke);
    connect(v, &HeartView::markerClicked, this, [this](const scene::Marker& m) {
        if (m.kind == scene::Marker::Kind::site) {
            Q_EMIT panelWanted(QStringLiteral("pacingDock"));
            m_pacing.choose(static_cast<int>(m.id));
            updateMarkers();
        }
    });
    connect(v, &HeartView::markerMoved, this, &ClickController::moveMarker);
}

void ClickController::moveMarker(const scene::Marker& m, const scene::Pick& pick, bool dropped)
{
    if (!dropped) { // only its picture moves
        m_grid.each([&](HeartView& each, int) {
            each.scene().set_brush(pick.position_mm, m_pacing.clickPulse()->settings().radius_mm);
            each.schedule();
        });
        return;
    }
    m_grid.each([](HeartView& each, int) { each.scene().set_brush({}, 1); });
    if (m.kind == scene::Marker::Kind::probe)
        return m_document.moveProbe(QString::fromStdString(m.name), placed(pick.position_mm));
    m_document.edits().edit(tr("Move %1").arg(QString::fromStdString(m.name)),
                            [i = m.id, at = placed(pick.position_mm)](simulation::Session& s) {
                                if (i < s.stimuli.size())
                                    if (auto* ball =
                                            std::get_if<simulation::Sphere>(&s.stimuli[i].region))
                                        ball->centre = at;
                            });
}

void ClickController::setRadius(double mm)
{
    if (m_next == Next::nothing)
        m_views.setMode(m_mode, mm);
}

void ClickController::setMode(ClickMode mode)
{
    m_next = Next::nothing;
    m_message.settle("place");
    const bool painting = mode == ClickMode::paint;
    if (painting != (m_mode == ClickMode::paint))
        m_look.setPainting(painting);
    m_mode = mode;
    m_tissue.setPainting(painting);
    if (painting)
        Q_EMIT panelWanted(QStringLiteral("tissueDock"));
    m_views.setMode(mode, painting ? m_tissue.brush()->radius()
                                   : m_pacing.clickPulse()->settings().radius_mm);
    Q_EMIT modeChanged(mode);
}

void ClickController::await(Next next, const QString& what)
{
    m_next = next;
    double radius = m_pacing.clickPulse()->settings().radius_mm;
    const auto& regions = m_document.session().regions;
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue.chosen()));
    if (next == Next::region_centre && i < regions.size() && regions[i].where)
        if (const auto* ball = std::get_if<simulation::Sphere>(&*regions[i].where))
            radius = ball->radius;
    // the chosen tool waits: turning, it would take no click, and painting it would paint
    m_views.setMode(ClickMode::stimulate, radius);
    m_message.showMessage(MessageBar::Level::note, what, {}, "place");
}

void ClickController::placeRegion(const Vec3& at)
{
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue.chosen()));
    m_document.edits().edit(tr("Place a region"), [i, at](simulation::Session& s) {
        if (i >= s.regions.size() || !s.regions[i].where)
            return;
        if (auto* ball = std::get_if<simulation::Sphere>(&*s.regions[i].where)) {
            ball->centre = at;
        } else if (auto* box = std::get_if<simulation::Box>(&*s.regions[i].where)) {
            const Vec3 by = at - 0.5 * (box->low + box->high);
            box->low = placed(box->low + by);
            box->high = placed(box->high + by);
        }
    });
}

void ClickController::placeElectrode(const scene::Pick& pick)
{
    const auto place = simulation::electrode_in_front(*m_host.scene()->mesh, pick.position_mm,
                                                      pick.normal, electrode_gap_mm);
    const Vec3 at = placed(place.position_mm);
    const QString name = m_ecg.freeName();
    const bool twelve = m_document.session().leads.kind == simulation::Leads::Kind::twelve_lead;
    m_message.showMessage(
        MessageBar::Level::note,
        place.aside ? tr("That wall faces a cavity, or the heart beyond it: electrode %1 "
                         "stands outside the heart beside it, 15 mm away.")
                          .arg(name)
                    : tr("Electrode %1 stands 15 mm in front of the wall.").arg(name),
        twelve ? tr("Its lead follows the 12 leads: its potential against the mean of RA, LA "
                    "and LL.")
               : QString(),
        "electrode");
    m_document.edits().edit(tr("Place an electrode"),
                            [n = name.toStdString(), at](simulation::Session& s) {
                                s.electrodes.push_back({n, at});
                            });
}

void ClickController::wallClicked(const scene::Pick& pick)
{
    if (!m_host.scene())
        return;
    if (m_next == Next::electrode) {
        setMode(m_mode);
        return placeElectrode(pick);
    }
    if (m_next == Next::region_centre) {
        setMode(m_mode);
        return placeRegion(placed(pick.position_mm));
    }
    switch (m_mode) {
    case ClickMode::probe:
        m_document.addProbe(m_probes.freeName(), placed(pick.position_mm));
        break;
    case ClickMode::site: {
        const auto fresh = m_pacing.fresh(m_pacing.freeName(), placed(pick.position_mm));
        addSite(tr("Place %1").arg(QString::fromStdString(fresh.name)), fresh);
        break;
    }
    case ClickMode::stimulate: {
        const StimulusSettings s = m_pacing.clickPulse()->settings();
        m_host.stimulate({pick.position_mm, s.radius_mm, s.duration_ms, s.amplitude_pA_per_pF});
        break;
    }
    case ClickMode::cell:
        Q_EMIT cellChosen(pick.position_mm);
        break;
    default:
        break;
    }
}

void ClickController::setCell(const std::optional<Vec3>& at)
{
    m_cell = at;
    updateMarkers();
}

void ClickController::addSite(const QString& what, const simulation::Stimulus& fresh)
{
    const QString schedule = m_pacing.scheduleOf(fresh);
    m_document.edits().edit(what, [fresh](simulation::Session& s) { s.stimuli.push_back(fresh); });
    m_pacing.choose(static_cast<int>(m_document.session().stimuli.size()) - 1);
    // it paces in its next cycle, which may be long
    const bool waits = m_host.status().time_ms > 0 && m_host.status().state != State::finished;
    m_message.showMessage(MessageBar::Level::note, schedule,
                          waits ? tr("\"Pace now\" in the Pacing panel gives one pulse at once.")
                                : QString());
}

void ClickController::paceNow(const simulation::Stimulus& site)
{
    const auto* ball = std::get_if<simulation::Sphere>(&site.region);
    if (ball == nullptr)
        return;
    m_host.stimulate(
        {ball->centre, ball->radius, site.duration_ms, site.amplitude_pA_per_pF, site.name});
    const State state = m_host.status().state;
    if (state == State::paused)
        m_message.showMessage(MessageBar::Level::note,
                              tr("%1 gives a pulse as soon as the run goes on.")
                                  .arg(QString::fromStdString(site.name)));
    else if (state == State::finished)
        m_message.showMessage(MessageBar::Level::note,
                              tr("The run has ended: the pulse comes only if it goes on (Run > "
                                 "Length of the run…)."));
}

void ClickController::showFailure(const std::optional<Vec3>& at)
{
    if (std::exchange(m_failure, at) == at)
        return;
    updateMarkers();
    const auto scene = m_host.scene();
    if (!at || !scene || !scene->surface || scene->surface->vertices.empty())
        return;
    Vec3 middle{};
    const auto& wall = scene->surface->vertices;
    for (const auto v : wall)
        middle = middle + (1 / static_cast<double>(wall.size())) *
                              scene->mesh->vertex(static_cast<std::size_t>(v));
    const Vec3 outward = *at - middle;
    m_grid.each([&](HeartView& v, int) {
        const auto pose = v.scene().camera();
        if (dot(outward, pose.position - pose.focal_point) >= 0)
            return; // it faces the viewer already
        const bool upright = std::abs(outward[2]) < 0.9 * norm(outward);
        v.scene().look_from(outward, upright ? Vec3{0, 0, 1} : Vec3{0, 1, 0});
        v.schedule();
    });
}

void ClickController::updateMarkers()
{
    std::vector<scene::Marker> markers;
    const auto rgb = [](const QColor& c) {
        return std::array<double, 3>{c.redF(), c.greenF(), c.blueF()};
    };
    for (const ProbeEntry& e : m_probes.entries())
        markers.push_back({e.id, e.name.toStdString(), e.position, rgb(e.color)});
    const auto& s = m_document.session();
    for (std::size_t i = 0; i < s.stimuli.size(); ++i)
        if (const auto* ball = std::get_if<simulation::Sphere>(&s.stimuli[i].region)) {
            const auto& known = m_document.captures();
            markers.push_back(
                {i, s.stimuli[i].name, ball->centre,
                 rgb(captureColor(s.stimuli[i], i < known.size() ? known[i] : CaptureState{})),
                 scene::Marker::Kind::site, static_cast<int>(i) == m_pacing.chosen()});
        }
    for (std::size_t i = 0; i < s.electrodes.size(); ++i)
        markers.push_back({i,
                           s.electrodes[i].name,
                           s.electrodes[i].position_mm,
                           {0.75, 0.79, 0.85},
                           scene::Marker::Kind::electrode});
    if (m_failure)
        markers.push_back({1,
                           tr("Failed here").toStdString(),
                           *m_failure,
                           {1.0, 0.25, 0.2},
                           scene::Marker::Kind::cell,
                           true});
    if (m_cell)
        markers.push_back(
            {0, tr("Cell").toStdString(), *m_cell, {1.0, 0.62, 0.16}, scene::Marker::Kind::cell});
    m_views.setMarkers(std::move(markers));
}

} // namespace tawara
