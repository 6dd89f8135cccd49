// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown and said of the run's results.
#include "app/main_window.hpp"

#include "engine/mesh/measure.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/region_words.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/unpaced_words.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

using State = EngineHost::State;

namespace {

constexpr double up_mV = -60; // no ventricular cell rests above

/// What is known of a click's pulse that did not capture, and what to try.
QString whyNoCapture(double around_mV)
{
    if (!std::isfinite(around_mV))
        return MainWindow::tr(
            "the tissue there was refractory, or too little of it was reached. Try "
            "later, a larger radius or more current.");
    if (around_mV > up_mV)
        return MainWindow::tr(
                   "the tissue there was not back at rest (V around it %1 mV). Try later.")
            .arg(around_mV, 0, 'f', 0);
    return MainWindow::tr("the tissue there was at rest or nearly so (V around it %1 mV). Try a "
                          "larger radius, more current or a longer pulse; right after an action "
                          "potential, try later.")
        .arg(around_mV, 0, 'f', 0);
}

/// What became of a click's pulse.
QString clickText(const simulation::CaptureEvent& e)
{
    const QString at = QString::number(e.time_ms, 'f', 0);
    if (e.captured)
        return MainWindow::tr("The pulse at %1 ms captured.").arg(at);
    return MainWindow::tr("The pulse at %1 ms did not capture: %2")
        .arg(at, e.overtaken ? MainWindow::tr("a wave from elsewhere came there first.")
                             : whyNoCapture(e.around_mV));
}

} // namespace

void MainWindow::showBeats()
{
    std::vector<BeatsPanel::Entry> entries;
    for (const ProbeEntry& e : m_probes->entries())
        entries.push_back({e.name, e.color, m_measured.value(e.id)});
    const auto scene = m_host->scene();
    const auto edits = scene ? scene->tissue_edits : std::vector<simulation::TissueEdit>();
    m_beats->setBeats(entries, edits);
    const auto frame = m_host->frame();
    const double now = m_host->status().time_ms;
    m_beats->setUnpaced(unpacedText(
        entries, m_document->lastPulse(now), now,
        frame && frame->singularities
            ? std::optional(Centres{frame->singularities->filaments_mm.size(),
                                    frame->singularities->obstacles, frame->singularities->turned})
            : std::nullopt));
    std::vector<double> changes;
    for (const auto& e : edits)
        changes.push_back(e.time_ms);
    m_plot->setChanges(std::move(changes));
}

void MainWindow::showEcg(const simulation::Ecg& ecg, bool restarted)
{
    auto& before = m_shownEcg.before;
    const auto run = m_host->scene() ? m_host->scene()->run : 0;
    const bool others = before.leads != ecg.leads || before.electrodes != ecg.electrodes;
    // leads that stayed go on
    const bool anew = restarted && (ecg.time_ms.empty() || before.time_ms.empty() ||
                                    ecg.time_ms.front() > before.time_ms.front());
    QString& told = m_shownEcg.told;
    if (run != m_shownEcg.run || ecg.leads.empty())
        told.clear();
    else if (anew && others)
        told = before.leads.empty()
                   ? tr("The electrocardiogram begins at %1 ms: there were no leads before. Back "
                        "to the start (Ctrl+R) computes all of it.")
                   : tr("The electrocardiogram starts anew at %1 ms: its leads are others than "
                        "before.");
    if (!told.isEmpty() && !ecg.time_ms.empty()) { // those that waited for the leads are in it
        if (const double first = ecg.time_ms.front();
            first > 1 && m_host->status().state != State::finished) // else the panel says it
            m_message->showMessage(MessageBar::Level::note,
                                   told.arg(spacedNumber(std::round(first))), {}, "ecg");
        told.clear();
    }
    before.leads = ecg.leads;
    before.electrodes = ecg.electrodes;
    if (restarted || before.time_ms.empty())
        before.time_ms.assign(ecg.time_ms.begin(),
                              ecg.time_ms.begin() + (ecg.time_ms.empty() ? 0 : 1));
    m_shownEcg.run = run;
    if (restarted) {
        flushChanges();
        QStringList names;
        for (const auto& n : ecg.leads)
            names << QString::fromStdString(n);
        if (names != m_ecg->plot()->leads())
            m_ecg->setLeads(names);
        else
            m_ecg->plot()->setLeads(names);
    }
    withPicture([this, ecg] { m_ecg->plot()->append(ecg.time_ms, ecg.mV); });
}

void MainWindow::showCapture(const simulation::CaptureEvent& e)
{
    if (e.captured)
        m_ecg->addPulse(e.time_ms);
    if (e.stimulus < 0) // that of a site is shown in the Pacing panel
        m_message->showMessage(MessageBar::Level::note, clickText(e), {}, "pulse");
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

void MainWindow::keepCurves(bool on)
{
    const bool curves = m_plot->keep(on), leads = m_ecg->plot()->keep(on);
    if (on && !curves && !leads) {
        m_keepAction->setChecked(false);
        m_message->showMessage(
            MessageBar::Level::note,
            tr("There are no curves yet: place a probe or electrodes, and run."));
    } else if (on) {
        m_message->showMessage(
            MessageBar::Level::note,
            tr("Kept, dashed, beneath what follows: change the tissue or a drug, "
               "go back to the start (Ctrl+R) and run."));
    }
}

void MainWindow::showProbeValues()
{
    const auto at = [this](double ms) {
        return [this, ms](quint64 id) { return m_plot->valueAt(id, ms); };
    };
    if (const auto ms = m_plot->reading())
        m_probes->showInstead(tr("V at cursor"), at(*ms));
    else if (const auto marks = m_plot->bothMarks())
        m_probes->showInstead(tr("B − A"), [this, m = *marks](quint64 id) -> std::optional<double> {
            const auto a = m_plot->valueAt(id, m[0]), b = m_plot->valueAt(id, m[1]);
            return a && b ? std::optional(*b - *a) : std::nullopt;
        });
    else if (const auto moment = m_plot->moment())
        m_probes->showInstead(tr("V then"), at(*moment));
    else
        m_probes->showInstead({});
}

} // namespace tawara
