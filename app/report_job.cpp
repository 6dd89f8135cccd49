// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_job.hpp"

#include "app/export/report_writer.hpp"

#include <QFile>

namespace tawara {

ReportJob::ReportJob(EngineHost* host, const QString& file, Pictures pictures, QObject* parent)
    : QObject(parent), m_host(host), m_file(file), m_pictures(std::move(pictures))
{
    connect(host, &EngineHost::exported, this, &ReportJob::written);
}

void ReportJob::start()
{
    if (!m_host->scene()) {
        Q_EMIT ended(m_file, tr("Nothing is loaded; open a heart first."));
        return deleteLater();
    }
    m_host->exportResults(QStringLiteral("report-html"), m_folder.filePath("page.html"));
}

void ReportJob::written(const QString& path, const QString& error)
{
    const QString page = m_folder.filePath("page.html");
    if (path != page)
        return; // another export
    disconnect(m_host, nullptr, this, nullptr);
    QString failure = error;
    QFile file(page);
    if (failure.isEmpty() && !file.open(QIODevice::ReadOnly))
        failure = tr("%1: cannot be read: %2").arg(page, file.errorString());
    if (failure.isEmpty()) {
        try {
            const auto scene = m_host->scene();
            const QString title = scene ? QString::fromStdString(scene->session.name) : QString();
            failure = writeReport(
                simulation::with_pictures(file.readAll().toStdString(), m_pictures), title, m_file);
        } catch (const std::exception& e) {
            failure = QString::fromUtf8(e.what());
        }
    }
    Q_EMIT ended(m_file, failure);
    deleteLater();
}

} // namespace tawara
