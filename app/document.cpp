// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.hpp"

#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/session/late_pulses.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "widgets/panels/field_note.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tawara {
namespace {

using namespace simulation;

bool same(const Stimulus& a, const Stimulus& b)
{
    return sameStimulus(a, b);
}

/// Whether the engine would see no difference; names are the window's own.
bool same(const Region& a, const Region& b)
{
    const auto& s = a.conductivity_S_per_m;
    const auto& t = b.conductivity_S_per_m;
    return a.labels == b.labels && a.model == b.model && a.variant == b.variant &&
           s.fibre == t.fibre && s.sheet == t.sheet && s.normal == t.normal &&
           a.parameters == b.parameters && a.initial == b.initial &&
           a.conductivity_scale == b.conductivity_scale && a.scale == b.scale &&
           a.where == b.where && a.insulating == b.insulating &&
           a.velocity_m_per_s == b.velocity_m_per_s && a.dyads == b.dyads &&
           a.forced_opening_ms == b.forced_opening_ms;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return same(x, y); });
}

/// What a region without tissue yet would make the engine refuse: it is left out until it is
/// placed.
bool isPlaced(const Region& r)
{
    const auto* painted = r.where ? std::get_if<Tetrahedra>(&*r.where) : nullptr;
    return painted == nullptr || !painted->tetrahedra.empty();
}
std::vector<Region> placed(const std::vector<Region>& regions)
{
    std::vector<Region> out;
    std::copy_if(regions.begin(), regions.end(), std::back_inserter(out), isPlaced);
    return out;
}

/// Whether conductivities of other velocities are wanted.
bool otherVelocities(const std::vector<Region>& before, const std::vector<Region>& now)
{
    return std::any_of(now.begin(), now.end(), [&](const Region& r) {
        return r.velocity_m_per_s &&
               std::none_of(before.begin(), before.end(), [&](const Region& b) {
                   return b.velocity_m_per_s == r.velocity_m_per_s;
               });
    });
}

} // namespace

Document::Document(EngineHost* host, QObject* parent) : QObject(parent), m_host(host), m_edits(this)
{
    connect(&m_edits, &EditStack::changed, this, [this](const Session& before, const Session& now) {
        if (!same(before.stimuli, now.stimuli)) {
            m_pulses.edited(before.stimuli, now.stimuli, m_host->status().time_ms);
            lookAround();
            m_caught.clear(); // by their places in the former list
        }
        send(before, now);
        Q_EMIT changed();
    });
    connect(m_host, &EngineHost::editRefused, this, [this](quint64 command, const QString& reason) {
        if (command == m_endEdit && m_edits.undid())
            return keepEnd();
        if (command == m_networkEdit && command != m_newestEdit)
            return keepNetwork();
        if (command != m_newestEdit)
            return; // a newer edit has taken its place
        if (command == m_renewal)
            return Q_EMIT notRenewed(reason);
        m_edits.revert();
        m_newestEdit = 0; // what was sent with that is how it was: nothing to take back
        Q_EMIT refused(reason);
    });
    connect(m_host, &EngineHost::captureKnown, this, &Document::captureKnown);
    connect(m_host, &EngineHost::stimulated, this,
            [this] { m_pulses.atOnce(m_host->status().time_ms); });
    connect(m_host, &EngineHost::statusPolled, this,
            [this](const Status& status) { tellGiven(status.time_ms); });
    connect(m_host, &EngineHost::sceneChanged, this, &Document::compareTissue);
    connect(m_host, &EngineHost::stateChanged, this, [this](EngineHost::State state) {
        if (state == EngineHost::State::running) {
            m_endedWith.reset();
        } else if (state == EngineHost::State::finished && m_host->scene()) {
            const Session& s = m_host->scene()->session;
            m_endedWith.emplace(s.regions, s.drugs);
        }
        compareTissue();
    });
    connect(m_host, &EngineHost::samplesCleared, this, [this] {
        m_endedWith.reset();
        compareTissue();
    });
    connect(m_host, &EngineHost::probeAdded, this,
            [this](quint64 id, const QString& name) { m_probes.insert(name, id); });
    connect(m_host, &EngineHost::probeRemoved, this, [this](quint64 id) {
        if (const QString name = m_probes.key(id); !name.isEmpty())
            m_probes.remove(name);
    });
}

