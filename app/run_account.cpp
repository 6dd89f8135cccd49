// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_account.hpp"

#include <algorithm>

namespace tawara {

void RunAccount::loaded()
{
    m_recordWanted = false;
    m_savedToMs = m_keptToMs = -1;
    ++m_starts;
    m_computedMs = 0;
}

void RunAccount::restarted()
{
    m_computedMs = 0;
    m_keptToMs = -1;
    ++m_starts;
    if (m_host.status().recording) // what is recorded begins anew as well
        m_savedToMs = -1;
}

void RunAccount::polled(const simulation::Status& s)
{
    // while it runs it is polled often: what is longer was a pause
    const qint64 passed = m_sinceStatus.isValid() ? m_sinceStatus.restart() : 0;
    m_sinceStatus.start();
    if (s.state == EngineHost::State::running)
        m_computedMs += std::min<qint64>(passed, 1000);
}

void RunAccount::recordingWanted()
{
    m_recordWanted = true;
    m_savedToMs = -1;
}

bool RunAccount::longAndNotKept() const
{
    return m_host.scene() && m_computedMs > m_longRunMs && m_host.status().time_ms > m_keptToMs;
}

std::function<void()> RunAccount::keeper()
{
    return [this, ms = m_host.status().time_ms, of = m_starts] {
        if (of == m_starts)
            kept(ms);
    };
}

bool RunAccount::ofThisRun(const simulation::Recording& recording) const
{
    return m_host.scene() && recording.run() == m_host.scene()->run &&
           !m_views.tissues().keptFor(&recording);
}

} // namespace tawara
