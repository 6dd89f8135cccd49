// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panel_docks.hpp"

#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/calcium_panel.hpp"
#include "widgets/panels/conduction_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/study_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>
#include <QChildEvent>
#include <QDockWidget>
#include <QJsonObject>
#include <QMainWindow>
#include <QSettings>
#include <QSplitter>
#include <QTabBar>
#include <QTimer>

#include <algorithm>

namespace tawara {
namespace {

constexpr int side_width = 310, plots_height = 190;
constexpr int cell_height = 340;        // of a panel with a volume above its curves and lines
constexpr double most_of_window = 0.45; // that a panel below takes by itself

} // namespace

PanelDocks::PanelDocks(QMainWindow& window, ProbeModel& probes) : m_window(window)
{
    build(probes);
}

void PanelDocks::build(ProbeModel& probes)
{
    m_window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    m_window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    m_window.setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
    m_window.setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    QDockWidget *right = nullptr, *bottom = nullptr;
    const auto dock = [&](const QString& title, const char* name, QWidget* w, bool atRight) {
        auto* d = new QDockWidget(title, &m_window);
        d->setObjectName(QLatin1String(name));
        d->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                       QDockWidget::DockWidgetFloatable);
        d->setWidget(w);
        m_window.addDockWidget(atRight ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea, d);
        auto*& first = atRight ? right : bottom;
        if (first != nullptr)
            m_window.tabifyDockWidget(first, d);
        else
            first = d;
        m_docks.insert(d->objectName(), d);
        m_order << d->objectName();
        return d;
    };
    m_panels.pacing = new PacingPanel;
    m_panels.tissue = new TissuePanel;
    m_panels.view = new ViewPanel;
    m_panels.performance = new PerformancePanel;
    m_panels.info = new InfoPanel;
    m_panels.probes = new ProbePanel(&probes);
    m_panels.plot = new TracePlot;
    m_panels.plot->setObjectName("plot");
    m_panels.beats = new BeatsPanel;
    m_panels.ecg = new EcgPanel;
    m_panels.calcium = new CalciumPanel;
    m_panels.conduction = new ConductionPanel;
    m_panels.study = new StudyPanel;
    auto* curves = new QSplitter;
    curves->setObjectName("curves");
    curves->addWidget(m_panels.plot);
    curves->addWidget(m_panels.probes);
    curves->setStretchFactor(0, 6);
    curves->setStretchFactor(1, 1);
    curves->setSizes({640, 210});
    curves->setChildrenCollapsible(false);
    dock(tr("Pacing"), "pacingDock", m_panels.pacing, true);
    dock(tr("Tissue"), "tissueDock", m_panels.tissue, true);
    dock(tr("View"), "viewDock", m_panels.view, true);
    dock(tr("Performance"), "performanceDock", m_panels.performance, true);
    dock(tr("Run"), "infoDock", m_panels.info, true);
    dock(tr("Action potentials"), "plotDock", curves, false);
    dock(tr("Beats"), "beatsDock", m_panels.beats, false);
    dock(tr("ECG"), "ecgDock", m_panels.ecg, false);
    dock(tr("Calcium"), "calciumDock", m_panels.calcium, false);
    dock(tr("Conduction"), "conductionDock", m_panels.conduction, false);
    dock(tr("Study"), "studyDock", m_panels.study, false);
    right->raise();
    bottom->raise();
    m_sideWidth = side_width;
    m_window.resizeDocks({right}, {side_width}, Qt::Horizontal);
    m_window.resizeDocks({bottom}, {plots_height}, Qt::Vertical);
    dressTabs();
    for (auto* d : m_docks)
        connect(d, &QDockWidget::visibilityChanged, this, [this, d](bool seen) {
            Q_EMIT seenChanged();
            if (!seen)
                releaseFocus(*d);
            else if (m_window.isVisible() && wantsHeight(*d) && !m_heightGiven.contains(d)) {
                m_heightGiven.insert(d);
                QTimer::singleShot(0, d, [this, d] { giveHeight(*d); });
            }
        });
}

QList<QTabBar*> PanelDocks::tabBars() const
{
    return m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
}

void PanelDocks::dressTabs()
{
    for (auto* bar : tabBars()) {
        bar->setElideMode(Qt::ElideNone);
        bar->setDrawBase(false);
        bar->setUsesScrollButtons(true);
        bar->setExpanding(false);
    }
}

void PanelDocks::raise(const QString& name)
{
    if (auto* d = m_docks.value(name)) {
        const bool seen = !d->visibleRegion().isEmpty();
        d->show();
        d->raise();
        if (!seen && wantsHeight(*d))
            giveHeight(*d);
    }
}

