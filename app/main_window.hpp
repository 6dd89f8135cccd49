// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/document.hpp"
#include "app/engine_host.hpp"
#include "app/model_files.hpp"
#include "app/settings.hpp"
#include "app/theme.hpp"
#include "app/view_controller.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/view3d/picture.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <QMainWindow>

class QActionGroup;
class QDockWidget;

namespace tawara {

namespace cell {
struct Candidates;
}
class BeatsPanel;
class EcgPanel;
class ExportController;
class GuideWindow;
class InfoPanel;
class LeavingController;
class MadeMeshes;
class MeshController;
class MessageBar;
class Overlay;
class PacingPanel;
class PaintingController;
class PerformancePanel;
class ProbePanel;
class RunAccount;
class StartPage;
class StatusStrip;
class StimulusPanel;
class TissuePanel;
class TracePlot;
class TransportBar;
class ViewPanel;

/// The workstation's window (resources/guide/window.md): views in the middle, tools to their left,
/// transport below, panels around. It connects widgets, which know values, to the document and the
/// EngineHost, which knows the engine.
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
    void showPhase(const simulation::PhasePlane& p) { m_phasePlane = p; }
    /// Gives a region the cell model of a file; asks for its variables where they are unclear.
    void useModelFile(int region, const QString& path);
    /// Opens the session anew with the fibres of that file, or by rule (simulation::rule_based).
    void useFibres(const QString& from, const mesh::generator::FibreRules& rule = {});
    void setMode(ClickMode mode);
    ClickMode mode() const { return m_mode; }
    void setTheme(Theme theme);
    void showStart(bool on);
    HeartView* view() { return m_grid->view(0); }
    /// From one picture of a run to the next [ms], where the processor draws as well as computes:
    /// drawing takes a third of the time at most, where computing comes first a tenth and at most
    /// four pictures a second; at least one is drawn in two seconds.
    /// @param paint_ms  what a picture takes; 0 where a graphics card draws
    static int frameInterval(double paint_ms, bool computeFirst);
    ViewGrid* views() { return m_grid; }
    ViewController* viewController() { return m_views; }
    DisplayPath* displayPath() { return m_displayPath; }
    Document* document() { return m_document; }
    ProbeModel* probes() { return m_probes; }
    TracePlot* plot() { return m_plot; }
    /// The picture of the heart as it is on screen; the whole window where asked for.
    QImage picture(bool wholeWindow);
    /// The heart at any size, off the screen; null (with the reason) where that fails.
    QImage pictureOfHeart(const PictureOptions& options, QString* why = nullptr);
    /// Writes the session with view and layout into an existing folder, as .json where no suffix is
    /// given; empty when done, else what failed.
    QString saveSession(const QString& chosen);
    /// Whether what is open is a session file that may be written over: no example.
    bool ownSession() const;
    /// Writes a report of the run with pictures (.html or .pdf); a message says when it is there.
    void makeReport(const QString& path);
    /// Begins a movie of what the views show from now on, or ends it.
    void filmScreen(const QString& path);
    void endFilm();
    bool filming() const;
    /// Raises a panel by its dock's object name, e.g. "tissueDock".
    void raisePanel(const QString& dock);

