// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_host.hpp"

#include "engine/core/error.hpp"

#include <QMetaObject>

#include <new>

namespace tawara {
namespace {

constexpr int poll_ms = 8;
constexpr qint64 status_ms = 100, traces_ms = 50;

template <class... F>
struct Overloaded : F...
{
    using F::operator()...;
};

} // namespace

EngineHost::EngineHost(const EngineMaker& maker, Opener opener, QObject* parent)
    : QObject(parent), m_opener(std::move(opener))
{
    qRegisterMetaType<simulation::Status>();
    m_engine = maker([this](const simulation::Event& event) {
        // on the engine's thread: hand a copy to the GUI thread
        QMetaObject::invokeMethod(
            this, [this, event] { handle(event); }, Qt::QueuedConnection);
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
    m_engine.reset(); // joins its thread; events that are still queued die with this object
}

quint64 EngineHost::post(simulation::Command command)
{
    const quint64 id = m_engine->post(command);
    m_pending.insert(id, std::move(command));
    return id;
}

void EngineHost::open(const QString& path)
{
    const std::filesystem::path file(path.toStdString());
    m_opening = true;
    Q_EMIT loadingStarted();
    readInBackground(file);
}

void EngineHost::readInBackground(const std::filesystem::path& file)
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
    auto read = [this, file, ticket, done, opener = m_opener] {
        auto r = std::make_shared<Result>();
        try {
            r->session = opener(file);
        } catch (const std::bad_alloc&) {
            r->error =
                tr("not enough memory to read %1").arg(QString::fromStdString(file.string()));
        } catch (const std::exception& e) {
            r->error = QString::fromUtf8(e.what());
        }
        QMetaObject::invokeMethod(
            this,
            [this, ticket, r] {
                if (ticket != m_readerTicket)
                    return;
                m_opening = false;
                if (r->error.isEmpty())
                    return load(std::move(r->session));
                Q_EMIT openFailed(r->error);
                endLoading();
            },
            Qt::QueuedConnection);
        *done = true;
    };
    m_readers.emplace_back(done, std::jthread(std::move(read)));
}

void EngineHost::load(simulation::Session session)
{
    m_loading = true;
    m_load = post(simulation::Load{std::move(session)});
    Q_EMIT loadingStarted();
}

void EngineHost::cancelLoading()
{
    if (m_opening) {
        ++m_readerTicket;
        m_opening = false;
        endLoading();
    }
    if (m_loading)
        post(simulation::CancelLoad{});
}

void EngineHost::endLoading()
{
    if (!isLoading())
        Q_EMIT loadingEnded();
}

void EngineHost::play()
{
    post(simulation::Play{});
}
void EngineHost::pause()
{
    post(simulation::Pause{});
}
void EngineHost::step(int steps)
{
    post(simulation::StepOnce{steps});
}
void EngineHost::reset()
{
    post(simulation::Reset{});
}
void EngineHost::runUntil(double timeMs)
{
    post(simulation::RunUntil{timeMs});
}
void EngineHost::limitSpeed(double v)
{
    post(simulation::LimitSpeed{v});
}
void EngineHost::setFrameInterval(double wallMs)
{
    post(simulation::FrameInterval{wallMs});
}
void EngineHost::stimulate(const simulation::Stimulate& stimulus)
{
    post(stimulus);
}
void EngineHost::removeProbe(quint64 id)
{
    post(simulation::RemoveProbe{id});
}

void EngineHost::addProbe(const QString& name, const Vec3& position)
{
    post(simulation::AddProbe{name.toStdString(), position});
}

void EngineHost::handle(const simulation::Event& event)
{
    std::visit(Overloaded{
                   [this](const simulation::Loading& e) {
                       if (m_loading)
                           Q_EMIT loadingProgress(e.fraction, QString::fromStdString(e.stage));
                   },
                   [this](const simulation::Loaded& e) { adopt(e.scene); },
                   [this](const simulation::Answer& e) { answered(e); },
                   [this](const simulation::StateChanged& e) {
                       m_status = m_engine->status();
                       m_status.state = e.state;
                       Q_EMIT stateChanged(e.state);
                       Q_EMIT statusPolled(m_status);
                   },
                   [this](const simulation::Failed& e) {
                       Q_EMIT runFailed(QString::fromStdString(e.what));
                   },
                   [this](const simulation::SceneChanged& e) { m_scene = e.scene; },
                   [](const simulation::CaptureEvent&) {},
                   [](const simulation::CeilingsMeasured&) {},
                   [](const simulation::Exported&) {},
               },
               event);
}

void EngineHost::adopt(const ScenePtr& scene)
{
    m_scene = scene;
    m_frame.reset();
    m_probes.clear();
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
        if (a.command != m_load)
            return; // a newer one has taken its place
        m_loading = false;
        if (!a.applied && a.reason != "loading was cancelled")
            Q_EMIT openFailed(QString::fromStdString(a.reason));
        return endLoading();
    }
    if (!a.applied) {
        Q_EMIT refused(QString::fromStdString(a.reason));
        return;
    }
    if (const auto* s = std::get_if<simulation::Stimulate>(&command)) {
        Q_EMIT stimulated(*s);
    } else if (const auto* p = std::get_if<simulation::AddProbe>(&command)) {
        m_probes.insert(a.probe, 0);
        Q_EMIT probeAdded(a.probe, QString::fromStdString(p->name), p->position_mm);
    } else if (const auto* r = std::get_if<simulation::RemoveProbe>(&command)) {
        m_probes.remove(r->probe);
        Q_EMIT probeRemoved(r->probe);
    } else if (std::holds_alternative<simulation::Reset>(command)) {
        for (auto& n : m_probes)
            n = 0;
        Q_EMIT samplesCleared();
    }
}

void EngineHost::poll()
{
    const auto frame = m_engine->newest_frame();
    if (frame && frame != m_frame && m_scene && frame->run == m_scene->run) {
        m_frame = frame;
        Q_EMIT frameArrived(frame);
    }
    const qint64 now = m_clock.elapsed();
    if (now >= m_statusDue) {
        m_statusDue = now + status_ms;
        const State before = m_status.state;
        m_status = m_engine->status();
        if (m_status.state == State::running || before != m_status.state)
            Q_EMIT statusPolled(m_status);
    }
    if (now >= m_tracesDue) {
        m_tracesDue = now + traces_ms;
        pollTraces();
    }
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
