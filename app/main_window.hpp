// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/document.hpp"
#include "app/engine_host.hpp"
#include "app/panel_docks.hpp"
#include "app/theme.hpp"
#include "app/view_controller.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/view3d/picture.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <QMainWindow>

namespace tawara {

class CalciumController;
class CellModelController;
class ClickController;
class ConductionController;
class ExportController;
class FramePace;
class GuideWindow;
class KeepingController;
class LeavingController;
class LookController;
class MadeMeshes;
class MeshController;
class MessageBar;
class OpeningController;
class Overlay;
class PaintingController;
class PictureChanges;
class ReplayController;
class ResultsController;
class RunAccount;
class RunController;
class SavingController;
class SceneWork;
class StartPage;
class StatusStrip;
class StudyController;
class TissueController;
class ToolBar;
class TransportBar;

/// The workstation's window (resources/guide/window.md): views in the middle, tools to their left,
/// transport below, panels around. It is a frame: it makes widgets, which know values, and
/// controllers, which know the document and the EngineHost, and connects them.
///
/// @thread GUI thread
class MainWindow : public QMainWindow
{
    Q_OBJECT
  public:
    /// @param host  must outlive the window
    explicit MainWindow(EngineHost* host, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a mesh or session file; the built-in heart for an empty path.
    void open(const QString& path);
    /// Whether what is opened starts to run by itself, while this window is there; the user's own
    /// choice (Run > Start when opened) stays what the next one begins with.
    void setAutoPlay(bool on);
    /// How much wall time of computing is not given up unasked [ms].
    void setLongRun(qint64 ms);
    /// Whether it asks before unsaved changes are lost; not where nobody could answer.
    void setAsking(bool on);
    /// The first view shows the phase in that plane, whatever a session says.
    void showPhase(const simulation::PhasePlane& p);
    void setMode(ClickMode mode);
    ClickMode mode() const;
    void setTheme(Theme theme);
    void showStart(bool on);
    /// Raises a panel by its dock's object name, e.g. "tissueDock".
    void raisePanel(const QString& dock);
    /// The picture of the heart as it is on screen; the whole window where asked for.
    QImage picture(bool wholeWindow);

    HeartView* view() { return m_grid->view(0); }
    ViewGrid* views() { return m_grid; }
    ViewController* viewController() { return m_views; }
    const PaintingController* painting() const { return m_painting.get(); }
    DisplayPath* displayPath() { return m_displayPath; }
    Document* document() { return m_document; }
    ProbeModel* probes() { return m_probes; }
    TracePlot* plot() { return m_panels.plot; }
    ExportController* exporting() { return m_exporting.get(); }
    SavingController* saving() { return m_saving.get(); }
    CellModelController* cellModels() { return m_cells.get(); }
    StudyController* study() { return m_study.get(); }
    KeepingController* keeping() { return m_keeping.get(); }

  protected:
    bool event(QEvent* e) override;
    void dragEnterEvent(QDragEnterEvent* e) override;
    void dropEvent(QDropEvent* e) override;
    void closeEvent(QCloseEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;

  private:
    // main_window_layout.cpp
    void buildCentre();
    void buildTools();
    /// Where messages lie: at the foot of the views, beside what is written in them.
    QRect messageRoom() const;
    void restoreSettings();
    /// Of a session, or of the settings.
    void restoreView(const std::string& json);
    // main_window_menus.cpp
    void buildMenus();
    void buildFileMenu();
    void buildExports(QMenu& file);
    void buildEditMenu();
    void buildRunMenu();
    void buildMeshMenu();
    void buildViewMenu();
    void buildNetworkMenu(QMenu& view);
    void buildHelpMenu();
    void showShortcuts();
    void showGuide(const QString& page);
    void showHints();
    // main_window_connect.cpp
    void buildControllers();
    void connectControllers();
    void connectExports();
    void connectHost();
    void connectResults();
    void connectWidgets();
    void connectDocument();
    void connectPanels();
    // main_window.cpp
    void hostLoaded();
    void modelReady();
    void sceneChanged();
    void showFrame(const EngineHost::FramePtr& frame);
    void showStatus(const simulation::Status& s);
    void documentChanged();

    // first: event() reads them, and Qt calls it from the moment the window has a child
    std::unique_ptr<PanelDocks> m_docks;
    ToolBar* m_tools = nullptr;

    EngineHost* m_host;
    Document* m_document;
    ProbeModel* m_probes;
    ViewGrid* m_grid = nullptr;
    DisplayPath* m_displayPath = nullptr;
    ViewController* m_views = nullptr;
    QWidget* m_viewFrame = nullptr;
    TransportBar* m_transport = nullptr;
    MessageBar* m_message = nullptr;
    Overlay* m_overlay = nullptr;
    StartPage* m_start = nullptr;
    StatusStrip* m_strip = nullptr;
    GuideWindow* m_guide = nullptr;
    QAction* m_lightAction = nullptr;
    Panels m_panels{};
    // what the parts of the window do; they go before what they know
    std::unique_ptr<SceneWork> m_work;
    std::unique_ptr<PictureChanges> m_changes;
    std::unique_ptr<FramePace> m_pace;
    std::unique_ptr<RunAccount> m_account;
    std::unique_ptr<ExportController> m_exporting;
    std::unique_ptr<LeavingController> m_leaving;
    std::unique_ptr<MadeMeshes> m_made;
    std::unique_ptr<MeshController> m_mesh;
    std::unique_ptr<SavingController> m_saving;
    std::unique_ptr<OpeningController> m_opening;
    std::unique_ptr<ReplayController> m_replay;
    std::unique_ptr<RunController> m_run;
    std::unique_ptr<ResultsController> m_results;
    std::unique_ptr<LookController> m_look;
    std::unique_ptr<TissueController> m_tissue;
    std::unique_ptr<CellModelController> m_cells;
    std::unique_ptr<PaintingController> m_painting;
    std::unique_ptr<ClickController> m_clicks;
    std::unique_ptr<CalciumController> m_calcium;
    std::unique_ptr<ConductionController> m_conduction;
    std::unique_ptr<StudyController> m_study;
    std::unique_ptr<KeepingController> m_keeping;
};

} // namespace tawara
