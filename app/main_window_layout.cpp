// SPDX-License-Identifier: GPL-3.0-or-later
// What the window consists of and where it stands.
#include "app/main_window.hpp"

#include "app/export_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/window_place.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QGridLayout>
#include <QJsonDocument>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

constexpr int side_width = 310, plots_height = 190;

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
    {ClickMode::site, "site", QT_TRANSLATE_NOOP("MainWindow", "Site"), "A",
     QT_TRANSLATE_NOOP("MainWindow", "A click adds a pacing site; drag one to move it (A)")},
    {ClickMode::probe, "probe", QT_TRANSLATE_NOOP("MainWindow", "Probe"), "P",
     QT_TRANSLATE_NOOP("MainWindow",
                       "A click on the wall places a probe; drag one to move it (P)")},
    {ClickMode::paint, "paint", QT_TRANSLATE_NOOP("MainWindow", "Paint"), "B",
     QT_TRANSLATE_NOOP("MainWindow",
                       "Paint scar, border zone, ischaemia on the heart; Alt rubs out (B)")},
};

/// What was saved may be of a larger screen, or of one that is gone. What lies within this one
/// stays: its frame did as well when it was saved, however thin it is.
void placeOnScreen(QWidget& window)
{
    if (window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
        return;
    const QScreen* on = QGuiApplication::screenAt(window.geometry().center());
    if (on == nullptr)
        on = window.screen();
    const QRect room = on->availableGeometry();
    if (!room.contains(window.geometry()))
        window.setGeometry(placedWithin(window.geometry(), usual_frame, room));
}

/// Under the pointer is what is there now: a button whose menu or dialog took the pointer away is
/// not told, and would look touched until the pointer comes and goes again.
void forgetHover(const QToolBar& bar)
{
    for (auto* b : bar.findChildren<QToolButton*>())
        if (b->underMouse() && !b->rect().contains(b->mapFromGlobal(QCursor::pos()))) {
            b->setAttribute(Qt::WA_UnderMouse, false);
            b->update();
        }
}

} // namespace

void MainWindow::buildCentre()
{
    m_viewFrame = new QWidget;
    auto* stack = new QGridLayout(m_viewFrame);
    stack->setContentsMargins(0, 0, 0, 0);
    m_grid = new ViewGrid(quantityNames());
    m_displayPath = new DisplayPath(m_grid, m_host, this); // gives a view its source first
    m_views = new ViewController(m_grid, this);
    m_views->setDisplayPath(m_displayPath);
    m_start = new StartPage;
    m_start->hide();
    stack->addWidget(m_grid, 0, 0);
    stack->addWidget(m_start, 0, 0);
    m_overlay = new Overlay(m_viewFrame);
    m_message = new MessageBar(m_viewFrame);
    m_message->setRoom([this] { return messageRoom(); });
    // when the views have their places
    connect(m_grid, &ViewGrid::countChanged, m_message, &MessageBar::place, Qt::QueuedConnection);
    m_transport = new TransportBar;

    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_viewFrame, 1);
    column->addWidget(m_transport);
    setCentralWidget(centre);
    m_strip = new StatusStrip(statusBar());
}

QRect MainWindow::messageRoom() const
{
    constexpr int edge = 8, foot = 96; // below remarks, beside the axes
    if (!m_grid->isVisible())          // under the start page
        return m_viewFrame->rect().adjusted(edge, edge, -edge, -edge);
    // one at the left, at the foot: over two of them it would lie on the axes of one
    const HeartView* v = m_grid->view(m_grid->count() == 4 ? 2 : 0);
    constexpr QSize least(480, 300); // else fewer lines over less of the heart, over axes and bar
    const bool small =
        m_grid->count() == 1 && v->width() < least.width() && v->height() < least.height();
    QMargins sides = small ? QMargins(edge, 0, edge, 0) : ViewTexts::sides();
    if (m_grid->count() > 1 && v->height() - ViewTexts::barFoot(v->height()) >= foot)
        sides.setRight(edge); // the bar ends above
    const int top = m_grid->count() > 1 ? std::max(edge, v->height() - foot) : edge;
    return QRect(v->mapTo(m_viewFrame, QPoint()), v->size())
        .adjusted(0, top, 0, -edge)
        .marginsRemoved(sides);
}

