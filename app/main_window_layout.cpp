// SPDX-License-Identifier: GPL-3.0-or-later
// What the window consists of and where it stands; main_window.cpp has what it does.
#include "app/main_window.hpp"

#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QActionGroup>
#include <QCoreApplication>
#include <QDockWidget>
#include <QGridLayout>
#include <QLabel>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace tawara {
namespace {

constexpr int side_width = 290;

struct Tool
{
    ClickMode mode;
    const char *icon, *text, *key, *tip;
};
constexpr Tool tools[] = {
    {ClickMode::rotate, "rotate", QT_TRANSLATE_NOOP("MainWindow", "Rotate"), "R",
     QT_TRANSLATE_NOOP("MainWindow", "Drag turns the heart; a click does nothing (R)")},
    {ClickMode::stimulate, "stimulate", QT_TRANSLATE_NOOP("MainWindow", "Stimulate"), "S",
     QT_TRANSLATE_NOOP("MainWindow", "A click on the wall stimulates it there, at once (S)")},
    {ClickMode::probe, "probe", QT_TRANSLATE_NOOP("MainWindow", "Probe"), "P",
     QT_TRANSLATE_NOOP("MainWindow", "A click on the wall places a probe there (P)")},
};

struct NamedView
{
    scene::View view;
    const char *text, *key;
};
constexpr NamedView views[] = {
    {scene::View::oblique, QT_TRANSLATE_NOOP("MainWindow", "Reset camera"), "Home"},
    {scene::View::anterior, QT_TRANSLATE_NOOP("MainWindow", "Anterior (−y)"), "1"},
    {scene::View::posterior, QT_TRANSLATE_NOOP("MainWindow", "Posterior (+y)"), "2"},
    {scene::View::left, QT_TRANSLATE_NOOP("MainWindow", "Left (+x)"), "3"},
    {scene::View::right, QT_TRANSLATE_NOOP("MainWindow", "Right (−x)"), "4"},
    {scene::View::superior, QT_TRANSLATE_NOOP("MainWindow", "Base, from above (+z)"), "5"},
    {scene::View::inferior, QT_TRANSLATE_NOOP("MainWindow", "Apex, from below (−z)"), "6"},
};

struct NamedRange
{
    double low, high;
    const char* text;
};
constexpr NamedRange ranges[] = {
    {-90, 40, QT_TRANSLATE_NOOP("MainWindow", "−90 to 40 mV")},
    {-90, -40, QT_TRANSLATE_NOOP("MainWindow", "−90 to −40 mV (near rest)")},
    {-60, 40, QT_TRANSLATE_NOOP("MainWindow", "−60 to 40 mV (plateau)")},
};

} // namespace

void MainWindow::buildCentre()
{
    m_viewFrame = new QWidget;
    auto* grid = new QGridLayout(m_viewFrame);
    grid->setContentsMargins(0, 0, 0, 0);
    m_view = new HeartView;
    m_view->setObjectName("heart");
    m_view->setMinimumSize(320, 240);
    grid->addWidget(m_view);
    m_overlay = new Overlay(m_viewFrame);
    m_message = new MessageBar;
    m_transport = new TransportBar;

    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_message);
    column->addWidget(m_viewFrame, 1);
    column->addWidget(m_transport);
    setCentralWidget(centre);
    m_strip = new StatusStrip(statusBar());
}

void MainWindow::buildDocks()
{
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    const auto dock = [this](const QString& title, const char* name, QWidget* w,
                             Qt::DockWidgetArea area) {
        auto* d = new QDockWidget(title, this);
        d->setObjectName(QLatin1String(name));
        d->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                       QDockWidget::DockWidgetFloatable);
        d->setWidget(w);
        addDockWidget(area, d);
        m_docks << d;
        return d;
    };
    m_stimulus = new StimulusPanel;
    m_probePanel = new ProbePanel(m_probes);
    m_info = new InfoPanel;
    m_plot = new TracePlot;
    m_plot->setObjectName("plot");
    auto* stimulus = dock(tr("Stimulus"), "stimulusDock", m_stimulus, Qt::RightDockWidgetArea);
    auto* probes = dock(tr("Probes"), "probesDock", m_probePanel, Qt::RightDockWidgetArea);
    auto* info = dock(tr("Simulation"), "infoDock", m_info, Qt::RightDockWidgetArea);
    auto* plot = dock(tr("Action potentials"), "plotDock", m_plot, Qt::BottomDockWidgetArea);
    resizeDocks({stimulus, probes, info}, {150, 190, 280}, Qt::Vertical);
    resizeDocks({stimulus}, {side_width}, Qt::Horizontal);
    resizeDocks({plot}, {210}, Qt::Vertical);
}

