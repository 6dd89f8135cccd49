// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/purkinje_keys.hpp"
#include "widgets/models/network_models.hpp"

#include <QTimer>
#include <QWidget>

#include <optional>

class QBoxLayout;
class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTreeView;
class QToolButton;

namespace tawara {

class ChoiceBox;
class NumberBox;

/// The conduction system: where the network comes from, the rhythm of the bundle of His, fascicles
/// that can be cut and joined again, junctions with their delays. Takes values and asks for
/// changes; knows no engine.
///
/// @thread GUI thread
class ConductionPanel : public QWidget
{
    Q_OBJECT
  public:
    /// The rhythm of the bundle of His.
    struct His
    {
        bool on = true;
        double first_ms = 0;
        double period_ms = 0; ///< 0: once
        int beats = 0;        ///< 0 with a period: for ever
        bool operator==(const His&) const = default;
    };
    explicit ConductionPanel(QWidget* parent = nullptr);

    /// The session's keys.
    void setKeys(const simulation::PurkinjeKeys& keys);
    /// The network that is computed; null: there is none.
    void setNetwork(const NetworkShapePtr& shape);
    /// What it does now; tables follow a few times a second, and only while they are seen.
    void setFrame(const NetworkFramePtr& frame);
    /// A line over the tables: of which moment they are, where it is not that of the views.
    void setMoment(const QString& line);
    /// Long work is under way: what it does and how far it is [0, 1]; empty: none is.
    void setWork(const QString& what, double fraction = 0);
    void setCutting(bool on); ///< the tool is chosen

    FascicleModel* fascicles() { return m_fascicles; }
    JunctionModel* junctions() { return m_junctions; }
    /// The unit of length of files that are imported; nothing: what the file says.
    std::optional<LengthUnit> unit() const;

  Q_SIGNALS:
    void growRequested();
    void importRequested();
    void removeRequested();
    void hisChanged(const tawara::ConductionPanel::His& his);
    void cutRequested(const std::vector<cable::Fascicle>& fascicles, bool cut);
    void joinAllRequested();
    void cuttingChosen(bool on);
    void resistanceChanged(double kOhm);
    void searchRequested(double delay_ms);
    void cancelRequested();

  protected:
    void resizeEvent(QResizeEvent* e) override;
    void showEvent(QShowEvent* e) override;

  private:
    QWidget* makeEmpty();
    QWidget* makeSource();
    QWidget* makeFascicles();
    QWidget* makeJunctions();
    QWidget* makeWork();
    void makeHis(QBoxLayout& column);
    /// Side by side where the panel is wide, else one below the other.
    void arrange();
    void showNewest();
    void showSummary();
    void showHis();
    void showButtons();
    void hisEdited();

    FascicleModel* m_fascicles;
    JunctionModel* m_junctions;
    QSortFilterProxyModel* m_sorted;
    NetworkShapePtr m_shape;
    NetworkFramePtr m_frame;
    simulation::PurkinjeKeys m_keys;
    QTimer m_due;
    QStackedWidget* m_pages;
    QBoxLayout* m_columns;
    QLabel *m_summary, *m_moment, *m_counts, *m_delays, *m_work, *m_hisNote;
    QWidget* m_working;
    QProgressBar* m_progress;
    ChoiceBox* m_unit;
    QCheckBox* m_his;
    NumberBox *m_first, *m_period, *m_beats, *m_resistance, *m_delay;
    QPushButton* m_search;
    QToolButton *m_left, *m_right, *m_joinAll, *m_cutting;
    QTreeView *m_fascicleTable, *m_junctionTable;
};

/// The rhythm that keys ask for; nothing where they have a protocol of another kind (S1-S2, burst).
std::optional<ConductionPanel::His> hisOf(const simulation::PurkinjeKeys& keys);
/// Writes it into keys.
void setHis(simulation::PurkinjeKeys& keys, const ConductionPanel::His& his);

} // namespace tawara