void MainWindow::buildDocks()
{
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    QDockWidget *right = nullptr, *bottom = nullptr;
    const auto dock = [&](const QString& title, const char* name, QWidget* w, bool atRight) {
        auto* d = new QDockWidget(title, this);
        d->setObjectName(QLatin1String(name));
        d->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                       QDockWidget::DockWidgetFloatable);
        d->setWidget(w);
        addDockWidget(atRight ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea, d);
        auto*& first = atRight ? right : bottom;
        if (first != nullptr)
            tabifyDockWidget(first, d);
        else
            first = d;
        m_docks.insert(d->objectName(), d);
        m_dockOrder << d->objectName();
        return d;
    };
    m_pacing = new PacingPanel;
    m_stimulus = m_pacing->clickPulse();
    m_tissue = new TissuePanel;
    m_viewPanel = new ViewPanel;
    m_performance = new PerformancePanel;
    m_info = new InfoPanel;
    m_probePanel = new ProbePanel(m_probes);
    m_plot = new TracePlot;
    m_plot->setObjectName("plot");
    m_beats = new BeatsPanel;
    m_ecg = new EcgPanel;
    auto* curves = new QSplitter;
    curves->setObjectName("curves");
    curves->addWidget(m_plot);
    curves->addWidget(m_probePanel);
    curves->setStretchFactor(0, 6);
    curves->setStretchFactor(1, 1);
    curves->setSizes({640, 210});
    curves->setChildrenCollapsible(false);
    dock(tr("Pacing"), "pacingDock", m_pacing, true);
    dock(tr("Tissue"), "tissueDock", m_tissue, true);
    dock(tr("View"), "viewDock", m_viewPanel, true);
    dock(tr("Performance"), "performanceDock", m_performance, true);
    dock(tr("Run"), "infoDock", m_info, true);
    dock(tr("Action potentials"), "plotDock", curves, false);
    dock(tr("Beats"), "beatsDock", m_beats, false);
    dock(tr("ECG"), "ecgDock", m_ecg, false);
    right->raise();
    bottom->raise();
    m_sideWidth = side_width;
    resizeDocks({right}, {side_width}, Qt::Horizontal);
    resizeDocks({bottom}, {plots_height}, Qt::Vertical);
    dressTabs();
}

void MainWindow::dressTabs()
{
    for (auto* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setElideMode(Qt::ElideNone);
        bar->setDrawBase(false);
        bar->setUsesScrollButtons(true);
        bar->setExpanding(false);
    }
}

QDockWidget* MainWindow::sidePanel() const
{
    for (auto* d : m_docks)
        if (d->isVisible() && !d->isFloating() && dockWidgetArea(d) == Qt::RightDockWidgetArea &&
            !d->visibleRegion().isEmpty())
            return d;
    return nullptr;
}

void MainWindow::keepSideWidth()
{
    if (auto* d = sidePanel(); d != nullptr && d->width() < m_sideWidth)
        resizeDocks({d}, {m_sideWidth}, Qt::Horizontal);
}

void MainWindow::restoreFirstLayout()
{
    restoreState(m_firstLayout);
    m_sideWidth = side_width;
    keepSideWidth();
}

void MainWindow::releaseFocus(const QDockWidget* hidden)
{
    // where another tab was raised the dock is moved out of the window, nothing else is
    if (hidden->isHidden() || hidden->isFloating() ||
        (hidden->geometry().right() >= 0 && hidden->geometry().bottom() >= 0))
        return;
    if (const auto* w = focusWidget(); w != nullptr && hidden->isAncestorOf(w))
        m_grid->view(m_grid->current())->setFocus();
}