void MainWindow::buildTools()
{
    auto* bar = new QToolBar(tr("Tools"));
    bar->setObjectName("tools");
    bar->setMovable(false);
    bar->setIconSize({24, 24});
    bar->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    addToolBar(Qt::LeftToolBarArea, bar);
    m_modes = new QActionGroup(this);
    for (const Tool& t : tools) {
        auto* a = bar->addAction(themedIcon(t.icon), tr(t.text));
        a->setObjectName(QStringLiteral("mode") + QLatin1String(t.icon));
        a->setCheckable(true);
        a->setShortcut(QKeySequence(QLatin1String(t.key)));
        a->setToolTip(tr(t.tip));
        a->setData(static_cast<int>(t.mode));
        m_modes->addAction(a);
        connect(a, &QAction::triggered, this, [this, mode = t.mode] { setMode(mode); });
    }
    bar->addSeparator();
    auto* home = bar->addAction(themedIcon("home"), tr("Camera"));
    home->setToolTip(tr("Look at the whole heart (Home)"));
    connect(home, &QAction::triggered, this, [this] {
        m_view->scene().reset_camera();
        m_view->schedule();
    });
    auto* shot = bar->addAction(themedIcon("camera"), tr("Picture"));
    shot->setToolTip(tr("Save a picture of the heart (Ctrl+P)"));
    connect(shot, &QAction::triggered, this, &MainWindow::askForPicture);
}

void MainWindow::buildMenus()
{
    auto* file = menuBar()->addMenu(tr("&File"));
    file->addAction(themedIcon("open"), tr("&Open mesh or session…"), this, &MainWindow::askForFile)
        ->setShortcut(QKeySequence::Open);
    m_recent = file->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file->addAction(tr("Open the &built-in heart"), this, [this] { open({}); });
    file->addSeparator();
    m_saveAction = file->addAction(tr("&Save session as…"), this, &MainWindow::saveSession);
    m_saveAction->setShortcut(QKeySequence::Save);
    m_saveAction->setEnabled(false);
    file->addAction(themedIcon("camera"), tr("Save &picture…"), this, &MainWindow::askForPicture)
        ->setShortcut(QKeySequence(tr("Ctrl+P")));
    file->addSeparator();
    file->addAction(tr("&Quit"), this, &QWidget::close)->setShortcut(QKeySequence::Quit);

    auto* run = menuBar()->addMenu(tr("&Run"));
    run->addAction(themedIcon("play"), tr("&Play or pause"), this, &MainWindow::playOrPause)
        ->setShortcut(Qt::Key_Space);
    run->addAction(themedIcon("step"), tr("One time &step"), this, [this] { m_host->step(1); })
        ->setShortcut(Qt::Key_Period);
    run->addAction(tr("&One millisecond"), this,
                   [this] {
                       if (const auto s = m_host->scene(); s && s->dt_ms > 0)
                           m_host->step(qMax(1, qRound(1 / s->dt_ms)));
                   })
        ->setShortcut(Qt::SHIFT | Qt::Key_Period);
    run->addAction(themedIcon("reset"), tr("&Back to the start"), this, [this] { m_host->reset(); })
        ->setShortcut(QKeySequence(tr("Ctrl+R")));
    run->addSeparator();
    m_autoPlayAction = run->addAction(tr("Start &when opened"));
    m_autoPlayAction->setCheckable(true);
    m_autoPlayAction->setChecked(m_autoPlay);
    connect(m_autoPlayAction, &QAction::toggled, this, [this](bool on) { m_autoPlay = on; });

    auto* act = menuBar()->addMenu(tr("&Tools"));
    for (auto* a : m_modes->actions())
        act->addAction(a);
    buildViewMenu();
    buildHelpMenu();
}