void Document::open(const Session& s)
{
    m_probes.clear();
    m_pulses.open(s.stimuli);
    m_caught.clear();
    m_newestEdit = m_networkEdit = 0;
    m_endedWith.reset();
    compareTissue();
    m_edits.open(s);
    lookAround();
    Q_EMIT changed();
    Q_EMIT tissueChanged();
    Q_EMIT networkChanged();
}

void Document::send(const Session& before, const Session& now)
{
    if (!m_host->scene())
        return;
    if (!same(before.stimuli, now.stimuli))
        m_newestEdit = m_host->setStimuli(now.stimuli);
    const auto was = placed(before.regions), is = placed(now.regions);
    const bool others = !same(was, is) || before.drugs != now.drugs;
    if (others && otherVelocities(was, is))
        Q_EMIT searchBegins(before);
    if (others || before.prepacing != now.prepacing)
        m_newestEdit = m_host->setTissue(is, now.drugs, now.prepacing);
    if (others)
        forgetRefractory();
    if (!same(before.regions, now.regions))
        Q_EMIT tissueChanged();
    if (!same_purkinje(before, now)) {
        m_newestEdit = m_networkEdit = m_host->setPurkinje(now.purkinje);
        Q_EMIT networkChanged();
    }
    if (before.electrodes != now.electrodes || before.leads != now.leads ||
        before.ecg_every_ms != now.ecg_every_ms)
        m_newestEdit = m_host->setElectrodes(now.electrodes, now.leads, now.ecg_every_ms);
    if (before.end_ms != now.end_ms && !m_keepingEnd) {
        m_newestEdit = m_endEdit = m_host->setEnd(now.end_ms);
        m_endKept = before.end_ms;
    }
    sendProbes(before, now);
}

void Document::keepEnd()
{
    const double passed = session().end_ms, kept = m_endKept;
    m_endEdit = 0;
    m_keepingEnd = true; // the engine, which has refused the other one, has it
    m_edits.keep([passed, kept](Session& s) {
        if (s.end_ms <= passed)
            s.end_ms = kept;
    });
    m_keepingEnd = false;
    Q_EMIT steppedOver(tr("The length of the run stays %1 ms: the run is past %2 ms.")
                           .arg(spacedNumber(kept), spacedNumber(passed)));
}

void Document::keepNetwork()
{
    m_networkEdit = 0;
    if (m_host->scene())
        m_edits.keep([own = m_host->scene()->session.purkinje](Session& s) { s.purkinje = own; });
}

void Document::sendProbes(const Session& before, const Session& now)
{
    const auto has = [](const Session& s, const Probe& p) {
        return std::any_of(s.probes.begin(), s.probes.end(), [&](const Probe& q) {
            return q.name == p.name && q.position_mm == p.position_mm;
        });
    };
    for (const Probe& p : before.probes)
        if (!has(now, p))
            if (const quint64 id = m_probes.take(QString::fromStdString(p.name)); id != 0)
                m_host->removeProbe(id);
    for (const Probe& p : now.probes)
        if (!has(before, p))
            m_host->addProbe(QString::fromStdString(p.name), p.position_mm);
}

void Document::compareTissue()
{
    bool on = false;
    if (m_endedWith && m_host->scene()) {
        const Session& s = m_host->scene()->session;
        on = !same(m_endedWith->first, s.regions) || m_endedWith->second != s.drugs;
    }
    if (std::exchange(m_outdated, on) != on)
        Q_EMIT outdated(on);
}

void Document::addProbe(const QString& name, const Vec3& position)
{
    m_edits.edit(tr("Place %1").arg(name), [name, position](Session& s) {
        s.probes.push_back({name.toStdString(), position});
    });
}

void Document::moveProbe(const QString& name, const Vec3& position)
{
    m_edits.edit(tr("Move %1").arg(name), [name = name.toStdString(), position](Session& s) {
        for (Probe& p : s.probes)
            if (p.name == name)
                p.position_mm = position;
    });
}

void Document::removeProbe(const QString& name, quint64 id)
{
    const std::string n = name.toStdString();
    const auto& probes = session().probes;
    if (std::none_of(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == n; }))
        return m_host->removeProbe(id);
    m_edits.edit(tr("Remove %1").arg(name), [n](Session& s) {
        std::erase_if(s.probes, [&](const Probe& p) { return p.name == n; });
    });
}

