// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mesh_job.hpp"

#include "engine/core/error.hpp"

#include <QElapsedTimer>
#include <QMetaObject>

#include <memory>
#include <new>

namespace tawara {
namespace {

constexpr qint64 report_ms = 50; // at most so often

} // namespace

MeshJob::MeshJob(Work work, QObject* parent) : QObject(parent), m_work(std::move(work)) {}

MeshJob::~MeshJob() = default;

void MeshJob::start()
{
    m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void MeshJob::cancel()
{
    m_thread.request_stop();
}

void MeshJob::run(const std::stop_token& stop)
{
    Progress progress;
    progress.stop = stop;
    QElapsedTimer clock;
    progress.report = [&](double fraction, std::string_view stage) {
        if (clock.isValid() && clock.elapsed() < report_ms)
            return;
        clock.start();
        const auto text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
        QMetaObject::invokeMethod(
            this, [this, fraction, text] { Q_EMIT progressed(fraction, text); },
            Qt::QueuedConnection);
    };
    auto session = std::make_shared<simulation::Session>();
    QString reason;
    bool done = false;
    try {
        *session = m_work(progress);
        done = !stop.stop_requested();
    } catch (const Cancelled&) {
    } catch (const std::bad_alloc&) {
        reason = tr("Not enough memory for this mesh; choose a coarser one.");
    } catch (const std::exception& e) {
        reason = QString::fromUtf8(e.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, session, reason, done] {
            if (done)
                Q_EMIT made(*session);
            else
                Q_EMIT failed(reason);
        },
        Qt::QueuedConnection);
}

} // namespace tawara
