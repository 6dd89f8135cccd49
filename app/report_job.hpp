// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "engine/simulation/report_page.hpp"

#include <QTemporaryDir>

namespace tawara {

/// Makes a report of the run (.html or .pdf): the engine writes the page, the window's pictures are
/// put into it. Deletes itself when it has ended.
///
/// @thread GUI thread
class ReportJob : public QObject
{
    Q_OBJECT
  public:
    using Pictures = std::vector<simulation::ReportPage::Picture>;
    ReportJob(EngineHost* host, const QString& file, Pictures pictures, QObject* parent = nullptr);
    void start();

  Q_SIGNALS:
    /// The error is empty when the file is there.
    void ended(const QString& file, const QString& error);

  private:
    void written(const QString& path, const QString& error);

    EngineHost* m_host;
    QString m_file;
    Pictures m_pictures;
    QTemporaryDir m_folder;
};

} // namespace tawara
