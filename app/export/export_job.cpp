// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/export_job.hpp"

#include "engine/core/error.hpp"

#include <chrono>

namespace tawara {
namespace {

constexpr std::chrono::milliseconds between{50}; // reports

} // namespace

ExportJob::ExportJob(simulation::ExportSource source, simulation::ExportKind kind,
                     const QString& file, QObject* parent)
    : QObject(parent), m_source(std::move(source)), m_kind(kind), m_file(file)
{
}

ExportJob::~ExportJob() = default;

void ExportJob::start()
{
    m_thread = std::jthread([this](const std::stop_token& stop) { write(stop); });
}

void ExportJob::cancel()
{
    m_thread.request_stop();
}

void ExportJob::write(const std::stop_token& stop)
{
    QString error;
    bool cancelled = false;
    std::chrono::steady_clock::time_point due{};
    Progress progress;
    progress.stop = stop;
    progress.report = [&](double fraction, std::string_view) {
        const auto now = std::chrono::steady_clock::now();
        if (now < due)
            return;
        due = now + between;
        QMetaObject::invokeMethod(
            this, [this, fraction] { Q_EMIT progressed(fraction); }, Qt::QueuedConnection);
    };
    try {
        simulation::export_results(m_source, m_kind, m_file.toStdString(), progress);
    } catch (const Cancelled&) {
        cancelled = true;
    } catch (const std::exception& e) {
        error = QString::fromUtf8(e.what());
    }
    QMetaObject::invokeMethod(
        this, [this, error, cancelled] { Q_EMIT ended(m_file, error, cancelled); },
        Qt::QueuedConnection);
}

} // namespace tawara
