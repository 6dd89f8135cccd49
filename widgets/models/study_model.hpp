// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/study_words.hpp"

#include <QAbstractTableModel>
#include <QString>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tawara {

using StudyViewPtr = std::shared_ptr<const study::StudyView>;

/// Where a run of this program stands: a fraction of a stage, and the stage.
using RunProgress = std::map<std::int64_t, std::pair<double, QString>>;

/// A study's runs: what each differs by, its state, its time, what came of it. Sorting is a
/// proxy's, by SortRole. A result's exact value is its ValueRole.
class StudyModel : public QAbstractTableModel
{
    Q_OBJECT
  public:
    static constexpr int SortRole = Qt::UserRole, ValueRole = Qt::UserRole + 1;
    explicit StudyModel(QObject* parent = nullptr);

    /// Null: there is none.
    void setStudy(const StudyViewPtr& view);
    void setProgress(const RunProgress& progress);
    /// Whether every result has a column, or those alone that reports show.
    void setAllResults(bool on);
    bool allResults() const { return m_all; }

    const StudyViewPtr& view() const { return m_view; }
    const study::RunView* run(int row) const;
    /// The column of a result by its name in results.csv; -1: it has none.
    int columnOf(const std::string& result) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    enum class Kind { name, path, state, time, result, site, reason };
    struct Column
    {
        Kind kind = Kind::name;
        QString title, tip;
        std::size_t index = 0; ///< of a path; of a column of sites
        std::string result{};
        bool operator==(const Column&) const = default;
    };
    std::vector<Column> columnsOf(const study::StudyView& v) const;
    void addSiteColumns(const study::StudyView& v, std::vector<Column>& to) const;
    void addResults(const study::StudyView& v, std::vector<Column>& to) const;
    QString text(const study::RunView& r, const Column& c) const;
    QVariant value(const study::RunView& r, const Column& c) const;
    static bool isNumber(const Column& c);
    QVariant stateText(const study::RunView& r) const;

    StudyViewPtr m_view;
    RunProgress m_progress;
    std::vector<Column> m_columns;
    bool m_all = false;
};

} // namespace tawara