bool MainWindow::event(QEvent* e)
{
    // of the panels' edge: other presses go to what lies there
    if (e->type() == QEvent::MouseButtonPress)
        m_sidePressed = sidePanel() != nullptr ? sidePanel()->width() : -1;
    if (e->type() == QEvent::MouseButtonRelease || e->type() == QEvent::Resize) {
        const bool done = QMainWindow::event(e);
        auto* d = sidePanel();
        if (e->type() == QEvent::Resize) {
            fitTools();
            keepSideWidth();
        } else if (d != nullptr && m_sidePressed >= 0 && d->width() != m_sidePressed) {
            m_sideWidth = d->width();
        }
        return done;
    }
    // the window makes such a bar anew when docks are put together or a layout comes back
    if (e->type() == QEvent::ChildPolished &&
        qobject_cast<QTabBar*>(static_cast<QChildEvent*>(e)->child()) != nullptr)
        dressTabs();
    if (e->type() == QEvent::LayoutRequest) // or takes a former one, with its line, without a word
        for (auto* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            bar->setDrawBase(false);
    if (auto* bar = findChild<QToolBar*>("tools"); bar && e->type() == QEvent::WindowActivate)
        forgetHover(*bar);
    return QMainWindow::event(e);
}

void MainWindow::fitTools()
{
    constexpr int least_width = 900, least_height = 640; // that leave room for words
    const auto style = width() < least_width || height() < least_height
                           ? Qt::ToolButtonIconOnly
                           : Qt::ToolButtonTextUnderIcon;
    auto* bar = findChild<QToolBar*>("tools");
    if (bar == nullptr || bar->toolButtonStyle() == style)
        return;
    bar->setToolButtonStyle(style);
    for (auto* b : bar->findChildren<QToolButton*>()) { // it has another width
        b->style()->unpolish(b);
        b->style()->polish(b);
    }
}

void MainWindow::raisePanel(const QString& name)
{
    if (auto* d = m_docks.value(name)) {
        d->show();
        d->raise();
    }
}

void MainWindow::buildTools()
{
    auto* bar = new QToolBar(tr("Tools"));
    bar->setObjectName("tools");
    bar->setMovable(false);
    bar->setIconSize({22, 22});
    bar->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    addToolBar(Qt::LeftToolBarArea, bar);
    m_modes = new QActionGroup(this);
    const auto themed = [bar](QAction* a, const char* icon) {
        a->setIcon(themedIcon(icon));
        a->setProperty("themedIcon", QString::fromLatin1(icon));
        bar->addAction(a);
    };
    for (const Tool& t : tools) {
        auto* a = new QAction(tr(t.text), this);
        themed(a, t.icon);
        a->setObjectName(QStringLiteral("mode") + QLatin1String(t.icon));
        a->setCheckable(true);
        a->setShortcut(QKeySequence(QLatin1String(t.key)));
        a->setToolTip(tr(t.tip));
        a->setData(static_cast<int>(t.mode));
        m_modes->addAction(a);
        connect(a, &QAction::triggered, this, [this, mode = t.mode] { setMode(mode); });
        connect(a, &QAction::toggled, bar, [bar] { forgetHover(*bar); });
    }
    bar->addSeparator();
    auto* home = new QAction(tr("Camera"), this);
    themed(home, "home");
    home->setToolTip(tr("Look at the whole heart (Home)"));
    connect(home, &QAction::triggered, this, [this] {
        m_grid->each([](HeartView& v, int) {
            v.scene().reset_camera();
            v.schedule();
        });
    });
    auto* views = new QAction(tr("Views"), this);
    themed(views, "views");
    views->setObjectName("viewsTool");
    views->setToolTip(tr("One, two or four views in turn (V)"));
    views->setShortcut(QKeySequence("V"));
    connect(views, &QAction::triggered, this, [this] {
        auto s = m_viewPanel->settings();
        s.setCount(s.count == 1 ? 2 : s.count == 2 ? 4 : 1);
        changeView(s);
    });
    auto* shot = new QAction(tr("Picture"), this);
    themed(shot, "camera");
    shot->setToolTip(tr("Save a picture of the heart (Ctrl+P)"));
    connect(shot, &QAction::triggered, m_exporting.get(), &ExportController::askForPicture);
    auto* movie = new QAction(tr("Movie"), this);
    themed(movie, "movie");
    movie->setToolTip(tr("Make a movie of what was recorded (Ctrl+M)"));
    connect(movie, &QAction::triggered, m_exporting.get(), &ExportController::askForMovie);
}

void MainWindow::setTheme(Theme theme)
{
    if (theme != currentTheme())
        applyTheme(*qApp, theme);
    m_views->setTheme(sceneTheme(theme));
    const QSignalBlocker quiet(m_lightAction);
    m_lightAction->setChecked(theme == Theme::light);
    openSettings()->setValue("window/theme", name(theme));
    // icons are drawn in the text's colour
    for (auto* a : findChildren<QAction*>())
        if (const auto icon = a->property("themedIcon").toString(); !icon.isEmpty())
            a->setIcon(themedIcon(icon));
    for (auto* b : findChildren<QToolButton*>())
        if (const auto icon = b->property("themedIcon").toString(); !icon.isEmpty())
            b->setIcon(themedIcon(icon));
    updateVelocity(); // a warning has the theme's colour
}

void MainWindow::restoreSettings()
{
    const auto settings = openSettings();
    m_firstLayout = saveState();
    const bool placed = restoreGeometry(settings->value("window/geometry").toByteArray());
    if (const auto s = settings->value("window/layout").toByteArray(); !s.isEmpty())
        restoreState(s);
    m_sideWidth = settings->value("window/side", side_width).toInt();
    if (placed)
        placeOnScreen(*this);
    if (const auto v = settings->value("view/settings").toString().toStdString(); !v.empty())
        restoreView(v);
    StimulusSettings st;
    st.radius_mm = settings->value("stimulus/radius_mm", st.radius_mm).toDouble();
    st.amplitude_pA_per_pF =
        settings->value("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF).toDouble();
    st.duration_ms = settings->value("stimulus/duration_ms", st.duration_ms).toDouble();
    m_stimulus->setSettings(st);
    m_autoPlayAction->setChecked(settings->value("run/autoPlay", true).toBool());
    m_autoRecordAction->setChecked(settings->value("run/autoRecord", true).toBool());
    m_computeFirst->setChecked(settings->value("run/computeFirst", false).toBool());
    setTheme(settings->contains("window/theme")
                 ? themeOf(settings->value("window/theme").toString())
                 : currentTheme());
}

void MainWindow::closeEvent(QCloseEvent* e)
{
    if (!m_leaving->mayClose())
        return e->ignore();
    const auto settings = openSettings();
    settings->setValue("window/geometry", saveGeometry());
    settings->setValue("window/layout", saveState());
    settings->setValue("window/side", m_sideWidth);
    // colours and ranges are the user's; what is shown and from where belongs to the session
    ViewSettings v = m_views->settings(), own;
    own.styles = v.styles;
    own.customMaps = v.customMaps;
    own.linked = v.linked;
    QJsonObject view = own.toJson();
    view["ecg"] = m_ecg->look();
    view["tissue"] = m_tissue->look();
    settings->setValue("view/settings",
                       QString::fromUtf8(QJsonDocument(view).toJson(QJsonDocument::Compact)));
    const StimulusSettings st = m_stimulus->settings();
    if (m_stimulus->ownRadius()) // else it follows the mesh
        settings->setValue("stimulus/radius_mm", st.radius_mm);
    else
        settings->remove("stimulus/radius_mm");
    settings->setValue("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF);
    settings->setValue("stimulus/duration_ms", st.duration_ms);
    settings->setValue("run/autoPlay", m_autoPlayChosen);
    settings->setValue("run/autoRecord", m_autoRecordAction->isChecked());
    settings->setValue("run/computeFirst", m_computeFirst->isChecked());
    QMainWindow::closeEvent(e);
}

} // namespace tawara
