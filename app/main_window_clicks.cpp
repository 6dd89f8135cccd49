// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse does on the heart.
#include "app/main_window.hpp"

#include "engine/simulation/session/suggest.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QActionGroup>

namespace tawara {
namespace {

using State = EngineHost::State;
constexpr double electrode_gap_mm = 15;

} // namespace
void MainWindow::setMode(ClickMode mode)
{
    m_next = Next::nothing;
    m_message->settle("place");
    const bool painting = mode == ClickMode::paint;
    if (painting && m_mode != ClickMode::paint) {
        auto s = m_viewPanel->settings();
        auto& shown = s.shown[static_cast<std::size_t>(m_grid->current())];
        m_beforePainting = {m_grid->current(), shown};
        shown = Quantity::regions;
        applyView(s);
    } else if (!painting && m_beforePainting) {
        const auto [view, before] = *m_beforePainting;
        m_beforePainting.reset();
        auto s = m_viewPanel->settings();
        auto& shown = s.shown[static_cast<std::size_t>(view)];
        if (shown == Quantity::regions) { // nobody chose something else meanwhile
            shown = before;
            applyView(s);
        }
    }
    m_mode = mode;
    m_tissue->setPainting(painting);
    if (painting)
        raisePanel("tissueDock");
    m_views->setMode(mode,
                     painting ? m_tissue->brush()->radius() : m_stimulus->settings().radius_mm);
    for (auto* a : m_modes->actions())
        a->setChecked(a->data().toInt() == static_cast<int>(mode));
}

void MainWindow::awaitClick(Next next, const QString& what)
{
    m_next = next;
    double radius = m_stimulus->settings().radius_mm;
    const auto& regions = m_document->session().regions;
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue->chosen()));
    if (next == Next::region_centre && i < regions.size() && regions[i].where)
        if (const auto* ball = std::get_if<simulation::Sphere>(&*regions[i].where))
            radius = ball->radius;
    // the chosen tool waits: turning, it would take no click, and painting it would paint
    m_views->setMode(ClickMode::stimulate, radius);
    m_message->showMessage(MessageBar::Level::note, what, {}, "place");
}

void MainWindow::placeRegion(const Vec3& at)
{
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue->chosen()));
    m_document->edits().edit(tr("Place a region"), [i, at](simulation::Session& s) {
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

} // namespace tawara