  protected:
    bool event(QEvent* e) override;
    void dragEnterEvent(QDragEnterEvent* e) override;
    void dropEvent(QDropEvent* e) override;
    void closeEvent(QCloseEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;

  private:
    enum class Next { nothing, region_centre, electrode }; // what the next click on the wall is for

    // main_window_layout.cpp
    void buildCentre();
    void buildDocks();
    void buildTools();
    void dressTabs();
    /// Those in front at the right edge; null: none is there.
    QDockWidget* sidePanel() const;
    void restoreFirstLayout();
    /// Keys go to the current view, not to a field of a panel that lies behind another; one that is
    /// out of sight otherwise (the window is minimised, it floats) keeps what is being typed.
    void releaseFocus(const QDockWidget* hidden);
    /// What a small window has narrowed becomes wide again with the window.
    void keepSideWidth();
    void fitTools(); ///< without words where the window is small
    /// Where messages lie: at the foot of the views, beside what is written in them.
    QRect messageRoom() const;
    void restoreSettings();
    // main_window_menus.cpp
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildRunMenu();
    void buildViewMenu();
    void buildHelpMenu();
    void showShortcuts();
    void showGuide(const QString& page);
    void fillStart();
    void showHints();
    // main_window_connect.cpp
    void connectHost();
    void connectResults();
    void connectTraces();
    void connectWidgets();
    void connectPanels();
    void buildControllers();
    void connectControllers();
    QString openingName() const; ///< of what is being opened, for people
    void connectView(HeartView* view, int index);
    // main_window.cpp
    void hostLoaded();
    void modelReady();
    void showFrame(const EngineHost::FramePtr& frame);
    /// @param about  as MessageBar::showMessage() has it
    void showError(const QString& reason, const QString& advice, const QString& about = {});
    void documentChanged();
    void playOrPause();
    void wallClicked(const scene::Pick& pick);
    /// The next click on the wall is for this, whatever the tool; Esc, or a tool, leaves it.
    /// @param what  is said until then
    void awaitClick(Next next, const QString& what);
    /// The chosen region's ball or box gets its middle there.
    void placeRegion(const Vec3& at);
    /// That what is shown is of the tissue before an edit, where the run has ended; or no longer.
    void sayResultsAreOld(bool on);
    /// From when on the tissue, or a drug, is another one.
    /// @param before  how many changes of this run's tissue were known
    void sayTissue(std::size_t before);
    /// From when on a drug acts that was given, changed or taken away during the run.
    void sayDrugs();
    /// One pulse of a site now.
    void paceNow(const simulation::Stimulus& site);
    /// Adds a pacing site and says when it paces.
    void addSite(const QString& what, const simulation::Stimulus& fresh);
    void updateMarkers();
    void updateRegions();
    void updateVelocity();
    void showBeats();
    /// What became of a pulse.
    void showCapture(const simulation::CaptureEvent& e);
    void showEcg(const simulation::Ecg& ecg, bool restarted);
    /// Keeps the curves of probes and leads to compare with, or lets them go.
    void keepCurves(bool on);
    void showMapBeats(const std::shared_ptr<const simulation::MapFrame>& maps);
    void updateWatches();
    void updateBullseye();
    /// What the user chose; can be undone.
    void changeView(const ViewSettings& s);
    void applyView(const ViewSettings& s);
    void restoreView(const std::string& json);
    void usePhase(ViewSettings& s) const;
    void lookBack(double ms);
    /// A recorded moment in the transport and the plots; nothing while following the run.
    void showMoment(std::optional<double> ms);
    /// V at the probes in their list: beneath the mouse on the plot, between its cursors, at the
    /// moment of a replay, or now.
    void showProbeValues();
    void followRun();
    void replay(bool on);
    void record(bool on);
    /// The same, as somebody asked for it: what is recorded then is not lost unasked, nor is what
    /// it takes the place of.
    void recordByHand(bool on);
    /// What the View panel says of the cut face.
    void sayCutFace();
    void askForFile();
    void askForLength();
    /// To the first moment of the run, which is lost, so it may ask; frames stay unless they are
    /// being recorded, when they begin anew.
    void backToStart(std::function<void()> then = {});
    /// Reads it, asks what may be lost, and opens it; else all stays as it is.
    void askAndOpen(const QString& path);
    /// The window's title: the file that is open, else what is.
    QString titleText() const;
    void askForSession();
    /// Into the file that is open, else into one that is asked for.
    void saveOrAsk();
    void saveTo(const QString& path);
    // main_window_cells.cpp
    void askForModelFile(int region);
    void askForVariables(int region, const QString& path, const cell::Candidates& candidates);
    void useModel(int region, const std::string& key, const cell::ModelInfo* info);
    /// The panel shows this description of a model from now on.
    void takeModel(const std::string& key, const cell::ModelInfo* info);
    /// Its file has changed: panel and run take it as it is now.
    void readModelAnew(const std::string& key, const cell::ModelInfo* info);
    void connectModels();
    // main_window_run.cpp
    void askForNumerics();
    /// The time between pictures of a run: where the processor draws as well as computes, drawing
    /// takes a part of it alone (frameInterval()).
    void paceFrames();
    /// The document that is open is computed anew with this session.
    void loadAnew(const simulation::Session& session);
    void rememberFile(const QString& path);
    void fillRecent();
    void showGl();
    /// Changes widgets along with the next picture: on software OpenGL every change composes the
    /// whole window anew.
    void withPicture(std::function<void()> change);
    void flushChanges();
    /// Runs `job` elsewhere, then `done` with its result here, unless another scene was loaded.
    template <class Job, class Done>
    void elsewhere(Job job, Done done);

    EngineHost* m_host;
    Document* m_document;
    ModelFiles* m_models;
    ViewGrid* m_grid = nullptr;
    DisplayPath* m_displayPath = nullptr;
    ViewController* m_views = nullptr;
    QWidget* m_viewFrame = nullptr;
    TransportBar* m_transport = nullptr;
    MessageBar* m_message = nullptr;
    Overlay* m_overlay = nullptr;
    StartPage* m_start = nullptr;
    PacingPanel* m_pacing = nullptr;
    StimulusPanel* m_stimulus = nullptr;
    TissuePanel* m_tissue = nullptr;
    ViewPanel* m_viewPanel = nullptr;
    PerformancePanel* m_performance = nullptr;
    ProbePanel* m_probePanel = nullptr;
    BeatsPanel* m_beats = nullptr;
    QHash<quint64, std::vector<simulation::Beat>> m_measured; ///< by probe
    EcgPanel* m_ecg = nullptr;
    InfoPanel* m_info = nullptr;
    StatusStrip* m_strip = nullptr;
    TracePlot* m_plot = nullptr;
    ProbeModel* m_probes = nullptr;
    GuideWindow* m_guide = nullptr;
    QHash<QString, QDockWidget*> m_docks;
    QStringList m_dockOrder;
    QActionGroup* m_modes = nullptr;
    QMenu* m_recent = nullptr;
    QAction *m_keepAction = nullptr, *m_autoPlayAction = nullptr, *m_autoRecordAction = nullptr,
            *m_computeFirst = nullptr, *m_saveAction = nullptr, *m_lightAction = nullptr,
            *m_scarAction = nullptr, *m_filmAction = nullptr;
    ClickMode m_mode = ClickMode::stimulate;
    Next m_next = Next::nothing;
    std::optional<std::pair<int, Quantity>> m_beforePainting; // a view, and what it showed
    QTimer m_replay, m_changesDue;
    std::vector<std::function<void()>> m_changes; ///< that wait for a picture
    double m_replayMs = 0;
    QString m_path; // of what is open; empty: the built-in heart, or nothing saved yet
    std::optional<simulation::PhasePlane> m_phasePlane; ///< of the command line
    bool m_autoPlay = true, m_autoPlayChosen = true;
    quint64 m_startedRun = 0;     // the run that auto play has seen
    bool m_toldOfResults = false; // that a session does not hold them
    /// Of the newest samples: the leads, where their first one is, and of which run.
    struct
    {
        simulation::Ecg before;
        quint64 run = 0;
        QString told; // with %1, once the first sample of new leads is known
    } m_shownEcg;
    std::vector<simulation::Drug> m_drugsOn; // that act
    QByteArray m_firstLayout;
    int m_sideWidth = 0;    ///< of the panels at the right, as they were made or dragged
    int m_sidePressed = -1; ///< how wide they were when the mouse was pressed beside them
    // what the parts of the window do; they go before what they know
    std::unique_ptr<RunAccount> m_account;
    std::unique_ptr<ExportController> m_exporting;
    std::unique_ptr<LeavingController> m_leaving;
    std::unique_ptr<MadeMeshes> m_made;
    std::unique_ptr<MeshController> m_mesh;
    std::unique_ptr<PaintingController> m_painting;
    QThreadPool m_pool;
};

template <class Job, class Done>
void MainWindow::elsewhere(Job job, Done done)
{
    const auto run = m_host->scene() ? m_host->scene()->run : 0;
    m_pool.start([this, run, job = std::move(job), done = std::move(done)] {
        auto result = std::make_shared<decltype(job())>(job());
        QMetaObject::invokeMethod(
            this,
            [this, run, done, result] {
                if (m_host->scene() && m_host->scene()->run == run)
                    done(*result);
            },
            Qt::QueuedConnection);
    });
}

/// A place to the micrometre: what a session says of one that was pointed at [mm].
Vec3 placed(const Vec3& p);

/// Writes a picture; the whole file or none of it. Empty when done, else one line that says what
/// failed.
QString savePicture(const QImage& image, const QString& path);

} // namespace tawara
