// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/view_controller.hpp"
#include "app/work_pool.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <QTemporaryDir>

namespace tawara {

/// Makes a report of the run (.html or .pdf): the engine writes the page, pictures of the heart
/// now, of its activation and of its APD are put into it. Deletes itself when it has ended.
///
/// @thread GUI thread
class ReportJob : public QObject
{
    Q_OBJECT
  public:
    /// @param views   with the first of them the heart is looked at
    ReportJob(EngineHost* host, ViewController* views, HeartView* like, const QString& file,
              QObject* parent = nullptr);
    ~ReportJob() override;
    void start();
    /// Whether that is a file of its own, on the way to the report.
    bool owns(const QString& path) const;

  Q_SIGNALS:
    /// The error is empty when the file is there.
    void ended(const QString& file, const QString& error);

  private:
    void potentialWritten(const QString& error);
    void askForMaps();
    void mapsArrived(const std::shared_ptr<const simulation::MapFrame>& maps);
    void draw();
    void written(const QString& path, const QString& error);
    /// Puts the pictures into the engine's page and writes it; empty when done.
    /// @thread any, while nothing else of this changes
    QString lay(const QString& page, const QString& title) const;
    void end(const QString& error);
    void releaseMaps();

    EngineHost* m_host;
    ViewController* m_views;
    HeartView* m_like;
    QString m_file;
    std::vector<float> m_potential; ///< per vertex of the surface [mV]
    QStringList m_captions;
    std::vector<QImage> m_pictures; ///< of m_captions
    QTimer m_patience;              ///< for maps that nobody has watched so far
    bool m_drawing = false;
    std::int64_t m_asked = 0; ///< the beat, as simulation::WatchMaps has it
    bool m_holding = false;   ///< the maps of that beat
    bool m_mapsCame = false;  ///< they are shown
    QTemporaryDir m_folder;
    WorkPool m_pool; ///< lays the page out
};

} // namespace tawara
