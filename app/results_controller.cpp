// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results_controller.hpp"

#include "app/document.hpp"
#include "app/picture_changes.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/unpaced_words.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>
#include <QMenu>

#include <cmath>

namespace tawara {

using State = EngineHost::State;

namespace {

constexpr double up_mV = -60; // no ventricular cell rests above

/// What is known of a click's pulse that did not capture, and what to try.
QString whyNoCapture(double around_mV)
{
    if (!std::isfinite(around_mV))
        return ResultsController::tr(
            "the tissue there was refractory, or too little of it was reached. Try "
            "later, a larger radius or more current.");
    if (around_mV > up_mV)
        return ResultsController::tr(
                   "the tissue there was not back at rest (V around it %1 mV). Try later.")
            .arg(around_mV, 0, 'f', 0);
    return ResultsController::tr(
               "the tissue there was at rest or nearly so (V around it %1 mV). Try a "
               "larger radius, more current or a longer pulse; right after an action "
               "potential, try later.")
        .arg(around_mV, 0, 'f', 0);
}

/// What became of a click's pulse.
QString clickText(const simulation::CaptureEvent& e)
{
    const QString at = QString::number(e.time_ms, 'f', 0);
    if (e.captured)
        return ResultsController::tr("The pulse at %1 ms captured.").arg(at);
    return ResultsController::tr("The pulse at %1 ms did not capture: %2")
        .arg(at, e.overtaken ? ResultsController::tr("a wave from elsewhere came there first.")
                             : whyNoCapture(e.around_mV));
}

} // namespace

ResultsController::ResultsController(EngineHost& host, Document& document, ProbeModel& probes,
                                     TracePlot& plot, BeatsPanel& beats, EcgPanel& ecg,
                                     PictureChanges& changes, MessageBar& message)
    : m_host(host), m_document(document), m_probes(probes), m_plot(plot), m_beats(beats),
      m_ecg(ecg), m_changes(changes), m_message(message)
{
    connectTraces();
    connectHeart();
}

void ResultsController::connectTraces()
{
    connect(&m_host, &EngineHost::probeAdded, this,
            [this](quint64 id, const QString& name, const Vec3& position) {
                const ProbeEntry& e = m_probes.add(id, name, position);
                m_plot.addCurve(id, name, e.color);
                showProbeValues();
                Q_EMIT probesChanged();
            });
    connect(&m_host, &EngineHost::probeRemoved, this, [this](quint64 id) {
        m_changes.flush();
        m_probes.remove(id);
        m_plot.removeCurve(id);
        showProbeValues();
        m_measured.remove(id);
        showBeats();
        Q_EMIT probesChanged();
    });
    connect(&m_host, &EngineHost::samplesArrived, this,
            [this](quint64 id, const std::vector<double>& t, const std::vector<float>& v) {
                m_changes.add([this, id, t, v] {
                    m_plot.append(id, t, v);
                    m_probes.setValue(id, v.back());
                    showProbeValues(); // the window of time moves beneath the mouse and the cursors
                });
            });
    connect(&m_plot, &TracePlot::readingChanged, this, &ResultsController::showProbeValues);
    connect(&m_host, &EngineHost::beatsMeasured, this,
            [this](const QHash<quint64, std::vector<simulation::Beat>>& beats) {
                m_measured = beats;
                showBeats();
            });
}

void ResultsController::connectHeart()
{
    connect(&m_host, &EngineHost::captureKnown, this, &ResultsController::showCapture);
    connect(&m_host, &EngineHost::ecgArrived, this, &ResultsController::showEcg);
    connect(&m_host, &EngineHost::stimulated, this, [this](const simulation::Stimulate& s) {
        m_message.settle("command");
        const auto state = m_host.status().state;
        if (!s.site.empty() || state == State::running)
            return;
        m_message.showMessage(MessageBar::Level::note,
                              state == State::finished
                                  ? tr("The run has ended: the pulse waits until it goes on.")
                                  : tr("The run is paused: the pulse comes when it goes on "
                                       "(Space)."),
                              {}, "pulse");
    });
}

void ResultsController::addKeep(QMenu& menu)
{
    m_keep = menu.addAction(tr("&Keep the curves to compare with"));
    m_keep->setObjectName("keepCurves");
    m_keep->setCheckable(true);
    m_keep->setShortcut(QKeySequence(tr("Ctrl+K")));
    m_keep->setToolTip(tr("Action potentials and leads as they are stay, dashed, beneath "
                          "those of the runs that follow, of other hearts too."));
    connect(m_keep, &QAction::toggled, this, &ResultsController::keepCurves);
}

void ResultsController::loaded(bool same)
{
    m_changes.forget();
    m_probes.clear();
    m_measured.clear();
    showBeats();
    m_plot.removeCurves();
    for (int k : {0, 1})
        m_ecg.plot()->setMark(k, {});
    if (!same)
        m_keep->setChecked(false); // curves of another document are none to compare with
}

void ResultsController::restarted()
{
    m_changes.flush();
    m_plot.clearSamples();
    m_probes.clearValues();
    m_ecg.clearPulses();
    m_measured.clear();
    showBeats();
}

void ResultsController::showBeats()
{
    std::vector<BeatsPanel::Entry> entries;
    for (const ProbeEntry& e : m_probes.entries())
        entries.push_back({e.name, e.color, m_measured.value(e.id)});
    const auto scene = m_host.scene();
    const auto edits = scene ? scene->tissue_edits : std::vector<simulation::TissueEdit>();
    m_beats.setBeats(entries, edits);
    const auto frame = m_host.frame();
    const double now = m_host.status().time_ms;
    m_beats.setUnpaced(unpacedText(
        entries, m_document.lastPulse(now), now,
        frame && frame->singularities
            ? std::optional(Centres{frame->singularities->filaments_mm.size(),
                                    frame->singularities->obstacles, frame->singularities->turned})
            : std::nullopt));
    std::vector<double> changes;
    for (const auto& e : edits)
        changes.push_back(e.time_ms);
    m_plot.setChanges(std::move(changes));
}

void ResultsController::showCapture(const simulation::CaptureEvent& e)
{
    if (e.captured)
        m_ecg.addPulse(e.time_ms);
    if (e.stimulus < 0) // that of a site is shown in the Pacing panel
        m_message.showMessage(MessageBar::Level::note, clickText(e), {}, "pulse");
}

void ResultsController::sayWhereLeadsBegin(const simulation::Ecg& ecg, bool restarted)
{
    const auto& before = m_shownEcg.before;
    const bool others = before.leads != ecg.leads || before.electrodes != ecg.electrodes;
    // leads that stayed go on
    const bool anew = restarted && (ecg.time_ms.empty() || before.time_ms.empty() ||
                                    ecg.time_ms.front() > before.time_ms.front());
    const auto run = m_host.scene() ? m_host.scene()->run : 0;
    QString& told = m_shownEcg.told;
    if (run != m_shownEcg.run || ecg.leads.empty())
        told.clear();
    else if (anew && others)
        told = before.leads.empty()
                   ? tr("The electrocardiogram begins at %1 ms: there were no leads before. Back "
                        "to the start (Ctrl+R) computes all of it.")
                   : tr("The electrocardiogram starts anew at %1 ms: its leads are others than "
                        "before.");
    if (told.isEmpty() || ecg.time_ms.empty())
        return;
    // those that waited for the leads are in it
    if (const double first = ecg.time_ms.front();
        first > 1 && m_host.status().state != State::finished) // else the panel says it
        m_message.showMessage(MessageBar::Level::note, told.arg(spacedNumber(std::round(first))),
                              {}, "ecg");
    told.clear();
}

void ResultsController::showEcg(const simulation::Ecg& ecg, bool restarted)
{
    sayWhereLeadsBegin(ecg, restarted);
    auto& before = m_shownEcg.before;
    before.leads = ecg.leads;
    before.electrodes = ecg.electrodes;
    if (restarted || before.time_ms.empty())
        before.time_ms.assign(ecg.time_ms.begin(),
                              ecg.time_ms.begin() + (ecg.time_ms.empty() ? 0 : 1));
    m_shownEcg.run = m_host.scene() ? m_host.scene()->run : 0;
    if (restarted) {
        m_changes.flush();
        QStringList names;
        for (const auto& n : ecg.leads)
            names << QString::fromStdString(n);
        if (names != m_ecg.plot()->leads())
            m_ecg.setLeads(names);
        else
            m_ecg.plot()->setLeads(names);
    }
    m_changes.add([this, ecg] {
        m_ecg.setActivated(ecg.activated);
        m_ecg.plot()->append(ecg.time_ms, ecg.mV);
    });
}

void ResultsController::keepCurves(bool on)
{
    const bool curves = m_plot.keep(on), leads = m_ecg.plot()->keep(on);
    if (on && !curves && !leads) {
        m_keep->setChecked(false);
        m_message.showMessage(MessageBar::Level::note,
                              tr("There are no curves yet: place a probe or electrodes, and run."));
    } else if (on) {
        m_message.showMessage(MessageBar::Level::note,
                              tr("Kept, dashed, beneath what follows: change the tissue or a drug, "
                                 "go back to the start (Ctrl+R) and run."));
    }
}

void ResultsController::showProbeValues()
{
    const auto at = [this](double ms) {
        return [this, ms](quint64 id) { return m_plot.valueAt(id, ms); };
    };
    if (const auto ms = m_plot.reading())
        m_probes.showInstead(tr("V at cursor"), at(*ms));
    else if (const auto marks = m_plot.bothMarks())
        m_probes.showInstead(tr("B − A"), [this, m = *marks](quint64 id) -> std::optional<double> {
            const auto a = m_plot.valueAt(id, m[0]), b = m_plot.valueAt(id, m[1]);
            return a && b ? std::optional(*b - *a) : std::nullopt;
        });
    else if (const auto moment = m_plot.moment())
        m_probes.showInstead(tr("V then"), at(*moment));
    else
        m_probes.showInstead({});
}

} // namespace tawara
