// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/job.hpp"

#include "app/export/hand_over.hpp"
#include "engine/core/error.hpp"

#include <chrono>
#include <new>

namespace tawara {
namespace {

constexpr std::chrono::milliseconds between{50}; // reports

} // namespace

Job::Job(Work work, const Context& context, QObject* parent)
    : QObject(parent), m_work(std::move(work)), m_context(context)
{
}

Job::~Job() = default;

void Job::start()
{
    m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Job::cancel()
{
    m_thread.request_stop();
}

void Job::run(const std::stop_token& stop)
{
    std::chrono::steady_clock::time_point due{};
    Progress progress{{}, stop, m_context};
    progress.report = [&](double fraction, std::string_view stage) {
        const auto now = std::chrono::steady_clock::now();
        if (now < due)
            return;
        due = now + between;
        const auto text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
        postTo(this, [this, fraction, text] { Q_EMIT progressed(fraction, text); });
    };
    QString error;
    bool cancelled = false;
    try {
        m_work(progress);
    } catch (const Cancelled&) {
        cancelled = true;
    } catch (const std::bad_alloc&) {
        error = tr("Not enough memory.");
    } catch (const std::exception& e) {
        error = QString::fromUtf8(e.what());
    }
    postTo(this, [this, error, cancelled] { Q_EMIT ended(error, cancelled); });
}

} // namespace tawara