void MainWindow::buildViewMenu()
{
    m_viewMenu = menuBar()->addMenu(tr("&View"));
    for (const NamedView& v : views) {
        auto* a = m_viewMenu->addAction(tr(v.text), this, [this, view = v.view] {
            m_view->scene().look(view);
            m_view->schedule();
        });
        a->setShortcut(QKeySequence(QLatin1String(v.key)));
    }
    m_viewMenu->addSeparator();
    auto* maps = m_viewMenu->addMenu(tr("&Colour map"));
    m_maps = new QActionGroup(this);
    for (const auto& name : scene::color_map_names()) {
        const QString n = QString::fromStdString(name);
        const auto& colors = scene::color_map(name).colors;
        QImage strip(64, 14, QImage::Format_RGB32);
        for (int x = 0; x < strip.width(); ++x)
            for (int y = 0; y < strip.height(); ++y) {
                const auto& c = colors[static_cast<std::size_t>(x * 255 / (strip.width() - 1))];
                strip.setPixel(x, y, qRgb(c[0], c[1], c[2]));
            }
        auto* a = maps->addAction(QIcon(QPixmap::fromImage(strip)), n);
        a->setCheckable(true);
        a->setData(n);
        m_maps->addAction(a);
        connect(a, &QAction::triggered, this, [this, n] { setColorMap(n); });
    }
    auto* range = m_viewMenu->addMenu(tr("&Range"));
    m_ranges = new QActionGroup(this);
    for (const NamedRange& r : ranges) {
        auto* a = range->addAction(tr(r.text));
        a->setCheckable(true);
        a->setChecked(m_ranges->actions().isEmpty());
        m_ranges->addAction(a);
        connect(a, &QAction::triggered, this,
                [this, low = r.low, high = r.high] { setRange(low, high); });
    }
    auto* annotations = m_viewMenu->addAction(tr("&Annotations"));
    annotations->setCheckable(true);
    annotations->setChecked(true);
    connect(annotations, &QAction::toggled, this, [this](bool on) {
        m_view->scene().set_annotations(on);
        m_view->schedule();
    });
    m_viewMenu->addSeparator();
    for (auto* d : m_docks)
        m_viewMenu->addAction(d->toggleViewAction());
    m_viewMenu->addAction(tr("Restore &layout"), this, [this] { restoreState(m_firstLayout); });
    auto* full = m_viewMenu->addAction(
        tr("&Full screen"), this, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    full->setShortcut(Qt::Key_F11);
}

void MainWindow::restoreSettings()
{
    const auto settings = openSettings();
    m_firstLayout = saveState();
    if (const auto g = settings->value("window/geometry").toByteArray(); !g.isEmpty())
        restoreGeometry(g);
    if (const auto s = settings->value("window/layout").toByteArray(); !s.isEmpty())
        restoreState(s);
    setColorMap(settings->value("view/colorMap", "tissue").toString());
    StimulusSettings st;
    st.radius_mm = settings->value("stimulus/radius_mm", st.radius_mm).toDouble();
    st.amplitude_pA_per_pF =
        settings->value("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF).toDouble();
    st.duration_ms = settings->value("stimulus/duration_ms", st.duration_ms).toDouble();
    m_stimulus->setSettings(st);
    m_autoPlayAction->setChecked(settings->value("run/autoPlay", true).toBool());
}

void MainWindow::closeEvent(QCloseEvent* e)
{
    const auto settings = openSettings();
    settings->setValue("window/geometry", saveGeometry());
    settings->setValue("window/layout", saveState());
    const StimulusSettings st = m_stimulus->settings();
    settings->setValue("stimulus/radius_mm", st.radius_mm);
    settings->setValue("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF);
    settings->setValue("stimulus/duration_ms", st.duration_ms);
    settings->setValue("run/autoPlay", m_autoPlayAction->isChecked());
    QMainWindow::closeEvent(e);
}

std::unique_ptr<QSettings> openSettings()
{
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                       QStringLiteral("tawara"), QStringLiteral("tawara"));
}

} // namespace tawara
