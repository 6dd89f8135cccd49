// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/view3d/heart_view.hpp"
#include "widgets/view3d/picture.hpp"

#include <QMainWindow>

class QActionGroup;
class QDockWidget;
class QSettings;

namespace tawara {

class InfoPanel;
class MessageBar;
class Overlay;
class ProbePanel;
class StatusStrip;
class StimulusPanel;
class TracePlot;
class TransportBar;

/// The workstation's window: the heart in the middle, tools to its left, transport bar below,
/// panels around it. It connects widgets, which know values, to the EngineHost, which knows the
/// engine.
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
    /// Whether what is opened starts to run by itself.
    void setAutoPlay(bool on);
    void setMode(ClickMode mode);
    HeartView* view() { return m_view; }
    ProbeModel* probes() { return m_probes; }
    TracePlot* plot() { return m_plot; }
    /// The picture of the heart as it is on screen; the whole window where asked for.
    QImage picture(bool wholeWindow);
    /// The heart as it is on screen, at any size; null (with the reason) where it cannot be drawn.
    QImage pictureOfHeart(const PictureOptions& options, QString* why = nullptr);

  protected:
    void dragEnterEvent(QDragEnterEvent* e) override;
    void dropEvent(QDropEvent* e) override;
    void closeEvent(QCloseEvent* e) override;

  private:
    // main_window_layout.cpp
    void buildCentre();
    void buildDocks();
    void buildTools();
    void buildMenus();
    void buildViewMenu();
    void buildHelpMenu();
    void restoreSettings();
    // main_window.cpp
    void connectHost();
    void connectWidgets();
    void hostLoaded();
    void showFrame(const EngineHost::FramePtr& frame);
    void showError(const QString& reason, const QString& advice);
    void playOrPause();
    void wallClicked(const scene::Pick& pick, Qt::KeyboardModifiers keys);
    void updateMarkers();
    void askForFile();
    void askForPicture();
    void saveSession();
    void setColorMap(const QString& name);
    void setRange(double low, double high);
    void rememberFile(const QString& path);
    void fillRecent();
    void showGl();

    EngineHost* m_host;
    HeartView* m_view = nullptr;
    QWidget* m_viewFrame = nullptr;
    TransportBar* m_transport = nullptr;
    MessageBar* m_message = nullptr;
    Overlay* m_overlay = nullptr;
    StimulusPanel* m_stimulus = nullptr;
    ProbePanel* m_probePanel = nullptr;
    InfoPanel* m_info = nullptr;
    StatusStrip* m_strip = nullptr;
    TracePlot* m_plot = nullptr;
    ProbeModel* m_probes = nullptr;
    QList<QDockWidget*> m_docks;
    QActionGroup *m_modes = nullptr, *m_maps = nullptr, *m_ranges = nullptr;
    QMenu *m_recent = nullptr, *m_viewMenu = nullptr;
    QAction *m_autoPlayAction = nullptr, *m_saveAction = nullptr;
    QString m_path; // of what is being opened or open
    bool m_autoPlay = true;
    quint64 m_startedRun = 0; // the run that auto play has seen
    QByteArray m_firstLayout;
};

/// The user's settings: an ini file of this program. Tests lead it into a folder of their own by
/// QSettings::setPath().
std::unique_ptr<QSettings> openSettings();

/// Writes a picture; the whole file or none of it. Empty when done, else one line that says what
/// failed.
QString savePicture(const QImage& image, const QString& path);

} // namespace tawara
