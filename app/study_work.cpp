// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_work.hpp"

#include "app/export/hand_over.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace tawara {
namespace {

/// The run in the window comes before the study: it gets nearly all where both want a core.
constexpr int study_niceness = 15;

} // namespace

StudyWork::~StudyWork()
{
    disconnect();
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
}

void StudyWork::start(study::Study s, study::StudyOptions o, const Context& context)
{
    m_stopping = false;
    m_progress.clear();
    m_stage = tr("Reads the sessions of its runs");
    m_atOnce = static_cast<unsigned>(
        std::max<std::size_t>(1, study::slots_of(o, context.threads, 0, 1).size()));
    m_thread = std::jthread([this, s = std::move(s), o = std::move(o), context](
                                const std::stop_token& stop) { compute(s, o, context, stop); });
}

void StudyWork::stop()
{
    if (!running())
        return;
    m_stopping = true;
    m_thread.request_stop();
}

RunProgress StudyWork::progress() const
{
    const std::lock_guard hold(m_mutex);
    return m_progress;
}

QString StudyWork::stage() const
{
    const std::lock_guard hold(m_mutex);
    return m_stage;
}

void StudyWork::compute(const study::Study& s, study::StudyOptions o, const Context& context,
                        const std::stop_token& stop)
{
    // threads that it starts inherit it (engine/simulation/live/engine_faults.cpp)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), study_niceness);
    o.run_progress = [this](std::int64_t run, double fraction, std::string_view stage) {
        const std::lock_guard hold(m_mutex);
        m_stage.clear();
        m_progress[run] = {fraction, QString::fromUtf8(stage.data(), qsizetype(stage.size()))};
    };
    o.notice = [this](const Notice& n) {
        if (n.level == Notice::Level::warning)
            postTo(this, [this, text = QString::fromStdString(n.text)] { Q_EMIT remarked(text); });
    };
    QString error;
    try {
        study::run_study(s, o, {{}, stop, context});
    } catch (const Cancelled&) { // as was asked for
    } catch (const std::bad_alloc&) {
        error = tr("There is not enough memory for this study.");
    } catch (const std::exception& e) {
        error = QString::fromUtf8(e.what());
    }
    postTo(this, [this, error] { finish(error); });
}

void StudyWork::finish(const QString& error)
{
    m_thread.join();
    m_stopping = false;
    {
        const std::lock_guard hold(m_mutex);
        m_progress.clear();
        m_stage.clear();
    }
    Q_EMIT ended(error);
}

} // namespace tawara
