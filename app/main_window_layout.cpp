// SPDX-License-Identifier: GPL-3.0-or-later
// What the window consists of and where it stands.
#include "app/main_window.hpp"

#include "app/calcium_controller.hpp"
#include "app/conduction_controller.hpp"
#include "app/export_controller.hpp"
#include "app/keeping_controller.hpp"
#include "app/leaving_controller.hpp"
#include "app/look_controller.hpp"
#include "app/run_controller.hpp"
#include "app/settings.hpp"
#include "app/study_controller.hpp"
#include "app/tissue_controller.hpp"
#include "app/tool_bar.hpp"
#include "app/window_place.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QGridLayout>
#include <QJsonDocument>
#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

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

void MainWindow::buildTools()
{
    m_tools = new ToolBar;
    addToolBar(Qt::LeftToolBarArea, m_tools);
    connect(m_tools, &ToolBar::modeChosen, this, &MainWindow::setMode);
    connect(m_tools, &ToolBar::cameraRequested, this, [this] {
        m_grid->each([](HeartView& v, int) {
            v.scene().reset_camera();
            v.schedule();
        });
    });
    connect(m_tools, &ToolBar::viewsRequested, this, [this] {
        m_look->choose([](ViewSettings& s) {
            s.setCount(s.count == 1 ? 2 : s.count == 2 ? 4 : 1);
        });
    });
    connect(m_tools, &ToolBar::pictureRequested, m_exporting.get(),
            &ExportController::askForPicture);
    connect(m_tools, &ToolBar::movieRequested, m_exporting.get(), &ExportController::askForMovie);
}

bool MainWindow::event(QEvent* e)
{
    if (m_docks)
        m_docks->precede(*e);
    if (m_tools != nullptr && e->type() == QEvent::WindowActivate)
        m_tools->forgetHover();
    if (e->type() != QEvent::MouseButtonRelease && e->type() != QEvent::Resize)
        return QMainWindow::event(e); // which may be the end of the window
    const bool done = QMainWindow::event(e);
    if (m_tools != nullptr && e->type() == QEvent::Resize)
        m_tools->fit(size(),
                     height() - menuBar()->sizeHint().height() - statusBar()->sizeHint().height());
    if (m_docks)
        m_docks->follow(*e);
    return done;
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
    m_tissue->estimateVelocity(); // a warning has the theme's colour
}

void MainWindow::restoreView(const std::string& json)
{
    if (json.empty())
        return m_look->forget();
    const auto o = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (o.isEmpty())
        return;
    m_look->restore(o);
    m_docks->setLook(o);
    m_calcium->restore(o);
}

void MainWindow::restoreSettings()
{
    const auto settings = openSettings();
    m_docks->rememberFirst();
    const bool placed = restoreGeometry(settings->value("window/geometry").toByteArray());
    m_docks->restore(*settings);
    if (placed)
        placeOnScreen(*this);
    if (const auto v = settings->value("view/settings").toString().toStdString(); !v.empty())
        restoreView(v);
    StimulusSettings st;
    st.radius_mm = settings->value("stimulus/radius_mm", st.radius_mm).toDouble();
    st.amplitude_pA_per_pF =
        settings->value("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF).toDouble();
    st.duration_ms = settings->value("stimulus/duration_ms", st.duration_ms).toDouble();
    m_panels.pacing->clickPulse()->setSettings(st);
    m_run->restore(*settings);
    m_keeping->restore(*settings);
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
    m_docks->save(*settings);
    // colours and ranges are the user's; what is shown and from where belongs to the session
    ViewSettings v = m_views->settings(), own;
    own.styles = v.styles;
    own.customMaps = v.customMaps;
    own.linked = v.linked;
    QJsonObject view = own.toJson();
    m_docks->addLook(view);
    settings->setValue("view/settings",
                       QString::fromUtf8(QJsonDocument(view).toJson(QJsonDocument::Compact)));
    const auto* click = m_panels.pacing->clickPulse();
    const StimulusSettings st = click->settings();
    if (click->ownRadius()) // else it follows the mesh
        settings->setValue("stimulus/radius_mm", st.radius_mm);
    else
        settings->remove("stimulus/radius_mm");
    settings->setValue("stimulus/amplitude_pA_per_pF", st.amplitude_pA_per_pF);
    settings->setValue("stimulus/duration_ms", st.duration_ms);
    m_run->save(*settings);
    QMainWindow::closeEvent(e);
    m_keeping->closed();
}

} // namespace tawara
