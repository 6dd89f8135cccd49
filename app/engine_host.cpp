// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_host.hpp"

#include "engine/core/error.hpp"
#include "engine/core/overload.hpp"
#include "widgets/panels/region_words.hpp"

#include <algorithm>
#include <new>

namespace tawara {
namespace {

constexpr int poll_ms = 8;
constexpr qint64 status_ms = 100, traces_ms = 50, slow_ms = 400;

/// "no cells have dyads" as "No cells have dyads."
QString sentence(const std::string& reason)
{
    QString text = QString::fromStdString(reason);
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text.endsWith('.') ? text : text + '.';
}

} // namespace

EngineHost::EngineHost(const EngineMaker& maker, Opener opener, QObject* parent)
    : QObject(parent), m_opener(std::move(opener))
{
    qRegisterMetaType<simulation::Status>();
    m_engine = maker([this](const simulation::Event& event) {
        // on the engine's thread: hand a copy to the GUI thread
        postTo(this, [this, event] { handle(event); });
    });
    m_clock.start();
    m_poll.setTimerType(Qt::PreciseTimer);
    m_poll.setInterval(poll_ms);
    connect(&m_poll, &QTimer::timeout, this, &EngineHost::poll);
    m_poll.start();
}

EngineHost::~EngineHost()
{
    m_poll.stop();
    m_pool.waitForDone();
    m_engine.reset(); // joins its thread; events that are still queued die with this object
}

quint64 EngineHost::post(const simulation::Command& command)
{
    const quint64 id = m_engine->post(command);
    m_pending.insert(id, command);
    return id;
}

void EngineHost::open(const QString& path, Gate gate)
{
    const std::filesystem::path file(path.toStdString());
    m_opening = true;
    m_reading = {path, false};
    Q_EMIT loadingStarted();
    readInBackground(file, std::move(gate));
}

void EngineHost::readInBackground(const std::filesystem::path& file, Gate gate)
{
    const quint64 ticket = ++m_readerTicket;
    std::erase_if(m_readers, [](const auto& r) { return r.first->load(); });
    struct Result
    {
        simulation::Session session;
        QString error;
    };
    auto done = std::make_shared<std::atomic<bool>>(false);
    // joined with this object, so `this` outlives it
    auto read = [this, file, ticket, done, opener = m_opener, gate = std::move(gate)] {
        auto r = std::make_shared<Result>();
        try {
            r->session = opener(file);
        } catch (const std::bad_alloc&) {
            r->error =
                tr("not enough memory to read %1").arg(QString::fromStdString(file.string()));
        } catch (const std::exception& e) {
            r->error = QString::fromUtf8(e.what());
        }
        postTo(this, [this, ticket, r, gate] {
            if (ticket != m_readerTicket)
                return;
            m_opening = false;
            if (r->error.isEmpty() && gate)
                return loadThrough(gate, r->session);
            if (r->error.isEmpty())
                return load(std::move(r->session), m_reading);
            Q_EMIT openFailed(r->error);
            endLoading();
        });
        *done = true;
    };
    m_readers.emplace_back(done, std::jthread(std::move(read)));
}

void EngineHost::loadThrough(const Gate& gate, const simulation::Session& session)
{
    const auto at_once = std::make_shared<bool>(false);
    gate([this, session, origin = m_reading, at_once] {
        *at_once = true;
        load(session, origin);
    });
    if (!*at_once)
        endLoading();
}

void EngineHost::load(simulation::Session session, const Origin& origin,
                      std::filesystem::path checkpoint, std::optional<device::MemoryPlan> plan)
{
    Q_EMIT aboutToReplace(false);
    m_loads.emplace(
        post(simulation::Load{std::move(session), std::move(checkpoint), std::move(plan)}), origin);
    Q_EMIT loadingStarted();
}

EngineHost::Origin EngineHost::opening() const
{
    return m_opening ? m_reading : m_loads.empty() ? Origin{} : m_loads.rbegin()->second;
}

void EngineHost::cancelLoading()
{
    if (m_opening) {
        ++m_readerTicket;
        m_opening = false;
        endLoading();
    }
    if (!m_loads.empty() || m_preparing)
        post(simulation::CancelLoad{});
}

void EngineHost::endLoading()
{
    if (!isLoading())
        Q_EMIT loadingEnded();
}

void EngineHost::handle(const simulation::Event& event)
{
    std::visit(Overload{
                   [this](const simulation::Loading& e) {
                       const bool preparing =
                           m_loads.empty() && m_status.state == simulation::Status::State::loading;
                       if (preparing && !std::exchange(m_preparing, true))
                           Q_EMIT preparationStarted();
                       if (preparing || !m_loads.empty())
                           Q_EMIT loadingProgress(e.fraction, QString::fromStdString(e.stage));
                       else if (std::any_of(m_pending.begin(), m_pending.end(), [](const auto& c) {
                                    return std::holds_alternative<simulation::SetPurkinje>(c);
                                }))
                           Q_EMIT networkProgress(e.fraction, QString::fromStdString(e.stage));
                   },
                   [this](const simulation::Loaded& e) { adopt(e.scene); },
                   [this](const simulation::Answer& e) { answered(e); },
                   [this](const simulation::StateChanged& e) {
                       m_status = m_engine->status();
                       m_status.state = e.state;
                       if (e.state != simulation::Status::State::loading &&
                           std::exchange(m_preparing, false))
                           Q_EMIT preparationEnded();
                       Q_EMIT stateChanged(e.state);
                       Q_EMIT statusPolled(m_status);
                   },
                   [this](const simulation::Failed& e) {
                       m_failure = e;
                       Q_EMIT runFailed(QString::fromStdString(e.what));
                   },
                   [this](const simulation::SceneChanged& e) {
                       if (m_scene && e.scene && e.scene->run == m_scene->run) {
                           m_scene = e.scene;
                           Q_EMIT sceneChanged();
                       }
                   },
                   [this](const simulation::CaptureEvent& e) { Q_EMIT captureKnown(e); },
                   [this](const simulation::CeilingsMeasured& e) {
                       Q_EMIT ceilingsMeasured(e.ceilings, QString::fromStdString(e.device),
                                               QString::fromStdString(e.not_counted));
                       if (!e.not_restored.empty())
                           Q_EMIT stateLost(QString::fromStdString(e.not_restored));
                   },
                   [this](const simulation::Exported& e) {
                       m_exports.remove(e.command);
                       Q_EMIT exported(QString::fromStdString(e.path.string()),
                                       QString::fromStdString(e.error));
                   },
                   [this](const simulation::StateKept& e) { Q_EMIT stateKept(e); },
               },
               event);
}

void EngineHost::adopt(const ScenePtr& scene)
{
    m_scene = scene;
    m_origin = m_loads.empty() ? Origin{} : m_loads.begin()->second; // those before are answered
    m_frame.reset();
    m_maps.reset();
    m_ecgSamples = 0;
    m_ecgGeneration = ~quint64{0};
    m_probes.clear();
    m_measured = {};
    tellMaps({});
    if (m_watchVolume)
        post(simulation::WatchVolume{true});
    if (m_watchPhase)
        post(simulation::WatchPhase{true, m_plane});
    Q_EMIT loaded();
    for (const auto& t : m_engine->traces()) {
        m_probes.insert(t.probe, 0);
        Q_EMIT probeAdded(t.probe, QString::fromStdString(t.name), t.position_mm);
    }
    poll();
}

void EngineHost::answered(const simulation::Answer& a)
{
    const simulation::Command command = m_pending.take(a.command);
    if (std::holds_alternative<simulation::Load>(command)) {
        const auto asked = m_loads.extract(a.command);
        if (!m_loads.empty())
            return; // a newer one takes its place
        if (!a.applied && !a.plans.empty())
            Q_EMIT memoryShort(QString::fromStdString(a.reason),
                               std::get<simulation::Load>(command),
                               asked ? asked.mapped() : Origin{}, a.plans);
        else if (!a.applied && !a.cancelled)
            Q_EMIT openFailed(QString::fromStdString(a.reason));
        return endLoading();
    }
    const bool edit = std::holds_alternative<simulation::SetStimuli>(command) ||
                      std::holds_alternative<simulation::SetTissue>(command) ||
                      std::holds_alternative<simulation::SetPurkinje>(command) ||
                      std::holds_alternative<simulation::SetElectrodes>(command) ||
                      std::holds_alternative<simulation::SetEnd>(command);
    if (!a.applied && edit) {
        const auto* tissue = std::get_if<simulation::SetTissue>(&command);
        const bool network = std::holds_alternative<simulation::SetPurkinje>(command);
        Q_EMIT editRefused(a.command,
                           tissue != nullptr        ? inRegionNames(a, tissue->regions)
                           : network && a.cancelled ? tr("The work on the network was cancelled.")
                           : network && !a.fault.empty()
                               ? tr("The Purkinje network: %1").arg(QString::fromStdString(a.fault))
                               : QString::fromStdString(a.reason));
        return;
    }
    if (edit)
        Q_EMIT editApplied();
    if (std::holds_alternative<simulation::SetTissue>(command))
        Q_EMIT tissueApplied();
    if (std::holds_alternative<simulation::SetPurkinje>(command))
        Q_EMIT networkApplied();
    if (const auto* x = std::get_if<simulation::Export>(&command); x != nullptr && !a.applied) {
        m_exports.remove(a.command);
        Q_EMIT exported(QString::fromStdString(x->path.string()), QString::fromStdString(a.reason));
        return;
    }
    if (const auto* k = std::get_if<simulation::KeepState>(&command)) {
        if (!a.applied)
            Q_EMIT stateKept({a.command, k->file, m_status.time_ms, a.reason});
        return;
    }
    if (const auto* d = std::get_if<simulation::WatchDyads>(&command)) {
        if (!a.applied)
            Q_EMIT dyadsRefused(sentence(a.reason));
        else
            Q_EMIT dyadsWatched(d->cell_mm);
        return;
    }
    if (!a.applied) {
        Q_EMIT refused(QString::fromStdString(a.reason));
        return;
    }
    if (const auto* s = std::get_if<simulation::Stimulate>(&command)) {
        Q_EMIT stimulated(*s);
    } else if (const auto* p = std::get_if<simulation::AddProbe>(&command)) {
        m_probes.insert(a.probe, 0);
        m_measured = {};
        Q_EMIT probeAdded(a.probe, QString::fromStdString(p->name), p->position_mm);
    } else if (const auto* r = std::get_if<simulation::RemoveProbe>(&command)) {
        m_probes.remove(r->probe);
        Q_EMIT probeRemoved(r->probe);
    } else if (std::holds_alternative<simulation::Reset>(command)) {
        for (auto& n : m_probes)
            n = 0;
        m_measured = {};
        Q_EMIT samplesCleared();
    } else if (std::holds_alternative<simulation::StartRecording>(command) ||
               std::holds_alternative<simulation::StopRecording>(command)) {
        Q_EMIT recordingChanged();
    }
}

void EngineHost::poll()
{
    const auto frame = m_engine->newest_frame();
    const qint64 now = m_clock.elapsed();
    if (frame && frame != m_frame && m_scene && frame->run == m_scene->run &&
        (now >= m_frameDue || m_status.state != State::running)) {
        m_frame = frame;
        m_frameDue = now + m_leastFrameMs;
        Q_EMIT frameArrived(frame);
    }
    if (now >= m_statusDue) {
        m_statusDue = now + status_ms;
        const auto before = m_status;
        m_status = m_engine->status();
        // paused, it may have been set back or on by a step
        if (m_status.state == State::running || before.state != m_status.state ||
            before.time_ms != m_status.time_ms || before.end_ms != m_status.end_ms ||
            before.recording != m_status.recording)
            Q_EMIT statusPolled(m_status);
    }
    if (now >= m_tracesDue) {
        m_tracesDue = now + traces_ms;
        pollTraces();
        pollEcg();
        if (const auto maps = m_engine->newest_maps();
            maps && maps != m_maps && m_scene && maps->run == m_scene->run) {
            m_maps = maps;
            Q_EMIT mapsArrived(maps);
        }
    }
    if (now >= m_slowDue) {
        m_slowDue = now + slow_ms;
        if (m_watchKernels)
            Q_EMIT kernelsPolled(m_engine->kernels());
        if (m_watchBeats)
            measureBeats();
    }
}

void EngineHost::pollEcg()
{
    auto ecg = m_engine->ecg(m_ecgSamples);
    const bool restarted =
        ecg.generation != m_ecgGeneration || static_cast<qsizetype>(ecg.leads.size()) != m_ecgLeads;
    if (restarted) {
        m_ecgGeneration = ecg.generation;
        m_ecgLeads = static_cast<qsizetype>(ecg.leads.size());
        m_ecgSamples = 0;
        ecg = m_engine->ecg(0);
        if (ecg.generation != m_ecgGeneration)
            return; // once more next time
    } else if (ecg.time_ms.empty()) {
        return;
    }
    m_ecgSamples += ecg.time_ms.size();
    Q_EMIT ecgArrived(ecg, restarted);
}

void EngineHost::measureBeats()
{
    const Measured now{m_probes, m_scene.get(), m_frame.get()};
    if (m_measuring || m_probes.isEmpty() || now == m_measured)
        return; // those of what is there are known
    m_measured = now;
    m_measuring = true;
    m_pool.start(
        this,
        [this, ids = m_probes.keys(), of = m_scene] {
            QHash<quint64, std::vector<simulation::Beat>> beats;
            for (const quint64 id : ids)
                beats.insert(id, m_engine->beats(id));
            postTo(this, [this, beats, of] {
                m_measuring = false;
                if (of && m_scene && of->run == m_scene->run) // else of what was open before
                    Q_EMIT beatsMeasured(beats);
            });
        },
        [this] { m_measuring = false; });
}

void EngineHost::pollTraces()
{
    for (auto p = m_probes.begin(); p != m_probes.end(); ++p) {
        const auto t = m_engine->trace(p.key(), p.value());
        if (t.time_ms.empty())
            continue;
        p.value() += t.time_ms.size();
        Q_EMIT samplesArrived(p.key(), t.time_ms, t.V_mV);
    }
}

} // namespace tawara
