// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/replay_controller.hpp"

#include "app/view_controller.hpp"
#include "engine/simulation/observe/dyad_recording.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

namespace tawara {

ReplayController::ReplayController(EngineHost& host, ViewController& views, TransportBar& transport,
                                   TracePlot& plot, EcgPlot& ecg, MessageBar& message)
    : m_host(host), m_views(views), m_transport(transport), m_plot(plot), m_ecg(ecg),
      m_message(message)
{
    connect(&m_timer, &QTimer::timeout, this, &ReplayController::showNext);
    connect(transport.timeline(), &Timeline::scrubbed, this, &ReplayController::lookBack);
    connect(transport.timeline(), &Timeline::followRequested, this, &ReplayController::follow);
}

void ReplayController::replay(bool on)
{
    const auto recording = m_host.recording();
    if (!on || !recording || recording->frame_count() == 0)
        return m_timer.stop();
    const auto shown = m_transport.timeline()->shown();
    const double last = recording->time_of(recording->frame_count() - 1);
    m_ms = shown && *shown < last - 1 ? *shown : recording->time_of(0);
    m_timer.start(33);
}

void ReplayController::showNext()
{
    const auto recording = m_host.recording();
    if (!recording || recording->frame_count() == 0)
        return m_timer.stop();
    const double speed = m_transport.speedLimit() > 0 ? m_transport.speedLimit() : 100;
    m_ms += speed * m_timer.interval() / 1000.0;
    lookBack(m_ms);
    if (m_ms > recording->time_of(recording->frame_count() - 1))
        m_timer.stop();
}

void ReplayController::lookBack(double ms)
{
    const auto recording = m_host.recording();
    if (!recording || !m_host.scene() || recording->run() != m_host.scene()->run)
        return;
    try {
        const auto frame = recording->at(ms);
        if (!frame)
            return;
        m_views.lookBack(frame, recording.get());
        showMoment(frame->time_ms);
        m_message.settle("replay");
    } catch (const std::exception& e) {
        m_message.showMessage(MessageBar::Level::error, QString::fromUtf8(e.what()),
                              tr("Other moments may still be there."), "replay");
    }
}

void ReplayController::follow()
{
    m_timer.stop();
    if (!m_views.lookingBack())
        return;
    m_views.lookBack(nullptr);
    showMoment({});
}

void ReplayController::showMoment(std::optional<double> ms)
{
    m_moment = ms;
    if (m_host.frame())
        m_transport.setTime(m_host.frame()->time_ms);
    m_transport.setReplay(ms, m_views.tissues().keptFor(m_host.recording().get()));
    m_plot.setMoment(ms);
    m_ecg.setMoment(ms);
    Q_EMIT momentChanged();
}

void ReplayController::sayRecorded()
{
    const auto recording = m_host.recording();
    if (!recording || !m_host.scene() || recording->run() != m_host.scene()->run ||
        recording->frame_count() == 0)
        return m_transport.timeline()->setRecorded({});
    const double first = recording->time_of(0),
                 last = recording->time_of(recording->frame_count() - 1);
    m_transport.timeline()->setRecorded(std::pair{first, last},
                                        m_views.tissues().keptFor(recording.get()));
    const auto cells = recording->cells() ? recording->cells()->bytes() : 0;
    m_transport.setRecordingText(
        tr("%1 frames, every %2 ms, %3 MB on disk")
            .arg(recording->frame_count())
            .arg(recording->every_ms())
            .arg(static_cast<double>(recording->bytes() + cells) / 1e6, 0, 'f', 1));
}

} // namespace tawara
