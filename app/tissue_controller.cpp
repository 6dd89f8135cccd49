// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tissue_controller.hpp"

#include "app/document.hpp"
#include "app/scene_work.hpp"
#include "app/view_controller.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/laid_tissue.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/region_words.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

using State = EngineHost::State;

namespace {

/// Of what a session's region was laid on, by number of tetrahedra the first.
std::optional<std::size_t> widestOf(const simulation::RegionMap& laid, std::size_t origin)
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

struct Velocity
{
    QString text, warning;
};

/// The end of a sentence on conduction.
QString tunedText(const simulation::TunedConductivity& t)
{
    const auto& c = t.conductivity_S_per_m;
    return TissueController::tr("; tuned to %1 m/s, by %2, %3, %4 S/m")
        .arg(QString::fromStdString(simulation::velocity_text(t.wanted)))
        .arg(c.fibre, 0, 'g', 3)
        .arg(c.sheet, 0, 'g', 3)
        .arg(c.normal, 0, 'g', 3);
}

Velocity velocityOf(const simulation::Session& session, std::size_t at, const mesh::TetMesh& mesh,
                    const std::vector<simulation::TunedRegion>& tuned)
{
    auto used = session;
    auto region = session.regions[at];
    QString what = TissueController::tr("Conduction");
    if (region.inherits() && !region.insulating) {
        const auto laid = simulation::lay_regions(session, mesh, tuned);
        const auto widest = widestOf(laid, at);
        if (!widest)
            return {};
        region = laid.regions[*widest];
        const auto beneath = static_cast<std::size_t>(laid.beneath[*widest]);
        what =
            TissueController::tr("Over “%1”, conduction")
                .arg(
                    regionTitles(session.regions).at(static_cast<qsizetype>(laid.origin[beneath])));
        used.drugs.clear(); // they are in its parameters
    }
    if (region.insulating ||
        (!region.velocity_m_per_s && region.conductivity_S_per_m == diffusion::Conductivity{}))
        return {TissueController::tr("Insulating: no cells and no current; waves go around it."),
                {}};
    const auto v = simulation::estimate_velocity(used, region, mesh::grain(mesh));
    constexpr double shown_mm_per_ms = 0.005; // less is written as 0
    if (region.kind == "scar_core" && v.mesh == Vec3{} &&
        *std::max_element(v.fine.begin(), v.fine.end()) < shown_mm_per_ms)
        return {TissueController::tr("A scar: no wave enters it, waves go around."), {}};
    const auto text = [](const Vec3& u) {
        return QStringLiteral("%1, %2, %3")
            .arg(u[0], 0, 'f', 2)
            .arg(u[1], 0, 'f', 2)
            .arg(u[2], 0, 'f', 2);
    };
    return {TissueController::tr(
                "%1 along fibre, sheet, normal: %2 m/s; on this mesh (mean edge %3 mm): %4 m/s")
                    .arg(what, text(v.fine))
                    .arg(v.edge_mm, 0, 'f', 2)
                    .arg(text(v.mesh)) +
                (v.tuned ? tunedText(*v.tuned)
                 : v.target && !session.regions[at].inherits()
                     ? TissueController::tr("; target, as in tissue: %1 m/s").arg(text(*v.target))
                     : QString()),
            QString::fromStdString(v.warning)};
}

} // namespace

TissueController::TissueController(EngineHost& host, Document& document, ViewController& views,
                                   TissuePanel& tissue, SceneWork& work, MessageBar& message)
    : m_host(host), m_document(document), m_views(views), m_tissue(tissue), m_work(work),
      m_message(message)
{
}

void TissueController::loaded()
{
    m_drugsOn = m_host.scene()->session.drugs;
}

void TissueController::follow()
{
    const auto scene = m_host.scene();
    m_tissue.setNotices(scene->notices);
    m_tissue.setTuned(scene->tuned);
    m_views.followTissue(scene);
    const auto before = std::exchange(m_run, scene->run) == scene->run ? m_told : 0;
    m_told = scene->tissue_edits.size();
    sayTissue(before);
}

void TissueController::layRegions()
{
    const auto scene = m_host.scene();
    m_views.setRegionNames(regionTitles(m_document.session().regions));
    if (!scene || !m_views.ready())
        return;
    m_views.tissues().setNow(m_document.session().regions);
    m_work.run(
        [scene, edited = m_document.session()] {
            return std::make_shared<LaidTissue>(layTissue(edited, *scene->mesh, *scene->surface));
        },
        [this](const std::shared_ptr<LaidTissue>& laid) {
            m_views.setTissue(std::move(*laid));
            Q_EMIT laidOut();
        });
}

void TissueController::estimateVelocity()
{
    const auto scene = m_host.scene();
    const int i = m_tissue.chosen();
    const auto& regions = m_document.session().regions;
    if (!scene || !scene->mesh || scene->mesh->tetrahedron_count() == 0 || i < 0 ||
        static_cast<std::size_t>(i) >= regions.size())
        return m_tissue.setVelocity({}, {});
    m_tissue.setVelocity(tr("Estimating the conduction velocity…"), {});
    m_work.run(
        [scene, session = m_document.session(), at = static_cast<std::size_t>(i)] {
            try {
                return velocityOf(session, at, *scene->mesh, scene->tuned);
            } catch (const std::exception& e) {
                return Velocity{{}, QString::fromUtf8(e.what())};
            }
        },
        [this, i](const Velocity& v) {
            if (m_tissue.chosen() == i)
                m_tissue.setVelocity(v.text, v.warning);
        });
}

void TissueController::sayTissue(std::size_t before)
{
    const auto scene = m_host.scene();
    const auto& edits = scene->tissue_edits;
    if (edits.size() < before) { // undone before a step was taken, or back at the start
        m_message.settle("drug");
        m_drugsOn = scene->session.drugs;
        return;
    }
    if (edits.size() > before && m_host.status().state != State::finished)
        m_message.showMessage(
            MessageBar::Level::note,
            tr("Changed at %1 ms: %2. Maps and beats from before are of the heart as it was.")
                .arg(spacedNumber(std::round(10 * edits.back().time_ms) / 10),
                     QString::fromStdString(edits.back().what)),
            {}, "drug");
    sayDrugs(); // in place of it, where a drug is what was changed
}

void TissueController::sayDrugs()
{
    const auto scene = m_host.scene();
    const auto before = std::exchange(m_drugsOn, scene->session.drugs);
    if (scene->tissue_edits.empty() || m_host.status().state == State::finished)
        return;
    const QString when = spacedNumber(std::round(10 * scene->tissue_edits.back().time_ms) / 10);
    const auto say = [this](const QString& text) {
        m_message.showMessage(MessageBar::Level::note, text, {}, "drug");
    };
    for (const auto& d : m_drugsOn)
        if (std::find(before.begin(), before.end(), d) == before.end())
            return say(tr("%1 acts from %2 ms on.").arg(QString::fromStdString(d.name), when));
    for (const auto& d : before)
        if (std::find(m_drugsOn.begin(), m_drugsOn.end(), d) == m_drugsOn.end())
            return say(
                tr("%1 acts no longer, from %2 ms on.").arg(QString::fromStdString(d.name), when));
}

void TissueController::sayResultsAreOld(bool on)
{
    if (!on)
        return m_message.settle("old");
    m_message.showMessage(
        MessageBar::Level::warning,
        tr("The run has ended: what is shown is of the tissue before this change."),
        tr("Back to start (Ctrl+R) and Play run it anew; Run > Length of the run… lets it go on "
           "from here."),
        "old");
}

} // namespace tawara
