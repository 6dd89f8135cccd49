// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/study_files.hpp"
#include "app/study_work.hpp"
#include "app/work_pool.hpp"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>

class QWidget;

namespace tawara {

class Document;
class LeavingController;
class MadeMeshes;
class MessageBar;
class StudyDialog;
class StudyPanel;

/// The study that is open: made from the session in the window, opened from a folder, computed
/// here, or followed while other programs compute it. Its ledger is what both know of it.
///
/// @thread GUI thread; the ledger is looked at on a thread of the pool
class StudyController : public QObject
{
    Q_OBJECT
  public:
    /// Others that it works with.
    struct Others
    {
        Document& document;
        LeavingController& leaving;
        MadeMeshes& made;
        MessageBar& message;
    };
    StudyController(QWidget& window, EngineHost& host, StudyPanel& panel, const Others& others);
    ~StudyController() override;

    /// Devices and precision of runs, as those of the window's engine.
    void setDevice(const device::StepperOptions& o, bool precisionGiven);
    /// Opens a study: its file, its folder or its ledger.
    void open(const QString& path);
    void close();
    void askForNew();
    void askForStudy();
    /// Takes runs that nobody computes. @param failedToo  those that failed are tried again
    void start(bool failedToo);
    void stop() { m_work.stop(); }
    bool computing() const { return m_work.running(); }
    /// "5 of 17 runs are done": for whoever may end it.
    QString stateText() const;

  Q_SIGNALS:
    void panelWanted(const QString& dock);
    /// A run as a session: it is to take the place of what is open.
    /// @param checkpoint  of that run, which it begins with; empty: there is none
    void sessionMade(const tawara::simulation::Session& session,
                     const std::filesystem::path& checkpoint);
    void stopped(); ///< no run is computed here any more

  private:
    void connectPanel();
    void askForExample();
    /// Makes the folder with what the dialog says; tells the dialog where that fails.
    void makeNew(StudyDialog& dialog);
    /// Nothing is computed here, or it says that something is.
    bool free();
    /// Runs `job` elsewhere, then `done` with its result, or `failed` with why there is none.
    template <class Job, class Done>
    void aside(Job job, Done done, std::function<void(const QString&)> failed = {});
    /// That study is open from now on.
    /// @param ms_per_s  speed that its forecast is told with; 0: not known
    void adopt(StudyToShow s, double ms_per_s);
    void look();
    void show(const StudyViewPtr& view);
    QString estimate() const;
    void showWork();
    void ended(const QString& error);
    void openRun(std::int64_t run);
    void openRunPage(std::int64_t run);
    void showPicture(std::int64_t run);
    void report();
    void copyCommand();
    void openFolder(const std::filesystem::path& path);
    std::filesystem::path folderOf(std::int64_t run) const;
    void fail(const QString& reason, const QString& advice = {});

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    LeavingController& m_leaving;
    MadeMeshes& m_made;
    StudyPanel& m_panel;
    MessageBar& m_message;
    device::StepperOptions m_device;
    bool m_precisionGiven = false;
    StudyWork m_work;
    std::filesystem::path m_folder;      ///< of the study that is open; empty: none
    std::optional<study::Study> m_study; ///< where its file was read
    std::optional<study::Forecast> m_forecast;
    double m_forecastSpeed = 0; ///< that the forecast is told with [ms/s]; 0: not known
    double m_speed = 0;         ///< of the run in the window, as last seen [ms/s]
    StudyViewPtr m_view;
    std::shared_ptr<study::StudyWatch> m_watch; ///< where it was begun; used on the pool
    bool m_looking = false;
    std::int64_t m_picture = -1; ///< the run whose picture is wanted
    QTimer m_due;
    WorkPool m_pool; ///< looks; waited for
};

} // namespace tawara
