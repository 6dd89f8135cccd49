// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>

class QAction;
class QDockWidget;
class QEvent;
class QJsonObject;
class QMainWindow;
class QSettings;
class QTabBar;
class QWidget;

namespace tawara {

class BeatsPanel;
class CalciumPanel;
class ConductionPanel;
class EcgPanel;
class InfoPanel;
class PacingPanel;
class PerformancePanel;
class ProbeModel;
class ProbePanel;
class StudyPanel;
class TissuePanel;
class TracePlot;
class ViewPanel;

/// The panels around the views.
struct Panels
{
    PacingPanel* pacing;
    TissuePanel* tissue;
    ViewPanel* view;
    PerformancePanel* performance;
    InfoPanel* info;
    TracePlot* plot;
    ProbePanel* probes;
    BeatsPanel* beats;
    EcgPanel* ecg;
    CalciumPanel* calcium;
    ConductionPanel* conduction;
    StudyPanel* study;
};

/// Makes the panels and the docks that they lie in, at the right and below; knows how wide those at
/// the right are wanted, and how all of them stood at first.
///
/// @thread GUI thread
class PanelDocks : public QObject
{
    Q_OBJECT
  public:
    /// @param window  gets the docks, and owns them; must outlive this
    PanelDocks(QMainWindow& window, ProbeModel& probes);
    const Panels& panels() const { return m_panels; }
    /// Raises a panel by its dock's object name, e.g. "tissueDock". The Calcium,
    /// Conduction and Study panels, when they were not seen, get room if they lie low.
    void raise(const QString& name);
    /// What shows and hides them, in the order of the View menu.
    QList<QAction*> toggles() const;
    /// Bars and docks as they stand now are what restoreFirst() brings back.
    void rememberFirst();
    void restoreFirst();
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;
    /// How the panels show what they show, for sessions and settings.
    void addLook(QJsonObject& view) const;
    /// Where bars and docks stand, for sessions.
    void addLayout(QJsonObject& view) const;
    /// Of both, what is in there.
    void setLook(const QJsonObject& view);
    /// Before the window takes an event: the mouse is pressed, bars of tabs were made anew.
    void precede(const QEvent& e);
    /// When the window has taken one: the panels' edge was dragged, the window has another size.
    void follow(const QEvent& e);

  Q_SIGNALS:
    void seenChanged(); ///< one of them is seen, or not, since
    /// The keys went to a field of a panel that lies behind another now.
    void focusLost();

  private:
    void build(ProbeModel& probes);
    void dressTabs();
    /// Whether a panel needs more room than curves do.
    bool wantsHeight(const QDockWidget& d) const;
    void giveHeight(QDockWidget& d);
    QList<QTabBar*> tabBars() const;
    /// Those in front at the right edge; null: none is there.
    QDockWidget* side() const;
    /// What a small window has narrowed becomes wide again with the window.
    void keepSideWidth();
    /// Keys go to the current view, not to a field of a panel that lies behind another; one that is
    /// out of sight otherwise (the window is minimised, it floats) keeps what is being typed.
    void releaseFocus(const QDockWidget& hidden);

    QMainWindow& m_window;
    Panels m_panels{};
    QHash<QString, QDockWidget*> m_docks;
    QSet<QDockWidget*> m_heightGiven; ///< the first time that they were seen
    QStringList m_order;
    QByteArray m_first;
    int m_sideWidth = 0;    ///< of the panels at the right, as they were made or dragged
    int m_sidePressed = -1; ///< how wide they were when the mouse was pressed beside them
};

} // namespace tawara
