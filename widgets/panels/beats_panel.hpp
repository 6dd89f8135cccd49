// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QColor>
#include <QWidget>

class QAction;
class QTableWidget;
class QLabel;

namespace tawara {

class ScatterPlot;

/// Beats at the probes: a table of their measures, and APD90 over the diastolic interval before.
/// Where the tissue was changed between a probe's beats a row says so; points of beats before the
/// newest change are open.
class BeatsPanel : public QWidget
{
    Q_OBJECT
  public:
    struct Entry
    {
        QString probe;
        QColor color;
        std::vector<simulation::Beat> beats;
        bool operator==(const Entry&) const = delete;
    };
    explicit BeatsPanel(QWidget* parent = nullptr);
    /// @param edits  changes of the tissue during the run, in order of time
    void setBeats(const std::vector<Entry>& entries,
                  const std::vector<simulation::TissueEdit>& edits);
    QTableWidget* table() { return m_table; }
    /// A line above the table: what goes on without pacing (unpacedText()); empty: none.
    void setUnpaced(const QString& text);

  Q_SIGNALS:
    /// A table (CSV) of all beats, or of the plot's points: "beats-csv", "restitution-csv".
    void exportRequested(const QString& kind);

  private:
    /// A row of the table: a beat, or what was changed after the beat above.
    struct Row
    {
        QString probe;
        QColor color;
        const simulation::Beat* beat = nullptr;
        QString change; ///< empty: a beat
    };
    void addExports();
    static std::vector<Row> rowsOf(const Entry& e,
                                   const std::vector<simulation::TissueEdit>& edits);
    void fill(const std::vector<Row>& rows);
    void fillBeat(int row, const Row& r);
    void fillChange(int row, const QString& text);

    QTableWidget* m_table;
    std::vector<bool> m_changes; ///< of each row, whether it is one of a change
    QLabel* m_none;
    QLabel* m_unpaced;
    ScatterPlot* m_restitution;
    QAction* m_exportPoints = nullptr;
};

} // namespace tawara