void Document::renewTissue()
{
    if (!m_host->scene())
        return;
    m_newestEdit = m_renewal =
        m_host->setTissue(placed(session().regions), session().drugs, session().prepacing);
    forgetRefractory();
}

std::optional<std::size_t> Document::regionOfEngine(std::size_t number) const
{
    const auto& regions = session().regions;
    for (std::size_t k = 0; k < regions.size(); ++k)
        if (isPlaced(regions[k]) && number-- == 0)
            return k;
    return std::nullopt;
}

void Document::forgetCaptures()
{
    m_pulses.restart(session().stimuli);
    m_caught.clear();
    Q_EMIT capturesChanged();
}

void Document::forgetRefractory()
{
    m_pulses.forgetRefractory();
    m_caught.clear();
    Q_EMIT capturesChanged();
}

void Document::lookAround()
{
    const auto scene = m_host->scene();
    auto& states = m_pulses.states();
    for (std::size_t i = 0; i < states.size() && i < session().stimuli.size(); ++i)
        states[i].surrounded =
            !scene || !scene->mesh || hasSurroundings(session().stimuli[i], *scene->mesh);
}

void Document::tellGiven(double nowMs)
{
    constexpr double hair_ms = 1e-3;
    bool told = false;
    auto& states = m_pulses.states();
    for (std::size_t i = 0; i < states.size() && i < session().stimuli.size(); ++i) {
        CaptureState& c = states[i];
        if (c.surrounded || c.last != CaptureState::Last::unknown)
            continue;
        const auto pulse = pulse_before(session().stimuli[i], nowMs);
        if (!pulse || pulse->at_ms < c.sinceMs - hair_ms)
            continue;
        c.last = CaptureState::Last::given;
        told = true;
    }
    if (told)
        Q_EMIT capturesChanged();
}

std::optional<double> Document::searchedCoupling(const CaptureEvent& e) const
{
    constexpr double hair_ms = 1e-3;
    const auto coupling =
        searched_coupling(session().stimuli[static_cast<std::size_t>(e.stimulus)], e.time_ms);
    if (!coupling || e.overtaken)
        return std::nullopt;
    bool before = false, between = false;
    for (const auto& [stimulus, ms] : m_caught) {
        const double since = ms - (e.time_ms - *coupling);
        before = before || (stimulus == e.stimulus && std::abs(since) < hair_ms);
        between = between || (since > hair_ms && ms < e.time_ms - hair_ms);
    }
    return before && !between ? coupling : std::nullopt;
}

void Document::captureKnown(const CaptureEvent& e)
{
    constexpr double hair_ms = 1e-3, remembered_ms = 10000;
    const auto i = static_cast<std::size_t>(std::max(e.stimulus, 0));
    const bool listed = e.stimulus >= 0 && i < captures().size() && i < session().stimuli.size();
    // else it was given at once, before the site was as it is
    const bool its_own = listed && e.time_ms >= captures()[i].sinceMs - hair_ms;
    std::erase_if(m_caught, [&](const auto& c) { return c.second < e.time_ms - remembered_ms; });
    m_pulses.atOnce(e.time_ms); // also of pulses that no protocol tells
    if (e.captured)
        m_caught.emplace_back(its_own ? e.stimulus : -1, e.time_ms);
    if (!its_own)
        return;
    auto& c = m_pulses.states()[i];
    const double amplitude = session().stimuli[i].amplitude_pA_per_pF;
    ++c.pulses;
    c.decidedMs = std::max(c.decidedMs, e.time_ms);
    c.overtaken = e.overtaken;
    const auto coupling = searchedCoupling(e);
    c.told = coupling.has_value();
    if (coupling) {
        c.refractory.add(searched_kind(session().stimuli[i]), *coupling, e.captured);
        c.refractoryBefore = false;
    }
    if (e.captured) {
        ++c.captured;
        c.last = CaptureState::Last::captured;
        c.lowestCaptured = c.lowestCaptured > 0 ? std::min(c.lowestCaptured, amplitude) : amplitude;
    } else {
        c.last = CaptureState::Last::failed;
        c.highestFailed = std::max(c.highestFailed, amplitude);
    }
    Q_EMIT capturesChanged();
}

} // namespace tawara
