// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of the window, as commands to the engine.
#include "app/engine_host.hpp"

#include <utility>

namespace tawara {
namespace {

constexpr double maps_wall_ms = 250;

} // namespace

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
    Q_EMIT aboutToReplace(true);
    post(simulation::Reset{});
}
quint64 EngineHost::keepState(const std::filesystem::path& file, double mostBytes)
{
    return post(simulation::KeepState{file, mostBytes});
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
void EngineHost::setFrameValues(bool host, bool device)
{
    post(simulation::FrameValues{host, device});
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

quint64 EngineHost::setStimuli(std::vector<simulation::Stimulus> stimuli)
{
    return post(simulation::SetStimuli{std::move(stimuli)});
}
quint64 EngineHost::setTissue(std::vector<simulation::Region> regions,
                              std::vector<simulation::Drug> drugs,
                              const simulation::Prepacing& prepacing)
{
    return post(simulation::SetTissue{std::move(regions), std::move(drugs), prepacing});
}
quint64 EngineHost::setPurkinje(const Held<simulation::PurkinjeKeys>& keys)
{
    return post(simulation::SetPurkinje{keys});
}
void EngineHost::cancelChange()
{
    post(simulation::CancelChange{});
}
quint64 EngineHost::setElectrodes(std::vector<simulation::Electrode> electrodes,
                                  simulation::Leads leads, double everyMs)
{
    return post(simulation::SetElectrodes{std::move(electrodes), std::move(leads), everyMs});
}
quint64 EngineHost::setEnd(double ms)
{
    return post(simulation::SetEnd{ms});
}

void EngineHost::watchMaps(bool on, int beat)
{
    const auto before = mapsWanted();
    m_watchMaps = on;
    m_beat = beat;
    tellMaps(before);
}
void EngineHost::holdMaps(std::optional<int> beat)
{
    const auto before = mapsWanted();
    m_heldBeat = beat;
    tellMaps(before);
}
std::optional<int> EngineHost::mapsWanted() const
{
    return m_heldBeat ? m_heldBeat : m_watchMaps ? std::optional(m_beat) : std::nullopt;
}
void EngineHost::tellMaps(std::optional<int> before)
{
    if (const auto now = mapsWanted(); now != before)
        post(simulation::WatchMaps{now.has_value(), maps_wall_ms, now.value_or(m_beat)});
}
void EngineHost::watchVolume(bool on)
{
    if (std::exchange(m_watchVolume, on) != on)
        post(simulation::WatchVolume{on});
}
void EngineHost::watchDyads(const std::optional<Vec3>& cell)
{
    post(simulation::WatchDyads{cell});
}

void EngineHost::watchPhase(bool on, const simulation::PhasePlane& plane)
{
    const bool other = std::exchange(m_plane, plane) != plane && on;
    if (std::exchange(m_watchPhase, on) != on || other)
        post(simulation::WatchPhase{on, plane});
}

void EngineHost::startRecording(double everyMs, quint64 maxBytes)
{
    post(simulation::StartRecording{everyMs, maxBytes});
}
void EngineHost::stopRecording()
{
    post(simulation::StopRecording{});
}
void EngineHost::measureCeilings()
{
    post(simulation::MeasureCeilings{});
}
void EngineHost::exportResults(const QString& kind, const QString& path)
{
    m_exports.insert(post(simulation::Export{kind.toStdString(), path.toStdString()}));
}

} // namespace tawara
