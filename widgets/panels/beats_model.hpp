// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QAbstractTableModel>
#include <QColor>

namespace tawara {

/// Beats at the probes as rows, one probe after another: a row for each beat, and one wherever the
/// tissue was changed between beats of a probe. Sorted by a column there are rows of beats alone,
/// those without such a value last. Texts are made when they are asked for, so that a new beat
/// costs the visible rows and not all of a long run.
class BeatsModel : public QAbstractTableModel
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
    static constexpr int columns = 10, paced_by = 9;
    static constexpr int as_they_came = -1; ///< no column

    using QAbstractTableModel::QAbstractTableModel;
    /// Rows that stay keep their place, unless they are sorted by a column, and are told of as
    /// changed. Cost: rows, without texts.
    /// @param edits  changes of the tissue during the run, in order of time
    void setBeats(std::vector<Entry> entries, std::vector<simulation::TissueEdit> edits);
    /// Whether a row says what was changed.
    bool isChange(int row) const { return m_rows[static_cast<std::size_t>(row)].beat == nullptr; }
    /// By the values, not their texts; probes in the order in which they were placed; pulses by
    /// site, S1 before S2, and S2 by coupling interval.
    /// @param column  may be as_they_came
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    int sortedBy() const { return m_sortedBy; } ///< column
    Qt::SortOrder sortOrder() const { return m_order; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    /// The column by which it is sorted has an arrow, but not for Qt::EditRole.
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    /// A beat, or which edits came after the beat before.
    struct Row
    {
        const Entry* entry = nullptr;
        const simulation::Beat* beat = nullptr;
        const simulation::Beat* before = nullptr;
        std::size_t first = 0, last = 0;
    };
    static void addRows(const Entry& e, const std::vector<simulation::TissueEdit>& edits,
                        std::vector<Row>& rows);
    /// What tells a row from others: the entry's number, and when the beat began; -1: a change.
    using Key = std::pair<std::ptrdiff_t, double>;
    std::vector<Key> keys() const; ///< of the rows
    /// What is selected stays so, though its beats are in other rows now.
    /// @param were  the rows' keys before
    void follow(const std::vector<Key>& were);
    /// Sorts them; rows of changes go.
    void arrange(std::vector<Row>& rows) const;
    QVariant beatData(const Row& r, int column, int role) const;
    QVariant changeData(const Row& r, int role) const;

    std::vector<Entry> m_entries;
    std::vector<simulation::TissueEdit> m_edits;
    std::vector<Row> m_rows; ///< of m_entries
    int m_sortedBy = as_they_came;
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace tawara