bool PanelDocks::wantsHeight(const QDockWidget& d) const
{
    return d.widget() == m_panels.calcium || d.widget() == m_panels.conduction ||
           d.widget() == m_panels.study;
}

void PanelDocks::giveHeight(QDockWidget& d)
{
    const int most = static_cast<int>(most_of_window * m_window.height());
    if (const int wanted = std::min(cell_height, most);
        !d.isFloating() && m_window.dockWidgetArea(&d) == Qt::BottomDockWidgetArea &&
        d.height() < wanted)
        m_window.resizeDocks({&d}, {wanted}, Qt::Vertical);
}

QList<QAction*> PanelDocks::toggles() const
{
    QList<QAction*> actions;
    for (const QString& name : m_order)
        actions << m_docks[name]->toggleViewAction();
    return actions;
}

QDockWidget* PanelDocks::side() const
{
    for (auto* d : m_docks)
        if (d->isVisible() && !d->isFloating() &&
            m_window.dockWidgetArea(d) == Qt::RightDockWidgetArea && !d->visibleRegion().isEmpty())
            return d;
    return nullptr;
}

void PanelDocks::keepSideWidth()
{
    if (auto* d = side(); d != nullptr && d->width() < m_sideWidth)
        m_window.resizeDocks({d}, {m_sideWidth}, Qt::Horizontal);
}

void PanelDocks::rememberFirst()
{
    m_first = m_window.saveState();
}

void PanelDocks::restoreFirst()
{
    m_window.restoreState(m_first);
    m_sideWidth = side_width;
    keepSideWidth();
}

void PanelDocks::restore(const QSettings& settings)
{
    if (const auto s = settings.value("window/layout").toByteArray(); !s.isEmpty())
        m_window.restoreState(s);
    m_sideWidth = settings.value("window/side", side_width).toInt();
}

void PanelDocks::save(QSettings& settings) const
{
    settings.setValue("window/layout", m_window.saveState());
    settings.setValue("window/side", m_sideWidth);
}

void PanelDocks::addLook(QJsonObject& view) const
{
    view["ecg"] = m_panels.ecg->look();
    view["calcium"] = m_panels.calcium->look();
    view["tissue"] = m_panels.tissue->look();
}

void PanelDocks::addLayout(QJsonObject& view) const
{
    view["layout"] = QString::fromLatin1(m_window.saveState().toBase64());
}

void PanelDocks::setLook(const QJsonObject& view)
{
    if (view.contains("ecg")) // sessions of before say nothing of it
        m_panels.ecg->setLook(view["ecg"].toObject());
    if (view.contains("calcium"))
        m_panels.calcium->setLook(view["calcium"].toObject());
    if (view.contains("tissue"))
        m_panels.tissue->setLook(view["tissue"].toObject());
    if (const auto layout = QByteArray::fromBase64(view["layout"].toString().toLatin1());
        !layout.isEmpty())
        m_window.restoreState(layout);
}

void PanelDocks::releaseFocus(const QDockWidget& hidden)
{
    // where another tab was raised the dock is moved out of the window, nothing else is
    if (hidden.isHidden() || hidden.isFloating() ||
        (hidden.geometry().right() >= 0 && hidden.geometry().bottom() >= 0))
        return;
    if (const auto* w = m_window.focusWidget(); w != nullptr && hidden.isAncestorOf(w))
        Q_EMIT focusLost();
}

void PanelDocks::precede(const QEvent& e)
{
    // of the panels' edge: other presses go to what lies there
    if (e.type() == QEvent::MouseButtonPress)
        m_sidePressed = side() != nullptr ? side()->width() : -1;
    // the window makes such a bar anew when docks are put together or a layout comes back
    if (e.type() == QEvent::ChildPolished &&
        qobject_cast<QTabBar*>(static_cast<const QChildEvent&>(e).child()) != nullptr)
        dressTabs();
    if (e.type() == QEvent::LayoutRequest) // or takes a former one, with its line, without a word
        for (auto* bar : tabBars())
            bar->setDrawBase(false);
}

void PanelDocks::follow(const QEvent& e)
{
    if (e.type() == QEvent::Resize)
        keepSideWidth();
    else if (const auto* d = side(); e.type() == QEvent::MouseButtonRelease && d != nullptr &&
                                     m_sidePressed >= 0 && d->width() != m_sidePressed)
        m_sideWidth = d->width();
}

} // namespace tawara
