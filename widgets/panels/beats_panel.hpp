// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/beats_model.hpp"

#include <QWidget>

class QAction;
class QTableView;
class QLabel;

namespace tawara {

class ScatterPlot;

/// Beats at the probes: a table of their measures, and APD90 over the diastolic interval before. A
/// click on a column's title sorts by it, the next the other way round, the third as beats came.
/// Where the tissue was changed between a probe's beats a row says so; points of beats before the
/// newest change are open.
class BeatsPanel : public QWidget
{
    Q_OBJECT
  public:
    using Entry = BeatsModel::Entry;
    explicit BeatsPanel(QWidget* parent = nullptr);
    /// @param edits  changes of the tissue during the run, in order of time
    void setBeats(const std::vector<Entry>& entries,
                  const std::vector<simulation::TissueEdit>& edits);
    /// Whether the run has come to its end: where there is no beat another hint helps then.
    void setEnded(bool ended);
    QTableView* table() { return m_table; }
    /// A line above the table: what goes on without pacing (unpacedText()); empty: none.
    void setUnpaced(const QString& text);

  Q_SIGNALS:
    /// A table (CSV) of all beats, or of the plot's points: "beats-csv", "restitution-csv".
    void exportRequested(const QString& kind);

  private:
    void addExports();
    void sortBy(int column);
    /// The selected rows to the clipboard, with the columns' names: as text with tabs.
    void copySelected() const;
    /// Why there is no beat, and what to do.
    void sayNone();
    /// Rows of changes go over all columns.
    void span();

    BeatsModel* m_model;
    QTableView* m_table;
    std::vector<bool> m_changes; ///< of each row, whether it is one of a change
    QLabel* m_none;
    QLabel* m_unpaced;
    ScatterPlot* m_restitution;
    QAction* m_exportPoints = nullptr;
    bool m_ended = false, m_hasProbes = false;
};

} // namespace tawara
